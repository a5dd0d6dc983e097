import { beforeAll, describe, expect, test } from 'vitest';
import { newAccount, type TestAccount } from '../../stack/accounts.ts';
import { itemsOf } from '../../stack/api.ts';
import { billOf, draftOf, linesOf, rowsOf, trackCalls } from '../../stack/bills.ts';
import { invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { landed, makeMetric } from '../../stack/resources.ts';
import { advance } from '../in-process-clock.ts';

let account: TestAccount;
let metric_id: string;
let customers = 0;

beforeAll(async () => {
  account = await newAccount();
  metric_id = String((await makeMetric(account.api)).metric_id);
});

type Fixture = { clock: string; customer_id: string; subscription: string };

/** A monthly subscription from 2026-03-01 (to 03-31): fee 30, 0.5 per call, 100 of them prepaid, tax 10 %; it is 03-11. */
async function fixture(plan: object = {}, { api } = account, metric = metric_id): Promise<Fixture> {
  const clock = await makeClock(api, '2026-03-01T00:00:00Z');
  const customer_id = await makeCustomer(api, `c${customers++}`, { test_clock_id: clock, tax_rate: 10 });
  const components = [{ metric_id: metric, overage_price: 0.5, prepaid_units: 100 }];
  const plan_id = await makePlan(api, { recurring_fee: 30, components, ...plan });
  const subscription = await subscribe(api, { customer_id, plan_id });
  await advance(api, clock, '2026-03-11T12:00:00Z');
  return { clock, customer_id, subscription };
}

const change = (id: string, units: number, more: object = {}, headers: Record<string, string> = {}) =>
  account.api.post(`/api/subscriptions/${id}/components/change-prepaid-units`, { metric_id, units, ...more }, headers);

describe('more units', () => {
  test('the price difference is on the next invoice, and the units last', async () => {
    const { api } = account;
    const { clock, customer_id, subscription } = await fixture();
    const answer = await change(subscription, 150);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body).toMatchObject({ status: 'active', prepaid_units: [{ metric_id, units: 150, used: 0 }] });
    await trackCalls(api, customer_id, '2026-03-20T00:00:00Z', 160);
    await landed(api);
    const [draft] = [await draftOf(api, customer_id), await advance(api, clock, '2026-03-31T00:00:00Z')];
    const [opening, first] = await invoicesOf(api, `customer_id=${customer_id}`);
    expect(rowsOf(opening)).toEqual(['prepaid_units x100 50 from 2026-03-01']);
    // 150 units cost 75, 25 more than 100; 10 calls beyond them cost 5. (30 + 75 + 5 + 25) * 1.1 = 148.5
    expect(rowsOf(first)).toEqual([
      'recurring_fee 30 from 2026-03-01',
      'prepaid_units x150 75 from 2026-03-31',
      'usage x160 5 from 2026-03-01',
      'proration x50 25 from 2026-03-01',
    ]);
    expect(first).toMatchObject({ kind: 'period', total: '148.5' });
    expect(billOf(draft)).toEqual(billOf(first));
    const line = linesOf(first).find(({ type }) => String(type) === 'proration');
    expect((await api.get(`/api/invoices/${first?.invoice_id}/lines/${line?.line_id}/explain`)).status).toBe(200);
    const { body } = await api.get(`/api/subscriptions/${subscription}/timeline`);
    expect(body.results).toContainEqual(
      expect.objectContaining({ at: '2026-03-11T12:00:00.000Z', kind: 'prepaid_units_changed' }),
    );
  });

  test('in advance, invoiced now: an invoice of its own for each call, once by its Idempotency-Key', async () => {
    const { api } = account;
    const { clock, customer_id, subscription } = await fixture({ charge_timing: 'in_advance' });
    const now = { invoicing_behavior: 'invoice_now' };
    const first = await change(subscription, 150, now, { 'Idempotency-Key': `${subscription}-1` });
    const again = await change(subscription, 150, now, { 'Idempotency-Key': `${subscription}-1` });
    expect(again.text).toBe(first.text);
    expect((await change(subscription, 160, now)).status).toBe(200);
    expect((await change(subscription, 160, now)).status).toBe(200);
    await advance(api, clock, '2026-03-31T00:00:00Z');
    const invoices = await invoicesOf(api, `customer_id=${customer_id}`);
    expect(invoices.map((one) => [String(one.kind), String(one.total), rowsOf(one)])).toEqual([
      // (30 + 50) * 1.1
      ['opening', '88', ['recurring_fee 30 from 2026-03-01', 'prepaid_units x100 50 from 2026-03-01']],
      ['proration', '27.5', ['proration x50 25 from 2026-03-01']],
      ['proration', '5.5', ['proration x10 5 from 2026-03-01']],
      // (30 + 80) * 1.1
      [
        'period',
        '121',
        ['recurring_fee 30 from 2026-03-31', 'prepaid_units x160 80 from 2026-03-31', 'usage x0 0 from 2026-03-01'],
      ],
    ]);
  });

  test('what waits is invoiced at the old period end where a cancel leaves nothing itself', async () => {
    const { api } = account;
    const { clock, customer_id, subscription } = await fixture();
    await change(subscription, 150);
    const cancel = { flat_fee_behavior: 'refund', bill_usage: false };
    expect((await api.post(`/api/subscriptions/${subscription}/cancel`, cancel)).status).toBe(200);
    await advance(api, clock, '2026-04-05T00:00:00Z');
    const invoices = await invoicesOf(api, `customer_id=${customer_id}`);
    expect(invoices.map(({ kind }) => String(kind))).toEqual(['opening', 'closing']);
    expect(rowsOf(invoices[1])).toEqual(['proration x50 25 from 2026-03-01']);
  });
});

describe('fewer units', () => {
  test('an overpayment credit with its tax; never fewer than are used by everything accepted before', async () => {
    const { api } = account;
    const { clock, customer_id, subscription } = await fixture();
    await trackCalls(api, customer_id, '2026-03-05T00:00:00Z', 40);
    const refused = await change(subscription, 39);
    expect(refused.status).toBe(409);
    expect(refused.body.detail).toContain('active and has used 40 units');
    const answer = await change(subscription, 40);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body).toMatchObject({ prepaid_units: [{ units: 40, used: 40, remaining: 0 }] });
    const credits = await api.get(`/api/credits?customer_id=${customer_id}`);
    // 60 units at 0.5, and the 10 % on them
    expect(credits.body.results).toMatchObject([{ amount: 33, reason: 'overpayment_credit', status: 'active' }]);
    const [draft] = [await draftOf(api, customer_id), await advance(api, clock, '2026-03-31T00:00:00Z')];
    const [, first] = await invoicesOf(api, `customer_id=${customer_id}`);
    // (30 + 20) * 1.1 = 55
    expect(first).toMatchObject({ total: '55', credits_applied: '33', amount_due: '22' });
    expect(rowsOf(first)).toEqual([
      'recurring_fee 30 from 2026-03-01',
      'prepaid_units x40 20 from 2026-03-31',
      'usage x40 0 from 2026-03-01',
      'credit -33',
    ]);
    expect(billOf(draft)).toEqual(billOf(first));
  });

  test('more, then fewer before the invoice: nothing is left to pay, tax included', async () => {
    const { api } = account;
    const { clock, customer_id, subscription } = await fixture({ recurring_fee: 0 });
    await change(subscription, 150);
    await change(subscription, 0);
    await advance(api, clock, '2026-03-31T00:00:00Z');
    const [opening, first] = await invoicesOf(api, `customer_id=${customer_id}`);
    // Opening 50 + 5. Given back 75 + 7.5 of the 75 + 7.5 that the period was charged: 27.5 is used at once.
    expect(opening).toMatchObject({ total: '55', credits_applied: '0' });
    expect(first).toMatchObject({ total: '27.5', credits_applied: '27.5', amount_due: '0', status: 'paid' });
    const credits = await api.get(`/api/credits?customer_id=${customer_id}`);
    // One gives back of the opening invoice, one of what waited.
    const told = itemsOf(credits.body.results);
    expect(told.map(({ amount }) => Number(amount)).toSorted()).toEqual([27.5, 55]);
    expect(told.reduce((left, one) => left + Number(one.amount_remaining), 0)).toBe(55);
  });
});

describe('one customer, several subscriptions', () => {
  test('another one that prepays the same metric from the same day pays for nothing of this one', async () => {
    const { api } = account;
    const { customer_id } = await fixture();
    const plan_id = await makePlan(api, { components: [{ metric_id, overage_price: 0.5, prepaid_units: 10 }] });
    const other = await subscribe(api, { customer_id, plan_id, start_date: '2026-03-01' });
    const [opening] = await invoicesOf(api, `subscription_id=${other}`);
    expect(opening).toMatchObject({ kind: 'opening', total: '5.5' });
    expect((await api.post(`/api/invoices/${opening?.invoice_id}/void`)).status).toBe(200);
    expect((await change(other, 0)).status).toBe(200);
    expect((await api.get(`/api/credits?customer_id=${customer_id}`)).body.results).toEqual([]);
  });

  test('usage that a plan before a switch has billed uses none of the units that came after it', async () => {
    const { api } = account;
    const { customer_id, subscription } = await fixture();
    await trackCalls(api, customer_id, '2026-03-05T00:00:00Z', 40);
    await landed(api);
    const switchTo = async (id: string, new_plan_id: string) => {
      const answer = await api.post(`/api/subscriptions/${id}/switch_plan/`, { new_plan_id });
      expect(answer.status, answer.text).toBe(200);
      return answer.body;
    };
    const without = await switchTo(subscription, await makePlan(api, { recurring_fee: 30 }));
    const components = [{ metric_id, overage_price: 0.5, prepaid_units: 30 }];
    const again = await switchTo(
      String(without.subscription_id),
      await makePlan(api, { recurring_fee: 30, components }),
    );
    await trackCalls(api, customer_id, '2026-03-11T12:00:00Z', 7);
    await landed(api);
    const id = String(again.subscription_id);
    const { body } = await api.get(`/api/subscriptions/${id}`);
    expect(body.prepaid_units).toEqual([{ metric_id, units: 30, used: 7, remaining: 23 }]);
    expect((await change(id, 6)).status).toBe(409);
    expect((await change(id, 7)).status).toBe(200);
  });
});

test('between the end of a period and its closing the units are changed for the next one', async () => {
  const own = await newAccount();
  const metric = String((await makeMetric(own.api)).metric_id);
  expect((await own.api.patch('/api/account', { invoice_grace_seconds: 3600 })).status).toBe(200);
  const { clock, customer_id, subscription } = await fixture({}, own, metric);
  await trackCalls(own.api, customer_id, '2026-03-20T00:00:00Z', 120);
  await advance(own.api, clock, '2026-03-31T00:30:00Z');
  const path = `/api/subscriptions/${subscription}/components/change-prepaid-units`;
  const answer = await own.api.post(path, { metric_id: metric, units: 10, invoicing_behavior: 'invoice_now' });
  expect(answer.status, answer.text).toBe(200);
  await advance(own.api, clock, '2026-03-31T01:00:00Z');
  const [, first] = await invoicesOf(own.api, `customer_id=${customer_id}`);
  // 20 calls beyond the 100 that the ended period had; 10 units from now on; no credit, since nothing was paid for them.
  expect(rowsOf(first)).toEqual([
    'recurring_fee 30 from 2026-03-01',
    'prepaid_units x10 5 from 2026-03-31',
    'usage x120 10 from 2026-03-01',
  ]);
  expect((await own.api.get(`/api/credits?customer_id=${customer_id}`)).body.results).toEqual([]);
});

describe('refused', () => {
  test('by what is asked', async () => {
    const { subscription } = await fixture();
    const other = String((await makeMetric(account.api)).metric_id);
    expect((await change(subscription, -1)).status).toBe(422);
    expect((await change(subscription, 1, { metric_id: 'metric_unknown' })).status).toBe(404);
    const unbilled = await change(subscription, 1, { metric_id: other });
    expect([unbilled.status, unbilled.body]).toMatchObject([422, { metric_id: ['Is not billed by the plan.'] }]);
    expect((await change('sub_unknown', 1)).status).toBe(404);
    expect((await change(subscription, 1, { invoicing_behavior: 'never' })).status).toBe(422);
  });

  test('by its state', async () => {
    const { api } = account;
    const { customer_id, subscription } = await fixture();
    const path = `/api/subscriptions/${subscription}`;
    const plan_id = await makePlan(api, { components: [{ metric_id, overage_price: 1 }] });
    const pending = await subscribe(api, { customer_id, plan_id, start_date: '2026-05-01' });
    await api.post(`${path}/pause`, {});
    const answers = [await change(pending, 1), await change(subscription, 150)];
    await api.post(`${path}/cancel`, {});
    answers.push(await change(subscription, 150));
    expect(answers.map(({ status }) => status)).toEqual([409, 409, 409]);
    for (const [i, state] of ['pending', 'paused', 'canceled'].entries()) {
      expect(answers[i]?.body.detail).toBe(`The subscription is ${state}: its prepaid units cannot be changed.`);
    }
  });
});

test('what is used in a pause uses up no units', async () => {
  const { api } = account;
  const { clock, customer_id, subscription } = await fixture();
  expect((await api.post(`/api/subscriptions/${subscription}/pause`)).status).toBe(200);
  await advance(api, clock, '2026-03-15T12:00:00Z');
  expect((await api.post(`/api/subscriptions/${subscription}/resume`)).status).toBe(200);
  await trackCalls(api, customer_id, '2026-03-12T00:00:00Z', 30);
  await trackCalls(api, customer_id, '2026-03-15T12:00:00Z', 20);
  await landed(api);
  const { body } = await api.get(`/api/subscriptions/${subscription}`);
  expect(body.prepaid_units).toEqual([{ metric_id, units: 100, used: 20, remaining: 80 }]);
  expect((await change(subscription, 19)).status).toBe(409);
  expect((await change(subscription, 20)).status).toBe(200);
});
