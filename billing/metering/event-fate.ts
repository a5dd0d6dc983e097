import type { Decimal } from '../../core/decimal.ts';
import type { Account } from '../accounts/account.ts';
import type { UsageEvent } from '../catalog/metrics.ts';
import { combinationKey, type PropertyTexts, rowFor, rowsInOrder, type Unmatched } from '../pricing/price-book.ts';
import type { Component } from '../pricing/rating.ts';
import type { InvoiceStatus } from '../subscriptions/states.ts';
import { type BookedCustomer, textsOf } from './book-usage.ts';

/** A line that counts an event; of a draft ids are null. */
export type BilledIn = {
  invoiceId: string | null;
  invoiceNumber: string | null;
  status: InvoiceStatus | 'draft';
  lineId: string | null;
  type: 'usage' | 'late_usage';
  metricId: string;
  subscriptionId: string;
  amount: Decimal;
  /** By a price book: the event's combination, and the row that prices it. */
  group: PropertyTexts | null;
  priceId: string | null;
};

/** Why nothing bills an event. */
export const NOT_BILLED_REASONS = [
  'no_metric',
  'filtered',
  'no_subscription',
  'not_in_plan',
  'paused',
  'held',
  'ignored',
  'late_ignored',
  'voided',
] as const;
export type NotBilledReason = (typeof NOT_BILLED_REASONS)[number];

/** A combination that no row of a price book prices at the time of the event, and what becomes of it. */
export type Unpriced = {
  subscriptionId: string;
  metricId: string;
  group: PropertyTexts;
  unmatched: Exclude<Unmatched, 'price'>;
};

/** What of an event has no price by the price book of a component; null where something prices it, or there is no book. */
export function unpricedBy(
  { book, metricId }: Component,
  event: UsageEvent,
  customer: BookedCustomer,
): Omit<Unpriced, 'subscriptionId'> | null {
  if (!book || book.unmatched === 'price') return null;
  const { timeCreated } = event;
  const group = textsOf(event, book.groupBy);
  const row = rowFor(rowsInOrder(book, { startsAt: timeCreated, ...customer }), { texts: group, timeCreated });
  return row ? null : { metricId, group, unmatched: book.unmatched };
}

/** Whether a line is for the combination of an event; one of no price book is for all. */
export function isOfCombination({ group }: Pick<BilledIn, 'group'>, event: UsageEvent): boolean {
  if (group === null) return true;
  const names = Object.keys(group);
  return combinationKey(names, group) === combinationKey(names, textsOf(event, names));
}

/** What is known of an event that has landed. */
export type EventFate = {
  /** By metric of the account: the field that refuses the event; null where it counts. */
  because: readonly (string | null)[];
  billedIn: readonly BilledIn[];
  /**
   * Subscriptions that ran when the event happened: whether their plan bills a metric that counts it, whether they were paused, whether
   * that period is still to come, and what becomes of the event where price books alone bill it and none has a price for it.
   */
  ran: readonly { isBilled: boolean; isPaused: boolean; isAhead: boolean; unpriced: Unpriced['unmatched'] | null }[];
  lateUsage: Account['lateUsage'];
};

/**
 * Why nothing bills an event, the first that holds (spec/events#trace); null where something does, or will: an event of a period
 * that has not begun.
 */
export function reasonNotBilled({ because, billedIn, ran, lateUsage }: EventFate): NotBilledReason | null {
  if (billedIn.some(({ status }) => status !== 'void')) return null;
  if (billedIn.length > 0) return 'voided';
  if (!because.includes(null)) return because.some((field) => field !== 'event_name') ? 'filtered' : 'no_metric';
  if (ran.length === 0) return 'no_subscription';
  const billing = ran.filter(({ isBilled }) => isBilled);
  if (billing.length === 0) return 'not_in_plan';
  const awake = billing.filter(({ isPaused }) => !isPaused);
  if (awake.length === 0) return 'paused';
  if (awake.every(({ unpriced }) => unpriced !== null)) {
    return awake.some(({ unpriced }) => unpriced === 'hold') ? 'held' : 'ignored';
  }
  return lateUsage === 'ignore' && !billing.some(({ isAhead }) => isAhead) ? 'late_ignored' : null;
}
