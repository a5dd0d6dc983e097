import { currencyOf } from '../../core/currencies.ts';
import { type Decimal, min, sum } from '../../core/decimal.ts';
import { daysBetween, type Instant } from '../../core/instants.ts';
import { leftOf } from '../credits/charged-fee.ts';
import type { LoadedCarry, SwitchCharge } from '../periods/carried-period.ts';
import { type Pause, unpausedDays } from '../periods/pauses.ts';
import type { Period } from '../periods/periods.ts';
import type { ChargeOrigin, ProrationCharge } from '../pricing/charges.ts';
import { prorationAmount } from '../pricing/proration-amount.ts';
import { daysBilledAtCancel, type Ending } from '../subscriptions/cancel.ts';
import type { Plan } from '../subscriptions/subscription.ts';
import { isChargedAhead, type PeriodKey } from './charged-ahead.ts';

/** What is taken back, or charged again, of what a switch has charged or credited; `made`: by an invoice, where one has. */
type NotUsed = { charge: ProrationCharge; made: SwitchCharge | undefined };

/** The end of a period of a plan; what it carries, and how it ends. */
type EndedPeriod = {
  plan: Plan;
  carried?: LoadedCarry | null;
  ending?: Ending | null;
  pauses?: readonly Pause[];
  pendingOpening?: PeriodKey | null;
};

/**
 * What switches in arrears charged for days that a pause or a cancel then took: each was charged for all days that
 * remained. Together with the fee of the plan the period began with it makes the sum over the period's stretches.
 */
export function prorationsNotUsed(
  { plan, carried, ending, pauses = [], pendingOpening }: EndedPeriod,
  ended: Period,
  originOf: (plan: Plan) => ChargeOrigin,
): ProrationCharge[] {
  if (!carried || isChargedAhead({ plan, pendingOpening })) return [];
  const notUsed = carried.stretches.flatMap((stretch, i): NotUsed[] => {
    const before = carried.stretches[i - 1];
    if (before === undefined) return [];
    const remaining = daysBetween(stretch.on, ended.endDate);
    const rest = { ...ended, startDate: stretch.on, days: remaining };
    const billedDays = (ending ? daysBilledAtCancel(rest, ending, pauses) : unpausedDays(rest, pauses)) - remaining;
    const difference = stretch.plan.recurringFee.minus(before.plan.recurringFee);
    if (billedDays === 0 || difference.isZero()) return [];
    const names = { planName: stretch.plan.name, oldPlanName: before.plan.name };
    const of = { ...originOf(stretch.plan), periodStart: stretch.at };
    return [
      { charge: { ...of, ...names, difference, billedDays, days: ended.days }, made: chargeOf(carried, stretch) },
    ];
  });
  return atMostCharged(notUsed, currencyOf(plan.currency).exponent);
}

function chargeOf(carried: LoadedCarry, stretch: { subscriptionId: string; at: Instant }): SwitchCharge | undefined {
  return carried.switchCharges?.find(
    ({ subscriptionId, at }) => subscriptionId === stretch.subscriptionId && at === stretch.at,
  );
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
    const wanted = prorationAmount(charge).negated();
    if (made === undefined || !wanted.gt(0)) return charge;
    const { invoiceId, taxRate: chargedRate } = made;
    const ofInvoice = left.get(invoiceId) ?? leftOf({ ...made, amount: made.charges }, places);
    const own = min(wanted, min(ofInvoice, leftOf(made, places)));
    const beyond = min(wanted.minus(own), offset);
    left.set(invoiceId, ofInvoice.minus(own));
    offset = offset.minus(beyond);
    const taken = own.plus(beyond);
    return { ...charge, chargedRate, givenBackOf: invoiceId, ...(taken.lt(wanted) && { amount: taken.negated() }) };
  });
  return charges.toReversed().filter((charge) => !prorationAmount(charge).isZero());
}
