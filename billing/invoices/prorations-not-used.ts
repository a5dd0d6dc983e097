import { currencyOf } from '../../core/currencies.ts';
import { type Decimal, min, sum, ZERO } from '../../core/decimal.ts';
import { leftOf, lessDiscounts, type SwitchCharge } from '../credits/charged-fee.ts';
import {
  billedDays,
  type CreditedPart,
  daysOf,
  type SegmentedPeriod,
  type SwitchWithin,
  switchesIn,
} from '../periods/segments.ts';
import type { ChargeOrigin, ProrationCharge } from '../pricing/charges.ts';
import { prorationAmount } from '../pricing/proration-amount.ts';
import type { Ending } from '../subscriptions/cancel.ts';
import type { Plan } from '../subscriptions/subscription.ts';
import { prorationOf } from '../subscriptions/switch.ts';

/** What is taken back, or charged again, of what a switch has charged or credited; `made`: by an invoice, where one has. */
type NotUsed = { charge: ProrationCharge; made: SwitchCharge | undefined };

/** How a period of a plan ends, and what switches within it have charged. */
type PeriodEnd = { plan: Plan; ending?: Ending | null; switchCharges?: readonly SwitchCharge[] };

/**
 * What switches in arrears charged for days that a pause or a cancel then took: each was charged for all days that
 * remained. Together with the fee of the plan the period began with it makes the sum over the period's segments.
 */
export function prorationsNotUsed(
  { plan, ending, switchCharges = [] }: PeriodEnd,
  { segments, days }: SegmentedPeriod,
  originOf: (plan: Plan) => ChargeOrigin,
): ProrationCharge[] {
  const places = currencyOf(plan.currency).exponent;
  const notUsed = switchesIn(segments).flatMap(
    ({ at, subscriptionId, oldPlan, plan: newPlan, credited, rest }): NotUsed[] => {
      const difference = newPlan.recurringFee.minus(oldPlan.recurringFee);
      const notUsedDays = daysOf(rest) - billedDays(rest, ending?.flatFeeBehavior);
      if (notUsedDays === 0 || difference.isZero()) return [];
      const names = { planName: newPlan.name, oldPlanName: oldPlan.name };
      const whole = { ...originOf(newPlan), periodStart: at, ...names, difference, billedDays: -notUsedDays, days };
      const charge = credited ? { ...whole, ...chargedAgain(whole, { credited, rest }, places) } : whole;
      return [{ charge, made: switchCharges.find((one) => one.subscriptionId === subscriptionId && one.at === at) }];
    },
  );
  return atMostCharged(notUsed, places);
}

/**
 * What is charged again of what a switch has credited: the days that were not used, of all that it has credited for. Discounts and what
 * there was to credit may have made that less than the difference.
 */
function chargedAgain(
  { difference, billedDays, days }: ProrationCharge,
  { credited, rest }: Pick<SwitchWithin, 'rest'> & { credited: readonly CreditedPart[] },
  places: number,
): Pick<ProrationCharge, 'amount' | 'isChargedAgain' | 'creditedBefore'> {
  if (!difference.lt(0)) return {};
  const given = sum(credited.map(({ amount }) => amount));
  const ofLines = sum(credited.map(({ amount, ofFee }) => (ofFee ? amount.minus(ofFee) : ZERO)));
  const creditedBefore = ofLines.times(billedDays).div(daysOf(rest));
  const again = { isChargedAgain: true, ...(!creditedBefore.isZero() && { creditedBefore }) } as const;
  const { amount: wanted } = prorationOf({ difference, billedDays: daysOf(rest), days }, places);
  if (given.eq(wanted)) return again;
  return { ...again, amount: given.times(-billedDays).div(daysOf(rest)) };
}

/**
 * Takes back, the latest first, what invoices have charged and has not gone back yet (spec/credits#given-back-once), and
 * beyond that what is charged again of credits. What waits for an invoice is taken back with it.
 */
function atMostCharged(notUsed: readonly NotUsed[], places: number): ProrationCharge[] {
  const again = notUsed.map(({ charge }) => prorationAmount(charge)).filter((amount) => amount.gt(0));
  const left = new Map<string, Decimal>();
  let offset = sum(again);
  const charges = notUsed.toReversed().map(({ charge, made }): ProrationCharge => {
    const whole = prorationAmount(charge).negated();
    if (made === undefined || !whole.gt(0)) return charge;
    const wanted = lessDiscounts(whole, [made]);
    const { invoiceId, taxRate: chargedRate } = made;
    const ofInvoice = left.get(invoiceId) ?? leftOf({ ...made, amount: made.charges }, places);
    const own = min(wanted, min(ofInvoice, leftOf(made, places)));
    const beyond = min(wanted.minus(own), offset);
    left.set(invoiceId, ofInvoice.minus(own));
    offset = offset.minus(beyond);
    const taken = own.plus(beyond);
    return { ...charge, chargedRate, givenBackOf: invoiceId, ...(taken.lt(whole) && { amount: taken.negated() }) };
  });
  return charges.toReversed().filter((charge) => !prorationAmount(charge).isZero());
}
