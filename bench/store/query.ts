import { setTimeout as sleep } from 'node:timers/promises';
import type { ClickHouseClient } from '@clickhouse/client';
import { createRollUp } from '../../aggregator/roll-up.ts';
import { createClickHouse } from '../../sql/clickhouse/clickhouse.ts';
import { startOwnStack } from '../../test/stack/own-stack.ts';
import { median, report, rounded } from '../figures.ts';
import {
  type Asked,
  EVENT,
  endQuestions,
  prepareMetrics,
  QUESTIONS,
  type Question,
  type Rounds,
  type Size,
  START,
  timesOf,
} from './questions.ts';

const GOAL = 1.2;
const COUNTED_BEFOREHAND_GOAL = 0.2;
const ROWS_PER_FILL = 1_000_000;
/** The API looks for what is counted beforehand at a question, when it has last looked so long ago; a round finds it. */
const UNTIL_API_KNOWS_MS = 16_000;
/** Small ones vary more. Before what counts, both are asked by code that has run before. */
const ROUNDS: Record<Size, Rounds> = {
  small: { warmUp: 60, counted: 61 },
  middling: { warmUp: 20, counted: 41 },
  huge: { warmUp: 1, counted: 7 },
};

/**
 * The four aggregations through the API over hand-written SQL on the same table, in turn. For customers with a small, a
 * middling and a huge part of `events` in the month asked for; first read event by event, then with what is counted beforehand.
 */
export async function benchQuery(events: number): Promise<void> {
  const stack = await startOwnStack();
  const clickhouse = createClickHouse(stack.file().clickhouse_url);
  try {
    const sizes: Record<Size, number> = { small: 400, middling: Math.ceil(events / 500), huge: Math.ceil(events / 5) };
    await fill(clickhouse, stack.file().account_id, sizes, events);
    const metrics = await prepareMetrics(stack.file(), Object.keys(sizes));
    const rows: Record<string, unknown>[] = [];
    const compareAll = async (read: Read, questions: readonly Question[]) => {
      for (const [customer, count] of Object.entries(sizes) as [Size, number][]) {
        for (const question of questions) {
          const metricId = metrics.get(question.aggregation) ?? '';
          const asked = { customer, count, question, metricId };
          rows.push(compare(await timesOf(stack.file(), clickhouse, asked, ROUNDS[customer]), asked, read));
        }
      }
    };
    await compareAll('events', QUESTIONS);
    await rollUp(clickhouse, events);
    await sleep(UNTIL_API_KNOWS_MS);
    await compareAll('rollups', QUESTIONS);
    report('query', rows, { events });
  } finally {
    endQuestions();
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

type Read = 'events' | 'rollups';

function compare(times: { api: number[]; hand: number[] }, { customer, question, count }: Asked, read: Read) {
  const { api, hand } = times;
  const ratio = median(api.map((ms, i) => ms / (hand[i] ?? Number.NaN)));
  const isSooner = read === 'rollups' && customer === 'huge' && question.isCountedBeforehand;
  return {
    ...{ customer, events: count, aggregation: question.aggregation, read },
    ...{ 'API ms': rounded(median(api)), 'SQL ms': rounded(median(hand)), ratio: rounded(ratio) },
    goal: isSooner ? COUNTED_BEFOREHAND_GOAL : GOAL,
  };
}
