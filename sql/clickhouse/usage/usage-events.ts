import type { ClickHouseSettings } from '@clickhouse/client';
import type { PropertyValue, UsageEvent } from '../../../billing/catalog/metrics.ts';
import { decimal } from '../../../core/decimal.ts';
import type { Instant, LocalDate } from '../../../core/instants.ts';
import { COUNT_CAP, type ListSort, type PageOf, type PageWindow, pageOf } from '../../postgres/page-window.ts';
import { askRows, type ClickHouseReader } from '../clickhouse.ts';
import { type ParameterizedQuery, queryParameters } from '../query-parameters.ts';

/** A landed event as `GET /api/events` shows it (spec/events#questions). */
export type StoredUsageEvent = UsageEvent & { idempotencyId: string; receivedAt: Instant };

/** What events are sorted by: it is what they are stored by, too. */
export const EVENT_SORTS = { time_created: 'time_created' } as const;

/** All that are given must hold; `start` and `end` are of `timeCreated`, half-open. */
export type UsageEventFilter = {
  customerId?: string | undefined;
  eventName?: string | undefined;
  /** With its fingerprint (UInt128 in decimal text), by which it is found without reading the account's events. */
  idempotency?: { id: string; fingerprint: string } | undefined;
  start?: Instant | undefined;
  end?: Instant | undefined;
  sort?: ListSort<keyof typeof EVENT_SORTS> | undefined;
};

/** A list of an account's events, and the question which ids were received: nobody waits longer than this. */
const LIST_SETTINGS: ClickHouseSettings = { max_execution_time: 20, max_memory_usage: String(2 ** 30) };

/** Columns of {@link UsageEventRow}. */
export const EVENT_COLUMNS = `event_name, customer_id, idempotency_id, numbers, strings, booleans,
  toUnixTimestamp64Milli(time_created) AS time_created_ms, toUnixTimestamp64Milli(received_at) AS received_at_ms`;

/** The maps of `usage_events` in which an event's properties stand; a numeric string is in `numbers` and in `strings`. */
type PropertyMaps = {
  numbers: Record<string, string>;
  strings: Record<string, string>;
  booleans: Record<string, boolean>;
};

export type UsageEventRow = PropertyMaps & {
  event_name: string;
  customer_id: string;
  idempotency_id: string;
  time_created_ms: string;
  received_at_ms: string;
};

/** One page of an account's events, newest `timeCreated` first; of the same instant, the one received last first; or the reverse. */
export async function listUsageEvents(
  clickhouse: ClickHouseReader,
  accountId: string,
  filter: UsageEventFilter,
  window: PageWindow,
): Promise<PageOf<StoredUsageEvent>> {
  const { page, count } = usageEventQueries(accountId, filter, window);
  const rows = await askRows<UsageEventRow>(clickhouse, page, LIST_SETTINGS);
  return pageOf(rows.map(eventFromRow), window, async () => {
    const [total] = await askRows<{ count: string }>(clickhouse, count, LIST_SETTINGS);
    return Number(total?.count);
  });
}

/**
 * The two statements of {@link listUsageEvents}: the page with one row more, and the count up to one above its cap. The page's
 * keys are found first, from narrow columns: a sort that carried the properties along would take gigabytes for a page far behind.
 */
export function usageEventQueries(
  accountId: string,
  filter: UsageEventFilter,
  window: PageWindow,
): { page: ParameterizedQuery; count: ParameterizedQuery } {
  const { bind, params } = queryParameters();
  const { customerId, eventName, idempotency, start, end } = filter;
  const instant = (name: string, at: Instant) => `fromUnixTimestamp64Milli(${bind(name, 'Int64', at)}, 'UTC')`;
  const conditions = [`account_id = ${bind('account_id', 'String', accountId)}`];
  if (customerId !== undefined) conditions.push(`customer_id = ${bind('customer_id', 'String', customerId)}`);
  if (eventName !== undefined) conditions.push(`event_name = ${bind('event_name', 'String', eventName)}`);
  if (idempotency !== undefined) {
    // The hash is what an index can find; who wants to be sure asks for the id as well.
    conditions.push(`fingerprint = ${bind('fingerprint', 'UInt128', idempotency.fingerprint)}`);
    conditions.push(`idempotency_id = ${bind('idempotency_id', 'String', idempotency.id)}`);
  }
  if (start !== undefined) conditions.push(`time_created >= ${instant('start', start)}`);
  if (end !== undefined) conditions.push(`time_created < ${instant('end', end)}`);
  const from = `FROM usage_events\nWHERE ${conditions.join('\n  AND ')}`;
  const limit = { limit: window.limit + 1, offset: window.offset };
  const direction = filter.sort?.descending === false ? 'ASC' : 'DESC';
  const order = `ORDER BY time_created ${direction}, epoch ${direction}, position ${direction}`;
  return {
    page: {
      sql: [
        `SELECT ${EVENT_COLUMNS}`,
        from,
        `  AND (time_created, epoch, position) IN (SELECT time_created, epoch, position ${from}`,
        `${order} LIMIT {limit:UInt64} OFFSET {offset:UInt64})`,
        order,
      ].join('\n'),
      params: { ...params, ...limit },
    },
    count: { sql: `SELECT count() AS count FROM (SELECT 1 ${from} LIMIT ${COUNT_CAP + 1})`, params },
  };
}

/** A landed event, and its position in the stream. */
export type PlacedEvent = StoredUsageEvent & { position: bigint };

/** The landed event of an id, or undefined; `fingerprint` as of {@link UsageEventFilter}. */
export async function findEvent(
  clickhouse: ClickHouseReader,
  accountId: string,
  { id, fingerprint }: { id: string; fingerprint: string },
): Promise<PlacedEvent | undefined> {
  const sql = `SELECT ${EVENT_COLUMNS}, toString(position) AS position_text FROM usage_events
WHERE account_id = {account_id:String} AND fingerprint = {fingerprint:UInt128} AND idempotency_id = {id:String} LIMIT 1`;
  const params = { account_id: accountId, fingerprint, id };
  type Row = UsageEventRow & { position_text: string };
  const [row] = await askRows<Row>(clickhouse, { sql, params }, LIST_SETTINGS);
  return row && { ...eventFromRow(row), position: BigInt(row.position_text) };
}

/** How many of an account's events happened on each day of UTC, `end` exclusive; days without are left out. */
export async function countEventsByDay(
  clickhouse: ClickHouseReader,
  accountId: string,
  { start, end }: { start: LocalDate; end: LocalDate },
): Promise<Map<LocalDate, number>> {
  const sql = `SELECT toString(toDate(time_created)) AS date, count() AS events FROM usage_events
WHERE account_id = {account_id:String} AND time_created >= {start:DateTime64(3, 'UTC')} AND time_created < {end:DateTime64(3, 'UTC')}
GROUP BY date`;
  const params = { account_id: accountId, start: `${start} 00:00:00.000`, end: `${end} 00:00:00.000` };
  const rows = await askRows<{ date: LocalDate; events: string }>(clickhouse, { sql, params }, LIST_SETTINGS);
  return new Map(rows.map(({ date, events }) => [date, Number(events)]));
}

/**
 * Those of `fingerprints` (UInt128 in decimal text; they hold the account) received at or after `since`, for
 * verify-events. Exact for what has landed; also ids whose events were erased with their customer.
 */
export async function findReceivedIds(
  clickhouse: ClickHouseReader,
  { fingerprints, since }: { fingerprints: readonly string[]; since: Instant },
): Promise<Set<string>> {
  if (fingerprints.length === 0) return new Set();
  const sql = `SELECT DISTINCT toString(fingerprint) AS id FROM usage_ids
WHERE fingerprint IN {fingerprints:Array(UInt128)} AND received_at >= fromUnixTimestamp64Milli({since:Int64}, 'UTC')`;
  const params = { fingerprints: fingerprints.map(BigInt), since };
  const rows = await askRows<{ id: string }>(clickhouse, { sql, params }, LIST_SETTINGS);
  return new Set(rows.map((row) => row.id));
}

/** The event of a row. */
export function eventFromRow(row: UsageEventRow): StoredUsageEvent {
  return {
    idempotencyId: row.idempotency_id,
    eventName: row.event_name,
    customerId: row.customer_id,
    timeCreated: Number(row.time_created_ms),
    receivedAt: Number(row.received_at_ms),
    properties: propertiesFromMaps(row),
  };
}

/** The properties as they were sent, each with its kind. */
function propertiesFromMaps({ numbers, strings, booleans }: PropertyMaps): Record<string, PropertyValue> {
  const entries: [string, PropertyValue][] = [
    ...Object.entries(numbers).map(([name, value]): [string, PropertyValue] => [
      name,
      { kind: 'number', value: decimal(value) },
    ]),
    ...Object.entries(booleans).map(([name, value]): [string, PropertyValue] => [name, { kind: 'boolean', value }]),
    // Last, so that a numeric string is the string that was sent.
    ...Object.entries(strings).map(([name, value]): [string, PropertyValue] => [name, { kind: 'string', value }]),
  ];
  return Object.fromEntries(entries);
}
