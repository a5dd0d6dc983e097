import type { Instant } from '../../core/instants.ts';
import type { PeriodKey } from '../periods/periods.ts';
import type { Plan } from '../subscriptions/subscription.ts';

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
