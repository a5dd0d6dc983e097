import type { Decimal } from '../../core/decimal.ts';
import { type Instant, type LocalDate, startOfLocalDay } from '../../core/instants.ts';
import type { Price } from './price.ts';

/** Texts of properties of an event, as `unique` compares them; null: the event does not have it. */
export type PropertyTexts = Readonly<Record<string, string | null>>;

/** Prices of a metric by the properties of its events (spec/price-books). */
export type PriceBook = { groupBy: readonly string[]; rows: readonly PriceRow[]; unmatched: Unmatched };

/** What becomes of usage that no row prices: it waits for a row, is priced by the component, or is not billed. */
export const UNMATCHED = ['hold', 'price', 'ignore'] as const;
export type Unmatched = (typeof UNMATCHED)[number];

/** Which events a row is for. */
type RowTerms = { when: PropertyTexts; from: LocalDate | Instant | null };

/**
 * A row of a price book, for events that have the texts of `when`. `from`: not for events before it, a date being the customer's
 * midnight; null: for all.
 */
export type PriceRow = RowTerms & {
  priceId: string;
  price: Price;
  freeTier: Decimal;
  /** Agreed on with one subscription: it is asked before the rows of the plan. */
  isOverride: boolean;
  addition: Addition | null;
  /** Ascending in the order in which rows came to their plan version; 0 where it is not stored. */
  seq: bigint;
};

/**
 * When a row came to a plan that was sold: `on` has the times of the test clocks there were. Customers of a clock that came later
 * find the row as those that came with the plan.
 */
export type Addition = { at: Instant; on: Readonly<Record<string, Instant>> };

/**
 * For whom a book is opened, and from when on their usage is counted. `billedTo`: of usage that has been billed, the last row that was
 * known by then; what came since comes behind what has billed it.
 */
export type BookReader = { startsAt: Instant; timeZone: string; testClockId: string | null; billedTo?: bigint };

/** A row with the instant from which it holds. */
export type OrderedRow = { row: PriceRow; from: Instant };

/** By book: a thousand rows are slow to order, and each subscription asks for them. */
const ordersOf = new WeakMap<PriceBook, Map<string, OrderedRow[]>>();

/**
 * The rows of a book by precedence: the first that matches an event and holds by then prices it (spec/price-books#precedence). Those naming
 * most properties come first, then those naming earlier ones of `group_by`, then the latest `from`. Overrides come before the plan's own,
 * each in that order. Rows that were added since the usage began, or after it was billed, come behind all others, in the order in which they
 * were added: they price what no row did.
 */
export function rowsInOrder(book: PriceBook, reader: BookReader): OrderedRow[] {
  const later = new Set(book.rows.filter((row) => wasAddedSince(row, reader)));
  const key = [reader.timeZone, ...[...later].map(({ priceId }) => priceId)].join(' ');
  const orders = ordersOf.get(book) ?? new Map<string, OrderedRow[]>();
  ordersOf.set(book, orders);
  const order = orders.get(key) ?? orderRows(book, reader, later);
  orders.set(key, order);
  return order;
}

function orderRows({ groupBy, rows }: PriceBook, reader: BookReader, later: ReadonlySet<PriceRow>): OrderedRow[] {
  const ordered = rows.map((row) => ({ row, from: startOf(row, reader), masks: maskOf(row, groupBy) }));
  const isLater = ({ row }: { row: PriceRow }) => later.has(row);
  const rankOf = ({ row }: { row: PriceRow }) => (row.isOverride ? 0 : 1);
  const inPrecedence = ordered
    .filter((one) => !isLater(one))
    .toSorted((a, b) => rankOf(a) - rankOf(b) || compareMasks(a.masks, b.masks) || compareFrom(b.from, a.from));
  return [...inPrecedence, ...ordered.filter(isLater)].map(({ row, from }) => ({ row, from }));
}

/** The rows of a book as they are at an instant, as if they were so for ever. */
export function rowsAt(rows: readonly OrderedRow[], at: Instant): OrderedRow[] {
  return rows.filter(({ from }) => from <= at).map(({ row }) => ({ row, from: Number.NEGATIVE_INFINITY }));
}

/** The row that prices an event; undefined where none does. */
export function rowFor(
  rows: readonly OrderedRow[],
  event: { texts: PropertyTexts; timeCreated: Instant },
): PriceRow | undefined {
  return rows.find(({ row, from }) => from <= event.timeCreated && matches(row.when, event.texts))?.row;
}

/**
 * Finds the rows that match a combination, in their order, by what they name: a book of a thousand rows and as many combinations is not gone
 * through once for each.
 */
export function matchingRowsOf(rows: readonly OrderedRow[]): (texts: PropertyTexts) => OrderedRow[] {
  const placed = rows.map((ordered, place) => ({ ordered, place, names: Object.keys(ordered.row.when).toSorted() }));
  const indexes = [...Map.groupBy(placed, ({ names }) => JSON.stringify(names)).values()].map((some) => {
    const names = some[0]?.names ?? [];
    return { names, rows: Map.groupBy(some, ({ ordered }) => combinationKey(names, ordered.row.when)) };
  });
  return (texts) => {
    const found = indexes.flatMap(({ names, rows: byKey }) => byKey.get(combinationKey(names, texts)) ?? []);
    return found.toSorted((a, b) => a.place - b.place).map(({ ordered }) => ordered);
  };
}

/** A stretch of time in which one row prices a combination; null: none does. */
export type PricedStretch = { startsAt: Instant; endsAt: Instant; row: PriceRow | null };

/**
 * Which of the rows that match a combination price it from `startsAt` to before `endsAt`, one after another. Each has one stretch: what has
 * been superseded does not come back.
 */
export function pricedStretches(
  matching: readonly OrderedRow[],
  { startsAt, endsAt }: { startsAt: Instant; endsAt: Instant },
): PricedStretch[] {
  const cuts = matching.map(({ from }) => from).filter((from) => from > startsAt && from < endsAt);
  const starts = [startsAt, ...new Set(cuts.toSorted((a, b) => a - b))];
  const stretches: PricedStretch[] = [];
  for (const [i, start] of starts.entries()) {
    const row = matching.find(({ from }) => from <= start)?.row ?? null;
    const end = starts[i + 1] ?? endsAt;
    const last = stretches.at(-1);
    if (last && last.row === row) last.endsAt = end;
    else stretches.push({ startsAt: start, endsAt: end, row });
  }
  return stretches;
}

/** What tells two rows of a book apart: of two with the same one neither would come first. */
export function rowKey({ when, from }: RowTerms): string {
  const named = Object.entries(when).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([named, from]);
}

/** The values of a combination in the order of `group_by`, as invoices sort and show them; those that are missing as nothing. */
export function combinationText(groupBy: readonly string[], texts: PropertyTexts): string {
  return groupBy.map((name) => texts[name] ?? '').join(', ');
}

/** From when on some row prices a combination, wherever its customer lives: a date is the latest midnight there is. Infinity: none ever does. */
export function pricedSince({ groupBy, rows }: Pick<PriceBook, 'groupBy' | 'rows'>): (texts: PropertyTexts) => Instant {
  const namesOf = (row: PriceRow) => groupBy.filter((name) => Object.hasOwn(row.when, name));
  const lookUps = [...Map.groupBy(rows, (row) => namesOf(row).join('\n')).values()].map((some) => {
    const names = some[0] ? namesOf(some[0]) : [];
    const since = new Map<string, Instant>();
    for (const row of some) {
      const key = combinationKey(names, row.when);
      since.set(key, Math.min(since.get(key) ?? Number.POSITIVE_INFINITY, startOf(row, { timeZone: LAST_ZONE })));
    }
    return { names, since };
  });
  const startIn = ({ names, since }: (typeof lookUps)[number], texts: PropertyTexts) =>
    since.get(combinationKey(names, texts)) ?? Number.POSITIVE_INFINITY;
  return (texts) => Math.min(...lookUps.map((one) => startIn(one, texts)));
}

/** Where each day begins last. */
const LAST_ZONE = 'Etc/GMT+12';

function matches(when: PropertyTexts, texts: PropertyTexts): boolean {
  return Object.entries(when).every(([name, text]) => (texts[name] ?? null) === text);
}

function startOf({ from }: PriceRow, { timeZone }: Pick<BookReader, 'timeZone'>): Instant {
  if (from === null) return Number.NEGATIVE_INFINITY;
  return typeof from === 'string' ? startOfLocalDay(from, timeZone) : from;
}

function wasAddedSince({ addition, seq }: PriceRow, { startsAt, testClockId, billedTo }: BookReader): boolean {
  if (addition === null) return false;
  if (billedTo !== undefined && seq > billedTo) return true;
  const at = testClockId === null ? addition.at : addition.on[testClockId];
  return at !== undefined && startsAt < at;
}

/** Which of `group_by` a row names, in its order. */
function maskOf({ when }: PriceRow, groupBy: readonly string[]): number[] {
  return groupBy.flatMap((name, i) => (Object.hasOwn(when, name) ? [i] : []));
}

function compareMasks(a: readonly number[], b: readonly number[]): number {
  if (a.length !== b.length) return b.length - a.length;
  const i = a.findIndex((place, at) => place !== b[at]);
  return i < 0 ? 0 : (a[i] ?? 0) - (b[i] ?? 0);
}

/** Instants, of which both may be from ever. */
function compareFrom(a: Instant, b: Instant): number {
  return a === b ? 0 : a - b;
}

/** The row of a book that came last: what is priced by it knows all up to that. */
export function rowsKnown({ rows }: PriceBook): bigint {
  let last = 0n;
  for (const { seq } of rows) if (seq > last) last = seq;
  return last;
}

/** The book as it was when its last row was `known`. */
export function bookUpTo(book: PriceBook, known: bigint): PriceBook {
  return { ...book, rows: book.rows.filter(({ seq }) => seq <= known) };
}

/** A combination as a key: equal for equal texts. */
export function combinationKey(groupBy: readonly string[], texts: PropertyTexts): string {
  return JSON.stringify(groupBy.map((name) => texts[name] ?? null));
}
