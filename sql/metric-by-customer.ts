import type { Interval } from '../billing/buckets.ts';
import { type Decimal, decimal, ZERO } from '../billing/decimal.ts';
import type { Instant } from '../billing/instants.ts';
import type { Metric } from '../billing/metrics.ts';
import { askRows, type ClickHouseReader } from './ask-rows.ts';
import { aggregateOf, filterConditions, localTimeName, within } from './metric-query.ts';
import { METRIC_QUERY_SETTINGS } from './metric-usage.ts';
import { type Bind, type ParameterizedQuery, queryParameters } from './query-parameters.ts';

/** A metric's value for one customer, from `start` to before `end`; the zone is for the metric's time filter. */
export type CustomerQuestion = {
  accountId: string;
  customerId: string;
  metric: Metric;
  timeZone: string;
  start: Instant;
  end: Instant;
  /** Stretches that do not count, such as pauses. */
  excluded?: readonly Interval[];
  /** Only events at positions above this one. */
  above?: bigint;
};

/** Questions that one SELECT answers: of one metric, each of another customer. */
type Group = CustomerQuestion[];
type Row = { grp: number; customer_id: string; value: string };

/**
 * The values of many customers' metrics, in the order of the questions. One statement with a SELECT for each metric,
 * however many customers: a page of subscriptions asks for hundreds of values, and a SELECT for each takes 5 ms to plan.
 * `upTo`: events at higher positions of the stream are not read.
 */
export async function findMetricValues(
  clickhouse: ClickHouseReader,
  questions: readonly CustomerQuestion[],
  upTo?: bigint,
): Promise<Decimal[]> {
  if (questions.length === 0) return [];
  const groups = groupQuestions(questions);
  const values = new Map<CustomerQuestion | undefined, Decimal>();
  for (const row of await askRows<Row>(clickhouse, metricByCustomerQuery(groups, upTo), METRIC_QUERY_SETTINGS)) {
    const question = groups[row.grp]?.find(({ customerId }) => customerId === row.customer_id);
    values.set(question, decimal(row.value));
  }
  return questions.map((question) => values.get(question) ?? ZERO);
}

/** By metric, by zone where it matters, and by whether all positions count; a customer asked for again (two subscriptions) is in a group of its own. */
function groupQuestions(questions: readonly CustomerQuestion[]): Group[] {
  const groups = new Map<string, Group>();
  const times = new Map<string, number>();
  for (const question of questions) {
    const { metric, timeZone, customerId } = question;
    const kind = `${metric.metricId} ${metric.timeFilter === null ? '' : timeZone} ${question.above !== undefined}`;
    const asked = times.get(`${kind} ${customerId}`) ?? 0;
    times.set(`${kind} ${customerId}`, asked + 1);
    const key = `${kind} ${asked}`;
    groups.set(key, [...(groups.get(key) ?? []), question]);
  }
  return [...groups.values()];
}

function metricByCustomerQuery(groups: readonly Group[], upTo?: bigint): ParameterizedQuery {
  const { bind, params } = queryParameters();
  return { sql: groups.map((group, i) => groupQuery(group, i, upTo, bind)).join('\nUNION ALL\n'), params };
}

function groupQuery(group: Group, index: number, upTo: bigint | undefined, bind: Bind): string {
  const [first] = group;
  if (!first) throw new Error('a group of questions is empty');
  const { accountId, metric, timeZone } = first;
  const start = Math.min(...group.map((question) => question.start));
  const end = Math.max(...group.map((question) => question.end));
  const customers = bind(
    'customers',
    'Array(String)',
    group.map(({ customerId }) => customerId),
  );
  /** What each customer of the group asks with. */
  const own = (name: string, type: string, of: (question: CustomerQuestion) => unknown) =>
    `transform(customer_id, ${customers}, ${bind(name, `Array(${type})`, group.map(of))}, to${type}(0))`;
  const above = group.flatMap((question) => question.above ?? []);
  const at = 'toUnixTimestamp64Milli(time_created)';
  return [
    ...(metric.timeFilter === null ? [] : [`WITH ${localTimeName({ start, end, timeZone }, bind)}`]),
    `SELECT ${index} AS grp, customer_id, ${aggregateOf(metric, bind)} AS value`,
    'FROM usage_events',
    `WHERE ${[
      `account_id = ${bind('account_id', 'String', accountId)}`,
      `customer_id IN ${customers}`,
      ...(metric.eventName === null ? [] : [`event_name = ${bind('event_name', 'String', metric.eventName)}`]),
      within({ startsAt: start, endsAt: end }, 'start', 'end', bind),
      `${at} >= ${own('starts', 'Int64', (question) => question.start)}`,
      `${at} < ${own('ends', 'Int64', (question) => question.end)}`,
      ...group.flatMap((question) => excludedOf(question, bind)),
      ...(above.length === 0 ? [] : [`position > ${bind('above', 'UInt64', lowest(above))}`]),
      ...(above.length === 0 ? [] : [`position > ${own('aboves', 'UInt64', (question) => question.above)}`]),
      ...(upTo === undefined ? [] : [`position <= ${bind('up_to', 'UInt64', upTo)}`]),
      ...filterConditions(metric, bind),
    ].join('\n  AND ')}`,
    'GROUP BY customer_id',
  ].join('\n');
}

function excludedOf({ customerId, excluded = [] }: CustomerQuestion, bind: Bind): string[] {
  return excluded.map((interval) => {
    const customer = bind('customer', 'String', customerId);
    return `NOT (customer_id = ${customer} AND ${within(interval, 'excluded_start', 'excluded_end', bind)})`;
  });
}

function lowest(positions: readonly bigint[]): bigint {
  const [least = 0n] = positions.toSorted((a, b) => (a < b ? -1 : 1));
  return least;
}
