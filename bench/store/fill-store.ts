import { setTimeout as sleep } from 'node:timers/promises';
import type { ClickHouseClient } from '@clickhouse/client';
import { createRollUp } from '../../aggregator/roll-up.ts';
import type { StoreAddresses } from '../../cli/with-stores.ts';
import { loadProcessConfig } from '../../runtime/config.ts';
import { createLog } from '../../runtime/log.ts';
import { connectStream } from '../../stream/connection.ts';
import { INDEXES_PER_MESSAGE, MAX_EVENTS_PER_GROUP } from '../../stream/positions.ts';
import { wantedStream } from '../../stream/streams.ts';
import { USAGE_STREAM } from '../../stream/subjects.ts';
import { EVENT, type Size, START } from './questions.ts';

const ROWS_PER_FILL = 1_000_000;
const MONTH_MS = 30 * 86_400_000;
const POSITIONS_AN_EVENT = INDEXES_PER_MESSAGE / MAX_EVENTS_PER_GROUP;
/** Users of each customer. */
const USERS = 10_000;
const MERGES_MS = 1_200_000;

/** How large the store is at each look, each with what was there at the one before. */
export const stagesOf = (events: number) => [events / 100, events / 10, events];

/** Events of each customer, once the store is at that stage. */
export function sizesOf(events: number, stage: number): Partial<Record<Size, number>> {
  const [first = 0, second = 0] = stagesOf(events);
  const sizes = { small: 40, middling: first / 25 };
  return stage < second ? sizes : { ...sizes, huge: ((second - first) / 9) * 4 };
}

const messagesOf = (events: number) => Math.ceil(events / MAX_EVENTS_PER_GROUP);

/**
 * The usage stream as it is when so many events have landed and been purged: what is sent gets later positions. To be made before
 * anything else makes it.
 */
export async function makeStreamBehind(events: number, stores: StoreAddresses): Promise<void> {
  const connection = await connectStream(stores.natsUrl, 'bench', createLog('bench', 'warn'));
  await connection.jsm.streams.add({
    ...wantedStream(loadProcessConfig(), USAGE_STREAM),
    first_seq: messagesOf(events) + 2,
  });
  await connection.close();
}

/**
 * Lands events `from` to `to` of `events` as rows that the aggregator would have written: the same columns, partitions, positions and ids, by ClickHouse
 * itself, since making and sending a hundred million messages takes longer than landing them. They come in the order of time, from one end of the month to the
 * other, of all customers mixed; ids are as long as a UUID and as random. What is whole is rolled up as it comes.
 */
export async function fillStore(
  clickhouse: ClickHouseClient,
  accountId: string,
  { from, to, events }: { from: number; to: number; events: number },
): Promise<void> {
  const [first, second] = stagesOf(events);
  const others = `'other-' || toString(sipHash64(number) % 1000)`;
  const customer = [
    `number < ${first} AND number % ${(first ?? 0) / 40} = 0, 'small'`,
    `number < ${first} AND number % 25 = 1, 'middling'`,
    `number >= ${first} AND number < ${second} AND number % 9 < 4, 'huge'`,
  ];
  for (let at = from; at < to; at += ROWS_PER_FILL) {
    await clickhouse.command({
      query: `INSERT INTO usage_events
        WITH fromUnixTimestamp64Milli(toInt64(toUnixTimestamp('${START} 00:00:00', 'UTC')) * 1000
            + intDiv((toInt64(number) - ${from}) * ${MONTH_MS}, ${to - from}), 'UTC') AS at
        SELECT {account_id:String}, multiIf(${customer.join(', ')}, ${others}), '${EVENT}', at,
          lower(hex(MD5(toString(number)))),
          map('bytes', toDecimal128(number % 100000, 18) / 4, 'tokens', toDecimal128(number % 1000, 18)),
          map('region', 'eu-west-1', 'user', 'user-' || toString(sipHash64(number, 1) % ${USERS})),
          map('cached', number % 2 = 0),
          reinterpret(MD5('fingerprint' || toString(number)), 'UInt128'),
          (intDiv(number, ${MAX_EVENTS_PER_GROUP}) + 1) * ${INDEXES_PER_MESSAGE} + number % ${MAX_EVENTS_PER_GROUP},
          1, at
        FROM numbers(${at}, ${Math.min(ROWS_PER_FILL, to - at)})`,
      query_params: { account_id: accountId },
      clickhouse_settings: { max_insert_threads: '1', max_threads: 1 },
    });
    const landed = BigInt(Math.min(at + ROWS_PER_FILL, to) * POSITIONS_AN_EVENT);
    // As the aggregator does it once a minute; there is one lane for such statements, and it would wait behind those that fill.
    const { runOnce } = createRollUp({ clickhouse, progress: { landedPosition: async () => landed } });
    while ((await runOnce()) === 'more');
  }
}

/** Until ClickHouse merges nothing any more. */
export async function untilAtRest(clickhouse: ClickHouseClient): Promise<void> {
  const until = performance.now() + MERGES_MS;
  for (;;) {
    const answer = await clickhouse.query({ query: 'SELECT 1 FROM system.merges LIMIT 1', format: 'JSONEachRow' });
    if ((await answer.json()).length === 0) return;
    if (performance.now() > until) throw new Error('ClickHouse merges without an end.');
    await sleep(2_000);
  }
}
