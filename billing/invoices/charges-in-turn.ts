import { currencyOf } from '../../core/currencies.ts';
import { type Decimal, roundHalfAwayFromZero, ZERO } from '../../core/decimal.ts';
import type { SwitchCharge } from '../credits/charged-fee.ts';
import { lateInPeriods } from '../metering/late-true-ups.ts';
import { holdersOf } from '../periods/segments.ts';
import type { AddonCharge, LateCharge, TrueUpCharge } from '../pricing/charges.ts';
import { type LimitedSoFar, NONE_SO_FAR } from '../pricing/limits.ts';
import { prorationAmount } from '../pricing/proration-amount.ts';
import { addonsAfter } from './addon-charges.ts';
import type { BoundaryCharges, BoundaryInput } from './boundary-charges.ts';
import { limitedCharges, limitedForNext } from './true-ups.ts';

/** What a boundary charges where those before it have been charged. */
export type ChargeInTurn = (boundary: BoundaryInput) => BoundaryCharges;

/** `take`: what an invoice of theirs has besides, for those behind it. */
export type ChargesInTurn = { charge: ChargeInTurn; take(invoiced: InvoicedBesides): void };

/** What came late on an invoice, with what limits have made of its boundary, and what it has charged of switches that waited for it. */
type InvoicedBesides = {
  late: readonly LateCharge[];
  trueUps?: readonly TrueUpCharge[];
  switchCharges: readonly SwitchCharge[];
  places: number;
};

/**
 * Charges boundaries of one customer one after another: what one takes back of an invoice is not left for the next
 * (spec/credits#given-back-once), what a plan's maximum takes when a period begins, and late usage of it, counts at its end (spec/rating#limits),
 * and an add-on is charged for a period, or at all, once (spec/plans#add-ons).
 */
export function chargesInTurn(): ChargesInTurn {
  /** By invoice, with tax. */
  const takenBack = new Map<string, Decimal>();
  /** By holder and start of a billing period: what those before have charged of it, and trued up. */
  const limited = new Map<string, LimitedSoFar>();
  const addonsCharged: AddonCharge[] = [];
  const switchesCharged: SwitchCharge[] = [];
  const charge = (boundary: BoundaryInput): BoundaryCharges => {
    const known = [...(boundary.switchCharges ?? []), ...switchesCharged];
    const switchCharges = known.map((one) => lessTaken(one, takenBack));
    const limitedSoFar = soFar(boundary, limited);
    const addons = boundary.addons && addonsAfter(boundary.addons, addonsCharged);
    const turn = { ...boundary, switchCharges, ...(addons && { addons }), limitedSoFar };
    const charges = limitedCharges(turn);
    addonsCharged.push(...charges.addons);
    const forNext = limitedForNext(turn, charges);
    if (forNext) limited.set(`${boundary.subscriptionId} ${boundary.next?.billing.startsAt}`, forNext);
    const places = currencyOf(boundary.plan.currency).exponent;
    for (const { givenBackOf, chargedRate = ZERO, ...charge } of charges.prorations) {
      if (givenBackOf === undefined) continue;
      const amount = roundHalfAwayFromZero(prorationAmount(charge), places).negated();
      const tax = roundHalfAwayFromZero(amount.times(chargedRate).shiftedBy(-2), places);
      takenBack.set(givenBackOf, amount.plus(tax).plus(takenBack.get(givenBackOf) ?? ZERO));
    }
    return charges;
  };
  const take = ({ late, trueUps = [], switchCharges, places }: InvoicedBesides) => {
    switchesCharged.push(...switchCharges);
    for (const { subscriptionId, periodStart, ...change } of lateInPeriods(late, trueUps, places)) {
      const key = `${subscriptionId} ${periodStart}`;
      const before = limited.get(key) ?? NONE_SO_FAR;
      const charged = before.charged.plus(change.charged);
      limited.set(key, { charged, truedUp: before.truedUp.plus(change.truedUp) });
    }
  };
  return { charge, take };
}

/** What boundaries before it have left of the billing period that goes on or ends, else what is known of it. */
function soFar({ ended, limitedSoFar }: BoundaryInput, limited: ReadonlyMap<string, LimitedSoFar>): LimitedSoFar {
  const holders = holdersOf(ended?.segments ?? []);
  const before = holders.flatMap((id) => limited.get(`${id} ${ended?.billing.startsAt}`) ?? []);
  return before.at(-1) ?? limitedSoFar ?? NONE_SO_FAR;
}

function lessTaken(charge: SwitchCharge, takenBack: ReadonlyMap<string, Decimal>): SwitchCharge {
  const left = charge.left.minus(takenBack.get(charge.invoiceId) ?? ZERO);
  return { ...charge, left: left.gt(0) ? left : ZERO };
}
