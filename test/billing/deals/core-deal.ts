import { type ApplicableDiscount, discountsAfter } from '../../../billing/discounts/discounts.ts';
import type { CountedWindow } from '../../../billing/invoices/boundary-charges.ts';
import { computeInvoice, type InvoicePart } from '../../../billing/invoices/compute-invoice.ts';
import type { NewInvoiceLine } from '../../../billing/invoices/invoice.ts';
import { endsFreeTrial, headOfEnd, openingPart } from '../../../billing/invoices/opening-invoice.ts';
import { limitedCharges } from '../../../billing/invoices/true-ups.ts';
import { anchorOf } from '../../../billing/periods/calendars.ts';
import { type Pause, unpaused } from '../../../billing/periods/pauses.ts';
import { type Period, periodAfter, periodOf } from '../../../billing/periods/periods.ts';
import { trialPeriod } from '../../../billing/periods/trials.ts';
import { type LimitedLines, limitedBy, limitedSoFar } from '../../../billing/pricing/limits.ts';
import { priceEvents } from '../../../billing/pricing/percentage.ts';
import type { Component } from '../../../billing/pricing/rating.ts';
import { endingAt } from '../../../billing/subscriptions/cancel.ts';
import type { Plan } from '../../../billing/subscriptions/subscription.ts';
import { decimal, sum } from '../../../core/decimal.ts';
import { addDays, type Instant, startOfLocalDay } from '../../../core/instants.ts';
import { boundaryOf, component as componentFixture, plan as planFixture, wholeOf } from '../fixtures.ts';
import type { Deal, DealComponent, DealInvoice, DealLimits } from './deal.ts';

const SUBSCRIPTION = 'sub_1';
const PERIOD_NAMES = { 30: 'monthly', 90: 'quarterly', 365: 'annual' } as const;
const NOON_MS = 43_200_000;
const EVENING_MS = 64_800_000;

/** The invoices of a deal by the rules of billing/: what a closing loads and computes, without a database. */
export function coreDeal(deal: Deal): DealInvoice[] {
  const plan = planOf(deal);
  const invoices: DealInvoice[] = [];
  const issued: NewInvoiceLine[] = [];
  let discounts = discountsOf(deal);

  function issue(part: InvoicePart, { startDate: today }: Period) {
    const of = { currency: 'USD', taxRate: decimal(deal.taxRate), credits: [], today, discounts };
    const { lines, subtotal, taxAmount, discountsUsed: used, kind } = computeInvoice({ ...part, ...of });
    discounts = discountsAfter(discounts, { kind, used });
    issued.push(...lines);
    const texts = lines.map(({ type, metricId, amount }) => `${type} ${metricId ?? ''} ${amount.toFixed()}`).sort();
    const [from, to] = [part.periodStart ?? 0, part.periodEnd ?? 0];
    invoices.push({ kind, from, to, lines: texts, subtotal: subtotal.toFixed(), tax: taxAmount.toFixed() });
  }

  const { zone: timeZone } = deal;
  const terms = { ...plan, timeZone };
  let period = firstPeriod(deal, plan);
  const opening = openingPart(
    { subscriptionId: SUBSCRIPTION, plan, first: wholeOf(plan, period), nameOf: (id) => id },
    { currency: 'USD' },
  );
  if (opening) issue(opening, period);
  const canceledAt = deal.cancelDay === null ? null : instantOf(deal, deal.cancelDay, NOON_MS);
  const pauses = pausesOf(deal);
  for (let left = deal.usagePeriods + (period.trial ? 1 : 0); left > 0; left--) {
    const isCanceled = canceledAt !== null && canceledAt < period.endsAt;
    const ending = isCanceled ? endingAt(canceledAt, CANCEL, period) : null;
    const next = isCanceled ? null : periodAfter(terms, period);
    const boundary = boundaryOf(plan, { ended: period, next, ending, pauses });
    const input = {
      ...boundary,
      windows: isFree(deal, period) ? [] : boundary.windows.map((window) => counted(window, pauses, deal)),
      limitedSoFar: limitedSoFar(limitedLines(issued), [SUBSCRIPTION], period),
    };
    const { kind, period: of } = headOfEnd(input, isCanceled ? 'closing' : 'period');
    const [periodStart, periodEnd] = [of?.startsAt ?? null, of?.endsAt ?? null];
    const charges = limitedCharges(input);
    const isDue = !endsFreeTrial(input) || charges.fees.length > 0;
    if (isDue) issue({ ...charges, kind, periodStart, periodEnd, pending: [] }, period);
    if (next === null) break;
    period = next;
  }
  return invoices;
}

function firstPeriod({ startDate, trialDays, zone: timeZone }: Deal, plan: Plan): Period {
  if (trialDays === 0) return periodOf({ ...plan, startDate, timeZone, anchorDate: anchorOf(plan, startDate) }, 0);
  return trialPeriod(plan, { startDate: addDays(startDate, -trialDays), endDate: startDate, timeZone });
}

/** Whether a period is a trial whose usage nobody asks about. */
function isFree({ billsTrial }: Deal, { trial }: Period): boolean {
  return trial !== undefined && !billsTrial;
}

const CANCEL = {
  flatFeeBehavior: 'charge_prorated',
  billUsage: true,
  invoicingBehavior: 'invoice_now',
  reason: null,
} as const;

/** A time of day, as counted from the day's start. */
function instantOf({ startDate, zone }: Deal, day: number, time: number): Instant {
  return startOfLocalDay(addDays(startDate, day), zone) + time;
}

function pausesOf(deal: Deal): Pause[] {
  return deal.pauses.map(({ from, to }) => ({
    ...{ pausedAt: instantOf(deal, from, NOON_MS), pausedOn: addDays(deal.startDate, from) },
    ...{ resumedAt: instantOf(deal, to, EVENING_MS), resumedOn: addDays(deal.startDate, to) },
  }));
}

/** A window with what ClickHouse would answer. */
function counted(window: CountedWindow, pauses: readonly Pause[], { events }: Deal): CountedWindow {
  const { metricId, component } = window;
  const { start, end, excluded } = unpaused(window, pauses);
  const values = events
    .filter((one) => one.metricId === metricId && one.time >= start && one.time < end)
    .filter(({ time }) => !excluded.some(({ startsAt, endsAt }) => time >= startsAt && time < endsAt))
    .map(({ value }) => decimal(value));
  const value = { value: sum(values), eventsCount: decimal(values.length) };
  const isByEvent = component.pricingModel === 'percentage';
  return { ...window, ...value, ...(isByEvent && { byEvent: priceEvents(component, values) }) };
}

/** What sql/postgres/invoices/limited-amounts.ts finds among the lines of earlier invoices. */
function limitedLines(lines: readonly NewInvoiceLine[]): LimitedLines[] {
  return lines.flatMap(({ type, metricId, periodStart, amount }) => {
    const isTrueUp = type === 'true_up' && metricId === null;
    const counts = isTrueUp || type === 'usage' || type === 'prepaid_units' || type === 'true_up';
    return counts && periodStart !== null ? [{ subscriptionId: SUBSCRIPTION, periodStart, isTrueUp, amount }] : [];
  });
}

function planOf(deal: Deal): Plan {
  return planFixture({
    recurringFee: decimal(deal.fee),
    ...{ billingPeriod: PERIOD_NAMES[deal.days], billingCalendar: deal.calendar, anchorDay: deal.anchorDay },
    usagePeriod: deal.billsMonths ? 'monthly' : 'billing_period',
    chargeTiming: deal.timing,
    components: deal.components.map(componentOf),
    ...limitsOf(deal.limits),
  });
}

function componentOf({ metricId, price, limits }: DealComponent): Component {
  return { ...componentFixture({ metricId, ...priceOf(price) }), ...limitsOf(limits) };
}

function priceOf(price: DealComponent['price']) {
  if (price.model === 'per_unit') return { overagePrice: decimal(price.price), freeTier: decimal(price.freeTier) };
  const bounds = { perEventMinimum: decimalOrNull(price.least), perEventMaximum: decimalOrNull(price.most) };
  return {
    pricingModel: price.model,
    percentage: decimal(price.percentage),
    fixedAmount: decimal(price.fixed),
    ...bounds,
  };
}

function limitsOf({ minimum, maximum }: DealLimits) {
  return limitedBy(decimalOrNull(minimum), decimalOrNull(maximum));
}

function decimalOrNull(text: string | null) {
  return text === null ? null : decimal(text);
}

function discountsOf({ discounts, discountedTypes }: Deal): ApplicableDiscount[] {
  return discounts.map(
    ({ off, periods: periodsRemaining }, i): ApplicableDiscount => ({
      ...{ discountId: `disc_${i}`, subscriptionId: SUBSCRIPTION, holders: [SUBSCRIPTION], name: `Coupon ${i}` },
      ...('percent' in off
        ? { percentOff: decimal(off.percent), amountOff: null, currency: null }
        : { percentOff: null, amountOff: decimal(off.amount), currency: 'USD' }),
      periodsRemaining,
      appliesTo: discountedTypes && { planIds: null, metricIds: null, lineTypes: discountedTypes },
    }),
  );
}
