import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { StackFile } from '../../local/stack-file.ts';
import type { Pool } from '../../sql/postgres/postgres.ts';
import type { Api } from '../../test/stack/api.ts';
import { percentile, rounded } from '../figures.ts';
import { cpuOf, pidOf, residentMb } from '../process-usage.ts';
import { startWorkflows } from '../renewals.ts';
import { prepareRequests, sendAll } from '../track-load.ts';
import { callBeside } from './beside-calls.ts';
import { type CounterHold, watchCounter } from './counter-held.ts';
import { type CustomerTemplate, copyCustomers, customerOf, SUBSCRIPTIONS_EACH } from './many-customers.ts';

/** What a closing takes a part in, of either release. */
const PROCESSES = ['worker', 'temporal', 'postgres', 'clickhouse', 'api', 'ingest', 'nats', 'aggregator'] as const;
/** They fall due when so much more time has gone by than it takes to start them, at the pace of the burst before, and so long behind it. */
const [START_SLACK, START_MS] = [1.6, 45_000];
/** For what the processes take at rest, which is no part of a closing. */
const REST_MS = 10_000;
const CONNECTIONS = 32;
const DAY_MS = 86_400_000;
/** What was left to do is over where the processes take no more than this of what they take at rest, for so long. */
const [AS_AT_REST, SETTLED_MS] = [1.3, 3_000];
const SETTLE_MS = 120_000;
/** Transactions that held the counter for longest, which are shown with what they did meanwhile. */
const LONGEST = 10;

/** A stack with the customer that is copied; `running`: workflows that it has; `startMsEach`: what the start of one has taken. */
export type Fixture = {
  release: string;
  file: StackFile;
  api: Api;
  postgres: Pool;
  client: Client;
  template: CustomerTemplate;
  running: number;
  startMsEach: number;
};

/**
 * `customers` with their subscriptions, whose periods all end at one instant, from that until the last workflow waits for the next
 * month: CPU of each process beyond what it takes at rest, the delay of the last invoice, the counter's locks, and calls meanwhile.
 */
export async function closeBurst(fixture: Fixture, burst: string, customers: number) {
  const { file, postgres, api, client } = fixture;
  const due = customers * SUBSCRIPTIONS_EACH;
  const endsAt = new Date(Math.ceil((Date.now() + START_MS + due * fixture.startMsEach * START_SLACK) / 1000) * 1000);
  await copyCustomers(postgres, fixture.template, burst, { count: customers, endsAt });
  await sendUsage(file, burst, customers);
  fixture.running += due;
  const begun = Date.now();
  await startWorkflows({ client }, fixture.running);
  fixture.startMsEach = (Date.now() - begun) / due;
  if (Date.now() + REST_MS > endsAt.getTime())
    throw new Error('Not all were asleep when they fell due: make START_SLACK larger.');
  const calls = callBeside(api, customerOf(burst, 0));
  const counter = await watchCounter(postgres, file.account_id);
  await sleep(endsAt.getTime() - Date.now() - REST_MS);
  const rest = rateOf(file);
  await sleep(endsAt.getTime() - Date.now());
  const atRest = rest();
  calls.reset();
  const peak = watchMemory(file);
  const before = cpuOf(file, PROCESSES);
  const lastAt = await untilInvoiced(fixture, burst, due);
  await untilAsleep(fixture, endsAt);
  await untilSettled(file, atRest);
  const seconds = (Date.now() - endsAt.getTime()) / 1000;
  const cpu = cpuOf(file, PROCESSES);
  const [{ times, refused }, holders] = [await calls.stop(), await counter.stop()];
  const held = holders.map(({ ms }) => ms);
  const each = PROCESSES.map((name) => [name, (cpu[name] - before[name] - atRest[name] * seconds) / due] as const);
  return {
    due,
    lastAfterS: rounded((lastAt - endsAt.getTime()) / 1000),
    cpuMs: rounded(each.reduce((sum, [, ms]) => sum + ms, 0)),
    of: Object.fromEntries(each.map(([name, ms]) => [name, rounded(ms)])),
    restMsPerS: Math.round(Object.values(atRest).reduce((sum, ms) => sum + ms, 0)),
    heldMs: {
      transactions: held.length,
      p50: rounded(percentile(held, 50)),
      p99: rounded(percentile(held, 99)),
      max: rounded(Math.max(...held)),
      mostRan: rounded(Math.max(...holders.map(({ ran }) => ran))),
    },
    heldLongest: holders
      .sort((a, b) => b.ms - a.ms)
      .slice(0, LONGEST)
      .map(roundedHold),
    callsMs: { calls: times.length, refused, p50: rounded(percentile(times, 50)), p99: rounded(percentile(times, 99)) },
    workerMb: peak(),
  };
}

function roundedHold({ ms, ran, waited }: CounterHold): CounterHold {
  return { ms: rounded(ms), ran: rounded(ran), waited: rounded(waited) };
}

/** An event for each subscription, so that each invoice has usage to ask for. */
async function sendUsage(file: StackFile, burst: string, customers: number): Promise<void> {
  const port = Number(new URL(file.base_url).port);
  const yesterday = new Date(Date.now() - DAY_MS).toISOString();
  const whose = (i: number) => customerOf(burst, i % customers);
  const count = customers * SUBSCRIPTIONS_EACH;
  const requests = prepareRequests(`usage-${burst}`, count, port, file.api_key, whose, () => yesterday);
  await sendAll(port, requests, { connections: CONNECTIONS });
}

type Cpu = Record<(typeof PROCESSES)[number], number>;

/** Milliseconds of CPU a second of each process, from now until it is called. */
function rateOf(file: StackFile): () => Cpu {
  const [before, begun] = [cpuOf(file, PROCESSES), performance.now()];
  return () => {
    const [after, seconds] = [cpuOf(file, PROCESSES), (performance.now() - begun) / 1000];
    return Object.fromEntries(PROCESSES.map((name) => [name, (after[name] - before[name]) / seconds])) as Cpu;
  };
}

/** The most that the worker takes until it is called. */
function watchMemory(file: StackFile): () => number {
  let most = 0;
  const look = setInterval(() => {
    most = Math.max(most, residentMb(pidOf(file, 'worker')));
  }, 500);
  return () => {
    clearInterval(look);
    return most;
  };
}

/** The instant at which the last of them had its invoice, by the account's last number: it costs Postgres nothing beside the closings. */
async function untilInvoiced({ postgres, file }: Fixture, burst: string, due: number): Promise<number> {
  const [account, last] = [[file.account_id], `SELECT last_number AS n FROM invoice_counters WHERE account_id = $1`];
  const numberOf = async (sql: string, values: string[]) =>
    Number((await postgres.query<{ n: string }>(sql, values)).rows[0]?.n);
  const before = 'SELECT count(*) AS n FROM invoices WHERE account_id = $1 AND NOT starts_with(customer_id, $2)';
  const others = await numberOf(before, [file.account_id, `${burst}-`]);
  while ((await numberOf(last, account)) < others + due) await sleep(200);
  const at = Date.now();
  const made = (await numberOf('SELECT count(*) AS n FROM invoices WHERE account_id = $1', account)) - others;
  if (made !== due) throw new Error(`${made} invoices of ${due} subscriptions`);
  return at;
}

/** All of their workflows show their next period: they wait for its end. */
async function untilAsleep({ client }: Fixture, endsAt: Date): Promise<void> {
  const waiting = `WorkflowType = "subscription" AND ExecutionStatus = "Running" AND PeriodEnd <= "${endsAt.toISOString()}"`;
  while ((await client.workflow.count(waiting)).count > 0) await sleep(500);
}

/** What comes behind the invoices is done: webhooks, chains, what Temporal shows. */
async function untilSettled(file: StackFile, atRest: Cpu): Promise<void> {
  const most = Object.values(atRest).reduce((sum, ms) => sum + ms, 0) * AS_AT_REST;
  for (const until = Date.now() + SETTLE_MS; Date.now() < until; ) {
    const rate = rateOf(file);
    await sleep(SETTLED_MS);
    if (Object.values(rate()).reduce((sum, ms) => sum + ms, 0) <= most) return;
  }
}
