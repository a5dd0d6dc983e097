import type { MetricRule } from '../../../billing/catalog/metrics.ts';
import { bucketsOf } from '../../../billing/metering/buckets.ts';
import type { Instant } from '../../../core/instants.ts';
import { type Bind, isAmong } from '../query-parameters.ts';
import { hasNumber, numberOf } from './event-properties.ts';
import {
  type Answer,
  AT,
  answerOf,
  bucketStart,
  conditionsOf,
  FEW_INTERVALS,
  type MetricQuestion,
  overlapping,
  runNames,
} from './metric-query.ts';

/** Which of the usage is counted beforehand. Whether it is asked or not, answers are the same. */
export type RolledUp = {
  /** Ends of the spans, ascending, by which a question about the customer is answered sooner; none above `upTo`. */
  spansOf(question: { accountId: string; customerId: string; upTo?: bigint }): readonly bigint[];
  /** Ends of spans all of whose texts of a property are told, in events of that name (sql/clickhouse/usage/usage-texts.ts). */
  textSpansOf(of: { accountId: string; customerId: string; eventName: string; property: string }): ReadonlySet<bigint>;
  /** Looks for spans that were added. */
  refresh(): Promise<void>;
};

/** Nothing counted beforehand: every event is read. */
export const NOTHING_ROLLED_UP: RolledUp = {
  spansOf: () => [],
  textSpansOf: () => new Set(),
  refresh: async () => {},
};

const HOUR_MS = 3_600_000;

/**
 * Answers from rollups what they can tell: count, sum and max without filters and groups, of whole hours, in spans that end
 * at or below the question's usage cutoff. What lies beside the hours and above the spans is read event by event, and so is
 * every other question.
 */
export function answerFromRollups({ spansOf }: RolledUp): Answer {
  return (question, index, bind) => {
    const spans = isCountedBeforehand(question) ? spansOf(question) : [];
    return spans.length === 0 ? answerOf(question, index, bind) : rolledUpAnswer(question, index, spans, bind);
  };
}

/** Whether the question is answered without its events being read: then several are not sooner answered together. */
export function isToldBeforehand({ spansOf }: RolledUp, question: MetricQuestion): boolean {
  return isToldByIndex(question) || (isCountedBeforehand(question) && spansOf(question).length > 0);
}

function isCountedBeforehand(question: MetricQuestion): boolean {
  const { metric, start, end, above, granularity = 'total', timeZone, periods, excluded = [] } = question;
  if (question.combination) return false;
  if (periods !== undefined || overlapping(excluded, { startsAt: start, endsAt: end }).length > FEW_INTERVALS)
    return false;
  if (metric.aggregationType === 'unique' || above !== undefined) return false;
  if (isToldByIndex(question)) return false;
  if (metric.timeFilter !== null || metric.numericFilters.length + metric.categoricalFilters.length > 0) return false;
  if (hourAtOrAfter(start) >= hourAtOrBefore(end)) return false;
  // Buckets of a zone whose offset is not of whole hours begin within an hour.
  return (
    granularity === 'total' ||
    bucketsOf(granularity, start, end, timeZone).every(({ startsAt }) => startsAt === start || startsAt % HOUR_MS === 0)
  );
}

/** How many events lie between two keys the index of the table itself tells, whatever their number. */
function isToldByIndex({ metric, upTo, excluded = [], granularity = 'total', combination }: MetricQuestion): boolean {
  if (combination) return false;
  return metric.aggregationType === 'count' && granularity === 'total' && upTo === undefined && excluded.length === 0;
}

/** From rollups, and from events what these do not tell; `spans` are those that may be read. */
export function rolledUpAnswer(question: MetricQuestion, index: number, spans: readonly bigint[], bind: Bind): string {
  const { metric, granularity = 'total' } = question;
  const inBuckets = granularity !== 'total';
  const value = {
    count: 'toString(sum(pieces.events))',
    sum: 'toString(sum(total))',
    max: 'toString(maxIf(highest, has_number))',
    unique: '',
  }[metric.aggregationType];
  const pieces = [fromRollups(question, spans, bind), ...fromEvents(question, spans, bind)];
  return [
    `SELECT ${index} AS question,`,
    ...(inBuckets ? ['  pieces.bucket AS bucket,'] : []),
    `  ${value} AS value,`,
    '  sum(pieces.events) AS events',
    `FROM (\n${pieces.join('\nUNION ALL\n')}\n) AS pieces`,
    ...(inBuckets ? ['GROUP BY pieces.bucket'] : []),
  ].join('\n');
}

/** A row for each hour and span: any of those that a span which was rolled up twice has. */
function fromRollups(question: MetricQuestion, spans: readonly bigint[], bind: Bind): string {
  const { accountId, customerId, metric, start, end, excluded = [] } = question;
  const instant = (name: string, at: Instant) => bind(name, 'Int64', at);
  return [
    ...bucketNames(question, 'hour', bind),
    `SELECT ${bucketColumn(question, 'hour')}events, ${rolledNumbers(metric, bind)}`,
    'FROM usage_rollups',
    `WHERE ${[
      `account_id = ${bind('account_id', 'String', accountId)}`,
      `customer_id = ${bind('customer_id', 'String', customerId)}`,
      ...(metric.eventName === null ? [] : [`event_name = ${bind('event_name', 'String', metric.eventName)}`]),
      `hour >= ${instant('first_hour', hourAtOrAfter(start))} AND hour < ${instant('last_hour', hourAtOrBefore(end))}`,
      ...excluded.map(
        ({ startsAt, endsAt }) =>
          `NOT (hour >= ${instant('excluded_hour', hourAtOrBefore(startsAt))} AND hour < ${instant('resumed_hour', hourAtOrAfter(endsAt))})`,
      ),
      isAmong('span_to', { name: 'spans', type: 'UInt64', values: spans }, bind),
    ].join('\n  AND ')}`,
    'LIMIT 1 BY event_name, hour, span_to',
  ].join('\n');
}

function rolledNumbers({ propertyName }: MetricRule, bind: Bind): string {
  if (propertyName === null) return NO_NUMBERS;
  const property = bind('property', 'String', propertyName);
  const numbers = `numbers[${property}]`;
  return `tupleElement(${numbers}, 'total') AS total, tupleElement(${numbers}, 'highest') AS highest, mapContains(numbers, ${property}) AS has_number`;
}

const NO_NUMBERS = 'toDecimal256(0, 18) AS total, toDecimal128(0, 18) AS highest, false AS has_number';

/** Events above the spans, and those within them that lie in an hour of which only a part counts. */
function fromEvents(question: MetricQuestion, spans: readonly bigint[], bind: Bind): string[] {
  const { metric, start, end, excluded = [], granularity = 'total' } = question;
  const rolledTo = bind('rolled_to', 'UInt64', spans.at(-1));
  const at = (instant: Instant) => `fromUnixTimestamp64Milli(${bind('part_hour', 'Int64', instant)}, 'UTC')`;
  const parts = [
    ...(start === hourAtOrAfter(start) ? [] : [`time_created < ${at(hourAtOrAfter(start))}`]),
    ...(end === hourAtOrBefore(end) ? [] : [`time_created >= ${at(hourAtOrBefore(end))}`]),
    ...excluded.map(
      ({ startsAt, endsAt }) =>
        `(time_created >= ${at(hourAtOrBefore(startsAt))} AND time_created < ${at(hourAtOrAfter(endsAt))})`,
    ),
  ];
  const property = metric.propertyName === null ? undefined : bind('property', 'String', metric.propertyName);
  const numbers = property
    ? `sum(toDecimal256(${numberOf(property)}, 18)) AS total, maxIf(${numberOf(property)}, ${hasNumber(property)}) AS highest, countIf(${hasNumber(property)}) > 0 AS has_number`
    : NO_NUMBERS;
  const piece = (condition: string) =>
    [
      ...bucketNames(question, AT, bind),
      `SELECT ${bucketColumn(question, AT)}count() AS events, ${numbers}`,
      'FROM usage_events',
      `WHERE ${[...conditionsOf(question, bind), condition].join('\n  AND ')}`,
      ...(granularity === 'total' ? [] : ['GROUP BY bucket']),
    ].join('\n');
  return [
    piece(`position > ${rolledTo}`),
    ...(parts.length === 0 ? [] : [piece(`position <= ${rolledTo} AND (${parts.join(' OR ')})`)]),
  ];
}

/** The names that {@link bucketColumn} reads, if any; `at` is the row's time in milliseconds. */
function bucketNames(question: MetricQuestion, at: string, bind: Bind): string[] {
  const { granularity = 'total' } = question;
  return granularity === 'total' ? [] : [`WITH ${runNames(question, bind, at).join(',\n  ')}`];
}

/** The first column, where buckets are asked for. */
function bucketColumn({ granularity = 'total' }: MetricQuestion, at: string): string {
  return granularity === 'total' ? '' : `${bucketStart(at)} AS bucket, `;
}

function hourAtOrBefore(instant: Instant): Instant {
  return Math.floor(instant / HOUR_MS) * HOUR_MS;
}

function hourAtOrAfter(instant: Instant): Instant {
  return Math.ceil(instant / HOUR_MS) * HOUR_MS;
}
