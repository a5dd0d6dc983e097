import type { MetricRule } from '../../../billing/catalog/metrics.ts';
import type { PropertyTexts } from '../../../billing/pricing/price-book.ts';
import type { Instant } from '../../../core/instants.ts';
import { askInSlices, askRows, type ClickHouseReader, OF_A_WATCH } from '../clickhouse.ts';
import { type Bind, isAmong, type ParameterizedQuery, queryParameters } from '../query-parameters.ts';
import { hashOf, sqlHash } from './book-usage.ts';
import { textOf } from './event-properties.ts';
import { filterConditions } from './metric-filters.ts';
import { AT } from './metric-query.ts';

/** A stretch of the usage stream: positions above `above` and up to `upTo`. `position` has an index. */
export type Stretch = { above: bigint; upTo: bigint };

/** What is looked at: events that a metric counts, whenever its time filter lets it, by some of their properties. */
export type LookedAt = { accountId: string; metric: MetricRule; groupBy: readonly string[] };

/** A combination that has landed, with the times of its earliest and its latest event; `customerId` where it is asked for. */
export type LandedCombination = { customerId: string; texts: PropertyTexts; first: Instant; last: Instant };

type Row = { question: number; customer_id: string; texts: (string | null)[]; first: string; last: string };

/** More of one question are not told apart: some megabytes. */
const MAX_COMBINATIONS = 20_000;

/** The accounts of which anything has landed in a stretch, among these. */
export async function listAccountsLanded(
  clickhouse: ClickHouseReader,
  accountIds: readonly string[],
  { above, upTo }: Stretch,
): Promise<Set<string>> {
  const { bind, params } = queryParameters();
  const sql = `SELECT DISTINCT account_id FROM usage_events
    WHERE ${isAmong('account_id', { name: 'accounts', type: 'String', values: accountIds }, bind)}
      AND position > ${bind('above', 'UInt64', above)} AND position <= ${bind('up_to', 'UInt64', upTo)}`;
  const rows = await askRows<{ account_id: string }>(clickhouse, { sql, params }, OF_A_WATCH.settings);
  return new Set(rows.map(({ account_id }) => account_id));
}

/** The combinations that have landed in a stretch, by question, in their order; null for too many. */
export function listLandedCombinations(
  clickhouse: ClickHouseReader,
  questions: readonly LookedAt[],
  stretch: Stretch,
): Promise<(LandedCombination[] | null)[]> {
  return askInSlices(clickhouse, questions, OF_A_WATCH, async (some, statement) => {
    const rowsOf = Map.groupBy(await statement<Row>(landedQuery(some, stretch)), ({ question }) => question);
    return some.map(({ groupBy }, i) => {
      const rows = rowsOf.get(i) ?? [];
      return rows.length > MAX_COMBINATIONS ? null : rows.map((row) => landedFromRow(groupBy, row));
    });
  });
}

/** Which customers some combinations of a stretch are of; null for too many. */
export async function listLandedOf(
  clickhouse: ClickHouseReader,
  question: LookedAt & { combinations: readonly PropertyTexts[] },
  stretch: Stretch,
): Promise<LandedCombination[] | null> {
  const rows = await askRows<Row>(clickhouse, landedQuery([question], stretch), OF_A_WATCH.settings);
  return rows.length > MAX_COMBINATIONS ? null : rows.map((row) => landedFromRow(question.groupBy, row));
}

function landedQuery(
  questions: readonly (LookedAt & { combinations?: readonly PropertyTexts[] })[],
  { above, upTo }: Stretch,
): ParameterizedQuery {
  const { bind, params } = queryParameters();
  const answers = questions.map((question, i) => {
    const { groupBy, combinations } = question;
    const keys = groupBy.map((_, k) => `k${k}`);
    const texts = groupBy.map((name, k) => `${textOf(bind('group_by', 'String', name))} AS k${k}`);
    const hashes = combinations?.map((one) => hashOf(groupBy.map((name) => one[name] ?? null)));
    const among = hashes && isAmong(sqlHash(keys), { name: 'combinations', type: 'String', values: hashes }, bind);
    return [
      `SELECT ${i} AS question, ${combinations ? 'customer_id' : "''"} AS customer_id, [${keys.join(', ')}] AS texts,`,
      '  toString(min(at)) AS first, toString(max(at)) AS last',
      `FROM (SELECT ${combinations ? 'customer_id, ' : ''}${texts.join(', ')}, ${AT} AS at FROM usage_events`,
      `WHERE ${conditions(question, bind).join('\n  AND ')}`,
      `  AND position > ${bind('above', 'UInt64', above)} AND position <= ${bind('up_to', 'UInt64', upTo)})`,
      ...(among ? [`WHERE ${among}`] : []),
      `GROUP BY ${[...(combinations ? ['customer_id'] : []), ...keys].join(', ')} LIMIT ${MAX_COMBINATIONS + 1}`,
    ].join('\n');
  });
  return { sql: answers.join('\nUNION ALL\n'), params };
}

function conditions({ accountId, metric }: LookedAt, bind: Bind): string[] {
  return [
    `account_id = ${bind('account_id', 'String', accountId)}`,
    ...(metric.eventName === null ? [] : [`event_name = ${bind('event_name', 'String', metric.eventName)}`]),
    ...filterConditions({ ...metric, timeFilter: null }, bind),
  ];
}

function landedFromRow(groupBy: readonly string[], { customer_id, texts, first, last }: Row): LandedCombination {
  return {
    customerId: customer_id,
    texts: Object.fromEntries(groupBy.map((name, i) => [name, texts[i] ?? null])),
    first: Number(first),
    last: Number(last),
  };
}
