import { type Decimal, ZERO } from '../../core/decimal.ts';
import type { LocalDate } from '../../core/instants.ts';
import { type ComputedInvoice, computeInvoice } from '../invoices/compute-invoice.ts';
import type { ChargedLines } from '../invoices/draft-parts.ts';
import { limitedCharges } from '../invoices/true-ups.ts';
import { bookQuestionOf, usageOfOne } from '../metering/book-usage.ts';
import { anchorOf, startOfWholePeriod } from '../periods/calendars.ts';
import { type Period, periodAfter, periodOf } from '../periods/periods.ts';
import { inSegments } from '../periods/segments.ts';
import { endsBilling } from '../periods/usage-months.ts';
import { usageWindows } from '../periods/usage-windows.ts';
import { priceEvents } from '../pricing/percentage.ts';
import { perEventPrice } from '../pricing/rating.ts';
import { componentOf } from '../snapshot/billing-rules.ts';
import type { Plan } from '../subscriptions/subscription.ts';

/** The invoice of a whole period in the middle of a plan's life, without tax and credits, and the charges it is made of. */
export type PlanPreview = { invoice: ComputedInvoice; charges: ChargedLines };

/** What is used of a metric in the period, and its name. */
type PreviewedUsage = { quantityOf(metricId: string): Decimal; nameOf(metricId: string): string };

/**
 * What a plan would bill for a period with this usage, by the code that bills (spec/plans#preview): the fee, the units paid ahead for
 * the next period, and the usage beyond those paid ahead for this one; of usage months the last one. Where each event has a price,
 * the quantity is one event; by a price book it is of an event that has none of its properties.
 */
export function previewPlan(plan: Plan, { quantityOf, nameOf }: PreviewedUsage, startDate: LocalDate): PlanPreview {
  const anchor = { billingPeriod: plan.billingPeriod, anchorDate: anchorOf(plan, startDate) };
  const terms = { ...plan, ...anchor, startDate: startOfWholePeriod(anchor, startDate), timeZone: 'UTC' };
  const [subscriptionId, planOf] = ['', () => plan];
  let last = periodOf(terms, 0);
  while (!endsBilling(last)) last = periodAfter(terms, last);
  const segmented = (period: Period) => inSegments({ ...plan, subscriptionId }, period, planOf);
  const [ended, next] = [segmented(last), segmented(periodAfter(terms, last))];
  const windows = usageWindows(null, plan, ended).map((window) => {
    const value = quantityOf(window.metricId);
    const component = componentOf(window, { planOf });
    const book = bookQuestionOf(component, window, { timeZone: 'UTC', testClockId: null });
    const combinations = book && value.gt(0) ? [usageOfOne(book, {}, { value, at: window.startsAt })] : [];
    const perEvent = component.book ? null : perEventPrice(component);
    const byEvent = perEvent && priceEvents(perEvent, [value]);
    return { ...window, component, value, eventsCount: ZERO, ...(byEvent && { byEvent }), book, combinations };
  });
  const charges = { ...limitedCharges({ subscriptionId, plan, ended, next, windows, nameOf }), late: [] };
  const invoice = computeInvoice({
    ...charges,
    ...{ kind: 'period', currency: plan.currency, taxRate: ZERO, pending: [], credits: [], today: startDate },
    ...{ periodStart: ended.startsAt, periodEnd: ended.endsAt },
  });
  return { invoice, charges };
}
