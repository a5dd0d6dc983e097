import { type Decimal, roundHalfAwayFromZero, ZERO } from '../../core/decimal.ts';
import { conflict } from '../../core/domain-error.ts';
import type { NewInvoiceLine } from '../invoices/invoice.ts';
import { emptyLine } from '../invoices/invoice-lines.ts';
import { groupDigits } from '../invoices/line-descriptions.ts';
import { type Period, type PeriodTerms, periodAfter } from '../periods/periods.ts';
import { type Component, prepaidPrice, rate } from '../pricing/rating.ts';
import type { Plan, Subscription } from './subscription.ts';

/** Units a subscription prepays for a metric by its own choice, from a period on until a later choice. */
export type PrepaidChoice = { metricId: string; units: Decimal; fromPeriod: number };

/** The units prepaid for a period: by the latest choice that holds in it, else the component's own (spec/prepaid-units#billing). */
export function prepaidUnitsIn(component: Component, choices: readonly PrepaidChoice[], periodIndex: number): Decimal {
  const holding = choices.filter(
    ({ metricId, fromPeriod }) => metricId === component.metricId && fromPeriod <= periodIndex,
  );
  const latest = holding.toSorted((a, b) => a.fromPeriod - b.fromPeriod).at(-1);
  return latest?.units ?? component.prepaidUnits;
}

/** Units can be paid ahead where a quantity has a price: a percentage prices events, a price book combinations (spec/prepaid-units#billing). */
export function takesPrepaidUnits({ pricingModel, book }: Component): boolean {
  return pricingModel !== 'percentage' && !book;
}

export const NO_PREPAID_UNITS = 'Is billed by prices that no units can be prepaid at.';

/** Units from `before` to `after` in a period that has begun, of a component with the metric's name. */
export type PrepaidChange = {
  subscriptionId: string;
  plan: Plan;
  component: Component;
  metricName: string;
  period: Period;
  before: Decimal;
  after: Decimal;
};

/**
 * The period that a change of prepaid units at `at` concerns: the open one, or, once that is over and only waits to be
 * closed, the one after it, which has not been charged yet.
 * @throws DomainError `conflict` unless the subscription is active and has such a period (spec/prepaid-units#changes).
 */
export function periodOfPrepaidChange(
  {
    status,
    currentPeriod,
    autoRenew,
    plannedCancel,
  }: Pick<Subscription, 'status' | 'currentPeriod' | 'autoRenew' | 'plannedCancel'>,
  terms: Omit<PeriodTerms, 'anchorDate'>,
  at: number,
): Period {
  if (status !== 'active') throw conflict(`The subscription is ${status}: its prepaid units cannot be changed.`);
  let period = currentPeriod;
  while (at >= period.endsAt) period = periodAfter(terms, period);
  const isOver = !autoRenew && period.billing.index !== currentPeriod.billing.index;
  const isLast = isOver || (plannedCancel !== null && plannedCancel.at <= period.startsAt);
  if (isLast && period !== currentPeriod) throw conflict('The subscription is active, but its last period is over.');
  return period;
}

/** @throws DomainError `conflict` where fewer units are wanted than are used in the period (spec/prepaid-units#changes). */
export function assertNotBelowUsed({ before, after }: { before: Decimal; after: Decimal }, used: Decimal): void {
  if (after.gte(before) || used.lte(after)) return;
  throw conflict(`The subscription is active and has used ${groupDigits(used)} units in this period.`);
}

/**
 * What a change costs, below 0 what it gives back: the difference of the two prices, each rounded to the currency, so that
 * what a period charges for its units always adds up to their price. By volume, more units may cost less. In a trial they cost nothing.
 */
export function priceOfPrepaidChange({ component, period, before, after }: PrepaidChange, places: number): Decimal {
  if (period.trial) return ZERO;
  const price = (units: Decimal) => roundHalfAwayFromZero(prepaidPrice(component, units), places);
  return price(after).minus(price(before));
}

/** The line of a change that costs something, for the period that the units are for. */
export function prepaidChangeLine(change: PrepaidChange, places: number): NewInvoiceLine {
  const { subscriptionId, plan, component, metricName, period, before, after } = change;
  const [was, is] = [rate(component, before), rate(component, after)];
  const text = `prepaid units from ${groupDigits(before)} to ${groupDigits(after)}`;
  return {
    ...emptyLine('proration', `${metricName}: ${text}`),
    subscriptionId,
    planId: plan.planId,
    version: plan.version,
    metricId: component.metricId,
    periodStart: period.startsAt,
    periodEnd: period.endsAt,
    quantity: after.minus(before),
    billableQuantity: is.billableQuantity.minus(was.billableQuantity),
    unitPrice: is.unitPrice,
    amount: priceOfPrepaidChange(change, places),
  };
}
