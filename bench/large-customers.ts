import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import type { StackFile } from '../local/stack-file.ts';
import { createPool, type Pool } from '../sql/postgres/postgres.ts';
import type { TestAccount } from '../test/stack/accounts.ts';
import type { Api } from '../test/stack/api.ts';
import { sendEvents } from '../test/stack/event-sender.ts';
import { RECONCILE_SCHEDULE } from '../workflows/workflow-ids.ts';
import { copyPlan, made } from './many-subscriptions.ts';

const DAY_MS = 86_400_000;
/** Periods begin on so many days, and plans have 1 to 3 components. */
const START_DAYS = 10;
const COMPONENTS = 3;
const METRICS = 12;
const EVENTS = 6_000;

/**
 * For each count a customer `of-<count>` with so many subscriptions, each to a plan of its own with one to three of twelve metrics, and
 * with 6,000 events; their workflows have begun.
 */
export async function makeLargeCustomers(
  file: StackFile,
  account: TestAccount,
  counts: readonly number[],
): Promise<void> {
  const postgres = createPool(file.postgres_url);
  try {
    const metrics = await makeMetrics(account.api);
    for (const count of counts) {
      const customerId = `of-${count}`;
      await subscribe(postgres, account, { customerId, count, metrics });
      await untilStarted(file, postgres);
      await sendEvents({ baseUrl: file.base_url, apiKey: account.key }, usageOf(customerId));
    }
    // As autovacuum has done soon after: what was just copied has no statistics, and plans without them take longer.
    await postgres.query('ANALYZE');
  } finally {
    await postgres.end();
  }
}

async function makeMetrics(api: Api): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < METRICS; i++) {
    const aggregation_type = ['count', 'sum', 'max', 'unique'][i % 4];
    const property_name = i % 4 === 0 ? undefined : ['size', 'load', 'user'][(i % 4) - 1];
    const of = { metric_name: `Metric ${i}`, aggregation_type, property_name, event_name: `event-${i % 3}` };
    ids.push(String((await made(api, '/api/metrics', of)).metric_id));
  }
  return ids;
}

/** The first of them through the API, the others as copies of these. */
async function subscribe(
  postgres: Pool,
  { api, accountId }: TestAccount,
  { customerId, count, metrics }: { customerId: string; count: number; metrics: readonly string[] },
): Promise<void> {
  await made(api, '/api/customers/', { customer_id: customerId, email: 'bench@meterbook.example' });
  const templates = Math.min(count, START_DAYS * COMPONENTS);
  for (let i = 0; i < templates; i++) {
    const components = Array.from({ length: 1 + (i % COMPONENTS) }, (_, c) => {
      return { metric_id: metrics[(i + 5 * c) % metrics.length], overage_price: 0.01 };
    });
    const plan = { name: `Plan ${i}`, recurring_fee: 29, billing_period: 'monthly', components };
    const { plan_id } = await made(api, '/api/plans', plan);
    const start_date = new Date(Date.now() - (2 + Math.floor(i / COMPONENTS)) * DAY_MS).toISOString().slice(0, 10);
    const of = { customer_id: customerId, plan_id, start_date };
    const { subscription_id } = await made(api, '/api/subscriptions', of);
    const copies = Math.floor(count / templates) - 1 + (i < count % templates ? 1 : 0);
    await copyPlan(postgres, accountId, { planId: String(plan_id), subscriptionId: String(subscription_id) }, copies);
  }
}

/** What their workflows begin with is no part of what is measured. */
async function untilStarted(file: StackFile, postgres: Pool): Promise<void> {
  const { rows } = await postgres.query<{ count: number }>('SELECT count(*)::integer AS count FROM subscriptions');
  const connection = await Connection.connect({ address: file.temporal_address });
  const client = new Client({ connection });
  const query = 'WorkflowType = "subscription" AND ExecutionStatus = "Running" AND SubscriptionStatus = "active"';
  for (let i = 0; (await client.workflow.count(query)).count < (rows[0]?.count ?? 0); i++) {
    if (i % 100 === 0) await client.schedule.getHandle(RECONCILE_SCHEDULE).trigger();
    await sleep(200);
  }
  await connection.close();
}

function usageOf(customer_id: string): object[] {
  return Array.from({ length: EVENTS }, (_, i) => ({
    event_name: `event-${i % 3}`,
    customer_id,
    idempotency_id: `${customer_id}-${i}`,
    time_created: new Date(Date.now() - (i % 12) * DAY_MS).toISOString(),
    properties: { size: i % 100, load: i % 1_000, user: `u${i % 200}` },
  }));
}
