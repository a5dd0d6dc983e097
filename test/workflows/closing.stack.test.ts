import { Registry } from '@prometheus-io/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../runtime/clock.ts';
import { createLog } from '../../runtime/log.ts';
import { createClickHouse } from '../../sql/clickhouse.ts';
import { createPool, inTransaction } from '../../sql/postgres.ts';
import { followRolledUp } from '../../sql/rolled-up.ts';
import { updateClockTime } from '../../sql/test-clocks.ts';
import { connectStream } from '../../stream/connection.ts';
import { followProgress } from '../../stream/progress.ts';
import { activateSubscription } from '../../workflows/activities/activate-subscription.ts';
import { closePeriod } from '../../workflows/activities/close-period.ts';
import type { ActivityDependencies } from '../../workflows/activities/dependencies.ts';
import { connectWorkflows } from '../../workflows/client.ts';
import { createWorkerMetrics } from '../../workflows/worker-metrics.ts';
import { newAccount, type TestAccount } from '../stack/accounts.ts';
import { stack } from '../stack/api.ts';
import { linesOf, trackCalls } from '../stack/bills.ts';
import { advance, invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../stack/clocks.ts';
import { landed, makeMetric } from '../stack/resources.ts';

/** Activities run straight, many at once: what a retry beside a worker thought dead amounts to. */

const log = createLog('test', 'silent');
const never = new AbortController().signal;
let account: TestAccount;
let dependencies: ActivityDependencies;
let close: () => Promise<void>;

beforeAll(async () => {
  account = await newAccount();
  const postgres = createPool(stack().postgres_url);
  const clickhouse = createClickHouse(stack().clickhouse_url);
  const stream = await connectStream(stack().nats_url, 'test', log);
  const progress = await followProgress(stream, systemClock);
  const temporal = { temporalAddress: stack().temporal_address, temporalNamespace: 'default' };
  const workflows = connectWorkflows(temporal);
  const metrics = createWorkerMetrics(new Registry(), postgres);
  const rolledUp = followRolledUp(clickhouse);
  dependencies = { postgres, clickhouse, rolledUp, progress, workflows, metrics, clock: systemClock, log };
  close = async () => {
    progress.close();
    await Promise.all([postgres.end(), clickhouse.close(), stream.close(), workflows.close()]);
  };
});
afterAll(() => close());

/** Sets the clock without its workflow, so that nobody but the test does what is due. */
async function setClock(clock: string, to: string) {
  const { accountId } = account;
  await inTransaction(dependencies.postgres, accountId, (tx) => updateClockTime(tx, accountId, clock, Date.parse(to)));
}

test('closings that race make one invoice and open one period', async () => {
  const { api, accountId } = account;
  const clock = await makeClock(api, '2026-01-10T09:00:00Z');
  const customer_id = await makeCustomer(api, 'raced', { test_clock_id: clock });
  const subscriptionId = await subscribe(api, { customer_id, plan_id: await makePlan(api) });
  await setClock(clock, '2026-02-09T00:00:00Z');
  const period = { accountId, subscriptionId, periodIndex: 0 };
  const courses = await Promise.all(Array.from({ length: 6 }, () => closePeriod(dependencies, period, never)));
  const next = { kind: 'close_period', dueAt: Date.parse('2026-03-11T00:00:00Z'), periodIndex: 1 };
  for (const course of courses) expect(course).toMatchObject({ status: 'active', next });
  expect(await closePeriod(dependencies, period, never)).toMatchObject({ next });
  expect(await invoicesOf(api, `subscription_id=${subscriptionId}`)).toHaveLength(1);
});

test('a period that is not due yet is not closed', async () => {
  const { api, accountId } = account;
  const clock = await makeClock(api, '2026-01-10T09:00:00Z');
  const customer_id = await makeCustomer(api, 'early', { test_clock_id: clock });
  const subscriptionId = await subscribe(api, { customer_id, plan_id: await makePlan(api) });
  const period = { accountId, subscriptionId, periodIndex: 0 };
  await expect(closePeriod(dependencies, period, never)).rejects.toThrow('is due at');
  expect(await invoicesOf(api, `subscription_id=${subscriptionId}`)).toEqual([]);
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
