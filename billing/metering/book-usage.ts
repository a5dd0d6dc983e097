import { type Decimal, decimal } from '../../core/decimal.ts';
import type { Instant } from '../../core/instants.ts';
import { type MetricRule, propertyOf, propertyText, type UsageEvent } from '../catalog/metrics.ts';
import type { UsageWindow } from '../periods/usage-windows.ts';
import { priceEvents } from '../pricing/percentage.ts';
import type { Price } from '../pricing/price.ts';
import {
  type BookReader,
  bookUpTo,
  combinationText,
  matchingRowsOf,
  type OrderedRow,
  type PriceBook,
  type PropertyTexts,
  pricedStretches,
  rowFor,
  rowsInOrder,
} from '../pricing/price-book.ts';
import type { Component } from '../pricing/rating.ts';
import { aggregate, type CountedCombination, type UsageScope } from './aggregate.ts';
import type { Interval } from './buckets.ts';

/**
 * A price book as usage is counted by it: rows by precedence, and the price of each event that no row prices, where it has one. `holds`: such
 * events wait for a row.
 */
export type BookQuestion = {
  groupBy: readonly string[];
  rows: readonly OrderedRow[];
  unmatched: Price;
  holds: boolean;
};

/** Usage of a combination within the time in which its row priced it. */
export type CombinationUsage = Interval & CountedCombination;

/** The question of a component with a price book, of `price` for what no row prices. */
export function bookQuestion(book: PriceBook, price: Price, reader: BookReader): BookQuestion {
  const { groupBy, unmatched } = book;
  return { groupBy, rows: rowsInOrder(book, reader), unmatched: price, holds: unmatched === 'hold' };
}

/** Whose usage it is, for what depends on time: a date is the customer's, an addition is told by its clock. */
export type BookedCustomer = { timeZone: string; testClockId: string | null };

/**
 * How usage of a window is asked of a component with a price book; null for any other component. `billedTo`: the last row that was known when
 * it was billed. Rows that came since price what it holds, and nothing where it holds nothing.
 */
export function bookQuestionOf(
  component: Component,
  { startsAt }: Pick<UsageWindow, 'startsAt'>,
  customer: BookedCustomer,
  billedTo?: bigint,
): BookQuestion | null {
  const { book } = component;
  if (!book) return null;
  if (billedTo === undefined) return bookQuestion(book, component, { startsAt, ...customer });
  const known = book.unmatched === 'hold' ? book : bookUpTo(book, billedTo);
  return bookQuestion(known, component, { startsAt, ...customer, billedTo });
}

/** What was counted over `interval`, in the order of an invoice's lines (spec/price-books#lines). */
export function inLineOrderOfBook(
  { groupBy, rows }: BookQuestion,
  counted: readonly CountedCombination[],
  interval: Interval,
): CombinationUsage[] {
  const matching = matchingRowsOf(rows);
  const timed = counted.map((one): CombinationUsage => {
    const stretch = pricedStretches(matching(one.texts), interval).find(({ row }) => row === one.row);
    if (!stretch) throw new Error(`no time of the period is priced by row ${one.row?.priceId ?? 'none'}`);
    return { ...one, startsAt: stretch.startsAt, endsAt: stretch.endsAt };
  });
  const textOf = new Map(timed.map((one) => [one, combinationText(groupBy, one.texts)]));
  const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  return timed.toSorted((a, b) => compare(textOf.get(a) ?? '', textOf.get(b) ?? '') || a.startsAt - b.startsAt);
}

/** The usage of one event with these texts, of this value. */
export function usageOfOne(
  { rows, unmatched }: BookQuestion,
  texts: PropertyTexts,
  { value, at }: { value: Decimal; at: Instant },
): CountedCombination {
  const row = rowFor(rows, { texts, timeCreated: at }) ?? null;
  const price = row?.price ?? unmatched;
  const byEvent = price.pricingModel === 'percentage' && priceEvents(price, [value]);
  const usage = { value, eventsCount: decimal(1), ...(byEvent && { byEvent }) };
  return { texts, row, usage, firstEventAt: at };
}

/** The rule of price books over an array of events: the model against which the question to ClickHouse is tested. */
export function countByBook(
  metric: MetricRule,
  events: readonly UsageEvent[],
  scope: UsageScope,
  { groupBy, rows, unmatched }: BookQuestion,
): CountedCombination[] {
  const counting = events.filter((event) => !aggregate(metric, [event], scope).eventsCount.isZero());
  const groups = Map.groupBy(counting, (event) => {
    const texts = textsOf(event, groupBy);
    const row = rowFor(rows, { texts, timeCreated: event.timeCreated });
    return JSON.stringify([groupBy.map((name) => texts[name]), row?.priceId ?? null]);
  });
  return [...groups.values()].map((some) => {
    const [first] = some;
    if (!first) throw new Error('a group without events');
    const texts = textsOf(first, groupBy);
    const row = rowFor(rows, { texts, timeCreated: first.timeCreated }) ?? null;
    const price = row?.price ?? unmatched;
    const values = some.map((event) => aggregate(metric, [event], scope).value);
    const byEvent = price.pricingModel === 'percentage' && priceEvents(price, values);
    const usage = { ...aggregate(metric, some, scope), ...(byEvent && { byEvent }) };
    return { texts, row, usage, firstEventAt: Math.min(...some.map(({ timeCreated }) => timeCreated)) };
  });
}

/** The combination of an event. */
export function textsOf(event: UsageEvent, groupBy: readonly string[]): PropertyTexts {
  return Object.fromEntries(
    groupBy.map((name) => {
      const property = propertyOf(event, name);
      return [name, property === undefined ? null : propertyText(property)];
    }),
  );
}
