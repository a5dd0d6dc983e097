import type { MetricRule } from '../../../billing/catalog/metrics.ts';
import type { BookQuestion } from '../../../billing/metering/book-usage.ts';
import { bucketsOf, type Granularity, type Interval, zoneStretches } from '../../../billing/metering/buckets.ts';
import type { PercentagePrice } from '../../../billing/pricing/percentage.ts';
import type { PropertyTexts } from '../../../billing/pricing/price-book.ts';
import type { Instant } from '../../../core/instants.ts';
import { type Bind, inParts, type ParameterizedQuery, queryParameters } from '../query-parameters.ts';
import { hasNumber, numberOf, textOf } from './event-properties.ts';
import { filterConditions } from './metric-filters.ts';

/** What a metric is asked for: one customer's usage in the half-open interval from `start` to `end`. */
export type MetricQuestion = {
  accountId: string;
  customerId: string;
  metric: MetricRule;
  /** The customer's: for the metric's time filter, and for days and hours. */
  timeZone: string;
  start: Instant;
  end: Instant;
  /** Stretches that do not count, such as pauses. */
  excluded?: readonly Interval[];
  /** The usage cutoff: events at higher positions of the stream are not read (spec/invoices#completeness). */
  upTo?: bigint;
  /** Only events at positions above this one: those that came late for a period counted up to it. */
  above?: bigint;
  /** Default `total`. */
  granularity?: Granularity;
  /** In the place of a granularity: disjoint intervals in order, each a bucket, from `start` to `end`; gaps do not count. */
  periods?: readonly Interval[];
  /** By which each event is priced, where the question is asked by `findUsages`. */
  perEvent?: PercentagePrice | null;
  /** By which combinations are counted, each apart, where the question is asked by `findUsages`. */
  book?: BookQuestion | null;
  /** Only events of this combination. */
  combination?: PropertyTexts | null;
};

/** A question whose events are priced by a price book. */
export type BookedQuestion = MetricQuestion & { book: BookQuestion };

export function isBooked(question: MetricQuestion): question is BookedQuestion {
  return question.book !== undefined && question.book !== null;
}

/**
 * One row of the answer: which question (its index), value and number of matching events, both exact plain decimals. Where its
 * bucket starts (milliseconds) only where buckets are asked for: a column costs more to plan than a small customer's events to
 * read. A question for `total` always has its row; a bucket without events has none.
 */
export type MetricQueryRow = { question: number; bucket?: string; value: string; events: string };

/** SQL: when the event happened, as milliseconds. */
export const AT = 'toUnixTimestamp64Milli(time_created)';
export const BUCKET = bucketStart(AT);

/** A SELECT of {@link MetricQueryRow}s for one question, whose index it tells. */
export type Answer = (question: MetricQuestion, index: number, bind: Bind) => string;

/**
 * The statement that answers all questions at once (spec/metrics#usage): alike in whether they ask for buckets. Rows come in no order.
 * Whatever a user chose travels as a parameter. By default each is answered event by event.
 */
export function metricQuery(questions: readonly MetricQuestion[], answer: Answer = answerOf): ParameterizedQuery {
  const { bind, params } = queryParameters();
  const answers = questions.map((question, index) => answer(question, index, bind));
  return { sql: answers.join('\nUNION ALL\n'), params };
}

/** The answer read event by event; `value`: the metric's, unless it is found otherwise, `columns`: what else is asked of the events. */
export function answerOf(
  question: MetricQuestion,
  index: number,
  bind: Bind,
  { value = aggregateOf(question.metric, bind), columns = [] }: { value?: string; columns?: readonly string[] } = {},
): string {
  const { metric, granularity = 'total', periods } = question;
  const inRuns = granularity !== 'total' && periods === undefined;
  const inBuckets = inRuns || periods !== undefined;
  const names = [
    ...(inRuns ? runNames(question, bind) : []),
    ...(periods ? [`${periodStart(periods, bind)} AS period`] : []),
    ...(metric.timeFilter === null ? [] : [localTimeName(question, bind)]),
  ];
  return [
    ...(names.length > 0 ? [`WITH ${names.join(',\n  ')}`] : []),
    `SELECT ${index} AS question,`,
    ...(inBuckets ? [`  ${periods ? 'period' : BUCKET} AS bucket,`] : []),
    `  ${value} AS value,`,
    ...columns.map((column) => `  ${column},`),
    '  count() AS events',
    'FROM usage_events',
    `WHERE ${conditionsOf(question, bind).join('\n  AND ')}`,
    ...(inBuckets ? ['GROUP BY bucket'] : []),
  ].join('\n');
}

/** SQL: the metric's value as text, which travels exactly. */
export function aggregateOf(metric: MetricRule, bind: Bind): string {
  return `toString(${numberOfAggregate(metric, bind)})`;
}

/** SQL: the metric's value. Sums are as wide as a decimal can be: at 38 digits they would wrap around without a word. */
export function numberOfAggregate({ aggregationType, propertyName }: MetricRule, bind: Bind): string {
  if (aggregationType === 'count') return 'count()';
  if (propertyName === null) throw new Error(`a metric of type ${aggregationType} needs a property`);
  const property = bind('property', 'String', propertyName);
  if (aggregationType === 'sum') return `sum(toDecimal256(${numberOf(property)}, 18))`;
  if (aggregationType === 'max') return `maxIf(${numberOf(property)}, ${hasNumber(property)})`;
  return `uniqExact(${textOf(property)})`;
}

/** What must hold for an event to count, in the order of the table's key. A time filter reads {@link localTimeName}. */
export function conditionsOf(question: MetricQuestion, bind: Bind): string[] {
  const { metric, excluded = [], periods = [], upTo, above, combination } = question;
  return [
    `account_id = ${bind('account_id', 'String', question.accountId)}`,
    `customer_id = ${bind('customer_id', 'String', question.customerId)}`,
    ...(metric.eventName === null ? [] : [`event_name = ${bind('event_name', 'String', metric.eventName)}`]),
    within({ startsAt: question.start, endsAt: question.end }, 'start', 'end', bind),
    ...excludedConditions([...excluded, ...gapsOf(periods)], question, bind),
    ...(above === undefined ? [] : [`position > ${bind('above', 'UInt64', above)}`]),
    ...(upTo === undefined ? [] : [`position <= ${bind('up_to', 'UInt64', upTo)}`]),
    ...filterConditions(metric, bind),
    ...Object.entries(combination ?? {}).map(([name, text]) => isText(name, text, bind)),
  ];
}

/** SQL: the property has this text; null: the event does not have it. */
function isText(name: string, text: string | null, bind: Bind): string {
  const property = textOf(bind('combination', 'String', name));
  return text === null ? `isNull(${property})` : `ifNull(${property} = ${bind('text', 'String', text)}, 0)`;
}

/** Intervals in one parameter: ten kilobytes or so. */
const MAX_INTERVALS = 500;
/** So few are cheaper to plan and to check one by one. */
export const FEW_INTERVALS = 8;

/** What does not count, in a text that does not grow with how often somebody paused and resumed. */
function excludedConditions(excluded: readonly Interval[], { start, end }: MetricQuestion, bind: Bind): string[] {
  const some = overlapping(excluded, { startsAt: start, endsAt: end });
  if (some.length <= FEW_INTERVALS) {
    return some.map((interval) => `NOT (${within(interval, 'excluded_start', 'excluded_end', bind)})`);
  }
  return inParts(some, MAX_INTERVALS).map((part) => {
    const starts = bind(
      'excluded_starts',
      'Array(Int64)',
      part.map(({ startsAt }) => startsAt),
    );
    const ends = bind(
      'excluded_ends',
      'Array(Int64)',
      part.map(({ endsAt }) => endsAt),
    );
    return `NOT arrayExists((s, e) -> ${AT} >= s AND ${AT} < e, ${starts}, ${ends})`;
  });
}

function periodStart(periods: readonly Interval[], bind: Bind): string {
  const starts = periods.map(({ startsAt }) => startsAt);
  return `roundDown(${AT}, ${bind('period_starts', 'Array(Int64)', starts)})`;
}

function gapsOf(periods: readonly Interval[]): Interval[] {
  return periods.slice(1).flatMap(({ startsAt }, i) => {
    const gap = { startsAt: periods[i]?.endsAt ?? startsAt, endsAt: startsAt };
    return gap.startsAt < gap.endsAt ? [gap] : [];
  });
}

/** Those that reach into the interval. */
export function overlapping(intervals: readonly Interval[], { startsAt, endsAt }: Interval): Interval[] {
  return intervals.filter((one) => one.startsAt < endsAt && one.endsAt > startsAt);
}

/** SQL: when the event happened lies in the half-open interval. */
export function within({ startsAt, endsAt }: Interval, startName: string, endName: string, bind: Bind): string {
  const at = (name: string, instant: Instant) => `fromUnixTimestamp64Milli(${bind(name, 'Int64', instant)}, 'UTC')`;
  return `time_created >= ${at(startName, startsAt)} AND time_created < ${at(endName, endsAt)}`;
}

/**
 * Local time as milliseconds. It comes from the zone's stretches as TypeScript knows them, not from the server's own zone
 * data: a server of another age must not move an event to another day. Events are later than 1970: nothing is negative.
 */
export function localTimeName(
  { start, end, timeZone }: Pick<MetricQuestion, 'start' | 'end' | 'timeZone'>,
  bind: Bind,
): string {
  const stretches = zoneStretches(start, end, timeZone);
  const starts = bind(
    'zone_starts',
    'Array(Int64)',
    stretches.map(({ startsAt }) => startsAt),
  );
  const offsets = bind(
    'zone_offsets',
    'Array(Int64)',
    stretches.map(({ offset }) => offset),
  );
  return `${AT} + transform(roundDown(${AT}, ${starts}), ${starts}, ${offsets}) AS local_time`;
}

/** SQL: the start of the bucket in which `at` (milliseconds) lies; reads {@link runNames}. */
export function bucketStart(at: string): string {
  return `run + intDiv(${at} - run, run_length) * run_length`;
}

/** Buckets travel as runs of equal length, of which a year of days or hours has a few; so {@link bucketStart} finds its start. */
export function runNames(
  { granularity = 'total', start, end, timeZone }: MetricQuestion,
  bind: Bind,
  at: string = AT,
): string[] {
  const buckets = bucketsOf(granularity, start, end, timeZone);
  const lengthOf = (bucket: Interval | undefined) => bucket && bucket.endsAt - bucket.startsAt;
  const runs = buckets.filter((bucket, i) => lengthOf(bucket) !== lengthOf(buckets[i - 1]));
  const starts = bind(
    'run_starts',
    'Array(Int64)',
    runs.map(({ startsAt }) => startsAt),
  );
  const lengths = bind('run_lengths', 'Array(Int64)', runs.map(lengthOf));
  return [`roundDown(${at}, ${starts}) AS run`, `transform(run, ${starts}, ${lengths}) AS run_length`];
}

/** What the pieces keep of the events besides their number, and how a window's value comes of its pieces. */
export function stateOf({ aggregationType, propertyName }: MetricRule, bind: Bind): { state: string; value: string } {
  if (aggregationType === 'count') return { state: '', value: 'toString(sum(pieces.events))' };
  if (propertyName === null) throw new Error(`a metric of type ${aggregationType} needs a property`);
  const property = bind('property', 'String', propertyName);
  if (aggregationType === 'sum') {
    return { state: `, sum(toDecimal256(${numberOf(property)}, 18)) AS state`, value: 'toString(sum(state))' };
  }
  if (aggregationType === 'max') {
    const highest = `maxIf(${numberOf(property)}, ${hasNumber(property)}) AS state`;
    return {
      state: `, ${highest}, countIf(${hasNumber(property)}) > 0 AS has_number`,
      value: 'toString(maxIf(state, has_number))',
    };
  }
  return { state: `, uniqExactState(${textOf(property)}) AS state`, value: 'toString(uniqExactMerge(state))' };
}

/** The kind of a question: those of one kind may share a SELECT. Each metric's rule is written down once. */
export function kindOf(): (question: MetricQuestion) => string {
  const rules = new Map<MetricRule, string>();
  return ({ accountId, customerId, metric, timeZone, upTo, above, perEvent }) => {
    const rule = rules.get(metric) ?? ruleOf(metric);
    rules.set(metric, rule);
    const whose = JSON.stringify([accountId, customerId, metric.timeFilter && timeZone]);
    return `${whose} ${upTo ?? ''} ${above ?? ''} ${perEvent ? pricesOf(perEvent) : ''} ${rule}`;
  };
}

function pricesOf({ percentage, fixedAmount, perEventMinimum, perEventMaximum }: PercentagePrice): string {
  return JSON.stringify([percentage, fixedAmount, perEventMinimum, perEventMaximum]);
}

export function ruleOf({ eventName, aggregationType, propertyName, ...filters }: MetricRule): string {
  const { numericFilters, categoricalFilters, timeFilter } = filters;
  return JSON.stringify([
    eventName === null,
    aggregationType,
    propertyName,
    numericFilters,
    categoricalFilters,
    timeFilter,
  ]);
}

/** Slices of at most `most` stretches, at least one question in each. */
export function inSlices<Q extends MetricQuestion>(group: readonly Q[], most: number): Q[][] {
  const parts: Q[][] = [];
  let room = 0;
  for (const question of group) {
    const needed = 1 + (question.excluded?.length ?? 0);
    const part = parts.at(-1);
    if (part && needed <= room) part.push(question);
    else parts.push([question]);
    room = (part && needed <= room ? room : most) - needed;
  }
  return parts;
}

/** The window without what is excluded. */
export function stretchesOf({ start, end, excluded = [] }: MetricQuestion): Interval[] {
  const stretches: Interval[] = [];
  let from = start;
  for (const { startsAt, endsAt } of excluded.toSorted((a, b) => a.startsAt - b.startsAt)) {
    if (startsAt > from) stretches.push({ startsAt: from, endsAt: Math.min(startsAt, end) });
    from = Math.max(from, endsAt);
  }
  if (from < end) stretches.push({ startsAt: from, endsAt: end });
  return stretches.filter(({ startsAt, endsAt }) => startsAt < endsAt);
}
