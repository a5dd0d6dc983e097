import { beforeAll, describe, expect, test } from 'vitest';
import { itemsOf } from '../../stack/api.ts';
import { eventsOf } from '../../stack/billed-customer.ts';
import { billOf, draftOf, rowsOf, trackCalls } from '../../stack/bills.ts';
import { accessWith, landed, track } from '../../stack/resources.ts';
import { openSwitchFixture, priced } from '../../stack/switch-fixture.ts';
import { advance } from '../in-process-clock.ts';

let fixture: Awaited<ReturnType<typeof openSwitchFixture>>;
beforeAll(async () => {
  fixture = await openSwitchFixture();
});

describe('in arrears, same billing period', () => {
  test('an upgrade carries the period on: proration and usage by the new plan on the next invoice', async () => {
    const { api } = fixture.account;
    const { clock, customer_id, subscription, other } = await fixture.subscriber('2026-03-11T12:00:00Z');
    await trackCalls(api, customer_id, '2026-03-05T00:00:00Z', 4);
    const answer = await fixture.switchTo(subscription, other);
    expect(answer.status, answer.text).toBe(200);
    // (60 - 30) * 20 / 30 = 20
    expect(answer.exact).toMatchObject({
      plan_id: other,
      status: 'active',
      current_period_start: '2026-03-01T00:00:00.000Z',
      current_period_end: '2026-03-31T00:00:00.000Z',
      previous_subscription_id: subscription,
      created_at: '2026-03-11T12:00:00.000Z',
      invoice_id: null,
    });
    const charged = { amount: '20', direction: 'charge', days_remaining: '20', days_in_period: '30' };
    expect(answer.exact.proration).toMatchObject(charged);
    const next = String(answer.body.subscription_id);
    expect(await fixture.recordOf(subscription)).toMatchObject({
      status: 'canceled',
      cancel_reason: 'switched',
      canceled_at: '2026-03-11T12:00:00.000Z',
      replaced_by: next,
    });
    await trackCalls(api, customer_id, '2026-03-20T00:00:00Z', 6);
    await landed(api);
    const draft = await draftOf(api, customer_id);
    await advance(api, clock, '2026-04-30T00:00:00Z');
    const [first, second] = await fixture.invoicesFor(customer_id);
    expect(rowsOf(first)).toEqual([
      'recurring_fee 30 from 2026-03-01',
      'usage x10 10 from 2026-03-01',
      'proration 20 from 2026-03-11',
    ]);
    expect(first).toMatchObject({ kind: 'period', subscription_id: next, subtotal: '60' });
    expect(rowsOf(second)).toEqual(['recurring_fee 60 from 2026-03-31', 'usage x0 0 from 2026-03-31']);
    expect(billOf(itemsOf(draft.invoices)[0])).toEqual(billOf(first));
    expect((await eventsOf(`subscription/${subscription}`)).map(({ type }) => type)).toEqual(['subscription.created']);
    expect((await eventsOf(`subscription/${next}`)).map(({ type }) => type)).toEqual([
      'subscription.plan_changed',
      'subscription.renewed',
      'subscription.renewed',
    ]);
  });

  test('invoice_now: an invoice with only the proration; several switches add up, also back to the first plan', async () => {
    const { api } = fixture.account;
    const { clock, customer_id, subscription, other } = await fixture.subscriber('2026-03-11T12:00:00Z');
    const plan_id = String((await fixture.recordOf(subscription)).plan_id);
    const up = await fixture.switchTo(subscription, other, { invoicing_behavior: 'invoice_now' });
    const [proration] = await fixture.invoicesFor(customer_id);
    expect(proration).toMatchObject({ kind: 'proration', invoice_id: up.body.invoice_id, total: '20' });
    expect(rowsOf(proration)).toEqual(['proration 20 from 2026-03-11']);
    await advance(api, clock, '2026-03-21T09:00:00Z');
    // Back to 30 with 10 days left: (30 - 60) * 10 / 30 = -10, a credit; with invoice_now too there is no invoice.
    const down = await fixture.switchTo(String(up.body.subscription_id), plan_id, {
      invoicing_behavior: 'invoice_now',
    });
    expect(down.exact).toMatchObject({ invoice_id: null, proration: { amount: '10', direction: 'credit' } });
    expect(await fixture.creditsOf(customer_id)).toMatchObject([{ reason: 'overpayment_credit', amount: '10' }]);
    await advance(api, clock, '2026-03-31T00:00:00Z');
    const [, last] = await fixture.invoicesFor(customer_id);
    // 30 * 10 / 30 + 60 * 10 / 30 + 30 * 10 / 30 = 40 = 20 + 30 - 10
    expect(last).toMatchObject({ subtotal: '30', credits_applied: '10', amount_due: '20' });
  });

  test('reset: usage before is billed by the old plan; days paused after the switch cost neither fee', async () => {
    const { api } = fixture.account;
    const { clock, customer_id, subscription, other } = await fixture.subscriber('2026-03-11T12:00:00Z', {
      components: [priced(fixture.calls, 0.5, { prepaid_units: 6 }), priced(fixture.jobs, 3)],
    });
    await trackCalls(api, customer_id, '2026-03-05T00:00:00Z', 4);
    const next = String(
      (await fixture.switchTo(subscription, other, { usage_behavior: 'reset_usage' })).body.subscription_id,
    );
    await trackCalls(api, customer_id, '2026-03-20T00:00:00Z', 5);
    await advance(api, clock, '2026-03-21T00:00:00Z');
    expect((await api.post(`/api/subscriptions/${next}/pause`, {})).status).toBe(200);
    await advance(api, clock, '2026-03-26T00:00:00Z');
    expect((await api.post(`/api/subscriptions/${next}/resume`, {})).status).toBe(200);
    await advance(api, clock, '2026-03-31T00:00:00Z');
    const [opening, first] = await fixture.invoicesFor(customer_id);
    expect(rowsOf(opening)).toEqual(['prepaid_units x6 3 from 2026-03-01']);
    // Fee: 30 * 10 / 30 + 60 * 15 / 30 = 40 = 30 * 25 / 30 + 20 - 30 * 5 / 30. Of 6 prepaid calls 2 are left for the 5 after.
    expect(rowsOf(first)).toEqual([
      'recurring_fee 25 from 2026-03-01',
      'prepaid_units x6 6 from 2026-03-31',
      'usage x4 0 from 2026-03-01',
      'usage x0 0 from 2026-03-01',
      'usage x5 3 from 2026-03-11',
      'proration 20 from 2026-03-11',
      'proration -5 from 2026-03-11',
    ]);
  });

  test('transfer: a metric of the old plan only ends with it, one of the new plan only counts from the start', async () => {
    const { api } = fixture.account;
    const { clock, customer_id, subscription, other } = await fixture.subscriber(
      '2026-03-11T12:00:00Z',
      {},
      { components: [priced(fixture.jobs, 3)] },
    );
    await trackCalls(api, customer_id, '2026-03-05T00:00:00Z', 4);
    const job = { event_name: 'job', customer_id, time_created: '2026-03-06T00:00:00Z' };
    await track(api, job);
    const next = String((await fixture.switchTo(subscription, other)).body.subscription_id);
    await trackCalls(api, customer_id, '2026-03-20T00:00:00Z', 9);
    await advance(api, clock, '2026-03-31T00:00:00Z');
    const [first] = await fixture.invoicesFor(customer_id);
    expect(rowsOf(first)).toEqual([
      'recurring_fee 30 from 2026-03-01',
      'usage x4 2 from 2026-03-01',
      'usage x1 3 from 2026-03-01',
      'proration 20 from 2026-03-11',
    ]);
    // Late for both plans' usage, on the successor's invoice; calls after the switch are nobody's.
    await trackCalls(api, customer_id, '2026-03-07T00:00:00Z', 2);
    await trackCalls(api, customer_id, '2026-03-21T00:00:00Z', 2);
    await track(api, job);
    await advance(api, clock, '2026-04-30T00:00:00Z');
    const second = (await fixture.invoicesFor(customer_id))[1];
    expect(second).toMatchObject({ subscription_id: next });
    expect(rowsOf(second)).toEqual([
      'recurring_fee 60 from 2026-03-31',
      'usage x0 0 from 2026-03-31',
      'late_usage x2 1 from 2026-03-01',
      'late_usage x1 3 from 2026-03-01',
    ]);
    for (const { invoice_id, lines } of await fixture.invoicesFor(customer_id)) {
      for (const { line_id, amount } of itemsOf(lines)) {
        const explained = await api.get(`/api/invoices/${invoice_id}/lines/${line_id}/explain`);
        const steps = itemsOf(explained.exact.steps);
        expect([explained.status, steps.at(-1)?.value]).toEqual([200, amount]);
      }
    }
    const costs = await api.get(
      `/api/customers/${customer_id}/cost_analysis/?start_date=2026-03-01&end_date=2026-04-29`,
    );
    // 30 + 2 + 3 + 20 + 60 + 1 + 3
    expect(costs.exact.total_revenue).toBe('119');
  });

  test('add-ons and prepaid units go along, new units are charged; a downgrade credits its tax; access counts anew', async () => {
    const { api } = fixture.account;
    const components = [priced(fixture.calls, 0.5, { prepaid_units: 6 })];
    const { clock, customer_id, subscription, other } = await fixture.subscriber(
      '2026-03-11T12:00:00Z',
      { recurring_fee: 60, components },
      { recurring_fee: 30, components: [priced(fixture.calls, 1), priced(fixture.jobs, 3, { prepaid_units: 2 })] },
    );
    await api.patch(`/api/customers/${customer_id}/`, { tax_rate: 10 });
    await trackCalls(api, customer_id, '2026-03-05T00:00:00Z', 4);
    await landed(api);
    const addons = await Promise.all(
      ['recurring', 'one_time'].map(async (kind) => {
        const made = await api.post('/api/addons', { name: kind, kind, price: 5 });
        return made.body.addon_id;
      }),
    );
    for (const addon_id of addons) await api.post(`/api/subscriptions/${subscription}/addons/attach`, { addon_id });
    const answer = await fixture.switchTo(subscription, other, { usage_behavior: 'reset_usage' });
    expect(answer.exact).toMatchObject({
      addons: [{ addon_id: addons[0] }, { addon_id: addons[1] }],
      prepaid_units: [
        { metric_id: fixture.calls, units: '6', used: '4', remaining: '2' },
        { metric_id: fixture.jobs, units: '2', used: '0' },
      ],
    });
    expect(await accessWith(api, customer_id, fixture.calls, 0)).toMatchObject({ access: true });
    // (30 - 60) * 20 / 30 = -20, and the tax of 10 %.
    expect(await fixture.creditsOf(customer_id)).toMatchObject([{ amount: '22' }]);
    await advance(api, clock, '2026-03-31T00:00:00Z');
    const [, end] = await fixture.invoicesFor(customer_id);
    expect(rowsOf(end)).toEqual([
      'recurring_fee 60 from 2026-03-01',
      'prepaid_units x6 6 from 2026-03-31',
      'prepaid_units x2 6 from 2026-03-31',
      'prepaid_units x2 6 from 2026-03-01',
      'usage x4 0 from 2026-03-01',
      'usage x0 0 from 2026-03-11',
      'usage x0 0 from 2026-03-11',
      'addon 5 from 2026-03-01',
      'addon 5 from 2026-03-01',
      'credit -22',
    ]);
  });

  test.each([
    ['charge_prorated', '20'],
    ['charge_full', '50'],
    ['refund', '0'],
  ])('a cancel after a switch: %s', async (flat_fee_behavior, total) => {
    const { api } = fixture.account;
    const { clock, customer_id, subscription, other } = await fixture.subscriber(
      '2026-03-11T12:00:00Z',
      { components: [] },
      { components: [] },
    );
    const next = String((await fixture.switchTo(subscription, other)).body.subscription_id);
    await advance(api, clock, '2026-03-16T00:00:00Z');
    // 30 * 10 / 30 + 60 * 5 / 30 = 20; in full 30 + 20 = 50; refund: nothing of it.
    await api.post(`/api/subscriptions/${next}/cancel`, { flat_fee_behavior, invoicing_behavior: 'invoice_now' });
    const [closing] = await fixture.invoicesFor(customer_id);
    expect(closing).toMatchObject({ kind: 'closing', subscription_id: next, total });
  });
});
