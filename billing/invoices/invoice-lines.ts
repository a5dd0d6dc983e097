import { type Decimal, decimal, roundHalfAwayFromZero } from '../../core/decimal.ts';
import type { CreditApplication } from '../credits/credits.ts';
import type { UsageValue } from '../metering/aggregate.ts';
import type {
  AddonCharge,
  ChargeOrigin,
  FeeCharge,
  LateCharge,
  PrepaidCharge,
  ProrationCharge,
  SettledLate,
  TrueUpCharge,
  UsageCharge,
} from '../pricing/charges.ts';
import { trueUpAmount } from '../pricing/limits.ts';
import { prorationAmount } from '../pricing/proration-amount.ts';
import { type Component, prepaidPrice, priceBeyondPrepaid, type Rating, rate } from '../pricing/rating.ts';
import type { LineType, NewInvoiceLine } from './invoice.ts';
import {
  describeAddon,
  describeCredit,
  describeFee,
  describeLate,
  describePrepaid,
  describeProration,
  describeTrueUp,
  describeUsage,
} from './line-descriptions.ts';

/** Lines with exact amounts; the invoice rounds each of them once. */

export function feeLine(charge: FeeCharge): NewInvoiceLine {
  const { fee, billedDays, days, creditedBefore } = charge;
  return {
    ...emptyLine('recurring_fee', describeFee(charge)),
    ...originOf(charge),
    ...(creditedBefore && { creditedBefore }),
    quantity: decimal(1),
    billableQuantity: decimal(1),
    unitPrice: billedDays === days ? fee : null,
    amount: fee.times(billedDays).div(days),
  };
}

export function prepaidLine(charge: PrepaidCharge): NewInvoiceLine {
  const { component, units } = charge;
  const { unitPrice, tiers, billableQuantity } = rate(component, units);
  return {
    ...emptyLine('prepaid_units', describePrepaid(charge)),
    ...originOf(charge),
    metricId: component.metricId,
    quantity: units,
    billableQuantity,
    unitPrice,
    tiers,
    amount: prepaidPrice(component, units),
  };
}

/** `tiers` explain the price of the whole usage; `amount` is what of it was not prepaid (spec/rating#prepaid). */
export function usageLine(charge: UsageCharge): NewInvoiceLine {
  const { component, quantity, eventsCount, prepaidUnits, byEvent } = charge;
  const rating = rate(component, quantity, byEvent);
  return {
    ...emptyLine('usage', describeUsage(charge)),
    ...originOf(charge),
    metricId: component.metricId,
    quantity,
    billableQuantity: rating.billableQuantity,
    unitPrice: rating.unitPrice,
    tiers: rating.tiers,
    amount: priceBeyondPrepaid(component, rating, prepaidUnits),
    eventsCount,
    ...groupOf(charge),
  };
}

export function addonLine(charge: AddonCharge): NewInvoiceLine {
  const { addonId, addonSubscriptionId, price, quantity } = charge;
  return {
    ...emptyLine('addon', describeAddon(charge)),
    ...originOf(charge),
    addonId,
    addonSubscriptionId,
    quantity,
    billableQuantity: quantity,
    unitPrice: price,
    amount: price.times(quantity),
  };
}

/** What a switch changes of the fee of its period, or what of that is taken back. */
export function prorationLine(charge: ProrationCharge): NewInvoiceLine {
  const { chargedRate, givenBackOf, isChargedAgain, creditedBefore } = charge;
  return {
    ...emptyLine('proration', describeProration(charge)),
    ...originOf(charge),
    ...(chargedRate && { chargedRate }),
    ...(givenBackOf && { givenBackOf }),
    ...(isChargedAgain && { isChargedAgain }),
    ...(creditedBefore && { creditedBefore }),
    amount: prorationAmount(charge),
  };
}

/**
 * The signed difference that late events make to a period's charge (spec/invoices#late-usage). Both charges are rounded to `places`
 * decimals first: the period's lines then add up to what one line would have been.
 */
export function lateLine(charge: LateCharge, places: number): NewInvoiceLine {
  const { component, before, after, chargedRate, settled } = charge;
  const [was, is] = [rateOf(component, before), rateOf(component, after)];
  const [chargedBefore, chargedNow] = latePrices(charge, places);
  const difference = chargedNow.minus(chargedBefore);
  return {
    ...emptyLine('late_usage', describeLate(charge)),
    ...originOf(charge),
    ...(chargedRate && !settled && { chargedRate }),
    metricId: component.metricId,
    quantity: after.value.minus(before.value),
    billableQuantity: is.billableQuantity.minus(was.billableQuantity),
    unitPrice: is.unitPrice,
    amount: difference,
    eventsCount: after.eventsCount.minus(before.eventsCount),
    ...groupOf(charge),
    ...(charge.wasHeld && { wasHeld: true }),
    ...(settled && settledBy(settled, difference)),
  };
}

/** Returns what a period was charged for its usage before late events, and what it costs with them, each rounded. */
export function latePrices(
  { component, before, after, prepaidUnits, prepaidBefore }: LateCharge,
  places: number,
): [before: Decimal, now: Decimal] {
  const charged = (usage: UsageValue, units: Decimal) =>
    roundHalfAwayFromZero(priceBeyondPrepaid(component, rateOf(component, usage), units), places);
  return [charged(before, prepaidBefore), charged(after, prepaidUnits)];
}

function rateOf(component: Component, { value, byEvent }: UsageValue): Rating {
  return rate(component, value, byEvent);
}

function settledBy(
  { amount, taxRate, taxAmount, givenBackOf, reverses }: SettledLate,
  difference: Decimal,
): Partial<NewInvoiceLine> {
  const basis = { of: 'late_usage', amount: difference, taxRate, taxAmount } as const;
  return { amount, basis, reverses, ...(givenBackOf !== null && { givenBackOf }) };
}

/** What limits make of what they count (spec/rating#limits); rounded, since what they count is. */
export function trueUpLine(charge: TrueUpCharge): NewInvoiceLine {
  const { metricId, charged, truedUp, limits, isLate, chargedRate } = charge;
  return {
    ...emptyLine('true_up', describeTrueUp(charge)),
    ...originOf(charge),
    ...(chargedRate && { chargedRate }),
    metricId,
    amount: trueUpAmount(charge),
    basis: { of: 'limits', charged, truedUp, isLate, ...limits },
    ...(charge.wasHeld && { wasHeld: true }),
  };
}

/** The combination and the row that a charge is of. */
function groupOf({ group }: Pick<UsageCharge, 'group'>): Pick<NewInvoiceLine, 'group' | 'priceId'> {
  if (!group) return {};
  return { group: group.texts, ...(group.priceId !== null && { priceId: group.priceId }) };
}

/** "The credit appears on the invoice as a negative line" (spec/credits#application). */
export function creditLine({ credit, amount }: CreditApplication): NewInvoiceLine {
  const line = emptyLine('credit', describeCredit(credit));
  return { ...line, creditId: credit.creditId, amount: amount.negated() };
}

/** A line that names nothing yet and costs nothing: what other rules start from. */
export function emptyLine(type: LineType, description: string): NewInvoiceLine {
  return {
    type,
    description,
    subscriptionId: null,
    planId: null,
    version: null,
    metricId: null,
    addonId: null,
    creditId: null,
    periodStart: null,
    periodEnd: null,
    quantity: null,
    billableQuantity: null,
    unitPrice: null,
    amount: decimal(0),
    tiers: [],
    eventsCount: null,
  };
}

function originOf({ subscriptionId, planId, version, periodStart, periodEnd }: ChargeOrigin): ChargeOrigin {
  return { subscriptionId, planId, version, periodStart, periodEnd };
}
