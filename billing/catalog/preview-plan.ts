import { ZERO } from '../../core/decimal.ts';
import type { LocalDate } from '../../core/instants.ts';
import { boundaryCharges, type MetricUsage } from '../invoices/boundary-charges.ts';
import { type ComputedInvoice, computeInvoice } from '../invoices/compute-invoice.ts';
import type { ChargedLines } from '../invoices/draft-parts.ts';
import { periodOf } from '../periods/periods.ts';
import type { Plan } from '../subscriptions/subscription.ts';

/** The invoice of a whole period in the middle of a plan's life, without tax and credits, and the charges it is made of. */
export type PlanPreview = { invoice: ComputedInvoice; charges: ChargedLines };

/**
 * What a plan would bill for a period with this usage, by the code that bills (spec/plans#preview): the fee, the units paid ahead for
 * the next period, and the usage beyond those paid ahead for this one. `metrics` has one for each component.
 */
export function previewPlan(plan: Plan, metrics: readonly MetricUsage[], startDate: LocalDate): PlanPreview {
  const terms = { startDate, billingPeriod: plan.billingPeriod, timeZone: 'UTC' };
  const [ended, next] = [periodOf(terms, 0), periodOf(terms, 1)];
  const charges = { ...boundaryCharges({ subscriptionId: '', plan, ended, next, metrics }), late: [] };
  const invoice = computeInvoice({
    ...charges,
    ...{ kind: 'period', currency: plan.currency, taxRate: ZERO, pending: [], credits: [], today: startDate },
    ...{ periodStart: ended.startsAt, periodEnd: ended.endsAt },
  });
  return { invoice, charges };
}
