import type { ClickHouseSettings } from '@clickhouse/client';
import type { PropertyValue, UsageEvent } from '../../../billing/catalog/metrics.ts';
import { decimal } from '../../../core/decimal.ts';
import type { Instant, LocalDate } from '../../../core/instants.ts';
import {
  COUNT_CAP,
  type ListSort,
  PAGE_BYTES,
  type PageOf,
  type PageWindow,
  type Place,
  pageOf,
  wrongPlace,
} from '../../postgres/page-window.ts';
import { askRows, type ClickHouseReader } from '../clickhouse.ts';
import { type ParameterizedQuery, queryParameters } from '../query-parameters.ts';
import { CONTENT_HASH } from './usage-repeats.ts';

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

type PlacedEventRow = { epoch_text: string; position_text: string; rows_found: string };

/** The bytes of an event as JSON, or some more. */
const EVENT_BYTES = `400 + length(event_name) + length(customer_id) + length(idempotency_id) + length(toString(strings)) + 50 * length(numbers)
  + arraySum(name -> length(name), mapKeys(numbers)) + 50 * length(booleans) + arraySum(name -> length(name), mapKeys(booleans))`;

/** One page of an account's events, newest `timeCreated` first; of the same instant, the one received last first; or the reverse. */
export async function listUsageEvents(
  clickhouse: ClickHouseReader,
  accountId: string,
  filter: UsageEventFilter,
  window: PageWindow,
): Promise<PageOf<StoredUsageEvent>> {
  const { page, count } = usageEventQueries(accountId, filter, window);
  const rows = await askRows<UsageEventRow & PlacedEventRow>(clickhouse, page, LIST_SETTINGS);
  const kept = rows.slice(0, window.limit);
  const found = Number(rows[0]?.rows_found ?? 0);
  const isMore = found > kept.length;
  if (kept.length < Math.min(window.limit, found)) window.room?.needMore();
  const places = kept.map(
    ({ time_created_ms, epoch_text, position_text }): Place => [time_created_ms, epoch_text, position_text],
  );
  return pageOf({ results: kept.map(eventFromRow), places, isMore }, window, async () => {
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
  const limit = { limit: window.limit + 1, offset: window.after ? 0 : window.offset };
  const isAscending = filter.sort?.descending === false;
  const direction = isAscending ? 'ASC' : 'DESC';
  const behind = window.after ? `\n  AND ${behindPlace(window.after, isAscending, bind)}` : '';
  const order = `ORDER BY time_created ${direction}, epoch ${direction}, position ${direction}`;
  return {
    page: {
      sql: [
        'SELECT * FROM (',
        `SELECT ${EVENT_COLUMNS}, toString(epoch) AS epoch_text, toString(position) AS position_text, count() OVER () AS rows_found,`,
        `  sum(${EVENT_BYTES}) OVER (${order} ROWS UNBOUNDED PRECEDING) AS bytes_up_to, row_number() OVER (${order}) AS row_of_page,`,
        '  time_created, epoch, position',
        from,
        `  AND (time_created, epoch, position) IN (SELECT time_created, epoch, position ${from}${behind}`,
        `${order} LIMIT {limit:UInt64} OFFSET {offset:UInt64})`,
        ') WHERE bytes_up_to <= {bytes:UInt64} OR row_of_page = 1',
        order,
      ].join('\n'),
      params: { ...params, ...limit, bytes: window.room?.bytes ?? PAGE_BYTES },
    },
    count: { sql: `SELECT count() AS count FROM (SELECT 1 ${from} LIMIT ${COUNT_CAP + 1})`, params },
  };
}

/** That an event comes behind a place. @throws DomainError `invalid` for what is no place of an event */
function behindPlace(place: Place, isAscending: boolean, bind: ReturnType<typeof queryParameters>['bind']): string {
  const [at = '', epoch = '', position = ''] = place;
  if (place.length !== 3 || !/^-?\d{1,14}$/.test(at) || ![epoch, position].every((part) => /^\d{1,19}$/.test(part))) {
    throw wrongPlace();
  }
  const behind = `(fromUnixTimestamp64Milli(${bind('after_time', 'Int64', BigInt(at))}, 'UTC'), ${bind('after_epoch', 'UInt64', BigInt(epoch))}, ${bind('after_position', 'UInt64', BigInt(position))})`;
  const time = `time_created ${isAscending ? '>=' : '<='} fromUnixTimestamp64Milli(${bind('after_time', 'Int64', BigInt(at))}, 'UTC')`;
  return `${time} AND (time_created, epoch, position) ${isAscending ? '>' : '<'} ${behind}`;
}

/** A landed event, its position in the stream, and the hash of its content as decimal text ({@link CONTENT_HASH}). */
export type PlacedEvent = StoredUsageEvent & { position: bigint; content: string };

/** The landed event of an id, or undefined; `fingerprint` as of {@link UsageEventFilter}. */
export async function findEvent(
  clickhouse: ClickHouseReader,
  accountId: string,
  { id, fingerprint }: { id: string; fingerprint: string },
): Promise<PlacedEvent | undefined> {
  const sql = `SELECT ${EVENT_COLUMNS}, toString(position) AS position_text, toString(${CONTENT_HASH}) AS content_text FROM usage_events
WHERE account_id = {account_id:String} AND fingerprint = {fingerprint:UInt128} AND idempotency_id = {id:String} LIMIT 1`;
  const params = { account_id: accountId, fingerprint, id };
  type Row = UsageEventRow & { position_text: string; content_text: string };
  const [row] = await askRows<Row>(clickhouse, { sql, params }, LIST_SETTINGS);
  return row && { ...eventFromRow(row), position: BigInt(row.position_text), content: row.content_text };
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
