import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import type { StackFile } from '../local/stack-file.ts';
import { createPool, type Pool } from '../sql/postgres/postgres.ts';
import { type Api, api as apiOf } from '../test/stack/api.ts';
import { startOwnStack } from '../test/stack/own-stack.ts';
import { loadBacklog } from '../workflows/task-backlog.ts';
import { RECONCILE_SCHEDULE, subscriptionWorkflowId } from '../workflows/workflow-ids.ts';
import { report, rounded } from './figures.ts';
import { copySubscriptions, makeTemplate, type Template } from './many-subscriptions.ts';
import { cpuOf, pidOf, residentMb } from './process-usage.ts';
import { runTimerLoops } from './timers/timer-loop.ts';

const DAY_MS = 86_400_000;
/** The due ones start this much slower than the sleepers did at most, and no sooner than this. */
const START_SLACK = 5;
const START_MS = 20_000;
/** Time for V8 to give back what the starts took. */
const SETTLE_MS = 20_000;
const GOALS = { ratio: 0.45, 'RSS MB at 10,000 asleep': 300 };
const PROCESSES = ['worker', 'postgres', 'temporal', 'clickhouse'] as const;

type Fixture = { file: StackFile; api: Api; postgres: Pool; client: Client };

/**
 * Subscriptions that fall due in the same second, closed by the real worker on the real engines: renewals/s until the last one
 * is invoiced, over timers/s of workflows that do nothing, before and after; and the worker's memory with many more asleep.
 */
export async function benchRenewals({ due, asleep }: { due: number; asleep: number }): Promise<void> {
  const stack = await startOwnStack();
  const file = stack.file();
  const postgres = createPool(file.postgres_url);
  const connection = await Connection.connect({ address: file.temporal_address });
  const client = new Client({ connection });
  const fixture = { file, api: apiOf(file.api_key, file.base_url), postgres, client };
  try {
    const memory = await sleepers(fixture, asleep);
    const before = await runTimerLoops(client, file.temporal_address, 'before');
    const renewed = await renewAll(fixture, { due, asleep, startsPerSecond: memory['starts/s'] });
    const after = await runTimerLoops(client, file.temporal_address, 'after');
    const row = { ...renewed, 'timers/s': rounded((before + after) / 2), ...memory };
    const ratio = rounded(renewed['renewals/s'] / row['timers/s']);
    report('renewals', [{ due, asleep, ratio, ...row }], { goals: GOALS, timers: { before, after } });
  } finally {
    await Promise.all([postgres.end(), connection.close()]);
    await stack.stop();
  }
}

/** How fast the sweep starts so many subscriptions, and the worker's memory before, right after and with them asleep. */
async function sleepers(fixture: Fixture, asleep: number) {
  const worker = pidOf(fixture.file, 'worker');
  const empty = residentMb(worker);
  await copySubscriptions(fixture.postgres, await makeTemplate(fixture.api, fixture.file.account_id, 'asleep'), asleep);
  const begun = Date.now();
  await startWorkflows(fixture, asleep + 1);
  const startsPerSecond = rounded((asleep / (Date.now() - begun)) * 1000);
  const started = residentMb(worker);
  await sleep(SETTLE_MS);
  const memory = { 'RSS MB': empty, 'RSS MB started': started, 'RSS MB asleep': residentMb(worker) };
  return { 'starts/s': startsPerSecond, ...memory };
}

/** All of them fall due at one instant: that at which the grace after their period, which ended today at 00:00, is over. */
async function renewAll(
  fixture: Fixture,
  { due, asleep, startsPerSecond }: { due: number; asleep: number; startsPerSecond: number },
) {
  const { api, file, postgres } = fixture;
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const dueAt = Math.ceil((Date.now() + START_MS + ((due * START_SLACK) / startsPerSecond) * 1000) / 1000) * 1000;
  await api.patch('/api/account', { invoice_grace_seconds: (dueAt - today) / 1000 });
  const template = await makeTemplate(api, file.account_id, 'due', isoDate(today - 30 * DAY_MS));
  await copySubscriptions(postgres, template, due - 1);
  await startWorkflows(fixture, due + asleep + 1);
  if (Date.now() > dueAt) throw new Error('Not all workflows were asleep when they fell due: make START_SLACK larger.');
  const events = await historyLength(fixture, template);
  await sleep(dueAt - Date.now());
  const cpuBefore = cpuOf(file, PROCESSES);
  const lastAt = await untilInvoiced(fixture, due);
  const cpu = cpuOf(file, PROCESSES);
  const each = PROCESSES.map((name) => [`${name} ms`, rounded((cpu[name] - cpuBefore[name]) / due)]);
  const seconds = (lastAt - dueAt) / 1000;
  return {
    'renewals/s': rounded(due / seconds),
    'last after s': rounded(seconds),
    'events each': (await historyLength(fixture, template)) - events,
    ...(Object.fromEntries(each) as Record<string, number>),
  };
}

/** Has the sweep start what the records have more than Temporal, and waits until `total` run and have nothing left to do. */
export async function startWorkflows({ client }: Pick<Fixture, 'client'>, total: number): Promise<void> {
  const query = 'WorkflowType = "subscription" AND ExecutionStatus = "Running" AND SubscriptionStatus = "active"';
  for (let i = 0; ; i++) {
    if (i % 100 === 0) await client.schedule.getHandle(RECONCILE_SCHEDULE).trigger();
    if ((await client.workflow.count(query)).count >= total) break;
    await sleep(200);
  }
  while (Object.values(await loadBacklog(client.connection, 'default')).some((tasks) => tasks > 0)) await sleep(200);
  // What a worker has taken is in no backlog.
  await sleep(1_000);
}

/** The instant at which the last of them was invoiced. */
async function untilInvoiced({ postgres, file }: Fixture, due: number): Promise<number> {
  const sql = "SELECT count(*)::int AS made FROM invoices WHERE account_id = $1 AND kind = 'period'";
  for (;;) {
    const { rows } = await postgres.query<{ made: number }>(sql, [file.account_id]);
    if ((rows[0]?.made ?? 0) >= due) return Date.now();
    await sleep(100);
  }
}

async function historyLength({ client }: Fixture, template: Template): Promise<number> {
  return (await client.workflow.getHandle(subscriptionWorkflowId(template)).describe()).historyLength;
}

function isoDate(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10);
}
