import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { startOwnStack } from '../test/stack/own-stack.ts';
import { assertLanded } from './assert-landed.ts';
import { percentile, report, rounded } from './figures.ts';
import { cpuOf } from './process-usage.ts';
import { prepareRequests, sendAll } from './track-load.ts';

const PER_SECOND = 1_000;
const EVENTS_PER_SECOND = [100, 1_000];
const CONNECTIONS = 64;
const WARM_SECONDS = 3;
const CUSTOMERS = 200;
/** Of events a customer: reached in the middle of a run of the usual length. */
const LIMIT = 60;
/** spec/access#freshness: a tracked event shows within a second. */
const SHOWN_WITHIN_MS = 1_000;
const GOAL_P99_MS = 40;
const PROCESSES = ['ingest', 'api', 'postgres', 'aggregator', 'clickhouse', 'nats', 'worker', 'temporal'] as const;

/** When each customer's events were sent, and when they were answered. */
type Tracked = { sent: number; acceptedAt: number[] };
type Stack = Awaited<ReturnType<typeof startOwnStack>>;

/**
 * Access checks at a steady 1,000/s while events arrive for the same customers, a few and then as many as checks; a check's
 * time is from when it was due. Each answer is compared with what was tracked: one that is wrong, or lacks an event older
 * than a second, fails the run.
 */
export async function benchAccess(checks: number): Promise<void> {
  const stack = await startOwnStack();
  try {
    const load = await prepareChecks(stack);
    const rows = [];
    for (const eventsPerSecond of EVENTS_PER_SECOND) {
      const tag = `events-${eventsPerSecond}`;
      rows.push(await measureChecks(stack, { ...load, tag, checks, eventsPerSecond }));
    }
    await assertLanded(
      stack.file(),
      load.tracked.reduce((sum, { sent }) => sum + sent, 0),
    );
    report('access', rows);
  } finally {
    await stack.stop();
  }
}

/** The metric that is checked, and what each of its customers has tracked. */
export type Checks = { metricId: string; tracked: Tracked[] };
type Run = Checks & { tag: string; checks: number; eventsPerSecond: number };

/** Customers with a limit, after checks that warm everything up. */
export async function prepareChecks(stack: Stack): Promise<Checks> {
  const load = {
    metricId: await prepare(stack),
    tracked: Array.from({ length: CUSTOMERS }, (): Tracked => ({ sent: 0, acceptedAt: [] })),
  };
  await run(stack, { ...load, tag: 'warm', checks: WARM_SECONDS * PER_SECOND, eventsPerSecond: PER_SECOND });
  return load;
}

/** Checks at a steady 1,000/s beside events, which need ids (`tag`) of their own. @throws where an answer is wrong. */
export async function measureChecks(stack: Stack, load: Run) {
  const before = cpuOf(stack.file(), PROCESSES);
  const { times, wrong } = await run(stack, load);
  const after = cpuOf(stack.file(), PROCESSES);
  if (wrong.length > 0) {
    throw new Error(`${wrong.length} of ${times.length} answers are wrong: ${wrong.slice(0, 5).join('; ')}`);
  }
  const latencies = { 'p50 ms': percentile(times, 50), 'p99 ms': percentile(times, 99), 'max ms': Math.max(...times) };
  const cpu = PROCESSES.map((name) => [`${name} CPU ms`, (after[name] - before[name]) / load.checks]);
  const figures = [...Object.entries(latencies), ...cpu].map(([name, value]) => [name, rounded(Number(value))]);
  const rates = { 'checks/s': PER_SECOND, 'events/s': load.eventsPerSecond, 'goal p99': GOAL_P99_MS };
  return { ...rates, ...Object.fromEntries(figures) };
}

async function run(stack: Stack, { tag, checks: count, eventsPerSecond, metricId, tracked }: Run) {
  const { base_url, api_key } = stack.file();
  const port = Number(new URL(base_url).port);
  const customerOf = (i: number) => `customer-${i % CUSTOMERS}`;
  const trackedBy = (i: number) => tracked[i % CUSTOMERS] as Tracked;
  const eventCount = Math.trunc((count * eventsPerSecond) / PER_SECOND);
  const events = prepareRequests(tag, eventCount, port, api_key, customerOf, () => new Date().toISOString());
  // Another order than the events', so that a check is not always as far behind the same event.
  const asked = (i: number) => i * 7 + Math.trunc(i / CUSTOMERS);
  const checks = Array.from({ length: count }, (_, i) => {
    const query = `customer_id=${customerOf(asked(i))}&metric_id=${metricId}`;
    return Buffer.from(
      `GET /api/metric-access?${query} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX-API-KEY: ${api_key}\r\n\r\n`,
    );
  });
  const times: number[] = [];
  const wrong: string[] = [];
  // What is on its way may count already.
  for (let i = 0; i < eventCount; i++) trackedBy(i).sent++;
  await Promise.all([
    sendAll(port, events, {
      connections: CONNECTIONS,
      perSecond: eventsPerSecond,
      onAccepted: (i) => void trackedBy(i).acceptedAt.push(performance.now()),
    }),
    sendAll(port, checks, {
      connections: CONNECTIONS,
      perSecond: PER_SECOND,
      isWhole: (answer) => answer.endsWith(answer.includes('chunked') ? '0\r\n\r\n' : '}'),
      onAccepted: (i, answer, ms) => {
        times.push(ms);
        const problem = problemWith(answer, trackedBy(asked(i)), performance.now() - ms);
        if (problem) wrong.push(problem);
      },
    }),
  ]);
  return { times, wrong };
}

function problemWith(answer: string, { sent, acceptedAt }: Tracked, askedAt: number): string | undefined {
  const { usage, access, limit } = JSON.parse(answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1)) as Record<
    string,
    unknown
  >;
  const atLeast = acceptedAt.filter((at) => at < askedAt - SHOWN_WITHIN_MS).length;
  if (typeof usage !== 'number' || usage < atLeast || usage > sent) return `usage ${usage} of ${atLeast} to ${sent}`;
  return limit === LIMIT && access === usage < LIMIT ? undefined : `access ${access} at ${usage} of ${limit}`;
}

/** Customers on a plan that limits the metric; gives the metric's id. */
async function prepare(stack: Stack): Promise<string> {
  const { base_url, api_key } = stack.file();
  const create = async (path: string, body: object): Promise<Record<string, string>> => {
    const headers = { 'X-API-KEY': api_key, 'Content-Type': 'application/json' };
    const answer = await fetch(new URL(path, base_url), { method: 'POST', headers, body: JSON.stringify(body) });
    if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Record<string, string>;
  };
  const metric = { metric_name: 'Calls', aggregation_type: 'count', event_name: 'api_call' };
  const { metric_id = '' } = await create('/api/metrics', metric);
  const features = [{ name: 'calls', included: true, limit: LIMIT, metric_id }];
  const { plan_id } = await create('/api/plans', { name: 'Limited', billing_period: 'annual', features });
  for (let i = 0; i < CUSTOMERS; i++) {
    const customer_id = `customer-${i}`;
    await create('/api/customers/', { customer_id, email: 'a@b.example' });
    await create('/api/subscriptions', { customer_id, plan_id });
  }
  await untilWorkflowsSleep(stack);
  return metric_id;
}

/** What two hundred new subscriptions begin with is no part of what is measured. */
async function untilWorkflowsSleep(stack: Stack): Promise<void> {
  const connection = await Connection.connect({ address: stack.file().temporal_address });
  const { workflow } = new Client({ connection });
  const query = 'WorkflowType = "subscription" AND ExecutionStatus = "Running" AND SubscriptionStatus = "active"';
  while ((await workflow.count(query)).count < CUSTOMERS) await sleep(200);
  await connection.close();
}
