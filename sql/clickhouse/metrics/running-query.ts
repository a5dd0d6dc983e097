import { bucketsOf } from '../../../billing/metering/buckets.ts';
import type { Instant } from '../../../core/instants.ts';
import { type Bind, inParts, isAmong, type ParameterizedQuery, queryParameters } from '../query-parameters.ts';
import { hashOf, sqlHash } from './book-usage.ts';
import { type EventPricesRow, eventPriceColumns, isPriced } from './event-prices.ts';
import { hasNumber, numberOf, textOf } from './event-properties.ts';
import { filterConditions } from './metric-filters.ts';
import { AT, aggregateOf, localTimeName, type MetricQuestion, stretchesOf, within } from './metric-query.ts';

/** Questions that one SELECT answers: they differ at most in the event's name, in times, in positions and in the texts of a combination. */
export type Group = readonly MetricQuestion[];

/**
 * What the events of one name and combination come to in a piece of time, at positions above `band` up to the next one: pieces are cut by the
 * windows and the days, bands by the positions that questions count up to. Decimals, instants and positions as text.
 */
export type PieceRow = EventPricesRow & {
  grp: number;
  name: string;
  combination: string;
  piece: string;
  band: string;
  value: string;
};

/** The name of a question's events, as rows have it. */
export const nameOf = ({ metric }: MetricQuestion) => metric.eventName ?? '';

/** The names of the properties of a combination. */
export const propertiesOf = ({ combination }: Pick<MetricQuestion, 'combination'>) => {
  return Object.keys(combination ?? {}).toSorted();
};

/** A question's combination, as rows have it; '' of none. */
export function combinationOf(question: MetricQuestion): string {
  const { combination } = question;
  return combination ? hashOf(propertiesOf(question).map((name) => combination[name] ?? null)) : '';
}

/** Numbers add up, and a maximum is one of the maxima: events are read once, and each question puts its {@link PieceRow}s together. */
export function piecesQuery(groups: readonly Group[]): ParameterizedQuery {
  const { bind, params } = queryParameters();
  return { sql: groups.map((group, i) => piecesOf(group, i, bind)).join('\nUNION ALL\n'), params };
}

function piecesOf(group: Group, index: number, bind: Bind): string {
  const { first, name, texts, piece, conditions, localTime } = commonOf(group, bind);
  const property = bind('property', 'String', first.metric.propertyName ?? '');
  const isMax = first.metric.aggregationType === 'max';
  const value = isMax
    ? `toString(maxIf(${numberOf(property)}, ${hasNumber(property)}))`
    : aggregateOf(first.metric, bind);
  const keys = texts.map((_, i) => `k${i}`);
  const columns = [
    `${name} AS name`,
    ...texts.map((text, i) => `${text} AS k${i}`),
    `${piece} AS piece`,
    `${bandOf(group, bind)} AS band`,
    `${value} AS value`,
    isPriced(first) ? eventPriceColumns(first, bind) : "'0' AS billable, '0' AS charge",
  ];
  const combination = texts.length === 0 ? "''" : sqlHash(keys);
  const values = [...new Set(group.map(combinationOf))];
  return [
    `SELECT ${index} AS grp, name, ${combination} AS combination, piece, band, value, billable, charge`,
    `FROM (\n${localTime}SELECT ${columns.join(', ')}`,
    `FROM usage_events\nWHERE ${conditions.join('\n  AND ')}`,
    `GROUP BY ${['name', ...keys, 'piece', 'band'].join(', ')}`,
    ...(isMax ? [`HAVING countIf(${hasNumber(property)}) > 0`] : []),
    ')',
    ...(texts.length === 0
      ? []
      : [`WHERE ${isAmong('combination', { name: 'combinations', type: 'String', values }, bind)}`]),
  ].join('\n');
}

/** SQL: the highest of the positions that the group's questions count above, or up to, that is below the event's own. */
function bandOf(group: Group, bind: Bind): string {
  const positions = group.flatMap(({ upTo, above }) => [upTo ?? 0n, above ?? 0n]);
  return `roundDown(toUInt64(position - 1), ${bind('bands', 'Array(UInt64)', ascending([0n, ...positions]))})`;
}

/** Above any position. */
export const ABOVE_ALL = 2n ** 64n - 1n;

/** What the SELECT of a group has, whatever it counts. */
type Common = {
  first: MetricQuestion;
  /** SQL: the name of an event, and the texts of its combination. */
  name: string;
  texts: string[];
  /** SQL: where the piece of time begins in which an event lies. */
  piece: string;
  conditions: string[];
  /** SQL: how a time filter's local time is called; '' without one. */
  localTime: string;
};

/** Instants in one parameter: some 70 kilobytes. */
const MAX_EDGES = 5_000;

export function commonOf(group: Group, bind: Bind): Common {
  const [first] = group;
  if (!first) throw new Error('a group of questions is empty');
  const { accountId, customerId, metric, timeZone } = first;
  const ends = ascending(group.flatMap(stretchesOf).flatMap(({ startsAt, endsAt }) => [startsAt, endsAt]));
  const [start = 0, end = 0] = [ends[0], ends.at(-1)];
  const days = bucketsOf('day', start, end, timeZone).map(({ startsAt }) => startsAt);
  const parts = inParts(ascending([...ends, ...days]), MAX_EDGES).map((part) => bind('edges', 'Array(Int64)', part));
  const highest = ascending(group.map(({ upTo }) => upTo ?? ABOVE_ALL)).at(-1);
  return {
    first,
    name: metric.eventName === null ? "''" : 'event_name',
    texts: propertiesOf(first).map((name) => textOf(bind('combination', 'String', name))),
    piece: `roundDown(${AT}, ${parts.length === 1 ? parts.join() : `arrayConcat(${parts.join(', ')})`})`,
    conditions: [
      `account_id = ${bind('account_id', 'String', accountId)}`,
      `customer_id = ${bind('customer_id', 'String', customerId)}`,
      ...(metric.eventName === null
        ? []
        : [`event_name IN ${bind('names', 'Array(String)', [...new Set(group.map(nameOf))])}`]),
      within({ startsAt: start, endsAt: end }, 'start', 'end', bind),
      `position <= ${bind('up_to', 'UInt64', highest)}`,
      ...filterConditions(metric, bind),
    ],
    localTime: metric.timeFilter === null ? '' : `WITH ${localTimeName({ start, end, timeZone }, bind)}\n`,
  };
}

/** Each once. */
function ascending<T extends Instant | bigint>(values: readonly T[]): T[] {
  return [...new Set(values)].toSorted((a, b) => (a < b ? -1 : 1));
}
