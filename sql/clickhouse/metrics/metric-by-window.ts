import type { CountedCombination, UsageValue } from '../../../billing/metering/aggregate.ts';
import type { BookQuestion } from '../../../billing/metering/book-usage.ts';
import { decimal, sum, ZERO } from '../../../core/decimal.ts';
import { askInSlices, OF_A_CALLER } from '../clickhouse.ts';
import { type Bind, inParts, type ParameterizedQuery, queryParameters } from '../query-parameters.ts';
import { findBookUsages } from './book-usage.ts';
import { findEventPrices, isPriced } from './event-prices.ts';
import { findUsagesByCustomer, MAX_CUSTOMERS } from './metric-by-customer.ts';
import { filterConditions } from './metric-filters.ts';
import {
  AT,
  inSlices,
  isBooked,
  kindOf,
  localTimeName,
  type MetricQuestion,
  ruleOf,
  stateOf,
  stretchesOf,
  within,
} from './metric-query.ts';
import { findMetricUsages, type UsageSource } from './metric-usage.ts';
import type { RolledUp } from './rollup-query.ts';

/** Questions that one SELECT answers: of one customer, by rules that differ at most in the event's name. */
type Group = readonly MetricQuestion[];
type Row = { grp: number; question: number; value: string; events: string };

/** So few questions are asked one by one: what is counted beforehand answers them. */
const FEW = 4;
/** Stretches in one SELECT: every piece of time is looked up among them. */
const MAX_STRETCHES = 200;

/**
 * The totals of any number of questions, in their order. A question that is asked again is asked once, and windows of metrics
 * that are alike share a SELECT: a thousand subscriptions of one customer ask for a handful of them. What prices its events has
 * one of its own.
 */
export async function findUsages(source: UsageSource, questions: readonly MetricQuestion[]): Promise<UsageValue[]> {
  const keys = keysOf(questions);
  const once = new Map(questions.map((question, i) => [keys[i], question]));
  const booked = [...once.values()].filter(isBooked);
  const priced = [...once.values()].filter(isPriced);
  const others = [...once.values()].filter((question) => !isPriced(question) && !isBooked(question));
  // Of one combination alone: that is no window of a metric.
  const apart = others.filter(({ combination }) => combination);
  // A window that was paused throughout has no time to ask about: nothing counts in it.
  const counted = others.filter((question) => !question.combination && stretchesOf(question).length > 0);
  const kinds = [...Map.groupBy(counted, kindOf()).values()];
  const few = kinds.filter(({ length }) => length <= FEW).flat();
  const ofCustomers = groupsOfCustomers(few, source.rolledUp);
  const together = new Set(ofCustomers.flat());
  const alone = [...few.filter((question) => !together.has(question)), ...apart];
  const groups = kinds.filter(({ length }) => length > FEW).flatMap((kind) => inSlices(kind, MAX_STRETCHES));
  const [values, found, byCustomer, prices, combinations] = await Promise.all([
    findMetricUsages(source, alone),
    findByWindow(source, groups),
    findUsagesByCustomer(source, ofCustomers),
    priced.length > 0 ? findEventPrices(source, priced) : [],
    booked.length > 0 ? findBookUsages(source, booked) : [],
  ]);
  const answers = new Map<MetricQuestion, UsageValue | undefined>([
    ...alone.map((question, i) => [question, values[i]] as const),
    ...priced.map((question, i) => [question, prices[i]] as const),
    ...booked.map((question, i) => [question, totalOf(combinations[i] ?? [])] as const),
    ...found,
    ...ofCustomers.flatMap((group, i) => {
      return group.map((question) => [question, byCustomer[i]?.get(question.customerId)] as const);
    }),
  ]);
  return keys.map((key) => {
    const question = once.get(key);
    return (question && answers.get(question)) ?? { value: ZERO, eventsCount: ZERO };
  });
}

/**
 * Questions about many customers that differ in nothing but whose they are, and in times: a payer's draft asks them. Of each customer one is in a
 * group. A unique may need much memory, and what is counted beforehand tells of a large customer sooner.
 */
function groupsOfCustomers(questions: readonly MetricQuestion[], { spansOf }: RolledUp): MetricQuestion[][] {
  const times = new Map<string, number>();
  const alike = questions.filter((one) => one.metric.aggregationType !== 'unique' && spansOf(one).length === 0);
  const groups = Map.groupBy(alike, ({ accountId, customerId, metric, timeZone, upTo, above }) => {
    const of = [accountId, metric.eventName, metric.timeFilter && timeZone, String(upTo), above === undefined];
    const kind = JSON.stringify([...of, ruleOf(metric)]);
    const asked = times.get(`${kind} ${customerId}`) ?? 0;
    times.set(`${kind} ${customerId}`, asked + 1);
    return `${kind} ${asked}`;
  });
  return [...groups.values()].filter(({ length }) => length > FEW).flatMap((group) => inParts(group, MAX_CUSTOMERS));
}

/** Combinations together: of a max or a unique only they have a value. */
function totalOf(combinations: readonly CountedCombination[]): UsageValue {
  const eventsCount = sum(combinations.map(({ usage }) => usage.eventsCount));
  return { value: ZERO, eventsCount, combinations };
}

/** What each question is known by: two that are alike in it have one answer. */
export function keysOf(questions: readonly MetricQuestion[]): string[] {
  const kind = kindOf();
  // Each subscription of a customer has a question of its own: a book is not compared row by row.
  const seen = new Map<BookQuestion, number>();
  const placeOf = (book: BookQuestion) => seen.get(book) ?? seen.set(book, seen.size + 1).size;
  return questions.map((question) => {
    const { start, end, excluded = [], metric } = question;
    const stretches = excluded.map(({ startsAt, endsAt }) => `${startsAt}-${endsAt}`);
    const { book, combination } = question;
    const rows = book ? placeOf(book) : '';
    const texts = combination ? JSON.stringify(combination) : '';
    return `${start} ${end} ${stretches} ${JSON.stringify(metric.eventName)} ${rows} ${texts} ${kind(question)}`;
  });
}

/** A group that is too much for one statement is asked question by question. */
async function findByWindow(
  source: UsageSource,
  groups: readonly Group[],
): Promise<(readonly [MetricQuestion, UsageValue])[]> {
  const { clickhouse, limits = OF_A_CALLER } = source;
  const answers = await askInSlices(clickhouse, groups, limits, async (some, statement, alone) => {
    const [first = []] = some;
    if (alone) {
      const values = await findMetricUsages(source, first);
      return [values.map((value, i) => [first[i] as MetricQuestion, value] as const)];
    }
    const rowsOf = Map.groupBy(await statement<Row>(metricByWindowQuery(some)), ({ grp }) => grp);
    return some.map((group, i) =>
      (rowsOf.get(i) ?? []).map((row) => {
        const question = group[row.question];
        if (!question) throw new Error(`no question ${row.grp}/${row.question} was asked`);
        return [question, { value: decimal(row.value), eventsCount: decimal(row.events) }] as const;
      }),
    );
  });
  return answers.flat();
}

function metricByWindowQuery(groups: readonly Group[]): ParameterizedQuery {
  const { bind, params } = queryParameters();
  return { sql: groups.map((group, i) => groupQuery(group, i, bind)).join('\nUNION ALL\n'), params };
}

/**
 * Time is cut into pieces wherever a window begins or ends; events are read once, into their piece, and each window puts its
 * pieces together. A row for each question that has events.
 */
function groupQuery(group: Group, index: number, bind: Bind): string {
  const [first] = group;
  if (!first) throw new Error('a group of questions is empty');
  const { accountId, customerId, metric, timeZone, upTo, above } = first;
  const stretches = group.flatMap((question, i) =>
    stretchesOf(question).map((one) => ({ ...one, question: i, name: question.metric.eventName ?? '' })),
  );
  const column = (name: string, type: string, of: (stretch: (typeof stretches)[number]) => unknown) =>
    bind(name, `Array(${type})`, stretches.map(of));
  const edges = [...new Set(stretches.flatMap(({ startsAt, endsAt }) => [startsAt, endsAt]))].toSorted((a, b) => a - b);
  const [start = 0, end = 0] = [edges[0], edges.at(-1)];
  const names = [...new Set(stretches.map(({ name }) => name))];
  const { state, value } = stateOf(metric, bind);
  const name = metric.eventName === null ? "''" : 'event_name';
  return [
    `SELECT ${index} AS grp, question, ${value} AS value, sum(pieces.events) AS events`,
    'FROM (',
    ...(metric.timeFilter === null ? [] : [`WITH ${localTimeName({ start, end, timeZone }, bind)}`]),
    `SELECT ${name} AS name, roundDown(${AT}, ${bind('edges', 'Array(Int64)', edges)}) AS piece, count() AS events${state}`,
    'FROM usage_events',
    `WHERE ${[
      `account_id = ${bind('account_id', 'String', accountId)}`,
      `customer_id = ${bind('customer_id', 'String', customerId)}`,
      ...(metric.eventName === null ? [] : [`event_name IN ${bind('names', 'Array(String)', names)}`]),
      within({ startsAt: start, endsAt: end }, 'start', 'end', bind),
      ...(above === undefined ? [] : [`position > ${bind('above', 'UInt64', above)}`]),
      ...(upTo === undefined ? [] : [`position <= ${bind('up_to', 'UInt64', upTo)}`]),
      ...filterConditions(metric, bind),
    ].join('\n  AND ')}`,
    'GROUP BY name, piece',
    ') AS pieces',
    `ARRAY JOIN arrayFilter((q, n, s, e) -> n = name AND s <= piece AND piece < e, ${[
      column('questions', 'UInt32', ({ question }) => question),
      column('window_names', 'String', (one) => one.name),
      column('window_starts', 'Int64', ({ startsAt }) => startsAt),
      column('window_ends', 'Int64', ({ endsAt }) => endsAt),
    ].join(', ')}) AS question`,
    'GROUP BY question',
  ].join('\n');
}
