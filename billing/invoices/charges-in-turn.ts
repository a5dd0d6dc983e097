import { currencyOf } from '../../core/currencies.ts';
import { type Decimal, roundHalfAwayFromZero, ZERO } from '../../core/decimal.ts';
import type { SwitchCharge } from '../credits/charged-fee.ts';
import { prorationAmount } from '../pricing/proration-amount.ts';
import { type BoundaryCharges, type BoundaryInput, boundaryCharges } from './boundary-charges.ts';

/** What a boundary charges where those before it have been charged. */
export type ChargeInTurn = (boundary: BoundaryInput) => BoundaryCharges;

/**
 * Charges boundaries of one customer one after another: what one takes back of an invoice is not left for the next
 * (spec/credits#given-back-once).
 */
export function chargesInTurn(): ChargeInTurn {
  /** By invoice, with tax. */
  const takenBack = new Map<string, Decimal>();
  return (boundary) => {
    const switchCharges = boundary.switchCharges?.map((charge) => lessTaken(charge, takenBack));
    const charges = boundaryCharges({ ...boundary, ...(switchCharges && { switchCharges }) });
    const places = currencyOf(boundary.plan.currency).exponent;
    for (const { givenBackOf, chargedRate = ZERO, ...charge } of charges.prorations) {
      if (givenBackOf === undefined) continue;
      const amount = roundHalfAwayFromZero(prorationAmount(charge), places).negated();
      const tax = roundHalfAwayFromZero(amount.times(chargedRate).shiftedBy(-2), places);
      takenBack.set(givenBackOf, amount.plus(tax).plus(takenBack.get(givenBackOf) ?? ZERO));
    }
    return charges;
  };
}

function lessTaken(charge: SwitchCharge, takenBack: ReadonlyMap<string, Decimal>): SwitchCharge {
  const left = charge.left.minus(takenBack.get(charge.invoiceId) ?? ZERO);
  return { ...charge, left: left.gt(0) ? left : ZERO };
}
