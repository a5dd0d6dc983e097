import type {
  Deal,
  DealComponent,
  DealDiscount,
  DealLimits,
  DealOverrides,
  DealPlan,
  DealPrice,
  DealRow,
} from '../../billing/deals/deal.ts';
import { dayOfText, startOfDay, textOfDay } from '../../billing/simulator/model-calendar.ts';

/** What is sold in a deal, as bodies of requests. `idOf`: of a metric. */
export type IdOf = (metricId: string) => string | undefined;

const PERIODS = { 30: 'monthly', 90: 'quarterly', 365: 'annual' };
/** No deal is in it. */
const OTHER_CURRENCY = 'eur';
/** What everything costs in that. */
const OTHER_PRICE = { pricing_model: 'per_unit', overage_price: 7 };

export function dateOf({ startDate }: Pick<Deal, 'startDate'>, day: number): string {
  return textOfDay(dayOfText(startDate) + day);
}

/** So long after the start of a day of the deal. */
export function instantOf({ startDate, zone }: Deal, day: number, time = 0): number {
  return startOfDay(dayOfText(startDate) + day, zone) + time;
}

/** What of a deal a plan's body is made of. */
type Sold = Pick<Deal, 'currency' | 'startDate'>;

export function planBody(deal: Sold, plan: DealPlan, idOf: IdOf) {
  const components = plan.components.map((one) => ({ ...termsOf(one, idOf), ...pricesOf(deal, one) }));
  return { ...planTerms(plan), ...amountsOf(plan), currency: deal.currency, components };
}

/** A plan in another currency, in which the deal's has an option. */
export function planWithOption(deal: Deal, plan: DealPlan, idOf: IdOf) {
  const components = plan.components.map((one) => ({ metric_id: idOf(one.metricId), ...pricesOf(deal, one) }));
  const elsewhere = plan.components.map((one) => ({
    ...termsOf(one, idOf),
    ...(one.price && OTHER_PRICE),
    ...(one.book && { prices: [{ when: {}, ...OTHER_PRICE }] }),
  }));
  return {
    ...{ ...planTerms(plan), currency: OTHER_CURRENCY, recurring_fee: 7, components: elsewhere },
    currency_options: { [deal.currency.toLowerCase()]: { ...amountsOf(plan), components } },
  };
}

export function overridesBody(deal: Deal, overrides: DealOverrides | null, idOf: IdOf) {
  if (overrides === null) return {};
  const { fee, limits, components } = overrides;
  return {
    overrides: {
      ...(fee !== undefined && { recurring_fee: Number(fee) }),
      ...(limits && limitsBody(limits)),
      components: components.map(({ metricId, price, limits: own, rows }) => ({
        ...{ metric_id: idOf(metricId), ...(price && priceBody(price)), ...(own && limitsBody(own)) },
        ...(rows && { prices: rows.map((row) => rowBody(deal, row)) }),
      })),
    },
  };
}

export function couponBody(
  { discountedTypes, currency }: Pick<Deal, 'discountedTypes' | 'currency'>,
  { off, periods }: DealDiscount,
) {
  const duration = { duration: 'repeating', duration_in_periods: periods };
  return {
    name: 'Coupon',
    ...('percent' in off ? { percent_off: Number(off.percent) } : { amount_off: Number(off.amount), currency }),
    ...(periods === null ? { duration: 'forever' } : periods === 1 ? { duration: 'once' } : duration),
    ...(discountedTypes && { applies_to: { line_types: discountedTypes } }),
  };
}

export function rowBody(deal: Sold, { when, from, price, freeTier }: DealRow) {
  return {
    when,
    ...(from !== null && { from: dateOf(deal, from) }),
    ...priceBody(price),
    ...freeTierOf(price, freeTier),
  };
}

function planTerms({ days, calendar, anchorDay, billsMonths, billsTrial, timing }: DealPlan) {
  return {
    ...{ name: 'Deal', billing_period: PERIODS[days], billing_calendar: calendar, charge_timing: timing },
    ...{ usage_period: billsMonths ? 'monthly' : 'billing_period', bill_usage_in_trial: billsTrial },
    ...(anchorDay !== null && { anchor_day: anchorDay }),
  };
}

function amountsOf({ fee, limits }: DealPlan) {
  return { recurring_fee: Number(fee), ...limitsBody(limits) };
}

/** What is no price, and the same in each currency. */
function termsOf({ metricId, price, freeTier, prepaidUnits, book }: DealComponent, idOf: IdOf) {
  const counted = { ...freeTierOf(price, freeTier), prepaid_units: Number(prepaidUnits) };
  return {
    ...{ metric_id: idOf(metricId), rounding: 'no_rounding' },
    ...(book ? { group_by: book.groupBy, unmatched: book.unmatched } : counted),
  };
}

function pricesOf(deal: Sold, { price, limits, book }: DealComponent) {
  const rows = book && { prices: book.rows.map((row) => rowBody(deal, row)) };
  return { ...(price && priceBody(price)), ...limitsBody(limits), ...rows };
}

/** Percentages have none. */
function freeTierOf(price: DealPrice | null, freeTier: string) {
  return price?.model === 'percentage' ? {} : { free_tier: Number(freeTier) };
}

function priceBody(price: DealPrice) {
  if (price.model === 'per_unit') return { pricing_model: price.model, overage_price: Number(price.price) };
  return {
    ...{ pricing_model: price.model, percentage: Number(price.percentage), fixed_amount: Number(price.fixed) },
    ...{ per_event_minimum: numberOrNull(price.least), per_event_maximum: numberOrNull(price.most) },
  };
}

function limitsBody({ minimum, maximum }: DealLimits) {
  return { minimum_amount: numberOrNull(minimum), maximum_amount: numberOrNull(maximum) };
}

function numberOrNull(text: string | null) {
  return text === null ? null : Number(text);
}
