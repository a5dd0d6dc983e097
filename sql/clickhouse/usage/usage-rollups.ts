import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client';

/** Positions above `from` up to `to`. */
export type Span = { from: bigint; to: bigint };

/**
 * A span that is rolled up, and the customers with many events in it, as {@link customerKey} has them: each is named once for every
 * {@link EVENTS_A_NAMING} of its events. `leftOut`: those of whom it has no rollups. `texts`: properties all of whose texts are told
 * (usage-texts.ts), as {@link propertyKey} has them.
 */
export type RolledSpan = Span & { large: string[]; leftOut: string[]; texts: string[] };

/** So a span of half a million events names 250 at most. */
export const EVENTS_A_NAMING = 2_000;

/** More numeric properties than this in one hour of a customer's events of one name are not rolled up: one row has them all. */
const MOST_PROPERTIES = 1_000;

/** A span is read and grouped by the hour: some hundred MB, away from the questions' memory and threads. */
export const ROLL_UP_SETTINGS: ClickHouseSettings = {
  async_insert: 0,
  wait_end_of_query: 1,
  max_threads: 1,
  max_execution_time: 300,
  max_partitions_per_insert_block: '0',
};

export function customerKey(accountId: string, customerId: string): string {
  return JSON.stringify([accountId, customerId]);
}

export function propertyKey(accountId: string, customerId: string, eventName: string, property: string): string {
  return JSON.stringify([accountId, customerId, eventName, property]);
}

/** The customer of a {@link customerKey}. */
export function customerOfKey(key: string): { accountId: string; customerId: string } {
  const [accountId, customerId] = JSON.parse(key);
  return { accountId, customerId };
}

/**
 * The spans that are rolled up, one after another from the beginning. Two processes may have rolled up different spans from
 * the same place: the shorter one is taken, the other one's rows are never read.
 */
export async function listRolledSpans(clickhouse: ClickHouseClient, after = 0n): Promise<RolledSpan[]> {
  const answer = await clickhouse.query({
    query: `SELECT spans.span_from AS span_from, spans.to AS to, large, left_out, properties FROM (
              SELECT span_from, min(span_to) AS to, argMin(large, span_to) AS large, argMin(left_out, span_to) AS left_out
              FROM usage_rolled_spans
              WHERE span_from >= {after:UInt64} GROUP BY span_from
            ) AS spans
            LEFT ANY JOIN usage_text_spans AS texts ON texts.span_from = spans.span_from AND texts.span_to = spans.to
            ORDER BY span_from`,
    query_params: { after },
    format: 'JSONEachRow',
  });
  const spans: RolledSpan[] = [];
  let end = after;
  const keysOf = (rows: CustomerRow[]) => rows.map((one) => customerKey(one.account_id, one.customer_id));
  for (const row of await answer.json<SpanRow>()) {
    if (BigInt(row.span_from) !== end) continue;
    end = BigInt(row.to);
    const texts = row.properties.map((one) =>
      propertyKey(one.account_id, one.customer_id, one.event_name, one.property),
    );
    const [large, leftOut] = [keysOf(row.large), keysOf(row.left_out)];
    spans.push({ from: BigInt(row.span_from), to: end, large, leftOut, texts });
  }
  return spans;
}

type CustomerRow = { account_id: string; customer_id: string };
type PropertyRow = CustomerRow & { event_name: string; property: string };
type SpanRow = {
  span_from: string;
  to: string;
  large: CustomerRow[];
  left_out: CustomerRow[];
  properties: PropertyRow[];
};

/** How much a span holds: events, or fewer where these have more than `numbers` numeric properties in all. */
export type SpanSize = { events: number; numbers: number };

/** A message of the stream has room for twice as many positions as events (stream/positions.ts). */
const POSITIONS_AN_EVENT = 2;
const WIDER = 8n;

/**
 * The position up to which a span of that size reaches which begins above `after`, at or below `landed`; undefined where there
 * is less. At least one event is in it.
 */
export async function findSpanEnd(
  clickhouse: ClickHouseClient,
  after: bigint,
  landed: bigint,
  size: SpanSize,
): Promise<bigint | undefined> {
  // To put all that waits into order takes the longer the more there is; after a restore it is everything.
  for (let width = BigInt(size.events * POSITIONS_AN_EVENT); ; width *= WIDER) {
    const upTo = after + width < landed ? after + width : landed;
    const end = await findSpanEndWithin(clickhouse, after, upTo, size);
    if (end !== undefined || upTo === landed) return end;
  }
}

async function findSpanEndWithin(
  clickhouse: ClickHouseClient,
  after: bigint,
  upTo: bigint,
  { events, numbers }: SpanSize,
): Promise<bigint | undefined> {
  const answer = await clickhouse.query({
    query: `SELECT count() AS events, countIf(before < {numbers:UInt64}) AS fitting,
              maxIf(position, before < {numbers:UInt64}) AS last
            FROM (
              SELECT position, sum(size) OVER (ORDER BY position) - size AS before FROM (
                SELECT position, length(numbers) AS size FROM usage_events
                WHERE position > {after:UInt64} AND position <= {up_to:UInt64}
                ORDER BY position LIMIT {events:UInt64}
              )
            )`,
    query_params: { after, up_to: upTo, events, numbers },
    format: 'JSONEachRow',
  });
  const [row] = await answer.json<{ events: string; fitting: string; last: string }>();
  if (!row || (Number(row.events) < events && row.fitting === row.events)) return undefined;
  return BigInt(row.last);
}

/** SQL: an event of the span whose ends are the parameters `from` and `to`. */
export const IN_SPAN = 'position > {from:UInt64} AND position <= {to:UInt64}';
const HOUR = 'intDiv(toUnixTimestamp64Milli(time_created), 3600000) * 3600000';
const CUSTOMER_HASH = 'cityHash64(account_id, customer_id)';

/** Rolls a span up, all of whose events have landed. When it returns, its rollups are on disk and are read. */
export async function insertRollups(
  clickhouse: ClickHouseClient,
  { from, to }: Span,
  mostProperties = MOST_PROPERTIES,
): Promise<void> {
  const query_params = { from, to };
  const leftOut = await findLeftOut(clickhouse, { from, to }, mostProperties);
  // By hash: a customer who is taken for another one is left out like him, and said to be.
  const isLeftOut = `${CUSTOMER_HASH} IN [${leftOut.map(BigInt).join(', ')}]`;
  await clickhouse.command({
    query: `INSERT INTO usage_rollups
      SELECT account_id, customer_id, event_name, of_hour, {to:UInt64}, sumIf(events, property IS NULL),
        mapFromArrays(groupArrayIf(assumeNotNull(property), property IS NOT NULL),
          groupArrayIf((total, highest), property IS NOT NULL))
      FROM (
        SELECT account_id, customer_id, event_name, ${HOUR} AS of_hour,
          arrayJoin(arrayConcat([CAST(NULL AS Nullable(String))], mapKeys(numbers))) AS property,
          count() AS events,
          sum(toDecimal256(numbers[ifNull(property, '')], 18)) AS total,
          max(numbers[ifNull(property, '')]) AS highest
        FROM usage_events WHERE ${IN_SPAN} AND NOT ${isLeftOut}
        GROUP BY account_id, customer_id, event_name, of_hour, property
      )
      GROUP BY account_id, customer_id, event_name, of_hour`,
    query_params,
    clickhouse_settings: ROLL_UP_SETTINGS,
  });
  await clickhouse.command({
    query: `INSERT INTO usage_rolled_spans
      SELECT {from:UInt64}, {to:UInt64}, groupArrayArray(arrayWithConstant(namings, (account_id, customer_id))),
        groupArrayIf((account_id, customer_id), ${isLeftOut})
      FROM (
        SELECT account_id, customer_id, intDiv(count(), ${EVENTS_A_NAMING}) AS namings FROM usage_events WHERE ${IN_SPAN}
        GROUP BY account_id, customer_id HAVING namings > 0 OR ${isLeftOut}
      )`,
    query_params,
    clickhouse_settings: ROLL_UP_SETTINGS,
  });
}

/** Hashes of the customers who have too many properties in the span to be rolled up: exact to a few hundredths. */
async function findLeftOut(clickhouse: ClickHouseClient, { from, to }: Span, most: number): Promise<string[]> {
  const answer = await clickhouse.query({
    query: `SELECT DISTINCT toString(${CUSTOMER_HASH}) AS hash FROM usage_events WHERE ${IN_SPAN}
      GROUP BY account_id, customer_id, event_name, ${HOUR}
      HAVING uniqCombinedArray(12)(mapKeys(numbers)) > {most:UInt64}`,
    query_params: { from, to, most },
    format: 'JSONEachRow',
  });
  return (await answer.json<{ hash: string }>()).map(({ hash }) => hash);
}
