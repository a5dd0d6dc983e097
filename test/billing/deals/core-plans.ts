import { type Limits, limitedBy } from '../../../billing/pricing/limits.ts';
import { fieldsOfPrice, type Price } from '../../../billing/pricing/price.ts';
import type { PriceRow } from '../../../billing/pricing/price-book.ts';
import type { Component } from '../../../billing/pricing/rating.ts';
import type { ComponentOverride, Overrides, Phase } from '../../../billing/subscriptions/agreement.ts';
import { overriddenPlan } from '../../../billing/subscriptions/overrides.ts';
import type { Plan } from '../../../billing/subscriptions/subscription.ts';
import { decimal } from '../../../core/decimal.ts';
import { addDays } from '../../../core/instants.ts';
import { plan as planFixture } from '../fixtures.ts';
import type { Deal, DealComponent, DealLimits, DealOverrides, DealPlan, DealPrice, DealRow } from './deal.ts';

const PERIOD_NAMES = { 30: 'monthly', 90: 'quarterly', 365: 'annual' } as const;

/** The plans of a deal in all versions that somebody agrees on. */
export type AgreedPlans = { all: Plan[]; first: Plan; phases: Phase[]; ofSwitches: Plan[] };

/** What of a deal its plans are made of. */
type Sold = Pick<Deal, 'plans' | 'overrides' | 'phases' | 'switches' | 'startDate' | 'currency'>;

export function plansOf(deal: Sold): AgreedPlans {
  const offered = deal.plans.map((script, i) => planOf(script, deal, i));
  const all = [...offered];
  const agreed = (i: number, overrides: DealOverrides | null): Plan => {
    const plan = offered[i];
    if (!plan) throw new Error(`no plan ${i}`);
    if (overrides === null) return plan;
    const named = overridesOf(overrides, deal);
    const basedOn = { version: plan.version, versionId: plan.versionId };
    const version = -all.length;
    all.push({
      ...overriddenPlan(plan, named),
      version,
      versionId: `v${version}`,
      agreement: { basedOn, overrides: named },
    });
    return all.at(-1) ?? plan;
  };
  const first = agreed(0, deal.overrides);
  let index = 0;
  const phases = deal.phases.map(({ day, plan, overrides }): Phase => {
    index = plan ?? index;
    const { planId, version } = agreed(index, overrides);
    const sent = { planId, version, overrides: overrides && overridesOf(overrides, deal) };
    return { startDate: addDays(deal.startDate, day), planId, version, sent };
  });
  return { all, first, phases, ofSwitches: deal.switches.map(({ plan, overrides }) => agreed(plan, overrides)) };
}

function planOf(script: DealPlan, deal: Sold, i: number): Plan {
  const { days, calendar, anchorDay, billsMonths, billsTrial, timing, fee, limits, components } = script;
  return planFixture({
    ...{
      currency: deal.currency,
      planId: `plan_${i}`,
      name: `Plan ${i}`,
      recurringFee: decimal(fee),
      chargeTiming: timing,
    },
    ...{ billingPeriod: PERIOD_NAMES[days], billingCalendar: calendar, anchorDay },
    usagePeriod: billsMonths ? 'monthly' : 'billing_period',
    components: components.map((one) => componentOf(one, deal)),
    trial: { days: null, billsUsage: billsTrial },
    ...limitsOf(limits),
  });
}

function componentOf({ metricId, price, freeTier, prepaidUnits, limits, book }: DealComponent, deal: Sold): Component {
  const rows = book?.rows.map((row) => rowOf(row, deal));
  return {
    ...{ componentId: metricId, metricId, freeTier: decimal(freeTier), rounding: 'no_rounding' },
    prepaidUnits: decimal(prepaidUnits),
    ...(price ? priceOf(price) : { pricingModel: null }),
    ...limitsOf(limits),
    ...(book && rows && { book: { ...book, rows } }),
  };
}

export function rowOf(
  { id: priceId, isOverride, when, from, price, freeTier }: DealRow,
  { startDate }: Pick<Deal, 'startDate'>,
): PriceRow {
  const terms = { when, from: from === null ? null : addDays(startDate, from), price: priceOf(price) };
  return { priceId, isOverride, ...terms, freeTier: decimal(freeTier), addition: null, seq: 0n };
}

function priceOf(price: DealPrice): Price {
  if (price.model === 'per_unit') return { pricingModel: price.model, overagePrice: decimal(price.price) };
  const { percentage, fixed, least, most } = price;
  const bounds = { perEventMinimum: decimalOrNull(least), perEventMaximum: decimalOrNull(most) };
  return { pricingModel: price.model, percentage: decimal(percentage), fixedAmount: decimal(fixed), ...bounds };
}

function limitsOf({ minimum, maximum }: DealLimits) {
  return limitedBy(decimalOrNull(minimum), decimalOrNull(maximum));
}

function overridesOf({ fee, limits, components }: DealOverrides, deal: Sold): Overrides {
  const own = components.map(({ metricId, price, limits: limited, rows }): ComponentOverride => {
    const prices = rows && { prices: rows.map((row) => rowOf(row, deal)) };
    return { metricId, ...prices, ...(price && fieldsOfPrice(priceOf(price))), ...(limited && amountsOf(limited)) };
  });
  return {
    ...(fee !== undefined && { recurringFee: decimal(fee) }),
    ...(limits && amountsOf(limits)),
    components: own,
  };
}

function amountsOf({ minimum, maximum }: DealLimits): Limits {
  return { minimumAmount: decimalOrNull(minimum), maximumAmount: decimalOrNull(maximum) };
}

function decimalOrNull(text: string | null) {
  return text === null ? null : decimal(text);
}
