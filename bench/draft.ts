import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import type { StackFile } from '../local/stack-file.ts';
import { createPool, type Pool } from '../sql/postgres/postgres.ts';
import type { Api } from '../test/stack/api.ts';
import { sendEvents } from '../test/stack/event-sender.ts';
import { RECONCILE_SCHEDULE } from '../workflows/workflow-ids.ts';
import { median, percentile, report, rounded } from './figures.ts';
import { copyPlan, made } from './many-subscriptions.ts';
import { clientOf, type MeasuredStack, makeOtherKey, withStacks } from './measured-stacks.ts';
import { cpuOf, pidOf, residentMb } from './process-usage.ts';

const DAY_MS = 86_400_000;
/** Periods begin on so many days, and plans have 1 to 3 components. */
const START_DAYS = 10;
const COMPONENTS = 3;
const METRICS = 12;
const EVENTS = 6_000;
const ROUNDS = 3;
const DRAFTS = 10;
/** Callers that ask for drafts without a pause, while others' calls are measured. */
const LOOPS = 2;
const CALLS = 100;
/** A release before may keep others waiting for seconds. */
const CALLS_MS = 10_000;
const GOALS = { 'p50 ms with 1,000': 300 };

/** Milliseconds and calls; `alone` and `beside` are another account's page without and with drafts beside it, by round. */
type Times = { drafts: number[]; cpu: number[]; alone: number[][]; beside: number[][]; failed: number };

type Measured = {
  release: string;
  file: StackFile;
  other: Api;
  /** By number of subscriptions. */
  times: Map<number, Times>;
};

/**
 * The draft invoice of customers with `most` subscriptions, and with 300, each to a plan of its own; and what a customer's page
 * takes another account meanwhile. `beside`: the folder of another checkout, whose stack is measured in turn with this one's.
 */
export async function benchDraft(most: number, beside?: string): Promise<void> {
  const counts = [...new Set([Math.min(300, most), most])];
  await withStacks(beside, async (stacks) => {
    const measured: Measured[] = [];
    for (const stack of stacks) measured.push(await prepare(stack, counts));
    for (let round = 0; round < ROUNDS; round++) {
      for (const count of counts) for (const stack of measured) await measure(stack, count);
    }
    report('draft', measured.flatMap(rowsOf), { goals: GOALS, rounds: ROUNDS });
  });
}

async function prepare(stack: MeasuredStack, counts: readonly number[]): Promise<Measured> {
  const { release, file } = stack;
  const postgres = createPool(file.postgres_url);
  try {
    const api = clientOf(stack);
    const other = clientOf(stack, await makeOtherKey(stack));
    await made(other, '/api/customers/', { customer_id: 'bystander', email: 'bench@meterbook.example' });
    const metrics = await makeMetrics(api);
    for (const count of counts) {
      const customerId = `of-${count}`;
      await subscribe({ api, postgres, file }, { customerId, count, metrics });
      await sendEvents({ baseUrl: file.base_url, apiKey: file.api_key }, usageOf(customerId));
    }
    // As autovacuum has done soon after: what was just copied has no statistics, and plans without them take longer.
    await postgres.query('ANALYZE');
    const nothing = (): Times => ({ drafts: [], cpu: [], alone: [], beside: [], failed: 0 });
    return { release, file, other, times: new Map(counts.map((count) => [count, nothing()])) };
  } finally {
    await postgres.end();
  }
}

async function measure({ file, other, times }: Measured, count: number): Promise<void> {
  const of = times.get(count);
  if (!of) throw new Error(`nobody has ${count} subscriptions`);
  const url = new URL(`/api/customers/of-${count}/draft_invoice/`, file.base_url);
  // To the answer's last byte: what a caller makes of it is its own time.
  const draft = async () => {
    const begun = performance.now();
    const answer = await fetch(url, { headers: { 'X-API-KEY': file.api_key } });
    await answer.arrayBuffer();
    if (answer.status !== 200) of.failed++;
    return performance.now() - begun;
  };
  await draft();
  const before = cpuOf(file, ['api']).api;
  for (let i = 0; i < DRAFTS; i++) of.drafts.push(await draft());
  of.cpu.push((cpuOf(file, ['api']).api - before) / DRAFTS);
  of.alone.push(await callsOf(other));
  let isOver = false;
  const loops = Array.from({ length: LOOPS }, async () => {
    while (!isOver) await draft();
  });
  of.beside.push(await callsOf(other));
  isOver = true;
  await Promise.all(loops);
}

function rowsOf({ release, file, times }: Measured) {
  return [...times].map(([subscriptions, { drafts, cpu, alone, beside, failed }]) => {
    const of = (values: readonly number[]) => ({
      p50: rounded(percentile(values, 50)),
      p95: rounded(percentile(values, 95)),
      p99: rounded(percentile(values, 99)),
    });
    const [own, page, besideDrafts] = [of(drafts), of(alone.flat()), of(beside.flat())];
    const ratios = alone.map((values, round) => percentile(beside[round] ?? [], 50) / percentile(values, 50));
    return {
      release,
      subscriptions,
      'p50 ms': own.p50,
      'p95 ms': own.p95,
      'api CPU ms': rounded(median(cpu)),
      'api MB': residentMb(pidOf(file, 'api')),
      'not 200': failed,
      'page alone p50/95/99': `${page.p50} ${page.p95} ${page.p99}`,
      'beside p50/95/99': `${besideDrafts.p50} ${besideDrafts.p95} ${besideDrafts.p99}`,
      'ratio of p50': rounded(median(ratios)),
    };
  });
}

/** How long another account's customer takes to be shown, one call after another. */
async function callsOf(other: Api): Promise<number[]> {
  const times: number[] = [];
  const until = performance.now() + CALLS_MS;
  while (times.length < CALLS && performance.now() < until) {
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
  { api, postgres, file }: { api: Api; postgres: Pool; file: StackFile },
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
      postgres,
      file.account_id,
      { planId: String(plan_id), subscriptionId: String(subscription_id) },
      copies,
    );
  }
  await untilStarted(file);
}

/** What their workflows begin with is no part of what is measured. */
async function untilStarted(file: StackFile): Promise<void> {
  const postgres = createPool(file.postgres_url);
  const { rows } = await postgres.query<{ count: number }>('SELECT count(*)::integer AS count FROM subscriptions');
  await postgres.end();
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
