import type { AggregationType } from '../../../billing/catalog/metrics.ts';
import type { RunningQuantity } from '../../../billing/invoices/revenue-days.ts';
import { type Decimal, decimal } from '../../../core/decimal.ts';
import { localDateAt } from '../../../core/instants.ts';
import { askInSlices, type ClickHouseReader, OF_A_CALLER } from '../clickhouse.ts';
import { type Bind, type ParameterizedQuery, queryParameters } from '../query-parameters.ts';
import { type EventPricesRow, eventPriceColumns, eventPricesFromRow, isPriced } from './event-prices.ts';
import { hasNumber, numberOf, textOf } from './event-properties.ts';
import { aggregateOf, BUCKET, conditionsOf, localTimeName, type MetricQuestion, runNames } from './metric-query.ts';

type Row = { question: number; bucket: string; value: string } & EventPricesRow;

/**
 * For each question the metric's value from `start` to the end of every local day that has events which change it, in order;
 * the last one is the value over the whole interval. Empty where nothing is counted. What prices its events says what they come to.
 */
export async function listRunningUsage(
  clickhouse: ClickHouseReader,
  questions: readonly MetricQuestion[],
): Promise<RunningQuantity[][]> {
  return askInSlices(clickhouse, questions, OF_A_CALLER, async (some, statement) => {
    const rows = await statement<Row>(runningUsageQuery(some));
    const rowsOf = Map.groupBy(rows, ({ question }) => question);
    return some.map((question, n) => runningOf(question, rowsOf.get(n) ?? []));
  });
}

/** The statement that asks what each day adds, for all questions at once. */
function runningUsageQuery(questions: readonly MetricQuestion[]): ParameterizedQuery {
  const { bind, params } = queryParameters();
  const answers = questions.map((question, i) => answerOf({ ...question, granularity: 'day' }, i, bind));
  return { sql: answers.join('\nUNION ALL\n'), params };
}

function answerOf(question: MetricQuestion, index: number, bind: Bind): string {
  const { metric } = question;
  const names = [
    ...runNames(question, bind),
    ...(metric.timeFilter === null ? [] : [localTimeName(question, bind)]),
  ].join(',\n  ');
  const events = `FROM usage_events\nWHERE ${conditionsOf(question, bind).join('\n  AND ')}`;
  const property = bind('property', 'String', metric.propertyName ?? '');
  if (metric.aggregationType === 'unique') {
    // A text counts on the day on which it is first seen.
    const first = `WITH ${names}\nSELECT ${textOf(property)} AS text, min(${BUCKET}) AS bucket ${events}`;
    const texts = `${first}\n  AND text IS NOT NULL GROUP BY text`;
    return `SELECT ${index} AS question, bucket, toString(count()) AS value, ${NO_PRICES} FROM (${texts}) GROUP BY bucket`;
  }
  const isMax = metric.aggregationType === 'max';
  const hasAny = isMax ? ` HAVING countIf(${hasNumber(property)}) > 0` : '';
  const value = isMax ? `toString(maxIf(${numberOf(property)}, ${hasNumber(property)}))` : aggregateOf(metric, bind);
  const prices = isPriced(question) ? eventPriceColumns(question, bind) : NO_PRICES;
  return `WITH ${names}\nSELECT ${index} AS question, ${BUCKET} AS bucket, ${value} AS value, ${prices} ${events}\nGROUP BY bucket${hasAny}`;
}

/** SELECTs of one statement have the same columns. */
const NO_PRICES = "'0' AS billable, '0' AS charge";

/** Days come in no order (one that ends a UNION ALL would be the last SELECT's) and each on its own. */
function runningOf({ metric, timeZone, perEvent }: MetricQuestion, rows: readonly Row[]): RunningQuantity[] {
  let total: Decimal | undefined;
  let prices = eventPricesFromRow(undefined);
  const inOrder = rows.toSorted((a, b) => Number(a.bucket) - Number(b.bucket));
  return inOrder.map((row) => {
    total = combine(metric.aggregationType, total, decimal(row.value));
    const { billable, amount } = eventPricesFromRow(row);
    prices = { billable: prices.billable.plus(billable), amount: prices.amount.plus(amount) };
    const day = { date: localDateAt(Number(row.bucket), timeZone), quantity: total };
    return perEvent ? { ...day, byEvent: prices } : day;
  });
}

function combine(aggregation: AggregationType, before: Decimal | undefined, value: Decimal): Decimal {
  if (before === undefined) return value;
  if (aggregation === 'max') return value.gt(before) ? value : before;
  return before.plus(value);
}
