import type { CountedCombination } from '../../../billing/metering/aggregate.ts';
import { decimal } from '../../../core/decimal.ts';
import { askInSlices, type ClickHouseReader, OF_A_CALLER } from '../clickhouse.ts';
import { type Bind, inParts, type ParameterizedQuery, queryParameters } from '../query-parameters.ts';
import { NO_ROW, pieceOf, rowOf } from './book-usage.ts';
import { textOf } from './event-properties.ts';
import { conditionsOfCustomers, customersOf, MAX_CUSTOMERS, spanOf } from './metric-by-customer.ts';
import { AT, type BookedQuestion, localTimeName, stateOf } from './metric-query.ts';

/** A question, and its place among all. */
type PlacedQuestion = BookedQuestion & { place: number };

/** Questions that one SELECT answers: of one metric by one price book, each of another customer. */
type Group = PlacedQuestion[];

/** Decimals and instants as text. */
type Row = { place: number; texts: (string | null)[]; value: string; events: string; first: string };

/**
 * Combinations that no row prices, by question, in their order: of all together the first `most`, in the order of the questions, then of their
 * texts. A SELECT for each price book, however many customers and rows; each event is priced as in `findBookUsages`.
 */
export async function listUnpricedUsage(
  clickhouse: ClickHouseReader,
  questions: readonly BookedQuestion[],
  most: number,
  limits = OF_A_CALLER,
): Promise<CountedCombination[][]> {
  const placed = questions.map((question, place) => ({ ...question, place }));
  const groups = groupQuestions(placed.filter(({ start, end }) => start < end));
  // What a statement answers is of all its groups.
  const found = await askInSlices(clickhouse, groups, limits, async (some, statement) => {
    const rows = await statement<Row>(unpricedQuery(some, most));
    return some.map((_, i) => (i === 0 ? rows : []));
  });
  const first = found
    .flat()
    .toSorted((a, b) => a.place - b.place)
    .slice(0, most);
  const rowsOf = Map.groupBy(first, ({ place }) => place);
  return placed.map(({ place, book }) => (rowsOf.get(place) ?? []).map((row) => combinationFromRow(book, row)));
}

/** By book; a customer that is asked for again (two subscriptions) is in a group of its own. */
function groupQuestions(questions: readonly PlacedQuestion[]): Group[] {
  const times = new Map<string, number>();
  const places = new Map<unknown, number>();
  const placeOf = (thing: object) => places.get(thing) ?? places.set(thing, places.size).size;
  const groups = Map.groupBy(questions, ({ metric, book, timeZone, customerId }) => {
    const kind = `${placeOf(metric)} ${placeOf(book.rows)} ${timeZone}`;
    const asked = times.get(`${kind} ${customerId}`) ?? 0;
    times.set(`${kind} ${customerId}`, asked + 1);
    return `${kind} ${asked}`;
  });
  return [...groups.values()].flatMap((group) => inParts(group, MAX_CUSTOMERS));
}

function unpricedQuery(groups: readonly Group[], most: number): ParameterizedQuery {
  const { bind, params } = queryParameters();
  const answers = groups.map((group) => groupQuery(group, bind)).join('\nUNION ALL\n');
  const text = "arrayStringConcat(arrayMap(text -> ifNull(text, ''), texts), ', ')";
  const order = `ORDER BY place, ${text}, texts LIMIT ${bind('most', 'UInt64', most)}`;
  return { sql: `SELECT * FROM (\n${answers}\n) ${order}`, params };
}

function groupQuery(group: Group, bind: Bind): string {
  const [first] = group;
  if (!first) throw new Error('a group of questions is empty');
  const { metric, book } = first;
  const span = spanOf(group);
  const booked = { ...span, book };
  const { state, value } = stateOf(metric, bind);
  const keys = book.groupBy.map((_, i) => `k${i}`);
  const texts = book.groupBy.map((name, i) => `${textOf(bind('group_by', 'String', name))} AS k${i}`);
  const places = bind(
    'places_of_questions',
    'Array(UInt32)',
    group.map(({ place }) => place),
  );
  return [
    `SELECT place, [${keys.join(', ')}] AS texts, ${value} AS value,`,
    '  toString(sum(pieces.events)) AS events, toString(min(pieces.first)) AS first',
    'FROM (',
    ...(metric.timeFilter === null ? [] : [`WITH ${localTimeName(span, bind)}`]),
    `SELECT transform(customer_id, ${customersOf(group, bind)}, ${places}, toUInt32(0)) AS place, ${texts.join(', ')},`,
    `  ${pieceOf(booked, bind)} AS piece, count() AS events, min(${AT}) AS first${state}`,
    'FROM usage_events',
    `WHERE ${conditionsOfCustomers(group, bind).join('\n  AND ')}`,
    `GROUP BY ${['place', ...keys, 'piece'].join(', ')}`,
    ') AS pieces',
    `WHERE ${rowOf(booked, bind)} = ${NO_ROW}`,
    'GROUP BY place, texts',
  ].join('\n');
}

function combinationFromRow({ groupBy }: BookedQuestion['book'], row: Row): CountedCombination {
  return {
    texts: Object.fromEntries(groupBy.map((name, i) => [name, row.texts[i] ?? null])),
    row: null,
    usage: { value: decimal(row.value), eventsCount: decimal(row.events) },
    firstEventAt: Number(row.first),
  };
}
