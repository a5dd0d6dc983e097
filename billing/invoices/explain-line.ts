import { type Decimal, min, roundHalfAwayFromZero, ZERO } from '../../core/decimal.ts';
import { differenceToLimits } from '../pricing/limits.ts';
import type { RatedTier } from '../pricing/model-price.ts';
import { packagesOf } from '../pricing/package.ts';
import type { EventPrices, PercentagePrice } from '../pricing/percentage.ts';
import { type Component, prepaidPrice, priceBeyondPrepaid, type Rating, rate } from '../pricing/rating.ts';
import { roundQuantity } from '../pricing/rounding.ts';
import type { InvoiceLine } from './invoice.ts';
import type { DiscountBasis, TrueUpBasis } from './line-basis.ts';
import { groupDigits } from './line-descriptions.ts';

/**
 * One step of the arithmetic of a line: what was done, in words, and the exact value it gave. The value of the last step is
 * the line's amount.
 */
export type ExplainStep = { step: StepName; text: string; value: Decimal };

export type StepName =
  | 'quantity'
  | 'round_quantity'
  | 'free_tier'
  | 'billable'
  | 'price'
  | 'tier'
  | 'sum'
  | 'prepaid'
  | 'round_amount'
  | 'late'
  | 'charged'
  | 'limit'
  | 'true_up'
  | 'left'
  | 'discount'
  | 'stated';

/** What explains a line that prices a quantity: its component, the units prepaid, and for late usage both as billed before. */
export type LinePricing = {
  component: Component;
  prepaidUnits: Decimal;
  prepaidBefore: Decimal;
  quantityBefore: Decimal;
  /** What the events come to where each has a price of its own, and what they came to as billed before. */
  byEvent?: EventPrices;
  byEventBefore?: EventPrices;
};

/**
 * The arithmetic of an issued line, step by step, from its quantity to its amount (spec/rating#order, spec/invoices#arithmetic). `pricing` is given for
 * lines that a component prices; `places` are the currency's decimals. Throws where the steps do not lead to the amount: the
 * explanation and the bill would not be by the same rule.
 */
export function explainLine(line: InvoiceLine, pricing: LinePricing | null, places: number): ExplainStep[] {
  const steps = stepsOf(line, pricing, places);
  const total = steps.at(-1)?.value;
  if (!total?.eq(line.amount)) throw new Error(`the steps of line ${line.lineId} lead to ${total}, not ${line.amount}`);
  return steps;
}

/** The amount that the arithmetic of {@link explainLine} leads to, whatever the line says. */
export function recomputeAmount(line: InvoiceLine, pricing: LinePricing | null, places: number): Decimal {
  return amountOf(stepsOf(line, pricing, places));
}

function stepsOf(line: InvoiceLine, pricing: LinePricing | null, places: number): ExplainStep[] {
  const { type, quantity, unitPrice, amount, basis } = line;
  if (basis?.of === 'limits') return explainTrueUp(basis);
  if (basis?.of === 'discount') return explainDiscount(basis, places);
  if (pricing !== null && quantity !== null) {
    if (type === 'usage') return explainUsage(pricing, quantity, places);
    if (type === 'prepaid_units') return explainPrice(pricing.component, quantity, places);
    if (type === 'late_usage') return [...explainLate(pricing, quantity, places), ...explainSettled(line)];
  }
  const product = quantity !== null && unitPrice !== null ? quantity.times(unitPrice) : null;
  if (product === null || !roundHalfAwayFromZero(product, places).eq(amount)) {
    return [{ step: 'stated', text: 'As the line says.', value: amount }];
  }
  const price = { step: 'price', text: `${text(quantity)} × ${text(unitPrice)}`, value: product } as const;
  return [price, roundAmount(product, places)];
}

/** What a quantity costs: rounding, free tier, the price of what is left, less what was prepaid, rounded. */
function explainUsage(
  { component, prepaidUnits, byEvent }: LinePricing,
  quantity: Decimal,
  places: number,
): ExplainStep[] {
  const rating = rate(component, quantity, byEvent);
  const steps = explainRating(component, rating);
  if (prepaidUnits.isZero()) return [...steps, roundAmount(rating.amount, places)];
  const value = priceBeyondPrepaid(component, rating, prepaidUnits);
  const prepaid = `${text(prepaidPrice(component, prepaidUnits))}, the price of ${text(prepaidUnits)} units paid ahead`;
  return [...steps, { step: 'prepaid', text: `Minus ${prepaid}, not below 0`, value }, roundAmount(value, places)];
}

function explainPrice(component: Component, quantity: Decimal, places: number): ExplainStep[] {
  const value = prepaidPrice(component, quantity);
  return [...explainRating(component, rate(component, quantity)), roundAmount(value, places)];
}

/** The charge of the period with the late events, then the one that was billed before, then their difference. */
function explainLate(pricing: LinePricing, change: Decimal, places: number): ExplainStep[] {
  const { quantityBefore, prepaidBefore, byEvent: _now, byEventBefore, ...same } = pricing;
  const after = explainUsage(pricing, quantityBefore.plus(change), places);
  const billed = { ...same, quantityBefore, prepaidBefore, prepaidUnits: prepaidBefore };
  const before = explainUsage({ ...billed, ...(byEventBefore && { byEvent: byEventBefore }) }, quantityBefore, places);
  const [now, then] = [amountOf(after), amountOf(before)];
  return [
    ...named('With the late events', after),
    ...named('As billed before', before),
    { step: 'late', text: `${text(now)} − ${text(then)}, what was billed before`, value: now.minus(then) },
  ];
}

/** What of a difference below zero goes back with the line, by the terms of the invoice that charged it. */
function explainSettled({ basis, amount }: InvoiceLine): ExplainStep[] {
  if (basis?.of !== 'late_usage') return [];
  const why =
    'What this line takes back: by the discounts and limits of the invoice that charged it, at most what is left of that';
  return [{ step: 'stated', text: why, value: amount }];
}

/** What was charged, what the limits make of that, and their difference, less what was trued up before. */
function explainTrueUp({ charged, truedUp, ...limits }: TrueUpBasis): ExplainStep[] {
  const limited = charged.plus(differenceToLimits(charged, limits));
  const steps: ExplainStep[] = [{ step: 'charged', text: 'What the limits count', value: charged }];
  const { minimumAmount, maximumAmount } = limits;
  if (limited.gt(charged)) steps.push({ step: 'limit', text: `At least ${text(minimumAmount)}`, value: limited });
  if (limited.lt(charged)) steps.push({ step: 'limit', text: `At most ${text(maximumAmount)}`, value: limited });
  steps.push({ step: 'true_up', text: `${text(limited)} − ${text(charged)}`, value: limited.minus(charged) });
  if (truedUp.isZero()) return steps;
  const value = limited.minus(charged).minus(truedUp);
  return [...steps, { step: 'true_up', text: `Minus ${text(truedUp)}, which was trued up before`, value }];
}

function explainDiscount(
  { amount, credited = ZERO, percentOff, amountOff }: DiscountBasis,
  places: number,
): ExplainStep[] {
  const whole = amount.plus(credited);
  const left: ExplainStep = { step: 'left', text: 'What is left of the lines that it is for', value: whole };
  if (percentOff !== null) {
    const value = amount.times(percentOff).shiftedBy(-2).negated();
    const exact: ExplainStep = { step: 'discount', text: `${text(percentOff)} % of ${text(amount)}, off`, value };
    return [left, exact, roundAmount(value, places)];
  }
  const value = min(amount, amountOff ?? ZERO).negated();
  const why = `Minus ${text(credited)}, which was credited before they were on an invoice`;
  const less: ExplainStep[] = credited.isZero() ? [] : [{ step: 'left', text: why, value: amount }];
  return [left, ...less, { step: 'discount', text: `${text(amountOff)} off, at most what is left`, value }];
}

function explainRating(component: Component, rating: Rating): ExplainStep[] {
  const { rounding, freeTier } = component;
  const { quantity, billableQuantity, amount, tiers } = rating;
  const steps: ExplainStep[] = [{ step: 'quantity', text: "The metric's value", value: quantity }];
  if (component.pricingModel === 'percentage') {
    const billable = { step: 'billable', text: 'The events above 0', value: billableQuantity } as const;
    return [...steps, billable, { step: 'price', text: eachEvent(component), value: amount }];
  }
  if (rounding !== 'no_rounding') {
    const value = roundQuantity(quantity, rounding);
    steps.push({ step: 'round_quantity', text: `${ROUNDINGS[rounding]} to whole units`, value });
  }
  if (!freeTier.isZero() || quantity.lt(0)) {
    steps.push({ step: 'free_tier', text: `Minus ${text(freeTier)} free units, not below 0`, value: billableQuantity });
  }
  steps.push(...(tiers.length > 0 ? tiers.map(explainTier) : [explainUnits(component, rating)]));
  if (tiers.length > 1) steps.push({ step: 'sum', text: 'The sum of the tiers', value: amount });
  return steps;
}

/** `Each of them: 2.9 % + 0.3, at least 0.5, at most 10`. */
function eachEvent({
  percentage,
  fixedAmount,
  perEventMinimum: least,
  perEventMaximum: most,
}: PercentagePrice): string {
  const fixed = fixedAmount.isZero() ? '' : ` + ${text(fixedAmount)}`;
  const bounds = [...(least ? [`, at least ${text(least)}`] : []), ...(most ? [`, at most ${text(most)}`] : [])];
  return `Each of them: ${text(percentage)} %${fixed}${bounds.join('')}`;
}

const ROUNDINGS = { round_down: 'Rounded down', round_up: 'Rounded up', round_nearest: 'Rounded to the nearest' };

function explainTier(tier: RatedTier): ExplainStep {
  const { upTo, quantity, unitPrice, flatFee, amount } = tier;
  const range = upTo === null ? 'Last tier' : `Tier up to ${text(upTo)}`;
  const flat = flatFee.isZero() ? '' : ` + ${text(flatFee)} for the tier`;
  return { step: 'tier', text: `${range}: ${text(quantity)} × ${text(unitPrice)}${flat}`, value: amount };
}

function explainUnits(component: Component, { billableQuantity, amount, unitPrice }: Rating): ExplainStep {
  const price = text(unitPrice ?? ZERO);
  if (component.pricingModel !== 'package') {
    return { step: 'price', text: `${text(billableQuantity)} × ${price}`, value: amount };
  }
  const { packageSize } = component;
  const started = text(packagesOf(packageSize, billableQuantity));
  return { step: 'price', text: `${started} started packages of ${text(packageSize)} × ${price}`, value: amount };
}

function roundAmount(exact: Decimal, places: number): ExplainStep {
  const value = roundHalfAwayFromZero(exact, places);
  return { step: 'round_amount', text: `Rounded to ${places} decimals, half away from zero`, value };
}

function named(part: string, steps: ExplainStep[]): ExplainStep[] {
  return steps.map((step) => ({ ...step, text: `${part}: ${step.text}` }));
}

function amountOf(steps: ExplainStep[]): Decimal {
  return steps.at(-1)?.value ?? ZERO;
}

function text(x: Decimal | null): string {
  return groupDigits(x ?? ZERO);
}
