import { beforeAll, describe, expect, test } from 'vitest';
import { newAccount, type TestAccount } from '../../stack/accounts.ts';
import { itemsOf, type Json } from '../../stack/api.ts';
import { billOf, draftOf, rowsOf, trackCalls } from '../../stack/bills.ts';
import { invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { landed, makeMetric, posted } from '../../stack/resources.ts';
import { advance } from '../in-process-clock.ts';

/** A new time zone of a customer applies from the next period (spec/customers#time-zone). */

const ENDS = '2026-03-30T11:00:00Z';

let account: TestAccount;
let customers = 0;
beforeAll(async () => {
  account = await newAccount();
});

const post = async (path: string, body?: object) => (await posted(account.api, path, body)).body;

/** A fee of 30 from 2026-03-01 in Auckland, in UTC from one minute later on. */
async function moved(plan: object = {}) {
  const { api } = account;
  const clock = await makeClock(api, '2026-02-28T11:00:00Z');
  const customer_id = await makeCustomer(api, `zone-${customers++}`, {
    ...{ test_clock_id: clock, timezone: 'Pacific/Auckland' },
  });
  const plan_id = await makePlan(api, { recurring_fee: 30, ...plan });
  const subscription = await subscribe(api, { customer_id, plan_id });
  await advance(api, clock, '2026-02-28T11:01:00Z');
  const changed = await api.patch(`/api/customers/${customer_id}/`, { timezone: 'UTC' });
  expect(changed.status, changed.text).toBe(200);
  return { clock, customer_id, subscription };
}

const lastOf = async (customer_id: string): Promise<Json | undefined> =>
  (await invoicesOf(account.api, `customer_id=${customer_id}`)).at(-1);

describe('in the period in which the zone changes', () => {
  test('a switch is prorated by days of the zone it began with, never by more than the period has', async () => {
    const { clock, subscription } = await moved();
    const new_plan_id = await makePlan(account.api, { recurring_fee: 60 });
    await advance(account.api, clock, '2026-02-28T12:00:00Z');
    const switched = await post(`/api/subscriptions/${subscription}/switch_plan/`, { new_plan_id });
    expect(switched.proration).toMatchObject({ amount: 30, days_remaining: 30, days_in_period: 30 });
  });

  test.each(['in_arrears', 'in_advance'])('so is one that closes the period, %s', async (charge_timing) => {
    const { clock, customer_id, subscription } = await moved({ charge_timing });
    const new_plan_id = await makePlan(account.api, { recurring_fee: 365, billing_period: 'annual' });
    await advance(account.api, clock, '2026-03-10T12:00:00Z');
    await post(`/api/subscriptions/${subscription}/switch_plan/`, { new_plan_id });
    if (charge_timing === 'in_arrears') {
      expect(rowsOf(await lastOf(customer_id))).toEqual(['recurring_fee 10 from 2026-02-28']);
      return;
    }
    const { exact } = await account.api.get(`/api/credits?customer_id=${customer_id}`);
    expect(exact.results).toMatchObject([{ amount: '20' }]);
  });

  test('a pause counts days of that zone, in the draft as on the invoice', async () => {
    const { clock, customer_id, subscription } = await moved();
    await advance(account.api, clock, '2026-03-10T10:30:00Z');
    await post(`/api/subscriptions/${subscription}/pause/`, {});
    await advance(account.api, clock, '2026-03-20T11:30:00Z');
    await post(`/api/subscriptions/${subscription}/resume/`);
    const draft = await draftOf(account.api, customer_id);
    await advance(account.api, clock, ENDS);
    const invoice = await lastOf(customer_id);
    expect(rowsOf(invoice)).toEqual(['recurring_fee 19 from 2026-02-28']);
    expect(billOf(draft)).toEqual(billOf(invoice));
  });

  test('a pause to a date ends at midnight of that zone, or after the period of the new one', async () => {
    const { clock, subscription } = await moved();
    await advance(account.api, clock, '2026-03-10T10:30:00Z');
    const until = async (resumes_at: string) => {
      await post(`/api/subscriptions/${subscription}/pause/`, { resumes_at });
      const { body } = await account.api.get(`/api/subscriptions/${subscription}/timeline`);
      await post(`/api/subscriptions/${subscription}/resume/`);
      const resumed = itemsOf(body.results).filter(({ kind }) => String(kind) === 'resumed');
      return resumed.find(({ status }) => String(status) === 'planned')?.at;
    };
    expect(await until('2026-03-21')).toBe('2026-03-20T11:00:00.000Z');
    expect(await until('2026-03-31')).toBe('2026-03-30T11:00:00.000Z');
    expect(await until('2026-04-10')).toBe('2026-04-10T00:00:00.000Z');
  });

  test('a cancel charges used days of that zone; its date is of that zone, too', async () => {
    const { clock, customer_id, subscription } = await moved();
    const plan = { cancel_at: '2026-03-11', invoicing_behavior: 'invoice_now' };
    await post(`/api/subscriptions/${subscription}/cancel`, plan);
    const draft = await draftOf(account.api, customer_id);
    await advance(account.api, clock, '2026-03-10T12:00:00Z');
    const closing = await lastOf(customer_id);
    expect(rowsOf(closing)).toEqual(['recurring_fee 10 from 2026-02-28']);
    expect(billOf(draft)).toEqual(billOf(closing));
    const { body } = await account.api.get(`/api/subscriptions/${subscription}`);
    expect(body).toMatchObject({ status: 'canceled', canceled_at: '2026-03-10T11:00:00.000Z' });
  });

  test('a metric’s time filter is read in that zone, in the next period in the new one; late usage as its period', async () => {
    const { api } = account;
    const { metric_id } = await makeMetric(api, { time_filter: { hours: { from: 0, to: 12 } } });
    const { clock, customer_id } = await moved({ recurring_fee: 0, components: [{ metric_id, overage_price: 1 }] });
    // 13:00 and 01:00 in Auckland.
    await trackCalls(api, customer_id, '2026-03-05T00:00:00Z', 3);
    await trackCalls(api, customer_id, '2026-03-05T12:00:00Z', 2);
    await landed(api);
    const draft = await draftOf(api, customer_id);
    await advance(api, clock, ENDS);
    const invoice = await lastOf(customer_id);
    expect(rowsOf(invoice)).toEqual(['usage x2 2 from 2026-02-28']);
    expect(billOf(draft)).toEqual(billOf(invoice));
    await trackCalls(api, customer_id, '2026-04-05T01:00:00Z', 4);
    await trackCalls(api, customer_id, '2026-04-05T13:00:00Z', 5);
    await trackCalls(api, customer_id, '2026-03-06T12:00:00Z', 1);
    await trackCalls(api, customer_id, '2026-03-06T01:00:00Z', 6);
    await advance(api, clock, '2026-04-30T00:00:00Z');
    expect(rowsOf(await lastOf(customer_id))).toEqual([
      'usage x4 4 from 2026-03-30',
      'late_usage x1 1 from 2026-02-28',
    ]);
  });
});

test('the next period begins where that one ended, and is of the new zone', async () => {
  const { clock, customer_id, subscription } = await moved();
  await advance(account.api, clock, '2026-03-30T12:00:00Z');
  const { body } = await account.api.get(`/api/subscriptions/${subscription}`);
  expect(body).toMatchObject({
    current_period_start: '2026-03-30T11:00:00.000Z',
    current_period_end: '2026-04-30T00:00:00.000Z',
  });
  // In UTC it is still 03-30, the day before the period's first.
  const new_plan_id = await makePlan(account.api, { recurring_fee: 60 });
  const switched = await post(`/api/subscriptions/${subscription}/switch_plan/`, { new_plan_id });
  expect(switched.proration).toMatchObject({ amount: 30, days_remaining: 30, days_in_period: 30 });
  await advance(account.api, clock, '2026-04-30T00:00:00Z');
  expect(rowsOf(await lastOf(customer_id))).toEqual([
    'recurring_fee 30 from 2026-03-30',
    'proration 30 from 2026-03-30',
  ]);
});
