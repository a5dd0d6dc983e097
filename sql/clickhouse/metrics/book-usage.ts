import { createHash } from 'node:crypto';
import { getHeapStatistics } from 'node:v8';
import type { CountedCombination } from '../../../billing/metering/aggregate.ts';
import type { BookQuestion } from '../../../billing/metering/book-usage.ts';
import type { PercentagePrice } from '../../../billing/pricing/percentage.ts';
import type { Price } from '../../../billing/pricing/price.ts';
import { type Decimal, decimal, toPlain, ZERO } from '../../../core/decimal.ts';
import { unavailable } from '../../../core/domain-error.ts';
import type { Instant } from '../../../core/instants.ts';
import { askInSlices, OF_A_CALLER } from '../clickhouse.ts';
import { type Bind, bindList, type ParameterizedQuery, queryParameters } from '../query-parameters.ts';
import { type BookRollups, besideRollups, findBookRollups, rollupRows } from './book-rollup-query.ts';
import { type EventPricesRow, eventPriceSums, eventPricesFromRow, MONEY_TYPE, SHARE_TYPE } from './event-prices.ts';
import { textOf } from './event-properties.ts';
import { AT, type BookedQuestion, conditionsOf, localTimeName, stateOf } from './metric-query.ts';
import type { UsageSource } from './metric-usage.ts';
import { type CountCombinations, findSharedBookUsages, sharedGroups } from './shared-book-usage.ts';

/** `row`: the place of the row by precedence, `NO_ROW` for none; decimals and instants as text. */
type Row = EventPricesRow & {
  question: number;
  texts: (string | null)[];
  row: number;
  value: string;
  events: string;
  first: string;
};

/** The place of no row. */
export const NO_ROW = 2 ** 32 - 1;

/** What a combination takes until its lines are answered or saved. */
const BYTES_A_COMBINATION = 1_500;
/** Of one draft or closing: a quarter of the process's heap, since others are made beside it. */
const MAX_COMBINATIONS = Math.floor(getHeapStatistics().heap_size_limit / 4 / BYTES_A_COMBINATION);

/**
 * Usage by combination and row, of any number of questions, in their order: a SELECT for each, however many rows its book has, but where
 * many ask for the same events. Events are grouped by combination and by the stretch of time between two `from`s, and each group looks up its
 * row; where rows price each event, each event does. What is counted beforehand is not read again.
 * @throws DomainError `unavailable` for more than `most` combinations in all (spec/price-books#bounds)
 */
export async function findBookUsages(
  source: UsageSource,
  questions: readonly BookedQuestion[],
  most = MAX_COMBINATIONS,
): Promise<CountedCombination[][]> {
  const rollups = await findBookRollups(source, questions);
  const { clickhouse, limits = OF_A_CALLER, room } = source;
  const mayNeedMore = room && room.bytes < room.mostBytes;
  const mostHere = mayNeedMore ? Math.min(most, Math.floor(room.bytes / BYTES_A_COMBINATION)) : most;
  const bounded = { max_result_rows: String(mostHere + 1), result_overflow_mode: 'break' } as const;
  let found = 0;
  const count: CountCombinations = (some, combinations) => {
    found += combinations;
    if (found > mostHere) room?.needMore();
    if (found > most) throw unavailable(tooManyOf(some, most));
  };
  const groups = sharedGroups(questions.filter((question) => !rollups.has(question)));
  const answers = await findSharedBookUsages(source, groups, { most: mostHere, count });
  const apart = questions.filter((question) => !answers.has(question));
  const others = await askInSlices(clickhouse, apart, limits, async (some, statement) => {
    const answer = await statement<Row>(bookUsageQuery(some, rollups), bounded);
    count(some, answer.length);
    const rows = Map.groupBy(answer, ({ question }) => question);
    return some.map((question, i) => (rows.get(i) ?? []).map((row) => combinationFromRow(question, row)));
  });
  for (const [i, question] of apart.entries()) answers.set(question, others[i] ?? []);
  return questions.map((question) => answers.get(question) ?? []);
}

function tooManyOf(questions: readonly BookedQuestion[], most: number): string {
  const names = new Set(questions.flatMap(({ book }) => book.groupBy));
  return `There are more than ${most} combinations of ${[...names].join(', ')} to price: give the process a larger heap, or group by properties with fewer values.`;
}

function bookUsageQuery(
  questions: readonly BookedQuestion[],
  rollups: ReadonlyMap<BookedQuestion, BookRollups>,
): ParameterizedQuery {
  const { bind, params } = queryParameters();
  const answers = questions.map((question, i) => questionQuery(question, i, rollups.get(question), bind));
  return { sql: answers.join('\nUNION ALL\n'), params };
}

function questionQuery(question: BookedQuestion, index: number, rollups: BookRollups | undefined, bind: Bind): string {
  const keys = question.book.groupBy.map((_, i) => `k${i}`);
  const { value } = stateOf(question.metric, bind);
  const isByEvent = percentagesOf(question.book).length > 0;
  const pieces = rollups
    ? [
        rolledPieces(question, rollups, bind),
        ...besideRollups(rollups, bind).map((condition) => eventPieces(question, bind, [condition])),
      ]
    : [eventPieces(question, bind)];
  return [
    `SELECT ${index} AS question, [${keys.join(', ')}] AS texts, ${isByEvent ? 'row' : `${rowOf(question, bind)} AS row`}, ${value} AS value,`,
    '  toString(sum(pieces.events)) AS events, toString(min(pieces.first)) AS first,',
    '  toString(sum(pieces.billable)) AS billable, toString(sum(pieces.charge)) AS charge',
    'FROM (',
    pieces.join('\nUNION ALL\n'),
    ') AS pieces',
    'GROUP BY texts, row',
  ].join('\n');
}

/** SQL: a row for each combination and stretch, of events for which `more` holds as well; of each row too, where rows price each event. */
function eventPieces(question: BookedQuestion, bind: Bind, more: readonly string[] = []): string {
  const { metric, book } = question;
  const keys = book.groupBy.map((_, i) => `k${i}`);
  const percentages = percentagesOf(book);
  const names = metric.timeFilter === null ? [] : [`WITH ${localTimeName(question, bind)}`];
  const texts = book.groupBy.map((name, i) => `${textOf(bind('group_by', 'String', name))} AS k${i}`);
  const isByEvent = percentages.length > 0;
  const sums = isByEvent ? eventPriceSums(metric, bind, eachPrice(percentages, bind)) : NO_PRICES;
  return [
    ...names,
    `SELECT ${texts.join(', ')}, ${pieceOf(question, bind)} AS piece,${isByEvent ? ` ${rowOf(question, bind)} AS row,` : ''}`,
    `  count() AS events, min(${AT}) AS first, ${sums.billable} AS billable, ${sums.charge} AS charge${stateOf(metric, bind).state}`,
    'FROM usage_events',
    `WHERE ${[...conditionsOf(question, bind), ...more].join('\n  AND ')}`,
    `GROUP BY ${[...keys, 'piece', ...(isByEvent ? ['row'] : [])].join(', ')}`,
  ].join('\n');
}

/** SQL: the same columns, of what is counted beforehand. */
function rolledPieces(question: BookedQuestion, rollups: BookRollups, bind: Bind): string {
  const { metric, book } = question;
  const keys = book.groupBy.map((_, i) => `texts[${i + 1}] AS k${i}`);
  const state = {
    count: '',
    sum: ', sum(total) AS state',
    max: ', maxIf(highest, rolled.has_number) AS state, max(rolled.has_number) AS has_number',
    unique: '',
  }[metric.aggregationType];
  return [
    `SELECT ${keys.join(', ')}, ${pieceOf(question, bind, 'day')} AS piece,`,
    `  sum(rolled.events) AS events, min(rolled.first) AS first, ${NO_PRICES.billable} AS billable, ${NO_PRICES.charge} AS charge${state}`,
    `FROM (\n${rollupRows(question, rollups, bind)}\n) AS rolled`,
    'GROUP BY texts, piece',
  ].join('\n');
}

const NO_PRICES = { billable: 'toDecimal256(0, 0)', charge: 'toDecimal256(0, 0)' };

/** The time of usage, and the book that prices it. */
type BookedTime = Pick<BookedQuestion, 'start' | 'end' | 'book'>;

/** Where stretches begin in which the same rows hold: at the start, and at each `from` within. */
function piecesOf({ start, end, book }: BookedTime): Instant[] {
  const cuts = book.rows.map(({ from }) => from).filter((from) => from > start && from < end);
  return [start, ...new Set(cuts.toSorted((a, b) => a - b))];
}

/** SQL: the place of the stretch in which an event lies, or whatever happened `at` (milliseconds). */
export function pieceOf(question: BookedTime, bind: Bind, at = AT): string {
  const starts = piecesOf(question);
  if (starts.length === 1) return 'toUInt32(0)';
  const places = bind(
    'places',
    'Array(UInt32)',
    starts.map((_, i) => i),
  );
  const pieces = bind('pieces', 'Array(Int64)', starts);
  return `transform(roundDown(${at}, ${pieces}), ${pieces}, ${places}, toUInt32(0))`;
}

/**
 * SQL: the lowest place of a row that prices the combination `k0`, `k1`, `k2` in the stretch `piece`. Rows are looked up by what they name:
 * the texts of these properties lead to a number, that and the stretch to the row that holds then.
 */
export function rowOf(question: BookedTime, bind: Bind): string {
  const { groupBy, rows } = question.book;
  const pieces = piecesOf(question);
  const named = rows.map(({ row, from }, place) => {
    const names = groupBy.flatMap((name, i) => (Object.hasOwn(row.when, name) ? [i] : []));
    const key = hashOf(names.map((i) => row.when[groupBy[i] ?? ''] ?? null));
    return { names, key, place, since: pieces.findIndex((at) => from <= at) };
  });
  const inTime = named.filter(({ since }) => since >= 0);
  const lookUps = [...Map.groupBy(inTime, ({ names }) => names.join()).values()].map((some) => {
    const byKey = [...Map.groupBy(some, ({ key }) => key)];
    const starts = byKey.flatMap(([, own], k) =>
      startsOf(own).map(([piece, place]) => [(k + 1) * pieces.length + piece, place]),
    );
    const all = [[0, NO_ROW], ...starts.flatMap(([at = 0, place = 0]) => [[at, place]])];
    const numbers = bindList(
      'lookup',
      'UInt32',
      all.map(([at = 0]) => at),
      bind,
    );
    const places = bindList(
      'lookup_rows',
      'UInt32',
      all.map(([, place = NO_ROW]) => place),
      bind,
    );
    const keys = bindList(
      'lookup_keys',
      'String',
      byKey.map(([key]) => key),
      bind,
    );
    const indexes = bindList(
      'lookup_indexes',
      'UInt32',
      byKey.map((_, k) => k + 1),
      bind,
    );
    const text = sqlHash((some[0]?.names ?? []).map((i) => `k${i}`));
    const number = `toUInt32(transform(${text}, ${keys}, ${indexes}, toUInt32(0)) * ${pieces.length} + piece)`;
    return `transform(roundDown(${number}, ${numbers}), ${numbers}, ${places})`;
  });
  if (lookUps.length === 0) return `toUInt32(${NO_ROW})`;
  return lookUps.reduce((least, one) => `least(${least}, ${one})`);
}

/** From which stretch on which of these rows is the first that holds; the whole life of the key, from its first stretch on. */
function startsOf(rows: readonly { since: number; place: number }[]): [number, number][] {
  const starts: [number, number][] = [[0, NO_ROW]];
  for (const { since, place } of rows.toSorted((a, b) => a.since - b.since || a.place - b.place)) {
    const [at, held] = starts.at(-1) ?? [0, NO_ROW];
    if (place >= held) continue;
    if (since === at) starts[starts.length - 1] = [since, place];
    else starts.push([since, place]);
  }
  return starts;
}

/** Texts of properties as one short text: whole ones, of a thousand rows, would not fit into a statement. */
export function hashOf(texts: readonly (string | null)[]): string {
  const whole = texts.map((text) => (text === null ? '-' : `${Buffer.byteLength(text)}:${text}`)).join('');
  return createHash('md5').update(whole).digest('hex');
}

/** SQL: {@link hashOf} of these columns. */
export function sqlHash(columns: readonly string[]): string {
  const parts = columns.map(
    (k) => `if(isNull(${k}), '-', concat(toString(length(assumeNotNull(${k}))), ':', assumeNotNull(${k})))`,
  );
  const whole = parts.length === 0 ? "''" : parts.length === 1 ? parts.join() : `concat(${parts.join(', ')})`;
  return `lower(hex(MD5(${whole})))`;
}

type PlacedPrice = { place: number; price: PercentagePrice };

/** The prices of each event that rows have, and what no row prices. */
function percentagesOf({ rows, unmatched }: BookQuestion): PlacedPrice[] {
  const isPercentage = (price: Price): price is PercentagePrice => price.pricingModel === 'percentage';
  const placed = rows.flatMap(({ row: { price } }, place) => (isPercentage(price) ? { place, price } : []));
  return isPercentage(unmatched) ? [...placed, { place: NO_ROW, price: unmatched }] : placed;
}

/** More than any event is charged. */
const NO_MAXIMUM = decimal(1).shiftedBy(30);

/** SQL: the terms of the price that an event has by its row; nothing of one that is not priced each. */
function eachPrice(prices: readonly PlacedPrice[], bind: Bind) {
  const places = bindList(
    'priced_rows',
    'UInt32',
    prices.map(({ place }) => place),
    bind,
  );
  const indexes = bindList(
    'priced_indexes',
    'UInt32',
    prices.map((_, i) => i + 2),
    bind,
  );
  const index = `transform(row, ${places}, ${indexes}, toUInt32(1))`;
  const term = (name: string, type: string, of: (price: PercentagePrice) => Decimal) => {
    const values = [ZERO, ...prices.map(({ price }) => of(price))].map(toPlain);
    return `arrayElement(CAST(${bindList(name, 'String', values, bind)}, 'Array(${type})'), ${index})`;
  };
  return {
    share: term('percentages', SHARE_TYPE, ({ percentage }) => percentage.shiftedBy(-2)),
    fixed: term('fixed_amounts', MONEY_TYPE, ({ fixedAmount }) => fixedAmount),
    least: term('minimums', MONEY_TYPE, ({ perEventMinimum }) => perEventMinimum ?? ZERO),
    most: term('maximums', MONEY_TYPE, ({ perEventMaximum }) => perEventMaximum ?? NO_MAXIMUM),
  };
}

function combinationFromRow({ book, metric }: BookedQuestion, row: Row): CountedCombination {
  const priceRow = row.row === NO_ROW ? null : (book.rows[row.row]?.row ?? null);
  const price = priceRow?.price ?? book.unmatched;
  const usage = { value: decimal(row.value), eventsCount: decimal(row.events) };
  const byEvent = price.pricingModel === 'percentage' && metric.aggregationType === 'sum';
  return {
    texts: Object.fromEntries(book.groupBy.map((name, i) => [name, row.texts[i] ?? null])),
    row: priceRow,
    usage: byEvent ? { ...usage, byEvent: eventPricesFromRow(row) } : usage,
    firstEventAt: Number(row.first),
  };
}
