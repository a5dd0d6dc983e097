import { ClickHouseError, type ClickHouseSettings } from '@clickhouse/client';
import { bucketsOf } from '../../../billing/metering/buckets.ts';
import { invalid } from '../../../core/domain-error.ts';
import { askRows, type ClickHouseReader, OF_A_CALLER } from '../clickhouse.ts';
import { type ParameterizedQuery, queryParameters } from '../query-parameters.ts';
import { textOf } from './event-properties.ts';
import {
  BUCKET,
  conditionsOf,
  localTimeName,
  type MetricQuestion,
  numberOfAggregate,
  runNames,
} from './metric-query.ts';
import { type BucketUsage, usageFromRow } from './metric-usage.ts';

/** A question for the groups of a property, of which at most `limit` are told one by one. */
export type GroupQuestion = MetricQuestion & { groupBy: string; limit: number };

/**
 * Value and number of matching events of a group, exact plain decimals; in a bucket (its start in milliseconds) where buckets
 * are asked for. `other`: of the events of all groups that are not told, as if they were one group.
 */
type GroupRow = { bucket?: string; grp: string | null; other: 0 | 1; value: string; events: string };

/** Usage of a group in a bucket; `group` is null for events without the property. `other`: of all groups that are not told. */
export type GroupUsage = BucketUsage & ({ group: string | null } | { other: true });

/** A text may be as long as an event: of ten thousand such the answer would not fit into memory. */
const MAX_RESULT_BYTES = 8 * 2 ** 20;
const TOO_MUCH = '396';

const SETTINGS: ClickHouseSettings = {
  ...OF_A_CALLER.settings,
  max_memory_usage: String(2 ** 30),
  // Of millions of groups most wait on the disk.
  max_bytes_before_external_group_by: String(2 ** 28),
  max_result_bytes: String(MAX_RESULT_BYTES),
  result_overflow_mode: 'throw',
};

/**
 * Usage of the groups with the largest values, as {@link metricGroupsQuery} has them: pairs of bucket and group that occur.
 * @throws DomainError `invalid` where so many groups with such long texts do not fit into an answer.
 */
export async function listMetricGroups(clickhouse: ClickHouseReader, question: GroupQuestion): Promise<GroupUsage[]> {
  const { granularity = 'total', start, end, timeZone } = question;
  const buckets = new Map(bucketsOf(granularity, start, end, timeZone).map((bucket) => [bucket.startsAt, bucket]));
  if (buckets.size === 0) return [];
  const rows = await askRows<GroupRow>(clickhouse, metricGroupsQuery(question), SETTINGS).catch((error) => {
    if (!(error instanceof ClickHouseError && error.code === TOO_MUCH)) throw error;
    throw invalid({ limit: ['The texts of so many groups are too long for an answer: ask for fewer.'] });
  });
  return rows.map((row) => {
    // The only bucket of a total starts with it.
    const bucket = buckets.get(Number(row.bucket ?? start));
    if (bucket === undefined) throw new Error(`no bucket starts at ${row.bucket}`);
    return { ...bucket, ...usageFromRow(row), ...(row.other ? { other: true } : { group: row.grp }) };
  });
}

/**
 * The statement that answers in groups: those whose values over the whole interval are the largest, and one group more of all
 * other events, so that nothing is missing. Buckets in order; in each the largest values first, then what is left. Two
 * passes over the events: the first one finds the groups to tell, so that only they are kept apart in the second.
 */
export function metricGroupsQuery(question: GroupQuestion): ParameterizedQuery {
  const { bind, params } = queryParameters();
  const { granularity = 'total', metric } = question;
  const inBuckets = granularity !== 'total';
  const from = `FROM usage_events\nWHERE ${conditionsOf(question, bind).join('\n  AND ')}`;
  const localTime = metric.timeFilter === null ? [] : [localTimeName(question, bind)];
  const grp = textOf(bind('group_by', 'String', question.groupBy));
  const value = numberOfAggregate(metric, bind);
  // NULL is a group too, and would be IN nothing.
  const key = (group: string) => `if(isNull(${group}), '', concat('=', ${group}))`;
  const largest = [
    ...withNames(localTime),
    `SELECT ${grp} AS told`,
    from,
    'GROUP BY told',
    `ORDER BY ${value} DESC, told NULLS LAST LIMIT ${bind('limit', 'UInt32', question.limit)}`,
  ].join('\n');
  const sql = [
    ...withNames([...(inBuckets ? runNames(question, bind) : []), ...localTime]),
    'SELECT',
    ...(inBuckets ? [`  ${BUCKET} AS bucket,`] : []),
    `  ${key(`(${grp})`)} NOT IN (SELECT ${key('told')} FROM (\n${largest}\n)) AS other,`,
    `  if(other, NULL, ${grp}) AS grp,`,
    `  toString(${value}) AS value,`,
    '  count() AS events',
    from,
    `GROUP BY ${inBuckets ? 'bucket, ' : ''}other, grp`,
    `ORDER BY ${inBuckets ? 'bucket, ' : ''}other, ${value} DESC, grp NULLS LAST`,
  ].join('\n');
  return { sql, params };
}

function withNames(names: readonly string[]): string[] {
  return names.length === 0 ? [] : [`WITH ${names.join(',\n  ')}`];
}
