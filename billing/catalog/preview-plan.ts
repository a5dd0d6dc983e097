import { type Decimal, ZERO } from '../../core/decimal.ts';
import type { Instant, LocalDate } from '../../core/instants.ts';
import { type ComputedInvoice, computeInvoice } from '../invoices/compute-invoice.ts';
import type { ChargedLines } from '../invoices/draft-parts.ts';
import { limitedCharges } from '../invoices/true-ups.ts';
import type { CountedCombination } from '../metering/aggregate.ts';
import { type BookQuestion, bookQuestionOf, usageOfOne } from '../metering/book-usage.ts';
import { anchorOf, startOfWholePeriod } from '../periods/calendars.ts';
import { type Period, periodAfter, periodOf } from '../periods/periods.ts';
import { inSegments } from '../periods/segments.ts';
import { endsBilling } from '../periods/usage-months.ts';
import { usageWindows } from '../periods/usage-windows.ts';
import { priceEvents } from '../pricing/percentage.ts';
import { type PropertyTexts, rowsAt, type Unmatched } from '../pricing/price-book.ts';
import { type Component, perEventPrice } from '../pricing/rating.ts';
import { componentIn } from '../state/billing-rules.ts';
import type { Plan } from '../subscriptions/subscription.ts';

/** The invoice of a whole period in the middle of a plan's life, without tax and credits, and the charges it is made of. */
export type PlanPreview = { invoice: ComputedInvoice; charges: ChargedLines; unpriced: UnpricedUsage[] };

/** What is used in a period: by a price book of events of that combination, else in all. */
export type PreviewedUse = { texts: PropertyTexts; value: Decimal };

/** What no row of a price book prices, and what becomes of it. */
export type UnpricedUsage = {
  metricId: string;
  group: PropertyTexts;
  quantity: Decimal;
  unmatched: Exclude<Unmatched, 'price'>;
};

/** What is used of a metric in the period, and its name. Rows of price books are those that hold `at` then. */
type PreviewedUsage = {
  at: Instant;
  usesOf(metricId: string): readonly PreviewedUse[];
  nameOf(metricId: string): string;
};

/**
 * What a plan would bill for a period with this usage, by the code that bills (spec/plans#preview): the fee, the units paid ahead for
 * the next period, and the usage beyond those paid ahead for this one; of usage months the last one. Where each event has a price,
 * the quantity is one event.
 */
export function previewPlan(plan: Plan, { at, usesOf, nameOf }: PreviewedUsage, startDate: LocalDate): PlanPreview {
  const anchor = { billingPeriod: plan.billingPeriod, anchorDate: anchorOf(plan, startDate) };
  const terms = { ...plan, ...anchor, startDate: startOfWholePeriod(anchor, startDate), timeZone: 'UTC' };
  const [subscriptionId, planOf] = ['', () => plan];
  let last = periodOf(terms, 0);
  while (!endsBilling(last)) last = periodAfter(terms, last);
  const segmented = (period: Period) => inSegments({ ...plan, subscriptionId }, period, planOf);
  const [ended, next] = [segmented(last), segmented(periodAfter(terms, last))];
  const windows = usageWindows(null, plan, ended).map((window) => {
    const uses = usesOf(window.metricId);
    const value = uses[0]?.value ?? ZERO;
    const component = componentIn(plan, window.metricId);
    const question = bookQuestionOf(component, window, { timeZone: 'UTC', testClockId: null });
    const book = question && { ...question, rows: rowsAt(question.rows, at) };
    const combinations = book ? combinationsOf(book, uses, window.startsAt) : [];
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
  return { invoice, charges, unpriced: windows.flatMap(unpricedIn) };
}

function combinationsOf(book: BookQuestion, uses: readonly PreviewedUse[], at: Instant): CountedCombination[] {
  return uses.filter(({ value }) => value.gt(0)).map(({ texts, value }) => usageOfOne(book, texts, { value, at }));
}

function unpricedIn({ metricId, component, combinations }: PreviewedWindow): UnpricedUsage[] {
  const unmatched = component.book?.unmatched ?? 'price';
  if (unmatched === 'price') return [];
  const without = combinations.filter(({ row }) => row === null);
  return without.map(({ texts: group, usage }) => ({ metricId, group, quantity: usage.value, unmatched }));
}

type PreviewedWindow = { metricId: string; component: Component; combinations: readonly CountedCombination[] };
