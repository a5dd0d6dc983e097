import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StackFile } from '../local/stack-file.ts';
import { createClickHouse } from '../sql/clickhouse/clickhouse.ts';
import { newAccount, type TestAccount } from '../test/stack/accounts.ts';
import { startOwnStack } from '../test/stack/own-stack.ts';
import { percentile, report, rounded } from './figures.ts';
import { makeLargeCustomers } from './large-customers.ts';
import { pidOf } from './process-usage.ts';

const [START, END] = ['2026-11-01', '2026-12-01'];
const AT_ONCE = 30;
/** A customer whose drafts are asked for beside the groups, and how many at once. */
const SUBSCRIPTIONS = 1_000;
const DRAFTS_AT_ONCE = 4;
/** The longest pages of lists. */
const LISTS = ['subscriptions', 'plans', 'metrics', 'events'].map((list) => `/api/${list}?page_size=200`);
const SECONDS = 30;
/** Between two questions of the other account. */
const PAUSE_MS = 20;
const GOAL_MB = 512;
const ROWS_PER_FILL = 250_000;
const METRIC = { metric_name: 'Calls', aggregation_type: 'count', event_name: 'api_call' };

/**
 * One account floods with questions for a group per event, thirty at once, and then with drafts of a large customer and long pages of
 * lists beside them, while another one asks for its usage and checks access: memory of the API at its highest, and the other's times
 * relative to those of an idle machine, in one run.
 */
export async function benchGroups(events: number): Promise<void> {
  const stack = await startOwnStack();
  try {
    await measureGroups(() => stack.file(), events);
  } finally {
    await stack.stop();
  }
}

/** On a stack that runs. */
export async function measureGroups(fileOf: () => StackFile, events: number): Promise<void> {
  const file = fileOf();
  const flooding = await prepare(file, 'huge', events);
  const other = await prepare(file, 'small', 400);
  await watch(other, sleep(3_000));
  const idle = { ...(await watch(other, sleep(SECONDS * 1_000))), ...memory(fileOf()) };
  const groups = ({ usage }: Asker) => `${usage}&group_by=session&limit=10000`;
  const flood = floodFor(flooding, [[groups(flooding), AT_ONCE]]);
  const flooded = { ...(await watch(other, flood)), ...memory(fileOf()) };
  await makeLargeCustomers(file, flooding, [SUBSCRIPTIONS]);
  const draft = `/api/customers/of-${SUBSCRIPTIONS}/draft_invoice/`;
  const all = floodFor(flooding, [
    [groups(flooding), AT_ONCE],
    [draft, DRAFTS_AT_ONCE],
    ...LISTS.map((list): [string, number] => [list, 1]),
  ]);
  const floodedByAll = { ...(await watch(other, all)), ...memory(fileOf()) };
  const ratio = (name: 'usage p99 ms' | 'access p99 ms') => rounded(flooded[name] / idle[name]);
  report(
    'groups',
    [
      { what: 'idle', ...idle },
      { what: 'flooded', ...flooded },
      { what: 'with drafts and lists', ...floodedByAll },
      { what: 'ratio', 'usage p99 ms': ratio('usage p99 ms'), 'access p99 ms': ratio('access p99 ms') },
    ],
    { events, goalMb: GOAL_MB, answersOfTheFlood: await flood, answersWithDrafts: await all },
  );
}

type Asker = TestAccount & { base: string; usage: string; access: string };

/** An account with a customer on a plan that limits its calls, of which there are so many this month, each of a group of its own. */
async function prepare(file: StackFile, customer_id: string, events: number): Promise<Asker> {
  const account = await newAccount({ at: file });
  const made = async (path: string, body: object) => (await account.api.post(path, body)).body;
  await made('/api/customers/', { customer_id, email: 'a@b.example' });
  const { metric_id } = await made('/api/metrics', METRIC);
  const features = [{ name: 'calls', included: true, limit: 1_000_000_000, metric_id }];
  const { plan_id } = await made('/api/plans', { name: 'Limited', billing_period: 'annual', features });
  await made('/api/subscriptions', { customer_id, plan_id });
  const clickhouse = createClickHouse(file.clickhouse_url);
  for (let at = 0; at < events; at += ROWS_PER_FILL) {
    await clickhouse.command({
      query: `INSERT INTO usage_events SELECT {account_id:String}, {customer_id:String}, 'api_call',
          fromUnixTimestamp64Milli(toInt64(toUnixTimestamp('${START} 00:00:00', 'UTC')) * 1000 + toInt64(sipHash64(number) % 2592000000), 'UTC'),
          {customer_id:String} || toString(number), map('bytes', toDecimal128(number % 100000, 18) / 4),
          map('session', 'session-' || toString(number)), map('cached', number % 2 = 0),
          reinterpret(MD5({account_id:String} || toString(number)), 'UInt128'), number + 1024, 1, now64(3)
        FROM numbers(${at}, ${Math.min(ROWS_PER_FILL, events - at)})`,
      query_params: { account_id: account.accountId, customer_id },
    });
  }
  await clickhouse.close();
  const usage = `/api/metrics/${metric_id}/usage?customer_id=${customer_id}&start=${START}&end=${END}`;
  const access = `/api/metric-access?customer_id=${customer_id}&metric_id=${metric_id}`;
  return { ...account, base: file.base_url, usage, access };
}

/** Asks each path as often at once as it says until the time is over, then waits for the rest; how many answers of which status. */
async function floodFor({ base, key }: Asker, asked: [path: string, atOnce: number][]) {
  const statuses: Record<string, number> = {};
  const until = performance.now() + SECONDS * 1_000;
  const ask = async (path: string) => {
    while (performance.now() < until) {
      const status = await fetch(base + path, { headers: { 'X-API-KEY': key } }).then(
        async (answer) => answer.arrayBuffer().then(() => answer.status),
        () => 'none',
      );
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  await Promise.all(asked.flatMap(([path, atOnce]) => Array.from({ length: atOnce }, () => ask(path))));
  return statuses;
}

/** Times of the other account's questions until `end`; what did not answer 200 has failed. */
async function watch({ base, key, usage, access }: Asker, end: Promise<unknown>) {
  let over = false;
  const ended = end.then(() => {
    over = true;
  });
  let failed = 0;
  const ask = async (path: string, times: number[]) => {
    while (!over) {
      const started = performance.now();
      const asked = fetch(base + path, { headers: { 'X-API-KEY': key } });
      const status = await asked.then(
        async (answer) => answer.arrayBuffer().then(() => answer.status),
        () => 0,
      );
      times.push(performance.now() - started);
      if (status !== 200) failed++;
      await sleep(PAUSE_MS);
    }
  };
  const times = { usage: [] as number[], access: [] as number[] };
  await Promise.all([ask(usage, times.usage), ask(access, times.access), ended]);
  const figure = (of: number[], percent: number) => rounded(percentile(of, percent));
  return {
    ...{ 'usage p50 ms': figure(times.usage, 50), 'usage p99 ms': figure(times.usage, 99) },
    ...{ 'access p50 ms': figure(times.access, 50), 'access p99 ms': figure(times.access, 99) },
    ...{ asked: times.usage.length + times.access.length, failed },
  };
}

/** Resident memory of the process at its highest so far. */
function memory(file: StackFile) {
  const kb = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pidOf(file, 'api')}/status`, 'utf8'))?.[1];
  return { 'API peak MB': Math.round(Number(kb) / 1024) };
}
