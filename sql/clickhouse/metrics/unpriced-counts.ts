import type { PropertyTexts } from '../../../billing/pricing/price-book.ts';
import { type Decimal, decimal } from '../../../core/decimal.ts';
import { askInSlices, type ClickHouseReader, OF_A_COUNT } from '../clickhouse.ts';
import { type Bind, inLists, inParts, isAmong, type ParameterizedQuery, queryParameters } from '../query-parameters.ts';
import { NO_ROW, pieceOf, rowOf } from './book-usage.ts';
import { textOf } from './event-properties.ts';
import { filterConditions } from './metric-filters.ts';
import { AT, type BookedQuestion, localTimeName, within } from './metric-query.ts';

/** One question about each of many customers. Nothing of its time is excluded. */
export type SharedQuestion = Omit<BookedQuestion, 'customerId'> & { customerIds: readonly string[] };

/** Customers that are never asked about apart. */
const CUSTOMERS = 500;

/** Of one account, metric and price book, in windows of their own; each customer is in one of them. */
type Group = readonly PlacedQuestion[];

type Row = { grp: number; customer_id: string; combinations: string };
type SumRow = { grp: number; texts: (string | null)[]; events: string };

/** Events of a combination that no row prices; `question`: one of those that asked for them. */
export type UnpricedEvents<Q> = { question: Q; texts: PropertyTexts; events: Decimal };

/**
 * How many combinations no row prices, by question and customer; who has none is not there. One SELECT is of all that ask by one price book: the time of
 * small customers goes into statements.
 */
export async function countUnpricedUsage(
  clickhouse: ClickHouseReader,
  questions: readonly SharedQuestion[],
): Promise<Map<string, number>[]> {
  const asked = inLots(questions);
  const found = await askInSlices(clickhouse, asked, OF_A_COUNT, async (some, statement) => {
    const groups = groupQuestions(some);
    const rows = await statement<Row>(queryOf(groups, combinationsByCustomer));
    const rowsOf = Map.groupBy(rows, ({ grp }) => grp);
    const countsOf = groups.map((_, i) => {
      return new Map((rowsOf.get(i) ?? []).map((row) => [row.customer_id, Number(row.combinations)]));
    });
    return some.map((question) => countsOf[groups.findIndex((group) => group.includes(question))]);
  });
  const counts = questions.map(() => new Map<string, number>());
  for (const [i, { place, customerIds }] of asked.entries()) {
    for (const id of customerIds) {
      const count = found[i]?.get(id);
      if (count !== undefined) counts[place]?.set(id, count);
    }
  }
  return counts;
}

/**
 * Events that no row prices, by combination, of all customers together; of one statement at most `most` combinations. What is asked in several statements
 * is there once for each.
 */
export async function sumUnpricedUsage<Q extends SharedQuestion>(
  clickhouse: ClickHouseReader,
  questions: readonly Q[],
  most: number,
): Promise<UnpricedEvents<Q>[]> {
  const found = await askInSlices(clickhouse, inLots(questions), OF_A_COUNT, async (some, statement) => {
    const groups = groupQuestions(some);
    const rows = await statement<SumRow>(queryOf(groups, eventsByCombination), {
      ...{ max_result_rows: String(most), result_overflow_mode: 'break' },
    });
    const answered = rows.flatMap(({ grp, texts, events }): UnpricedEvents<Q>[] => {
      const question = questions[groups[grp]?.[0]?.place ?? -1];
      if (!question) return [];
      const named = question.book.groupBy.map((name, i) => [name, texts[i] ?? null]);
      return [{ question, texts: Object.fromEntries(named), events: decimal(events) }];
    });
    // What a statement answers is of all that it asks.
    return some.map((_, i) => (i === 0 ? answered : []));
  });
  return found.flat();
}

/** A question, and its place among all. */
type PlacedQuestion = SharedQuestion & { place: number };

function inLots(questions: readonly SharedQuestion[]): PlacedQuestion[] {
  return questions.flatMap((question, place) =>
    inParts(question.customerIds, CUSTOMERS).map((customerIds) => ({ ...question, place, customerIds })),
  );
}

/** By book; a customer that is asked for again, by another subscription, is in a group of its own. */
function groupQuestions(questions: readonly PlacedQuestion[]): Group[] {
  const groups: { of: PlacedQuestion; customers: Set<string>; questions: PlacedQuestion[] }[] = [];
  for (const question of questions) {
    const { metric, book, timeZone, customerIds } = question;
    const fitting = groups.find(
      ({ of, customers }) =>
        of.metric === metric &&
        of.book.rows === book.rows &&
        of.timeZone === timeZone &&
        !customerIds.some((id) => customers.has(id)),
    );
    const group = fitting ?? { of: question, customers: new Set(), questions: [] };
    if (!fitting) groups.push(group);
    group.questions.push(question);
    for (const id of customerIds) group.customers.add(id);
  }
  return groups.map((group) => group.questions);
}

type GroupQuery = (group: Group, index: number, bind: Bind) => string;

function queryOf(groups: readonly Group[], groupQuery: GroupQuery): ParameterizedQuery {
  const { bind, params } = queryParameters();
  return { sql: groups.map((group, i) => groupQuery(group, i, bind)).join('\nUNION ALL\n'), params };
}

function combinationsByCustomer(group: Group, index: number, bind: Bind): string {
  const keys = ['customer_id', ...keysOf(group)];
  return [
    `SELECT ${index} AS grp, customer_id, toString(count()) AS combinations`,
    `FROM (SELECT ${keys.join(', ')}`,
    ...unpricedPieces(group, ['customer_id'], bind),
    `GROUP BY ${keys.join(', ')}) AS unpriced`,
    'GROUP BY customer_id',
  ].join('\n');
}

function eventsByCombination(group: Group, index: number, bind: Bind): string {
  return [
    `SELECT ${index} AS grp, [${keysOf(group).join(', ')}] AS texts, toString(sum(pieces.events)) AS events`,
    ...unpricedPieces(group, [], bind),
    'GROUP BY texts',
  ].join('\n');
}

function keysOf([first]: Group): string[] {
  return (first?.book.groupBy ?? []).map((_, i) => `k${i}`);
}

/** Events that no row prices, by combination, the stretch between two `from`s in which they lie, and the columns `by`. */
function unpricedPieces(group: Group, by: readonly string[], bind: Bind): string[] {
  const [first] = group;
  if (!first) throw new Error('a group of questions is empty');
  const { metric, book, timeZone } = first;
  const [start, end] = [Math.min(...group.map((one) => one.start)), Math.max(...group.map((one) => one.end))];
  const span = { start, end, timeZone, book };
  const texts = book.groupBy.map((name, i) => `${textOf(bind('group_by', 'String', name))} AS k${i}`);
  return [
    'FROM (',
    ...(metric.timeFilter === null ? [] : [`WITH ${localTimeName(span, bind)}`]),
    `SELECT ${[...by, ...texts].join(', ')}, ${pieceOf(span, bind)} AS piece, count() AS events`,
    'FROM usage_events',
    `WHERE ${conditionsOf(group, { ...first, start, end }, bind).join('\n  AND ')}`,
    `GROUP BY ${[...by, ...keysOf(group), 'piece'].join(', ')}`,
    ') AS pieces',
    `WHERE ${rowOf(span, bind)} = ${NO_ROW}`,
  ];
}

/** What must hold for an event to count for its customer, in the order of the table's key. */
function conditionsOf(group: Group, { accountId, metric, start, end }: SharedQuestion, bind: Bind): string[] {
  const customers = group.flatMap(({ customerIds }) => customerIds);
  return [
    `account_id = ${bind('account_id', 'String', accountId)}`,
    isAmong('customer_id', { name: 'customers', type: 'String', values: customers }, bind),
    ...(metric.eventName === null ? [] : [`event_name = ${bind('event_name', 'String', metric.eventName)}`]),
    within({ startsAt: start, endsAt: end }, 'start', 'end', bind),
    ...(group.every((one) => one.start === start && one.end === end) ? [] : ownWindow(group, customers, bind)),
    ...filterConditions(metric, bind),
  ];
}

/** Of thousands of customers there are some dozen windows. */
function ownWindow(group: Group, customers: readonly string[], bind: Bind): string[] {
  const windows = [...new Set(group.map(({ start, end }) => `${start} ${end}`))];
  const places = group.flatMap(({ start, end, customerIds }) => {
    const place = windows.indexOf(`${start} ${end}`) + 1;
    return customerIds.map(() => place);
  });
  const ids = inLists(customers).map((list) => bind('customers', 'Array(String)', list));
  const numbers = inParts(places, MANY).map((part) => bind('windows', 'Array(UInt16)', part));
  const window = `transform(customer_id, arrayConcat(${ids.join(', ')}), arrayConcat(${numbers.join(', ')}), toUInt16(0))`;
  const [starts, ends] = ['starts', 'ends'].map((name, i) =>
    bind(
      name,
      'Array(Int64)',
      windows.map((text) => Number(text.split(' ')[i])),
    ),
  );
  return [`${AT} >= ${starts}[${window}]`, `${AT} < ${ends}[${window}]`];
}
/** Small numbers in one parameter. */
const MANY = 10_000;
