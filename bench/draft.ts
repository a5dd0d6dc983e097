import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import type { StackFile } from '../local/stack-file.ts';
import { createPool, type Pool } from '../sql/postgres/postgres.ts';
import { newAccount } from '../test/stack/accounts.ts';
import { type Api, api as apiOf } from '../test/stack/api.ts';
import { sendEvents } from '../test/stack/event-sender.ts';
import { startOwnStack } from '../test/stack/own-stack.ts';
import { RECONCILE_SCHEDULE } from '../workflows/workflow-ids.ts';
import { percentile, report, rounded } from './figures.ts';
import { copyPlan, made } from './many-subscriptions.ts';

const DAY_MS = 86_400_000;
/** Periods begin on so many days, and plans have 1 to 3 components. */
const START_DAYS = 10;
const COMPONENTS = 3;
const METRICS = 12;
const EVENTS = 6_000;
const DRAFTS = 30;
/** Callers that ask for drafts without a pause, while others' calls are measured. */
const LOOPS = 2;
const CALLS = 300;
const GOALS = { 'p50 ms with 1,000': 300 };

/**
 * The draft invoice of customers with `most` subscriptions, and with 300, each to a plan of its own; and what a customer's page
 * takes another account meanwhile.
 */
export async function benchDraft(most: number): Promise<void> {
  const stack = await startOwnStack();
  const books = createPool(stack.file().postgres_url);
  try {
    const file = stack.file();
    const api = apiOf(file.api_key, file.base_url, { isPatient: false });
    const other = await newAccount({ at: file });
    await made(other.api, '/api/customers/', { customer_id: 'bystander', email: 'bench@meterbook.example' });
    const metrics = await makeMetrics(api);
    const rows: Record<string, unknown>[] = [];
    for (const count of new Set([Math.min(300, most), most])) {
      const customerId = `of-${count}`;
      await subscribe({ api, books, file }, { customerId, count, metrics });
      await sendEvents({ baseUrl: file.base_url, apiKey: file.api_key }, usageOf(customerId));
      rows.push({ subscriptions: count, ...(await measure(api, other.api, customerId)) });
    }
    report('draft', rows, { goals: GOALS });
  } finally {
    await books.end();
    await stack.stop();
  }
}

async function measure(api: Api, other: Api, customerId: string) {
  const draft = async () => {
    const begun = performance.now();
    const { status } = await api.get(`/api/customers/${customerId}/draft_invoice/`);
    return { status, ms: performance.now() - begun };
  };
  const first = await draft();
  const drafts = [];
  for (let i = 0; i < DRAFTS; i++) drafts.push(await draft());
  const idle = await callsOf(other);
  let isOver = false;
  let refused = 0;
  const loop = async () => {
    while (!isOver) if ((await draft()).status !== 200) refused++;
  };
  const loops = Array.from({ length: LOOPS }, loop);
  const busy = await callsOf(other);
  isOver = true;
  await Promise.all(loops);
  const times = drafts.map(({ ms }) => ms);
  return {
    'first ms': rounded(first.ms),
    'p50 ms': rounded(percentile(times, 50)),
    'p95 ms': rounded(percentile(times, 95)),
    'not 200': drafts.filter(({ status }) => status !== 200).length + refused,
    'others idle p99': rounded(percentile(idle, 99)),
    'others p50': rounded(percentile(busy, 50)),
    'others p99': rounded(percentile(busy, 99)),
    'others max': rounded(Math.max(...busy)),
  };
}

/** How long another account's customer takes to be shown, one call after another. */
async function callsOf(other: Api): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < CALLS; i++) {
    const begun = performance.now();
    await other.get('/api/customers/bystander/');
    times.push(performance.now() - begun);
    await sleep(5);
  }
  return times;
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
  { api, books, file }: { api: Api; books: Pool; file: StackFile },
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
    await copyPlan(
      books,
      file.account_id,
      { planId: String(plan_id), subscriptionId: String(subscription_id) },
      copies,
    );
  }
  await untilStarted(file);
}

/** What their workflows begin with is no part of what is measured. */
async function untilStarted(file: StackFile): Promise<void> {
  const books = createPool(file.postgres_url);
  const { rows } = await books.query<{ count: number }>('SELECT count(*)::integer AS count FROM subscriptions');
  await books.end();
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
