import type { Decimal } from '../../core/decimal.ts';
import type { Account } from '../accounts/account.ts';
import type { InvoiceStatus } from '../subscriptions/states.ts';

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
};

/** Why nothing bills an event. */
export const NOT_BILLED_REASONS = [
  'no_metric',
  'filtered',
  'no_subscription',
  'not_in_plan',
  'paused',
  'late_ignored',
  'voided',
] as const;
export type NotBilledReason = (typeof NOT_BILLED_REASONS)[number];

/** What is known of an event that has landed. */
export type EventFate = {
  /** By metric of the account: the field that refuses the event; null where it counts. */
  because: readonly (string | null)[];
  billedIn: readonly BilledIn[];
  /**
   * Subscriptions that ran when the event happened: whether their plan bills a metric that counts it, whether they were paused, and
   * whether that period is still to come.
   */
  ran: readonly { isBilled: boolean; isPaused: boolean; isAhead: boolean }[];
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
  if (billing.every(({ isPaused }) => isPaused)) return 'paused';
  return lateUsage === 'ignore' && !billing.some(({ isAhead }) => isAhead) ? 'late_ignored' : null;
}
