import type { Metric, MetricRule } from '../../../billing/catalog/metrics.ts';
import type { UsageValue } from '../../../billing/metering/aggregate.ts';
import type { Interval } from '../../../billing/metering/buckets.ts';
import { type Decimal, decimal, ZERO } from '../../../core/decimal.ts';
import type { Instant } from '../../../core/instants.ts';
import { askInSlices, type ClickHouseReader, OF_A_CALLER, type QuestionLimits } from '../clickhouse.ts';
import { type Bind, IDS_A_LIST, inParts, type ParameterizedQuery, queryParameters } from '../query-parameters.ts';
import { filterConditions } from './metric-filters.ts';
import { AT, aggregateOf, localTimeName, overlapping, within } from './metric-query.ts';

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
type Row = { grp: number; customer_id: string; value: string; events: string };

/** Customers in one SELECT, which has a list of their ids. */
export const MAX_CUSTOMERS = IDS_A_LIST;

/**
 * The values of many customers' metrics, in the order of the questions. A SELECT for each metric, however many customers: a
 * page of subscriptions asks for hundreds of values, and a SELECT for each takes 5 ms to plan.
 * `upTo`: events at higher positions of the stream are not read.
 */
export async function findMetricValues(
  clickhouse: ClickHouseReader,
  questions: readonly CustomerQuestion[],
  upTo?: bigint,
): Promise<Decimal[]> {
  const groups = groupQuestions(questions);
  const bounded = groups.map((group) =>
    group.map((question) => ({ ...question, ...(upTo !== undefined && { upTo }) })),
  );
  const found = await findUsagesByCustomer({ clickhouse }, bounded);
  const values = new Map<CustomerQuestion, Decimal>();
  for (const [i, group] of groups.entries()) {
    for (const question of group) values.set(question, found[i]?.get(question.customerId)?.value ?? ZERO);
  }
  return questions.map((question) => values.get(question) ?? ZERO);
}

/**
 * What customers have used, by group and customer, those with any event: a SELECT for each group, of at most {@link MAX_CUSTOMERS} customers, each
 * asked about once, by one rule, in one zone where that matters, up to one position, and all or none of them above one.
 */
export async function findUsagesByCustomer(
  { clickhouse, limits = OF_A_CALLER }: { clickhouse: ClickHouseReader; limits?: QuestionLimits },
  groups: readonly (readonly OfCustomer[])[],
): Promise<Map<string, UsageValue>[]> {
  return askInSlices(clickhouse, groups, limits, async (some, statement) => {
    const rowsOf = Map.groupBy(await statement<Row>(metricByCustomerQuery(some)), ({ grp }) => grp);
    return some.map((_, i) => {
      const rows = rowsOf.get(i) ?? [];
      return new Map(
        rows.map((row) => [row.customer_id, { value: decimal(row.value), eventsCount: decimal(row.events) }]),
      );
    });
  });
}

/** By metric, by zone where it matters, and by whether all positions count; a customer asked for again (two subscriptions) is in a group of its own. */
function groupQuestions(questions: readonly CustomerQuestion[]): Group[] {
  const times = new Map<string, number>();
  const groups = Map.groupBy(questions, ({ metric, timeZone, customerId, above }) => {
    const kind = `${metric.metricId} ${metric.timeFilter === null ? '' : timeZone} ${above !== undefined}`;
    const asked = times.get(`${kind} ${customerId}`) ?? 0;
    times.set(`${kind} ${customerId}`, asked + 1);
    return `${kind} ${asked}`;
  });
  return [...groups.values()].flatMap((group) => inParts(group, MAX_CUSTOMERS));
}

function metricByCustomerQuery(groups: readonly (readonly OfCustomer[])[]): ParameterizedQuery {
  const { bind, params } = queryParameters();
  return { sql: groups.map((group, i) => groupQuery(group, i, bind)).join('\nUNION ALL\n'), params };
}

function groupQuery(group: readonly OfCustomer[], index: number, bind: Bind): string {
  const [first] = group;
  if (!first) throw new Error('a group of questions is empty');
  const { metric } = first;
  return [
    ...(metric.timeFilter === null ? [] : [`WITH ${localTimeName(spanOf(group), bind)}`]),
    `SELECT ${index} AS grp, customer_id, ${aggregateOf(metric, bind)} AS value, toString(count()) AS events`,
    'FROM usage_events',
    `WHERE ${conditionsOfCustomers(group, bind).join('\n  AND ')}`,
    'GROUP BY customer_id',
  ].join('\n');
}

/** What is asked of a metric about one customer, among others that are asked for by the same rule. `upTo`: the same for all of them. */
type OfCustomer = Omit<CustomerQuestion, 'metric'> & { metric: MetricRule; upTo?: bigint };

/** The time that all questions of a group span, in the zone that they share. */
export function spanOf(group: readonly OfCustomer[]): Pick<CustomerQuestion, 'start' | 'end' | 'timeZone'> {
  const starts = group.map((question) => question.start);
  const ends = group.map((question) => question.end);
  return { start: Math.min(...starts), end: Math.max(...ends), timeZone: group[0]?.timeZone ?? 'UTC' };
}

/** What must hold for an event to count for one of a group: of one metric, each of another customer. A time filter reads {@link localTimeName}. */
export function conditionsOfCustomers(group: readonly OfCustomer[], bind: Bind): string[] {
  const [first] = group;
  if (!first) throw new Error('a group of questions is empty');
  const { accountId, metric, upTo } = first;
  const { start, end } = spanOf(group);
  const customers = customersOf(group, bind);
  /** What each customer of the group asks with. */
  const own = (name: string, type: string, of: (question: OfCustomer) => unknown) =>
    `transform(customer_id, ${customers}, ${bind(name, `Array(${type})`, group.map(of))}, to${type}(0))`;
  const above = group.flatMap((question) => question.above ?? []);
  return [
    `account_id = ${bind('account_id', 'String', accountId)}`,
    `customer_id IN ${customers}`,
    ...(metric.eventName === null ? [] : [`event_name = ${bind('event_name', 'String', metric.eventName)}`]),
    within({ startsAt: start, endsAt: end }, 'start', 'end', bind),
    `${AT} >= ${own('starts', 'Int64', (question) => question.start)}`,
    `${AT} < ${own('ends', 'Int64', (question) => question.end)}`,
    ...excludedOf(group, bind),
    ...(above.length === 0 ? [] : [`position > ${bind('above', 'UInt64', lowest(above))}`]),
    ...(above.length === 0 ? [] : [`position > ${own('aboves', 'UInt64', (question) => question.above)}`]),
    ...(upTo === undefined ? [] : [`position <= ${bind('up_to', 'UInt64', upTo)}`]),
    ...filterConditions(metric, bind),
  ];
}

/** SQL: the customers of a group, in its order. */
export function customersOf(group: readonly OfCustomer[], bind: Bind): string {
  return bind(
    'customers',
    'Array(String)',
    group.map(({ customerId }) => customerId),
  );
}

/** Stretches travel as columns: a customer may have been paused any number of times. */
function excludedOf(group: readonly OfCustomer[], bind: Bind): string[] {
  const stretches = group.flatMap(({ customerId, start, end, excluded = [] }) =>
    overlapping(excluded, { startsAt: start, endsAt: end }).map((interval) => ({ customerId, ...interval })),
  );
  return inParts(stretches, IDS_A_LIST).map((part) => {
    const columns = [
      bind(
        'excluded_customers',
        'Array(String)',
        part.map(({ customerId }) => customerId),
      ),
      bind(
        'excluded_starts',
        'Array(Int64)',
        part.map(({ startsAt }) => startsAt),
      ),
      bind(
        'excluded_ends',
        'Array(Int64)',
        part.map(({ endsAt }) => endsAt),
      ),
    ];
    return `NOT arrayExists((c, s, e) -> c = customer_id AND ${AT} >= s AND ${AT} < e, ${columns.join(', ')})`;
  });
}

function lowest(positions: readonly bigint[]): bigint {
  const [least = 0n] = positions.toSorted((a, b) => (a < b ? -1 : 1));
  return least;
}
