import { loadavg } from 'node:os';
import type { StackFile } from '../../local/stack-file.ts';
import { createClickHouse } from '../../sql/clickhouse/clickhouse.ts';
import { createPool } from '../../sql/postgres/postgres.ts';
import type { Api } from '../../test/stack/api.ts';
import { percentile, report, rounded } from '../figures.ts';
import { copySubscriptions, made } from '../many-subscriptions.ts';
import { clientOf, type MeasuredStack, withStacks } from '../measured-stacks.ts';
import { cpuOf } from '../process-usage.ts';

const HOLDER = 'holder';
const EVENT = 'completion';
const DAY_MS = 86_400_000;
/** Of each customer; one in ten has no price. */
const EVENTS = 10;
/** On how many days periods begin. */
const STARTS = 28;
/** Above what the API has sent. */
const FIRST_POSITION = 1_024;
const [ROUNDS, CALLS, WARM_UPS] = [5, 6, 2];
const PROCESSES = ['api', 'clickhouse', 'postgres'] as const;
const GOAL = { 'p50 ms of the first page': 300 };

/** The first page, one far behind it, those of a filter, and what any call takes on this machine. */
const PATHS = (holders: number) => [
  '/api/held-usage?page_size=50',
  `/api/held-usage?page_size=50&page=${Math.max(1, Math.floor(holders / 75))}`,
  `/api/held-usage?page_size=50&customer_id=${HOLDER}-${Math.ceil(holders / 2)}`,
  '/api/account',
];

type Measured = {
  release: string;
  file: StackFile;
  api: Api;
  times: Map<string, number[]>;
  cpu: Map<string, number[]>;
};

/**
 * `GET /api/held-usage` of an account in which so many subscriptions, whose periods begin on any day, each hold usage without a price. `beside`: the folder of
 * another checkout, whose stack is measured in turn with this one's; both count the same.
 */
export async function benchHeld(holders: number, beside?: string): Promise<void> {
  await withStacks(beside, async (stacks) => {
    const measured: Measured[] = [];
    for (const stack of stacks) measured.push(await prepare(stack, holders));
    try {
      for (let round = 0; round < ROUNDS; round++) {
        for (const stack of measured) for (const path of PATHS(holders)) await measure(stack, path, holders);
      }
    } finally {
      for (const { file } of measured) signal(file, 'SIGCONT');
    }
    const rows = measured.flatMap(({ release, times, cpu }) =>
      [...times].map(([path, ms]) => ({
        ...{ release, path, 'p50 ms': rounded(percentile(ms, 50)), 'p95 ms': rounded(percentile(ms, 95)) },
        ...Object.fromEntries(
          PROCESSES.map((name, i) => [`${name} CPU ms`, rounded(percentile(cpu.get(`${path} ${i}`) ?? [], 50))]),
        ),
      })),
    );
    report('held', rows, { holders, goal: GOAL, load: loadavg().map(rounded) });
  });
}

async function prepare(stack: MeasuredStack, holders: number): Promise<Measured> {
  const { release, file } = stack;
  const api = clientOf(stack);
  const start = Math.floor(Date.now() / DAY_MS) * DAY_MS - DAY_MS;
  const { metric_id } = await made(api, '/api/metrics', {
    ...{ metric_name: 'Tokens', aggregation_type: 'sum', event_name: EVENT, property_name: 'tokens' },
  });
  const prices = Array.from({ length: EVENTS - 1 }, (_, i) => ({ when: { model: `m${i}` }, overage_price: 0.01 }));
  const components = [{ metric_id, group_by: ['model'], prices }];
  const plan = {
    name: 'AI',
    recurring_fee: 29,
    billing_period: 'monthly',
    billing_calendar: 'anniversary',
    components,
  };
  const { plan_id } = await made(api, '/api/plans', plan);
  await made(api, '/api/customers/', { customer_id: HOLDER, email: 'bench@meterbook.example' });
  const body = { customer_id: HOLDER, plan_id, start_date: new Date(start).toISOString().slice(0, 10) };
  const { subscription_id } = await made(api, '/api/subscriptions', body);
  // What is copied would be work for the worker.
  signal(file, 'SIGSTOP');
  await copy(file, String(subscription_id), holders - 1);
  await fill(file, holders, start);
  return { release, file, api, times: new Map(), cpu: new Map() };
}

async function copy(file: StackFile, subscriptionId: string, count: number): Promise<void> {
  const postgres = createPool(file.postgres_url);
  const accountId = file.account_id;
  try {
    await copySubscriptions(postgres, { accountId, customerId: HOLDER, subscriptionId }, count);
    const days = `make_interval(days => right(subscription_id, 6)::integer % ${STARTS})`;
    await postgres.query(
      `UPDATE periods SET starts_at = starts_at - ${days}, ends_at = ends_at - ${days}, start_date = start_date - ${days},
         end_date = end_date - ${days}
       WHERE account_id = $1 AND subscription_id <> $2`,
      [accountId, subscriptionId],
    );
    await postgres.query('ANALYZE');
  } finally {
    await postgres.end();
  }
}

/** Between the newest start and now, so that each lies in its period; in the order of time, as they come. */
async function fill(file: StackFile, holders: number, start: number): Promise<void> {
  const clickhouse = createClickHouse(file.clickhouse_url);
  const so_far = Date.now() - start - 60_000;
  try {
    await clickhouse.command({
      query: `INSERT INTO usage_events SELECT {account:String},
          if(number % {holders:UInt64} = 0, '${HOLDER}', '${HOLDER}-' || toString(number % {holders:UInt64})), '${EVENT}',
          fromUnixTimestamp64Milli({start:Int64} + toInt64(number * {so_far:UInt64} / {events:UInt64}), 'UTC'),
          'id-' || toString(number), map('tokens', toDecimal128(number % 1000, 18)),
          map('model', 'm' || toString(intDiv(number, {holders:UInt64}))), map(),
          reinterpret(MD5(toString(number)), 'UInt128'), number + ${FIRST_POSITION}, 1, now64(3)
        FROM numbers({events:UInt64})`,
      query_params: { account: file.account_id, start, so_far, holders, events: holders * EVENTS },
    });
    await clickhouse.command({ query: 'OPTIMIZE TABLE usage_events FINAL' });
  } finally {
    await clickhouse.close();
  }
}

async function measure({ file, api, times, cpu }: Measured, path: string, holders: number): Promise<void> {
  const wanted = path.includes('customer_id') ? 1 : holders;
  for (let call = -WARM_UPS; call < CALLS; call++) {
    const [before, begun] = [cpuOf(file, PROCESSES), performance.now()];
    const { status, body, text } = await api.get(path);
    const ms = performance.now() - begun;
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
    if (path !== '/api/account' && Number(body.count) !== wanted) throw new Error(`${path} counts ${body.count}`);
    if (call < 0) continue;
    const after = cpuOf(file, PROCESSES);
    keep(times, path, ms);
    for (const [i, name] of PROCESSES.entries()) keep(cpu, `${path} ${i}`, after[name] - before[name]);
  }
}

function keep(all: Map<string, number[]>, key: string, value: number): void {
  all.set(key, [...(all.get(key) ?? []), value]);
}

function signal({ pids }: StackFile, name: 'SIGSTOP' | 'SIGCONT'): void {
  if (pids.worker !== null) process.kill(pids.worker, name);
}
