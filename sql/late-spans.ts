import type { Instant } from '../billing/instants.ts';
import { askRows, type ClickHouseReader } from './ask-rows.ts';
import { within } from './metric-query.ts';
import { METRIC_QUERY_SETTINGS } from './metric-usage.ts';
import { type ParameterizedQuery, queryParameters } from './query-parameters.ts';
import type { UsageMark } from './usage-marks.ts';

/** Earliest and latest `time_created` of the events that came late for a subscription's closed periods. */
export type LateSpan = { subscriptionId: string; from: Instant; to: Instant };

type Row = { mark: number; first: string; last: string };

/** Marks in one statement: far more than a customer has, and well below the longest statement that is parsed. */
const MARKS_AT_ONCE = 100;

/**
 * Whether anything has landed for closed periods above their marks, up to `upTo` where given, and where. One cheap
 * question (the positions' index skips what is older), so that only periods with late events are counted again.
 */
export async function findLateSpans(
  clickhouse: ClickHouseReader,
  owner: { accountId: string; customerId: string },
  marks: readonly UsageMark[],
  upTo?: bigint,
): Promise<LateSpan[]> {
  const spans: LateSpan[] = [];
  for (let i = 0; i < marks.length; i += MARKS_AT_ONCE) {
    const some = marks.slice(i, i + MARKS_AT_ONCE);
    const query = lateSpansQuery(owner, some, upTo);
    for (const row of await askRows<Row>(clickhouse, query, METRIC_QUERY_SETTINGS)) {
      const mark = some[row.mark];
      if (!mark) throw new Error(`no mark ${row.mark} was asked for`);
      spans.push({ subscriptionId: mark.subscriptionId, from: Number(row.first), to: Number(row.last) });
    }
  }
  return spans;
}

function lateSpansQuery(
  { accountId, customerId }: { accountId: string; customerId: string },
  marks: readonly UsageMark[],
  upTo: bigint | undefined,
): ParameterizedQuery {
  const { bind, params } = queryParameters();
  const questions = marks.map((mark, i) =>
    [
      `SELECT ${i} AS mark, min(toUnixTimestamp64Milli(time_created)) AS first,`,
      '  max(toUnixTimestamp64Milli(time_created)) AS last',
      'FROM usage_events',
      `WHERE account_id = ${bind('account_id', 'String', accountId)}`,
      `  AND customer_id = ${bind('customer_id', 'String', customerId)}`,
      `  AND position > ${bind('counted_to', 'UInt64', mark.countedTo)}`,
      ...(upTo === undefined ? [] : [`  AND position <= ${bind('up_to', 'UInt64', upTo)}`]),
      `  AND ${within(mark, 'start', 'end', bind)}`,
      'HAVING count() > 0',
    ].join('\n'),
  );
  return { sql: questions.join('\nUNION ALL\n'), params };
}
