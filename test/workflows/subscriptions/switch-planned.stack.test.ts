import { beforeAll, describe, expect, test } from 'vitest';
import { itemsOf } from '../../stack/api.ts';
import { draftOf, rowsOf, trackCalls } from '../../stack/bills.ts';
import { advance, makePlan, subscribe } from '../../stack/clocks.ts';
import { landed } from '../../stack/resources.ts';
import { openSwitchFixture, priced } from '../../stack/switch-fixture.ts';

let fixture: Awaited<ReturnType<typeof openSwitchFixture>>;
beforeAll(async () => {
  fixture = await openSwitchFixture();
});

describe('in advance, same billing period', () => {
  const inAdvance = { charge_timing: 'in_advance', components: [] };

  // Of 60 * 15 / 30 = 30 the 20 that wait are waived and 10 given back; or all of it, of both invoices.
  test.each(['add_to_next_invoice', 'invoice_now'])(
    '%s; a cancel later gives back what is left of both fees',
    async (invoicing_behavior) => {
      const { api } = fixture.account;
      const { clock, customer_id, subscription, other } = await fixture.subscriber(
        '2026-03-11T12:00:00Z',
        inAdvance,
        inAdvance,
      );
      const next = String((await fixture.switchTo(subscription, other, { invoicing_behavior })).body.subscription_id);
      await advance(api, clock, '2026-03-16T00:00:00Z');
      const canceled = await api.post(`/api/subscriptions/${next}/cancel`, { invoicing_behavior: 'invoice_now' });
      expect(canceled.status, canceled.text).toBe(200);
      const invoices = await fixture.invoicesFor(customer_id);
      // Paid in the end: 30 * 10 / 30 + 60 * 5 / 30 = 20.
      const left = invoices.map(({ amount_due }) => Number(amount_due)).reduce((a, b) => a + b, 0);
      expect(left).toBe(20);
    },
  );

  test('planned for the end of the period: the next fee is the new plan’s, on the same invoice', async () => {
    const { api } = fixture.account;
    const { clock, customer_id, subscription, other } = await fixture.subscriber(
      '2026-03-11T12:00:00Z',
      { ...inAdvance, components: [priced(fixture.calls, 0.5)] },
      inAdvance,
    );
    await trackCalls(api, customer_id, '2026-03-05T00:00:00Z', 4);
    const planned = await fixture.switchTo(subscription, other, { effective_date: '2026-03-31' });
    expect(planned.exact).toMatchObject({
      subscription_id: subscription,
      status: 'active',
      proration: null,
      invoice_id: null,
      pending_change: {
        new_plan_id: other,
        effective_date: '2026-03-31',
        invoicing_behavior: 'add_to_next_invoice',
        usage_behavior: 'transfer_to_new_subscription',
      },
    });
    const addon_id = (await api.post('/api/addons', { name: 'Seats', kind: 'recurring', price: 5 })).body.addon_id;
    expect((await api.post(`/api/subscriptions/${subscription}/addons/attach`, { addon_id })).status).toBe(200);
    await landed(api);
    const draft = await draftOf(api, customer_id);
    await advance(api, clock, '2026-04-30T00:00:00Z');
    const [, end, second] = await fixture.invoicesFor(customer_id);
    const old = await fixture.recordOf(subscription);
    expect(old).toMatchObject({ status: 'canceled', cancel_reason: 'switched', pending_change: null });
    expect(end).toMatchObject({ kind: 'period', subscription_id: subscription });
    expect(rowsOf(end)).toEqual([
      'recurring_fee 60 from 2026-03-31',
      'usage x4 2 from 2026-03-01',
      'addon 5 from 2026-03-01',
      'addon 5 from 2026-03-31',
    ]);
    expect(rowsOf(draft)).toEqual(rowsOf(end));
    expect(rowsOf(second)).toEqual(['recurring_fee 60 from 2026-04-30', 'addon 5 from 2026-04-30']);
    expect(second).toMatchObject({ subscription_id: old.replaced_by });
    const timeline = async (id: unknown) =>
      itemsOf((await api.get(`/api/subscriptions/${id}/timeline`)).body.results).map(
        ({ kind, status }) => `${kind} ${status}`,
      );
    expect(await timeline(subscription)).toEqual([
      'switched done',
      'invoiced done',
      'activated done',
      'invoiced done',
      'created done',
    ]);
    expect(await timeline(old.replaced_by)).toEqual([
      'renewed planned',
      'renewed done',
      'invoiced done',
      'activated done',
      'created done',
    ]);
  });
});

describe('another billing period, or another timing, closes the old period', () => {
  test.each([
    // Used: 10 of 30 days of 30. Calls before are transferred, or billed by the old plan: 4 * 0.5.
    [
      'transfer_to_new_subscription',
      ['recurring_fee 10 from 2026-03-01'],
      ['recurring_fee 600 from 2026-03-11', 'usage x7 7 from 2026-03-01'],
    ],
    [
      'reset_usage',
      ['recurring_fee 10 from 2026-03-01', 'usage x4 2 from 2026-03-01'],
      ['recurring_fee 600 from 2026-03-11', 'usage x3 3 from 2026-03-11'],
    ],
  ])('in arrears to annual in arrears: a closing invoice; %s', async (usage_behavior, closing, annual) => {
    const { api } = fixture.account;
    const { clock, customer_id, subscription, other } = await fixture.subscriber(
      '2026-03-11T12:00:00Z',
      {},
      { billing_period: 'annual', recurring_fee: 600 },
    );
    await trackCalls(api, customer_id, '2026-03-05T00:00:00Z', 4);
    const answer = await fixture.switchTo(subscription, other, { usage_behavior });
    expect(answer.exact).toMatchObject({
      proration: null,
      start_date: '2026-03-11',
      current_period_start: '2026-03-11T00:00:00.000Z',
      current_period_end: '2027-03-11T00:00:00.000Z',
    });
    const [made] = await fixture.invoicesFor(customer_id);
    expect(made).toMatchObject({ kind: 'closing', subscription_id: subscription, invoice_id: answer.body.invoice_id });
    expect(rowsOf(made)).toEqual(closing);
    await trackCalls(api, customer_id, '2026-03-12T00:00:00Z', 3);
    await advance(api, clock, '2027-03-11T00:00:00Z');
    expect(rowsOf((await fixture.invoicesFor(customer_id))[1])).toEqual(annual);
  });

  test('in advance to annual in advance: what is left of the old fee is given back, the new one is on an opening invoice', async () => {
    const { api } = fixture.account;
    const { customer_id, subscription, other } = await fixture.subscriber(
      '2026-03-11T12:00:00Z',
      { charge_timing: 'in_advance' },
      { charge_timing: 'in_advance', billing_period: 'annual', recurring_fee: 600 },
    );
    const [paid] = await fixture.invoicesFor(customer_id);
    expect((await api.post(`/api/invoices/${paid?.invoice_id}/mark_paid`, {})).status).toBe(200);
    await trackCalls(api, customer_id, '2026-03-05T00:00:00Z', 4);
    const answer = await fixture.switchTo(subscription, other, { usage_behavior: 'reset_usage' });
    const [, opening] = await fixture.invoicesFor(customer_id);
    expect(opening).toMatchObject({
      kind: 'opening',
      subscription_id: answer.body.subscription_id,
      invoice_id: answer.body.invoice_id,
      subtotal: '602',
      credits_applied: '20',
    });
    expect(rowsOf(opening)).toEqual(['recurring_fee 600 from 2026-03-11', 'usage x4 2 from 2026-03-01', 'credit -20']);
  });
});

describe('planned', () => {
  test('on a date: replaced, withdrawn, dropped by a planned cancel at or before it, made at its instant', async () => {
    const { api } = fixture.account;
    const { clock, customer_id, subscription, other } = await fixture.subscriber('2026-03-11T12:00:00Z');
    const third = await makePlan(api, { recurring_fee: 90, components: [priced(fixture.calls, 1)] });
    const pending = async () => (await fixture.recordOf(subscription)).pending_change;
    expect((await fixture.switchTo(subscription, other, { effective_date: '2026-03-16' })).status).toBe(200);
    expect((await fixture.switchTo(subscription, third, { effective_date: '2026-03-21' })).status).toBe(200);
    expect(await pending()).toMatchObject({ new_plan_id: third, effective_date: '2026-03-21' });
    const withdrawn = await fixture.switchTo(subscription, undefined, { effective_date: null });
    expect(withdrawn.body).toMatchObject({ pending_change: null, proration: null });
    expect((await fixture.switchTo(subscription, third, { effective_date: '2026-03-21' })).status).toBe(200);
    expect(rowsOf(await draftOf(api, customer_id))).toEqual([
      'recurring_fee 30 from 2026-03-01',
      'usage x0 0 from 2026-03-01',
      'proration 20 from 2026-03-21',
    ]);
    const cancel = (body: object) => api.post(`/api/subscriptions/${subscription}/cancel`, body);
    expect((await cancel({ cancel_at: '2026-03-22' })).body.pending_change).not.toBeNull();
    expect((await cancel({ cancel_at: '2026-03-21' })).body.pending_change).toBeNull();
    expect((await fixture.switchTo(subscription, third, { effective_date: '2026-03-21' })).status).toBe(409);
    await cancel({ cancel_at: null });
    expect(
      (await fixture.switchTo(subscription, third, { effective_date: '2026-03-21', invoicing_behavior: 'invoice_now' }))
        .status,
    ).toBe(200);
    // It falls due in a pause, and waits for the resume on the 23rd.
    expect((await api.post(`/api/subscriptions/${subscription}/pause`, { resumes_at: '2026-03-23' })).status).toBe(200);
    expect((await fixture.switchTo(subscription, third)).status).toBe(409);
    await advance(api, clock, '2026-03-31T00:00:00Z');
    const [now, end] = await fixture.invoicesFor(customer_id);
    // (90 - 30) * 8 / 30 = 16
    expect(now).toMatchObject({ kind: 'proration', issue_date: '2026-03-23', total: '16' });
    // 30 * (30 - 12) / 30, paused from the 11th to the 23rd
    expect(rowsOf(end)).toEqual(['recurring_fee 18 from 2026-03-01', 'usage x0 0 from 2026-03-01']);
  });

  test('to a plan that is archived before it comes: what was agreed is done, a new call is refused', async () => {
    const { api } = fixture.account;
    const { clock, subscription, other } = await fixture.subscriber('2026-03-11T12:00:00Z');
    const planned = { effective_date: '2026-03-31' };
    expect((await fixture.switchTo(subscription, other, planned)).status).toBe(200);
    expect((await api.post(`/api/plans/${other}/archive`)).status).toBe(200);
    expect((await fixture.switchTo(subscription, other, planned)).status).toBe(409);
    await advance(api, clock, '2026-03-31T00:00:00Z');
    const { status, replaced_by } = await fixture.recordOf(subscription);
    expect(status).toBe('canceled');
    expect(await fixture.recordOf(replaced_by)).toMatchObject({ status: 'active', plan_id: other });
  });
});

test('refusals, in their order; and an Idempotency-Key is answered again', async () => {
  const { api } = fixture.account;
  const { clock, customer_id, subscription, other } = await fixture.subscriber('2026-03-11T12:00:00Z');
  const plan_id = String((await fixture.recordOf(subscription)).plan_id);
  const status = async (...args: Parameters<typeof fixture.switchTo>) => (await fixture.switchTo(...args)).status;
  const euros = await makePlan(api, { currency: 'eur' });
  const archived = await makePlan(api);
  await api.post(`/api/plans/${archived}/archive`, {});
  const held = await makePlan(api);
  await subscribe(api, { customer_id, plan_id: held });
  expect(await status(subscription, undefined)).toBe(422);
  expect(await status(subscription, other, { usage_behavior: 'both' })).toBe(422);
  expect(await status(subscription, plan_id)).toBe(400);
  expect(await status(subscription, other, { effective_date: '2026-03-10' })).toBe(422);
  expect(await status(subscription, other, { effective_date: '2026-04-01' })).toBe(422);
  expect(await status(subscription, 'plan_none')).toBe(404);
  expect(await status('sub_none', other)).toBe(404);
  expect(await status(subscription, euros)).toBe(400);
  expect(await status(subscription, archived)).toBe(409);
  expect(await status(subscription, held)).toBe(409);
  const key = { 'Idempotency-Key': 'switch-once' };
  const first = await fixture.switchTo(subscription, other, { effective_date: '2026-03-11' }, key);
  const again = await fixture.switchTo(subscription, other, { effective_date: '2026-03-11' }, key);
  expect([first.status, again.text]).toEqual([200, first.text]);
  expect(await status(subscription, held, {}, key)).toBe(422);
  expect(await status(subscription, euros)).toBe(400);
  expect(await status(subscription, await makePlan(api))).toBe(409);
  const pending = await subscribe(api, { customer_id, plan_id: await makePlan(api), start_date: '2026-03-20' });
  expect(await status(pending, await makePlan(api))).toBe(409);
  // The workflow of the new one goes on, once the relay has started it.
  expect(await advance(api, clock, '2026-05-01T00:00:00Z')).toMatchObject({ status: 'ready' });
});
