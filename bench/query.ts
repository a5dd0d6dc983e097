import { Agent, get as httpGet } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClickHouseClient } from '@clickhouse/client';
import { createRollUp } from '../aggregator/roll-up.ts';
import type { StackFile } from '../local/stack-file.ts';
import { createClickHouse } from '../sql/clickhouse/clickhouse.ts';
import { api } from '../test/stack/api.ts';
import { startOwnStack } from '../test/stack/own-stack.ts';
import { median, report, rounded } from './figures.ts';

const GOAL = 1.2;
const COUNTED_BEFOREHAND_GOAL = 0.2;
const EVENT = 'api_call';
const [START, END] = ['2026-11-01', '2026-12-01'];
const ROWS_PER_FILL = 1_000_000;
/** The API looks for what is counted beforehand at a question, when it has last looked so long ago; a round finds it. */
const UNTIL_API_KNOWS_MS = 16_000;
/** Runs of a question, in turn: small ones vary more. */
const ROUNDS: Record<Size, number> = { small: 61, middling: 41, huge: 7 };
/** Before them, so that both are asked by code that has run before. */
const WARM_UP_ROUNDS: Record<Size, number> = { small: 60, middling: 20, huge: 1 };

type Size = 'small' | 'middling' | 'huge';
type Question = { aggregation: string; property: string | null; sql: string; isCountedBeforehand: boolean };

/** Written by hand: as short as who knows the table would ask. */
const QUESTIONS: Question[] = [
  // The index alone tells it, by hand too: no rollup is sooner there.
  { aggregation: 'count', property: null, sql: 'count()', isCountedBeforehand: false },
  { aggregation: 'sum', property: 'bytes', sql: `sum(numbers['bytes'])`, isCountedBeforehand: true },
  { aggregation: 'max', property: 'bytes', sql: `max(numbers['bytes'])`, isCountedBeforehand: true },
  { aggregation: 'unique', property: 'user', sql: `uniqExact(strings['user'])`, isCountedBeforehand: false },
];

/**
 * The four aggregations through the API over hand-written SQL on the same table, in turn, both over `node:http` and connections that
 * are kept; by hand through ClickHouse's own client, which waits for a timer before each request (docs/decisions/clickhouse-client.md). For customers with a small, a
 * middling and a huge part of `events` in the month asked for; first read event by event, then with what is counted beforehand.
 */
export async function benchQuery(events: number): Promise<void> {
  const stack = await startOwnStack();
  const clickhouse = createClickHouse(stack.file().clickhouse_url);
  try {
    const sizes: Record<Size, number> = { small: 400, middling: Math.ceil(events / 500), huge: Math.ceil(events / 5) };
    await fill(clickhouse, stack.file().account_id, sizes, events);
    const metrics = await prepare(stack.file(), Object.keys(sizes));
    const rows: Record<string, unknown>[] = [];
    const compareAll = async (read: Case['read'], questions: Question[]) => {
      for (const [customer, count] of Object.entries(sizes) as [Size, number][]) {
        for (const question of questions) {
          const metricId = metrics.get(question.aggregation) ?? '';
          rows.push(await compare(stack.file(), clickhouse, { customer, count, question, metricId, read }));
        }
      }
    };
    await compareAll('events', QUESTIONS);
    await rollUp(clickhouse, events);
    await sleep(UNTIL_API_KNOWS_MS);
    await compareAll('rollups', QUESTIONS);
    report('query', rows, { events });
  } finally {
    agent.destroy();
    await clickhouse.close();
    await stack.stop();
  }
}

/** Customers one after another, and a thousand others; times all over the month. */
async function fill(clickhouse: ClickHouseClient, accountId: string, sizes: Record<Size, number>, events: number) {
  const { small, middling, huge } = sizes;
  for (let at = 0; at < events; at += ROWS_PER_FILL) {
    await clickhouse.command({
      query: `INSERT INTO usage_events SELECT {account_id:String},
          multiIf(number < ${small}, 'small', number < ${small + middling}, 'middling',
            number < ${small + middling + huge}, 'huge', 'customer-' || toString(number % 1000)),
          '${EVENT}',
          fromUnixTimestamp64Milli(toInt64(toUnixTimestamp('${START} 00:00:00', 'UTC')) * 1000
            + toInt64(sipHash64(number) % 2592000000), 'UTC'),
          'id-' || toString(number),
          map('bytes', toDecimal128(number % 100000, 18) / 4, 'tokens', toDecimal128(number % 1000, 18)),
          map('region', 'eu-west-1', 'user', 'user-' || toString(sipHash64(number) % 10000)),
          map('cached', number % 2 = 0),
          reinterpret(MD5(toString(number)), 'UInt128'), number + 1024, 1, now64(3)
        FROM numbers(${at}, ${Math.min(ROWS_PER_FILL, events - at)})`,
      query_params: { account_id: accountId },
    });
  }
  // Else they go on beside the first questions.
  for (const table of ['usage_events', 'usage_ids'])
    await clickhouse.command({ query: `OPTIMIZE TABLE ${table} FINAL` });
}

/** As the aggregator does it, span by span. */
async function rollUp(clickhouse: ClickHouseClient, events: number) {
  const { runOnce } = createRollUp({ clickhouse, progress: { landedPosition: async () => BigInt(events + 1024) } });
  while ((await runOnce()) === 'more');
}

/** Makes the customers and the metrics; answers the metrics' ids by aggregation. */
async function prepare({ base_url, api_key }: StackFile, customers: string[]): Promise<Map<string, string>> {
  const { post } = api(api_key, base_url);
  for (const customer_id of customers)
    await post('/api/customers/', { customer_id, email: `${customer_id}@example.com` });
  const metrics = new Map<string, string>();
  for (const { aggregation, property } of QUESTIONS) {
    const body = { metric_name: aggregation, aggregation_type: aggregation, event_name: EVENT };
    const { body: metric } = await post('/api/metrics', { ...body, ...(property && { property_name: property }) });
    metrics.set(aggregation, String(metric.metric_id));
  }
  return metrics;
}

type Case = { customer: Size; count: number; question: Question; metricId: string; read: 'events' | 'rollups' };

async function compare(stack: StackFile, clickhouse: ClickHouseClient, asked: Case) {
  const { customer, question, count } = asked;
  const path = `${stack.base_url}/api/metrics/${asked.metricId}/usage?customer_id=${customer}&start=${START}&end=${END}`;
  const byApi = async () => {
    const { status, body } = await get(path, { 'X-API-KEY': stack.api_key });
    if (status !== 200) throw new Error(body);
    return body;
  };
  const byHand = async () => {
    const answer = await clickhouse.query({
      query: `SELECT toString(${question.sql}) AS value, count() AS events FROM usage_events
              WHERE account_id = '${stack.account_id}' AND customer_id = '${customer}' AND event_name = '${EVENT}'
                AND time_created >= '${START}' AND time_created < '${END}'`,
      format: 'JSONEachRow',
    });
    return (await answer.json<{ value: string; events: string }>())[0];
  };
  const [said, wanted] = [await byApi(), await byHand()];
  if (!said.includes(`"value":${wanted?.value},`) || wanted?.events !== String(count)) {
    throw new Error(`${question.aggregation} of ${customer}: ${said}, by hand ${JSON.stringify(wanted)}`);
  }
  for (let round = 0; round < WARM_UP_ROUNDS[customer]; round++) {
    await byHand();
    await byApi();
  }
  const times: { api: number[]; hand: number[] } = { api: [], hand: [] };
  for (let round = 0; round < ROUNDS[customer]; round++) {
    times.hand.push(await msOf(byHand));
    times.api.push(await msOf(byApi));
  }
  const ratio = median(times.api.map((ms, i) => ms / (times.hand[i] ?? Number.NaN)));
  return {
    ...{ customer, events: count, aggregation: question.aggregation, read: asked.read },
    ...{ 'API ms': rounded(median(times.api)), 'SQL ms': rounded(median(times.hand)) },
    ...{
      ratio: rounded(ratio),
      goal:
        asked.read === 'rollups' && customer === 'huge' && question.isCountedBeforehand
          ? COUNTED_BEFOREHAND_GOAL
          : GOAL,
    },
  };
}

const agent = new Agent({ keepAlive: true });

function get(url: string, headers: Record<string, string>): Promise<{ status: number | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = httpGet(url, { agent, headers }, (answer) => {
      text(answer).then((body) => resolve({ status: answer.statusCode, body }), reject);
    });
    sent.on('error', reject);
  });
}

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
