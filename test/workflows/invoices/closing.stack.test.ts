import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { closeLandedPeriod, closePeriod } from '../../../services/invoices/close-period.ts';
import { activateSubscription } from '../../../services/subscriptions/activate.ts';
import {
  listWatermarksOf,
  updateWatermarks,
  upsertWatermarks,
} from '../../../sql/postgres/invoices/usage-watermarks.ts';
import { inTransaction } from '../../../sql/postgres/postgres.ts';
import type { ActivityDependencies } from '../../../workflows/activities/dependencies.ts';
import { newAccount, type TestAccount } from '../../stack/accounts.ts';
import { linesOf, trackCalls } from '../../stack/bills.ts';
import { advance, invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { landed, makeMetric } from '../../stack/resources.ts';
import { connectActivities, setClock as setClockOf } from '../activity-fixture.ts';

/** Activities run straight, many at once: what a retry beside a worker thought dead amounts to. */

const never = new AbortController().signal;
let account: TestAccount;
let dependencies: ActivityDependencies;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ dependencies, close } = await connectActivities());
});
beforeEach(async () => {
  account = await newAccount();
});
afterAll(() => close());

const setClock = (clock: string, to: string) => setClockOf(dependencies, account.accountId, clock, Date.parse(to));

test('closings that race make one invoice and open one period', async () => {
  const { api, accountId } = account;
  const clock = await makeClock(api, '2026-01-10T09:00:00Z');
  const customer_id = await makeCustomer(api, 'raced', { test_clock_id: clock });
  const subscriptionId = await subscribe(api, { customer_id, plan_id: await makePlan(api) });
  await setClock(clock, '2026-02-09T00:00:00Z');
  const period = { accountId, subscriptionId, periodIndex: 0 };
  const schedules = await Promise.all(Array.from({ length: 6 }, () => closePeriod(dependencies, period, never)));
  const next = { kind: 'close_period', dueAt: Date.parse('2026-03-11T00:00:00Z'), periodIndex: 1 };
  for (const schedule of schedules) expect(schedule).toMatchObject({ status: 'active', next });
  expect(await closePeriod(dependencies, period, never)).toMatchObject({ next });
  expect(await invoicesOf(api, `subscription_id=${subscriptionId}`)).toHaveLength(1);
});

test('a period that is not due yet is not closed, and says when it will be', async () => {
  const { api, accountId } = account;
  const clock = await makeClock(api, '2026-01-10T09:00:00Z');
  const customer_id = await makeCustomer(api, 'early', { test_clock_id: clock });
  const subscriptionId = await subscribe(api, { customer_id, plan_id: await makePlan(api) });
  const period = { accountId, subscriptionId, periodIndex: 0 };
  const next = { kind: 'close_period', dueAt: Date.parse('2026-02-09T00:00:00Z'), periodIndex: 0 };
  expect(await closePeriod(dependencies, period, never)).toMatchObject({ next });
  expect(await invoicesOf(api, `subscription_id=${subscriptionId}`)).toEqual([]);
});

test('a period that is due in a moment is tried again: Temporal’s clock may be a little ahead', async () => {
  const { api, accountId } = account;
  const clock = await makeClock(api, '2026-01-10T09:00:00Z');
  const customer_id = await makeCustomer(api, 'ahead', { test_clock_id: clock });
  const subscriptionId = await subscribe(api, { customer_id, plan_id: await makePlan(api) });
  await setClock(clock, '2026-02-08T23:59:59Z');
  const period = { accountId, subscriptionId, periodIndex: 0 };
  await expect(closePeriod(dependencies, period, never)).rejects.toThrow('is due at');
});

test('a period whose usage has not landed stays open for whoever may wait, its usage cutoff as it was', async () => {
  const { api, accountId } = account;
  const clock = await makeClock(api, '2026-01-10T09:00:00Z');
  const customer_id = await makeCustomer(api, 'behind', { test_clock_id: clock });
  const { metric_id } = await makeMetric(api);
  const plan_id = await makePlan(api, { recurring_fee: 0, components: [{ metric_id, overage_price: 1 }] });
  const subscriptionId = await subscribe(api, { customer_id, plan_id });
  await trackCalls(api, customer_id, '2026-01-15T00:00:00Z', 3);
  await setClock(clock, '2026-02-09T00:00:00Z');
  const period = { accountId, subscriptionId, periodIndex: 0 };
  const behind = { ...dependencies, progress: { ...dependencies.progress, waitUntilLanded: async () => false } };
  expect(await closeLandedPeriod(behind, period)).toBeNull();
  expect(await invoicesOf(api, `subscription_id=${subscriptionId}`)).toEqual([]);
  await trackCalls(api, customer_id, '2026-01-16T00:00:00Z', 4);
  await landed(api);
  expect(await closeLandedPeriod(dependencies, period)).toMatchObject({ next: { periodIndex: 1 } });
  expect(await closePeriod(dependencies, period, never)).toMatchObject({ next: { periodIndex: 1 } });
  const usage = (await invoicesOf(api, `subscription_id=${subscriptionId}`)).flatMap(linesOf);
  expect(usage.filter(({ type }) => String(type) === 'usage').map(({ quantity }) => String(quantity))).toEqual(['3']);
});

test('activations that race tell it once', async () => {
  const { api, accountId } = account;
  const clock = await makeClock(api, '2026-01-10T09:00:00Z');
  const customer_id = await makeCustomer(api, 'starting', { test_clock_id: clock });
  const subscriptionId = await subscribe(api, { customer_id, plan_id: await makePlan(api), start_date: '2026-01-12' });
  await setClock(clock, '2026-01-12T00:00:00Z');
  const start = { accountId, subscriptionId, periodIndex: 0 };
  await Promise.all(Array.from({ length: 6 }, () => activateSubscription(dependencies, start)));
  expect((await api.get(`/api/subscriptions/${subscriptionId}`)).body.status).toBe('active');
  const sql = "SELECT count(*)::int AS told FROM outbox_events WHERE subject = $1 AND type = 'subscription.activated'";
  const { rows } = await dependencies.postgres.query(sql, [`subscription/${subscriptionId}`]);
  expect(rows).toEqual([{ told: 1 }]);
});

test('late usage is on one invoice, however many closings of the customer race for it', async () => {
  const { api, accountId } = account;
  const clock = await makeClock(api, '2026-03-01T00:00:00Z');
  const customer_id = await makeCustomer(api, 'raced-late', { test_clock_id: clock });
  const { metric_id } = await makeMetric(api);
  const planOf = () => makePlan(api, { recurring_fee: 0, components: [{ metric_id, overage_price: 1 }] });
  const ended = await subscribe(api, { customer_id, plan_id: await planOf(), auto_renew: false });
  const live: string[] = [];
  for (let i = 0; i < 6; i++) live.push(await subscribe(api, { customer_id, plan_id: await planOf() }));
  await advance(api, clock, '2026-04-01T00:00:00Z');
  await trackCalls(api, customer_id, '2026-03-15T00:00:00Z', 7);
  await landed(api);

  await setClock(clock, '2026-04-30T00:00:00Z');
  const closings = [...live, ...live, ...live].map((subscriptionId) =>
    closePeriod(dependencies, { accountId, subscriptionId, periodIndex: 1 }, never),
  );
  await Promise.all(closings);
  const lines = (await invoicesOf(api, `customer_id=${customer_id}`)).flatMap(linesOf);
  const late = lines.filter(({ type }) => String(type) === 'late_usage');
  expect(late.map(({ subscription_id, quantity }) => `${subscription_id} ${quantity}`).sort()).toEqual(
    [ended, ...live].map((subscription) => `${subscription} 7`).sort(),
  );
});

test('a life in real time that nobody served for 400 days: every period in order, each once', async () => {
  const { api, accountId } = account;
  const customer_id = await makeCustomer(api, 'unserved');
  const subscriptionId = await subscribe(api, { customer_id, plan_id: await makePlan(api) });
  const later = Date.now() + 400 * 86_400_000;
  const served = { ...dependencies, clock: { now: () => later } };
  for (let periodIndex = 0; periodIndex < 13; periodIndex++) {
    const period = { accountId, subscriptionId, periodIndex };
    // As the workflow goes on: by what the closing before said; twice, as by a second worker.
    const [schedule] = await Promise.all([closePeriod(served, period, never), closePeriod(served, period, never)]);
    expect(schedule.next).toMatchObject({ kind: 'close_period', periodIndex: periodIndex + 1 });
  }
  const last = await closePeriod(served, { accountId, subscriptionId, periodIndex: 13 }, never);
  expect(last.next).toMatchObject({ kind: 'close_period', periodIndex: 13 });
  const invoices = await invoicesOf(api, `subscription_id=${subscriptionId}`);
  const starts = invoices.map(({ period_start }) => Date.parse(String(period_start)));
  expect(starts.map((start) => (start - (starts[0] ?? 0)) / 86_400_000)).toEqual(
    Array.from({ length: 13 }, (_, period) => 30 * period),
  );
});

/** Monthly from 01-10: 02-09, 03-11, 04-10; quarterly: 04-10, too. 50 pay for the first invoice of 30 and for 20 of the second. */
test('whoever comes late closes what is due in order: a quarter after the months before its end', async () => {
  const { api, accountId } = account;
  const clock = await makeClock(api, '2026-01-10T09:00:00Z');
  const customer_id = await makeCustomer(api, 'quarter', { test_clock_id: clock });
  const monthly = await subscribe(api, { customer_id, plan_id: await makePlan(api, { recurring_fee: 30 }) });
  const plan_id = await makePlan(api, { name: 'Quarter', recurring_fee: 90, billing_period: 'quarterly' });
  const quarterly = await subscribe(api, { customer_id, plan_id });
  expect((await api.post('/api/credits', { customer_id, amount: 50 })).status).toBe(201);
  await setClock(clock, '2026-04-11T00:00:00Z');
  await closePeriod(dependencies, { accountId, subscriptionId: quarterly, periodIndex: 0 }, never);
  const issued = await invoicesOf(api, `customer_id=${customer_id}`);
  expect(issued.map(({ subscription_id }) => subscription_id)).toEqual([monthly, monthly, monthly, quarterly]);
  expect(issued.map(({ credits_applied }) => credits_applied)).toEqual(['30', '20', '0', '0']);
});

/** A call that came second had a later cutoff, 200, and moved what had been counted of the subscription; its own closing had 150. */
test('a closing whose usage was fixed before late usage was counted further has what lands behind it counted', async () => {
  const { api, accountId } = account;
  const customer_id = await makeCustomer(api, 'overtaken');
  const subscriptionId = await subscribe(api, { customer_id, plan_id: await makePlan(api) });
  const marks = await inTransaction(dependencies.postgres, accountId, async (tx) => {
    const billedTo = (countedTo: bigint, endsAt: number) =>
      upsertWatermarks(tx, accountId, [{ customerId: customer_id, subscriptionId, countedTo, startsAt: 0, endsAt }]);
    await billedTo(100n, 1_000);
    await updateWatermarks(tx, accountId, { subscriptionIds: [subscriptionId], countedTo: 200n });
    await billedTo(150n, 2_000);
    return listWatermarksOf(tx, accountId, [customer_id]);
  });
  expect(marks).toMatchObject([{ subscriptionId, countedTo: 150n, endsAt: 2_000 }]);
});
