import type { CountedCombination } from '../../../billing/metering/aggregate.ts';
import { matchingRowsOf, type PriceRow, type PropertyTexts } from '../../../billing/pricing/price-book.ts';
import { type Decimal, decimal, sum, ZERO } from '../../../core/decimal.ts';
import type { Instant } from '../../../core/instants.ts';
import { askInSlices, OF_A_CALLER } from '../clickhouse.ts';
import { type Bind, queryParameters } from '../query-parameters.ts';
import { hasNumber, textOf } from './event-properties.ts';
import {
  AT,
  aggregateOf,
  type BookedQuestion,
  conditionsOf,
  inSlices,
  kindOf,
  localTimeName,
  stretchesOf,
} from './metric-query.ts';
import type { UsageSource } from './metric-usage.ts';

/** Questions about one customer's usage of one metric by the same properties, that differ in their times and in the rows of their price books. */
type Group = readonly BookedQuestion[];

/** What the events of a combination come to in a piece of time; decimals and instants as text, `value` '' where a maximum has none. */
type Row = { grp: number; texts: (string | null)[]; piece: string; value: string; events: string; first: string };

/** So few are asked one by one. */
const FEW = 4;
/** Stretches in one SELECT, and places where it cuts time: some 60 kilobytes. */
const MAX_STRETCHES = 200;
const MAX_EDGES = 4_000;

/**
 * The questions that can be answered together: a customer's subscriptions, each with a price book of its own, ask for the same events. Not those
 * about distinct texts, which do not add up over pieces of time, and not where rows price each event.
 */
export function sharedGroups(questions: readonly BookedQuestion[]): BookedQuestion[][] {
  const kind = kindOf();
  const asked = questions.filter((question) => stretchesOf(question).length > 0);
  const plain = asked.filter(({ metric, book: { rows, unmatched } }) => {
    const prices = [unmatched, ...rows.map(({ row }) => row.price)];
    return metric.aggregationType !== 'unique' && prices.every(({ pricingModel }) => pricingModel !== 'percentage');
  });
  const alike = Map.groupBy(plain, (question) => {
    return JSON.stringify([question.metric.eventName, question.book.groupBy, kind(question)]);
  });
  const groups = [...alike.values()].flatMap((some) => inSlices(some, MAX_STRETCHES));
  return groups.filter((group) => group.length > FEW && edgesOf(group).length <= MAX_EDGES);
}

/** Told of what has been found for some questions; throws where it is too much in all. */
export type CountCombinations = (questions: readonly BookedQuestion[], combinations: number) => void;

/**
 * Usage by combination and row of each question of these groups: events are read once, and each book's rows are looked up here. Without the
 * questions whose events have more than `most` combinations and pieces of time.
 */
export async function findSharedBookUsages(
  { clickhouse, limits = OF_A_CALLER }: UsageSource,
  groups: readonly Group[],
  { most, count }: { most: number; count: CountCombinations },
): Promise<Map<BookedQuestion, CountedCombination[]>> {
  const bounded = { max_result_rows: String(most + 1), result_overflow_mode: 'break' } as const;
  const answers = await askInSlices(clickhouse, groups, limits, async (some, statement) => {
    const { bind, params } = queryParameters();
    const sql = some.map((group, i) => groupQuery(group, i, bind)).join('\nUNION ALL\n');
    const rows = await statement<Row>({ sql, params }, bounded);
    if (rows.length > most) return some.map(() => []);
    const rowsOf = Map.groupBy(rows, ({ grp }) => grp);
    return some.map((group, i) => {
      const combinations = combinationsFromRows(group, rowsOf.get(i) ?? []);
      return group.map((question) => {
        const counted = countedBy(question, combinations);
        count([question], counted.length);
        return [question, counted] as const;
      });
    });
  });
  return new Map(answers.flat());
}

/** Where a window begins or ends, or a row begins to hold: between two of them each book has the same rows. */
function edgesOf(group: Group): Instant[] {
  const ends = group.flatMap(stretchesOf).flatMap(({ startsAt, endsAt }) => [startsAt, endsAt]);
  const cuts = group.flatMap(({ start, end, book }) =>
    book.rows.map(({ from }) => from).filter((from) => from > start && from < end),
  );
  return [...new Set([...ends, ...cuts])].toSorted((a, b) => a - b);
}

function groupQuery(group: Group, index: number, bind: Bind): string {
  const [first] = group;
  if (!first) throw new Error('a group of questions is empty');
  const edges = edgesOf(group);
  const whole = { ...first, start: edges[0] ?? 0, end: edges.at(-1) ?? 0, excluded: [] };
  const { metric, book } = first;
  const keys = book.groupBy.map((_, i) => `k${i}`);
  const value = aggregateOf(metric, bind);
  const isMax = metric.aggregationType === 'max';
  const number = isMax ? hasNumber(bind('property', 'String', metric.propertyName)) : '';
  return [
    `SELECT ${index} AS grp, [${keys.join(', ')}] AS texts, piece, value, events, first`,
    `FROM (\n${metric.timeFilter === null ? '' : `WITH ${localTimeName(whole, bind)}\n`}SELECT`,
    book.groupBy.map((name, i) => `${textOf(bind('group_by', 'String', name))} AS k${i}, `).join(''),
    `roundDown(${AT}, ${bind('edges', 'Array(Int64)', edges)}) AS piece, toString(count()) AS events, toString(min(${AT})) AS first,`,
    `${isMax ? `if(countIf(${number}) > 0, ${value}, '')` : value} AS value`,
    `FROM usage_events\nWHERE ${conditionsOf(whole, bind).join('\n  AND ')}`,
    `GROUP BY ${[...keys, 'piece'].join(', ')}\n)`,
  ].join('\n');
}

type Piece = { startsAt: Instant; value: Decimal | null; events: Decimal; first: Instant };
type Combination = { texts: PropertyTexts; pieces: Piece[] };

function combinationsFromRows([first]: Group, rows: readonly Row[]): Combination[] {
  const groupBy = first?.book.groupBy ?? [];
  return [...Map.groupBy(rows, ({ texts }) => JSON.stringify(texts)).values()].map((some) => ({
    texts: Object.fromEntries(groupBy.map((name, i) => [name, some[0]?.texts[i] ?? null])),
    pieces: some.map(({ piece, value, events, first: at }) => {
      const own = value === '' ? null : decimal(value);
      return { startsAt: Number(piece), value: own, events: decimal(events), first: Number(at) };
    }),
  }));
}

/** What each row of the question's book prices of these combinations, within its time. */
function countedBy(question: BookedQuestion, combinations: readonly Combination[]): CountedCombination[] {
  const { book, metric } = question;
  const stretches = stretchesOf(question);
  const matching = matchingRowsOf(book.rows);
  const isMax = metric.aggregationType === 'max';
  return combinations.flatMap(({ texts, pieces }) => {
    const counting = pieces.filter(({ startsAt: at }) =>
      stretches.some(({ startsAt, endsAt }) => startsAt <= at && at < endsAt),
    );
    if (counting.length === 0) return [];
    const rows = matching(texts);
    const rowOf = ({ startsAt }: Piece): PriceRow | null => rows.find(({ from }) => from <= startsAt)?.row ?? null;
    return [...Map.groupBy(counting, rowOf)].map(([row, some]): CountedCombination => {
      const values = some.flatMap(({ value }) => value ?? []);
      const value = isMax ? highest(values) : sum(values);
      const usage = { value, eventsCount: sum(some.map(({ events }) => events)) };
      return { texts, row, usage, firstEventAt: Math.min(...some.map(({ first }) => first)) };
    });
  });
}

function highest(values: readonly Decimal[]): Decimal {
  const [first = ZERO, ...others] = values;
  return others.reduce((most, value) => (value.gt(most) ? value : most), first);
}
