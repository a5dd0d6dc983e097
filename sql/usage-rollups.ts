import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client';

/** Positions above `from` up to `to`. */
export type Span = { from: bigint; to: bigint };

/**
 * A span that is rolled up, and the customers with many events in it, as {@link largeKey} has them: each is named once for every
 * {@link EVENTS_A_NAMING} of its events.
 */
export type RolledSpan = Span & { large: string[] };

/** So a span of half a million events names 250 at most. */
export const EVENTS_A_NAMING = 2_000;

/** A span is read and grouped by the hour: some hundred MB, away from the questions' memory and threads. */
const ROLL_UP_SETTINGS: ClickHouseSettings = {
  async_insert: 0,
  wait_end_of_query: 1,
  max_threads: 1,
  max_execution_time: 300,
  max_partitions_per_insert_block: '0',
};

export function largeKey(accountId: string, customerId: string): string {
  return JSON.stringify([accountId, customerId]);
}

/**
 * The spans that are rolled up, one after another from the beginning. Two processes may have rolled up different spans from
 * the same place: the shorter one is taken, the other one's rows are never read.
 */
export async function listRolledSpans(clickhouse: ClickHouseClient, after = 0n): Promise<RolledSpan[]> {
  const answer = await clickhouse.query({
    query: `SELECT span_from, min(span_to) AS to, argMin(large, span_to) AS large FROM usage_rollup_spans
            WHERE span_from >= {after:UInt64} GROUP BY span_from ORDER BY span_from`,
    query_params: { after },
    format: 'JSONEachRow',
  });
  const spans: RolledSpan[] = [];
  let end = after;
  for (const row of await answer.json<{ span_from: string; to: string; large: LargeRow[] }>()) {
    if (BigInt(row.span_from) !== end) continue;
    end = BigInt(row.to);
    const large = row.large.map((one) => largeKey(one.account_id, one.customer_id));
    spans.push({ from: BigInt(row.span_from), to: end, large });
  }
  return spans;
}

type LargeRow = { account_id: string; customer_id: string };

/** The position of the `count`th event above `after`, none above `landed`; undefined where there are fewer. */
export async function findSpanEnd(
  clickhouse: ClickHouseClient,
  after: bigint,
  landed: bigint,
  count: number,
): Promise<bigint | undefined> {
  const answer = await clickhouse.query({
    query: `SELECT count() AS events, max(position) AS last FROM
              (SELECT position FROM usage_events WHERE position > {after:UInt64} AND position <= {landed:UInt64}
               ORDER BY position LIMIT {count:UInt64})`,
    query_params: { after, landed, count },
    format: 'JSONEachRow',
  });
  const [row] = await answer.json<{ events: string; last: string }>();
  return row && Number(row.events) === count ? BigInt(row.last) : undefined;
}

/** Rolls a span up, all of whose events have landed. When it returns, its rollups are on disk and are read. */
export async function insertRollups(clickhouse: ClickHouseClient, { from, to }: Span): Promise<void> {
  const inSpan = 'position > {from:UInt64} AND position <= {to:UInt64}';
  await clickhouse.command({
    query: `INSERT INTO usage_rollups
      SELECT account_id, customer_id, event_name, of_hour, {to:UInt64}, sumIf(events, property IS NULL),
        mapFromArrays(groupArrayIf(assumeNotNull(property), property IS NOT NULL),
          groupArrayIf((total, highest), property IS NOT NULL))
      FROM (
        SELECT account_id, customer_id, event_name,
          intDiv(toUnixTimestamp64Milli(time_created), 3600000) * 3600000 AS of_hour,
          arrayJoin(arrayConcat([CAST(NULL AS Nullable(String))], mapKeys(numbers))) AS property,
          count() AS events,
          sum(toDecimal256(numbers[ifNull(property, '')], 18)) AS total,
          max(numbers[ifNull(property, '')]) AS highest
        FROM usage_events WHERE ${inSpan}
        GROUP BY account_id, customer_id, event_name, of_hour, property
      )
      GROUP BY account_id, customer_id, event_name, of_hour`,
    query_params: { from, to },
    clickhouse_settings: ROLL_UP_SETTINGS,
  });
  await clickhouse.command({
    query: `INSERT INTO usage_rollup_spans
      SELECT {from:UInt64}, {to:UInt64}, groupArrayArray(arrayWithConstant(namings, (account_id, customer_id))) FROM (
        SELECT account_id, customer_id, intDiv(count(), ${EVENTS_A_NAMING}) AS namings FROM usage_events WHERE ${inSpan}
        GROUP BY account_id, customer_id HAVING namings > 0
      )`,
    query_params: { from, to },
    clickhouse_settings: ROLL_UP_SETTINGS,
  });
}
