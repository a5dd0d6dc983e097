import type { Instant } from '../../core/instants.ts';
import type { Period, PeriodKey } from '../periods/periods.ts';
import type { Plan } from '../subscriptions/subscription.ts';
import type { NewInvoiceLine } from './invoice.ts';

/** The pending invoice of a period, which is to charge the fee of the one after it in advance. */
export type PendingOpening = PeriodKey & { dueAt: Instant };

/**
 * Whether the fee of a period that ends was on an invoice when it began: in advance, unless that invoice (`pendingOpening`) is
 * still pending. Then the period is billed at its end, as in arrears (spec/invoices#grace).
 */
export function isChargedAhead({
  plan,
  pendingOpening = null,
}: {
  plan: Pick<Plan, 'chargeTiming'>;
  pendingOpening?: PeriodKey | null | undefined;
}): boolean {
  return plan.chargeTiming === 'in_advance' && pendingOpening === null;
}

/** Whether a line has charged the fee of a period in advance, of those that have had it, one after another: that, or what switches within it have added. */
export function isFeeOf(
  { type, metricId, subscriptionId, periodStart, periodEnd }: NewInvoiceLine,
  { holders, period }: { holders: readonly string[]; period: Pick<Period, 'startsAt' | 'endsAt'> },
): boolean {
  if (subscriptionId === null || !holders.includes(subscriptionId)) return false;
  if (type === 'recurring_fee') return periodStart === period.startsAt;
  return type === 'proration' && metricId === null && periodEnd === period.endsAt;
}
