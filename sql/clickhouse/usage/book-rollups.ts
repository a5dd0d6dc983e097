import { createHash } from 'node:crypto';
import { type ClickHouseClient, ClickHouseError, type ClickHouseSettings } from '@clickhouse/client';
import type { MetricRule } from '../../../billing/catalog/metrics.ts';
import { askRows, type ClickHouseReader } from '../clickhouse.ts';
import { hasNumber, numberOf, textOf } from '../metrics/event-properties.ts';
import { filterConditions } from '../metrics/metric-filters.ts';
import { AT } from '../metrics/metric-query.ts';
import { isAmong, queryParameters } from '../query-parameters.ts';
import type { CustomerRef } from './erase-usage.ts';
import { EVENTS_A_NAMING, ROLL_UP_SETTINGS, type Span } from './usage-rollups.ts';

/** What is counted beforehand of a customer: events that a metric counts, by their combination and the day. */
export type BookRule = { metric: MetricRule; groupBy: readonly string[] };

/** Days of UTC. */
export const ROLLED_DAY_MS = 86_400_000;

/**
 * What the rollups of a rule are known by, alike for metrics that differ in nothing but the kind of aggregation; undefined for a rule that
 * is not counted beforehand: of a unique, or where the time of a customer's zone decides.
 */
export function bookRuleKey({ metric, groupBy }: BookRule): string | undefined {
  const { aggregationType, eventName, propertyName, numericFilters, categoricalFilters, timeFilter } = metric;
  if (aggregationType === 'unique' || timeFilter !== null) return undefined;
  const rule = JSON.stringify([eventName, propertyName, numericFilters, categoricalFilters, groupBy]);
  return createHash('md5').update(rule).digest('hex');
}

/** A customer and a rule, by which spans follow one another. */
export type RuleOfCustomer = CustomerRef & { rule: string };

/** A span of a customer and rule; `leftOut`: it has no rollups, as they would be too many. */
export type BookSpan = Span & { leftOut: boolean };

/**
 * The spans that are rolled up, or left out, of each customer and rule, one after another from the beginning: of two that begin at the same
 * place the shorter one. In the order of what is asked for.
 */
export async function listBookSpans(
  clickhouse: ClickHouseReader,
  asked: readonly RuleOfCustomer[],
): Promise<BookSpan[][]> {
  if (asked.length === 0) return [];
  const { bind, params } = queryParameters();
  const among = (name: string, values: readonly string[]) =>
    isAmong(name, { name, type: 'String', values: [...new Set(values)] }, bind);
  const sql = `SELECT account_id, customer_id, rule, toString(span_from) AS from, toString(min(span_to)) AS to,
      argMin(left_out, span_to) AS leftOut
    FROM usage_book_spans
    WHERE ${among(
      'account_id',
      asked.map(({ accountId }) => accountId),
    )} AND ${among(
      'customer_id',
      asked.map(({ customerId }) => customerId),
    )} AND ${among(
      'rule',
      asked.map(({ rule }) => rule),
    )}
    GROUP BY account_id, customer_id, rule, span_from ORDER BY span_from`;
  const rows = await askRows<SpanRow>(clickhouse, { sql, params });
  const rowsOf = Map.groupBy(rows, (row) => JSON.stringify([row.account_id, row.customer_id, row.rule]));
  return asked.map(({ accountId, customerId, rule }) =>
    chained(rowsOf.get(JSON.stringify([accountId, customerId, rule])) ?? []).map(({ from, to, leftOut }) => {
      return { from: BigInt(from), to: BigInt(to), leftOut };
    }),
  );
}

type SpanRow = {
  account_id: string;
  customer_id: string;
  rule: string;
  from: string;
  to: string;
  leftOut: boolean;
};

/** The ends of the spans of the stream above a position, ascending, with how many events of the customer each is known to hold. */
export async function listSpanEnds(
  clickhouse: ClickHouseReader,
  { accountId, customerId }: CustomerRef,
  above: bigint,
): Promise<{ to: bigint; events: number }[]> {
  const sql = `SELECT toString(span_from) AS from, toString(min(span_to)) AS to,
      argMin(countEqual(large, ({account:String}, {customer:String})), span_to) AS namings
    FROM usage_rolled_spans GROUP BY span_from ORDER BY span_from`;
  type Row = { from: string; to: string; namings: string };
  const rows = await askRows<Row>(clickhouse, { sql, params: { account: accountId, customer: customerId } });
  return chained(rows)
    .map(({ to, namings }) => ({ to: BigInt(to), events: Number(namings) * EVENTS_A_NAMING }))
    .filter(({ to }) => to > above);
}

/** Those that follow one another from the beginning; in the order of where they begin. */
function chained<Row extends { from: string; to: string }>(rows: readonly Row[]): Row[] {
  const chain: Row[] = [];
  for (const row of rows) if (row.from === (chain.at(-1)?.to ?? '0')) chain.push(row);
  return chain;
}

/** A span that is not worth it, or too much: so many groups, so much memory or time. */
const TOO_MUCH = new Set(['158' /* TOO_MANY_ROWS */, '241' /* MEMORY */, '159' /* TIMEOUT_EXCEEDED */]);

const SETTINGS: ClickHouseSettings = {
  ...ROLL_UP_SETTINGS,
  max_execution_time: 120,
  max_memory_usage: String(2 ** 30),
  group_by_overflow_mode: 'throw',
};

/**
 * Rolls up what a rule counts of a customer in a span, all of whose events have landed; one with more than `mostRows` rows is left out.
 * When it returns, its rollups are on disk and are read.
 */
export async function insertBookRollups(
  clickhouse: ClickHouseClient,
  { accountId, customerId }: CustomerRef,
  { metric, groupBy }: BookRule,
  { from, to }: Span,
  mostRows: number,
): Promise<void> {
  const rule = bookRuleKey({ metric, groupBy });
  if (rule === undefined) throw new Error('a rule that is not counted beforehand');
  const { bind, params } = queryParameters();
  const [account, customer] = [bind('account_id', 'String', accountId), bind('customer_id', 'String', customerId)];
  const [name, upTo] = [bind('rule', 'String', rule), bind('to', 'UInt64', to)];
  const texts = groupBy.map((by) => `CAST(${textOf(bind('group_by', 'String', by))}, 'Nullable(String)')`);
  const conditions = [
    `account_id = ${account}`,
    `customer_id = ${customer}`,
    ...(metric.eventName === null ? [] : [`event_name = ${bind('event_name', 'String', metric.eventName)}`]),
    `position > ${bind('from', 'UInt64', from)}`,
    `position <= ${upTo}`,
    ...filterConditions(metric, bind),
  ];
  const query = `INSERT INTO usage_book_rollups
    SELECT ${account}, ${customer}, ${name}, ${upTo}, of_day, reinterpret(sipHash128(texts), 'UInt128'), texts, count(), min(at), ${numbersOf(metric, bind)}
    FROM (
      SELECT *, ${AT} AS at, intDiv(at, ${ROLLED_DAY_MS}) * ${ROLLED_DAY_MS} AS of_day, [${texts.join(', ')}] AS texts
      FROM usage_events WHERE ${conditions.join(' AND ')}
    )
    GROUP BY of_day, texts`;
  const isLeftOut = await clickhouse
    .command({
      query,
      query_params: params,
      clickhouse_settings: { ...SETTINGS, max_rows_to_group_by: String(mostRows) },
    })
    .then(() => false)
    .catch((error) => {
      if (!(error instanceof ClickHouseError && TOO_MUCH.has(error.code))) throw error;
      return true;
    });
  await clickhouse.command({
    query: `INSERT INTO usage_book_spans SELECT {account:String}, {customer:String}, {rule:String}, {from:UInt64}, {to:UInt64}, {left_out:Bool}`,
    query_params: { account: accountId, customer: customerId, rule, from, to, left_out: isLeftOut },
    clickhouse_settings: ROLL_UP_SETTINGS,
  });
}

function numbersOf({ propertyName }: MetricRule, bind: ReturnType<typeof queryParameters>['bind']): string {
  if (propertyName === null) return 'toDecimal256(0, 18), toDecimal128(0, 18), false';
  const property = bind('property', 'String', propertyName);
  const [number, has] = [numberOf(property), hasNumber(property)];
  return `sum(toDecimal256(${number}, 18)), maxIf(${number}, ${has}), countIf(${has}) > 0`;
}
