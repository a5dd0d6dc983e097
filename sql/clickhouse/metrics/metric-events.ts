import { askRows, type ClickHouseReader, OF_A_CALLER } from '../clickhouse.ts';
import { queryParameters } from '../query-parameters.ts';
import { EVENT_COLUMNS, eventFromRow, type StoredUsageEvent, type UsageEventRow } from '../usage/usage-events.ts';
import { conditionsOf, localTimeName, type MetricQuestion } from './metric-query.ts';

/** Where an event stands in the order of counting. Positions are those of an epoch of the stream. */
export type EventPlace = { epoch: number; position: bigint };

/** A counted event, and its place. */
export type CountedEvent = StoredUsageEvent & { place: EventPlace };

type Row = UsageEventRow & { epoch: number; position_text: string };

/**
 * The events that a question counts, in the order in which they were received, at most `limit` after the place `after`:
 * exactly those that its answer is made of, by the same conditions.
 */
export async function listMetricEvents(
  clickhouse: ClickHouseReader,
  question: MetricQuestion,
  { after, limit }: { after?: EventPlace | undefined; limit: number },
): Promise<CountedEvent[]> {
  const { bind, params } = queryParameters();
  const conditions = conditionsOf(question, bind);
  if (after) {
    const place = `(${bind('after_epoch', 'UInt32', after.epoch)}, ${bind('after_position', 'UInt64', after.position)})`;
    conditions.push(`(epoch, position) > ${place}`);
  }
  const names = question.metric.timeFilter === null ? [] : [`WITH ${localTimeName(question, bind)}`];
  const sql = [
    ...names,
    `SELECT ${EVENT_COLUMNS}, epoch, toString(position) AS position_text`,
    'FROM usage_events',
    `WHERE ${conditions.join('\n  AND ')}`,
    `ORDER BY epoch, position LIMIT ${bind('limit', 'UInt32', limit)}`,
  ].join('\n');
  const rows = await askRows<Row>(clickhouse, { sql, params }, OF_A_CALLER.settings);
  return rows.map((row) => ({
    ...eventFromRow(row),
    place: { epoch: row.epoch, position: BigInt(row.position_text) },
  }));
}
