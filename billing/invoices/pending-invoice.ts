import type { Decimal } from '../../core/decimal.ts';
import type { Instant } from '../../core/instants.ts';
import type { Account } from '../accounts/account.ts';
import type { Pause } from '../periods/pauses.ts';
import type { Period } from '../periods/periods.ts';
import type { AddonCharge } from '../pricing/charges.ts';
import type { Subscription } from '../subscriptions/subscription.ts';
import type { PendingOpening } from './charged-ahead.ts';

/** A period that has ended, whose invoice waits until `dueAt` for what lands late (spec/invoices#grace). */
export type PendingInvoice = {
  /** Whose period it is, as it is now: it may have ended with the period, or since. */
  owner: Subscription;
  period: Period;
  dueAt: Instant;
  /** What it charges for add-ons; null where that is read when it is made, as of a period that ended in a pause. */
  addons: readonly AddonCharge[] | null;
  /** The period after it, of the same subscription; null where that ended with it. */
  next: Period | null;
  /** The fee of `next` is billed by its own end. */
  nextFeeTaken: boolean;
  /** What switches have credited of the fee of `next`, which it charges in advance, without tax. */
  nextFeeCredited: Decimal;
  /** The subscription that a switch began at the period's end, as it was then; null for none. */
  successor: Subscription | null;
};

/** When a period is invoiced: once the grace is over; a free trial at its end, since nothing that lands late counts for it. */
export function invoicedAt(
  { endsAt }: Pick<Period, 'endsAt'>,
  { account, isFree }: { account: Pick<Account, 'invoiceGraceSeconds'>; isFree: boolean },
): Instant {
  return isFree ? endsAt : endsAt + account.invoiceGraceSeconds * 1000;
}

/** Of which kind it is; and whether it is made also at zero: where the period ended in a pause, only what is due is invoiced. */
export function pendingHead(
  { period, next, successor }: PendingInvoice,
  pauses: readonly Pause[],
): { kind: 'period' | 'closing'; making: 'scheduled' | 'where_due' } {
  const isPaused = pauses.some(({ pausedAt, resumedAt }) => {
    return pausedAt < period.endsAt && (resumedAt === null || resumedAt > period.endsAt);
  });
  return {
    kind: next === null && successor === null ? 'closing' : 'period',
    making: isPaused ? 'where_due' : 'scheduled',
  };
}

/**
 * The pending invoice that opens a subscription's current billing period: of the period right before it, which may be of a subscription
 * that it has taken the place of. `holders`: those that have had the current period, one after another.
 */
export function pendingOpeningOf(
  { currentPeriod }: Pick<Subscription, 'currentPeriod'>,
  holders: readonly string[],
  pending: readonly PendingInvoice[],
): PendingOpening | null {
  const opening = pending.find(
    ({ owner, period }) =>
      period.endsAt === currentPeriod.billing.startsAt &&
      (holders.includes(owner.subscriptionId) || holders.includes(owner.replacedBy ?? '')),
  );
  if (!opening) return null;
  const { owner, period, dueAt } = opening;
  return { subscriptionId: owner.subscriptionId, periodIndex: period.index, dueAt };
}
