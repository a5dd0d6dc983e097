import { ZERO } from '../../core/decimal.ts';
import type { UsageWindow } from '../periods/usage-windows.ts';
import type { UsageCharge } from '../pricing/charges.ts';
import type { HeldUsage } from '../pricing/held-usage.ts';
import { type PriceBook, rowsKnown } from '../pricing/price-book.ts';
import type { Component } from '../pricing/rating.ts';
import { componentOfRow } from '../pricing/row-component.ts';
import type { UsageValue } from './aggregate.ts';
import { type BookQuestion, type CombinationUsage, inLineOrderOfBook } from './book-usage.ts';

/** What a window of a component with a price book comes to: a charge for each combination and row, and what has no price. */
export type BookCharges = { usages: UsageCharge[]; held: HeldUsage[] };

/** A window of usage, counted by the price book of its component. */
type BookedWindow = Pick<UsageWindow, 'metricId' | 'startsAt' | 'endsAt'> &
  Pick<UsageValue, 'combinations'> & { component: Component; book: BookQuestion };

/** Whose window it is, and where it begins. */
type WindowOfSubscription = Pick<HeldUsage, 'subscriptionId' | 'planId' | 'version' | 'metricId'> &
  Pick<UsageWindow, 'startsAt'>;

/** One charge at 0 where no row was used (spec/price-books#lines). `all`: what each of its charges says besides. */
export function bookCharges(
  window: BookedWindow,
  book: PriceBook,
  all: Pick<UsageCharge, 'subscriptionId' | 'planId' | 'version' | 'timeZone' | 'metricName'>,
): BookCharges {
  const { component, startsAt, endsAt, metricId, combinations = [] } = window;
  const { subscriptionId, planId, version } = all;
  const counted = inLineOrderOfBook(window.book, combinations, window);
  const ofWindow = { windowStart: startsAt, windowEnd: endsAt, rowsKnown: rowsKnown(book) };
  const isPriced = book.unmatched === 'price' ? counted : counted.filter(({ row }) => row !== null);
  const usages = isPriced.map(({ texts, row, usage, ...time }): UsageCharge => {
    const { value: quantity, eventsCount, byEvent } = usage;
    return {
      ...{ ...all, periodStart: time.startsAt, periodEnd: time.endsAt, prepaidUnits: ZERO },
      ...{ component: componentOfRow(component, row), quantity, eventsCount, ...(byEvent && { byEvent }) },
      group: { texts, priceId: row?.priceId ?? null, ...ofWindow },
    };
  });
  const held = heldOf(counted, book, { subscriptionId, planId, version, metricId, startsAt });
  if (usages.length > 0) return { usages, held };
  const period = { periodStart: startsAt, periodEnd: endsAt, prepaidUnits: ZERO, quantity: ZERO, eventsCount: ZERO };
  const none = { ...component, pricingModel: null };
  return { usages: [{ ...all, ...period, component: none, group: null }], held };
}

/** What of a window's combinations waits for a price. */
export function heldOf(
  counted: readonly CombinationUsage[],
  book: PriceBook,
  { subscriptionId, planId, version, metricId, startsAt: windowStart }: WindowOfSubscription,
): HeldUsage[] {
  const of = { subscriptionId, planId, version, metricId };
  const unpriced = book.unmatched === 'hold' ? counted.filter(({ row }) => row === null) : [];
  return unpriced.map(({ texts: group, usage, firstEventAt, ...time }) => {
    const period = { periodStart: time.startsAt, periodEnd: time.endsAt };
    const { value: quantity, eventsCount } = usage;
    return { ...of, windowStart, rowsKnown: rowsKnown(book), group, quantity, eventsCount, firstEventAt, ...period };
  });
}
