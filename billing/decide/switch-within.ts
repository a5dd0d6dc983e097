import { roundHalfAwayFromZero, sum, ZERO } from '../../core/decimal.ts';
import type { Instant } from '../../core/instants.ts';
import type { ChangeSet } from '../change-set.ts';
import type { NewInvoiceLine } from '../invoices/invoice.ts';
import { prepaidLine, prorationLine } from '../invoices/invoice-lines.ts';
import { withCredited } from '../periods/usage-windows.ts';
import type { Inheritance, SwitchCharges } from '../subscriptions/inheritance.ts';
import type { Customer } from '../subscriptions/subscription.ts';
import type { SwitchParties } from '../subscriptions/switch.ts';
import { decidePartsCredited, type PartsToCredit } from './parts-credited.ts';

/** A switch within a period: what it charges or credits for the rest of it. `isInvoicedNow`: an invoice of its own charges the proration. */
export type SwitchWithinInput = {
  customer: Pick<Customer, 'customerId' | 'billedTo' | 'currency' | 'timeZone'>;
  parties: SwitchParties & { inheritance: Inheritance };
  charges: SwitchCharges;
  places: number;
  isInvoicedNow: boolean;
  credit: PartsToCredit | null;
  at: Instant;
};

/**
 * Decides what a switch within a period charges on the customer's next invoice, or credits (spec/subscriptions#switch). Units that only
 * the new plan prepays are charged from the switch on.
 */
export function decideSwitchWithin(input: SwitchWithinInput): ChangeSet {
  const { customer, parties, charges, places, isInvoicedNow, credit, at } = input;
  const units = charges.prepaid.map((charge) => {
    const line = prepaidLine(charge);
    return { ...line, amount: roundHalfAwayFromZero(line.amount, places) };
  });
  const isCharged = charges.proration.direction === 'charge' && !isInvoicedNow;
  const lines = isCharged ? [...units, lineOfProration(charges)] : units;
  const owner = { customerId: customer.customerId, subscriptionId: parties.next.subscriptionId };
  return {
    pendingAdded: [{ owner, lines, counts: [] }],
    ...(credit && decidePartsCredited(customer, credit, at)),
    ...(credit && switchCredited(parties, credit)),
  };
}

/** Returns the line that charges the difference for the rest of the period. */
export function lineOfProration({ difference, proration }: SwitchCharges): NewInvoiceLine {
  return { ...prorationLine(difference), amount: proration.amount };
}

/** Keeps what the switch credited: for later switches of the period, and for a pending invoice that still charges the old fee. */
function switchCredited(
  { oldPlan, next, pendingOpening, inheritance: { switched } }: SwitchWithinInput['parties'],
  { parts }: PartsToCredit,
): ChangeSet {
  if (!switched) throw new Error('a switch within a period leaves nothing to it');
  const amount = sum(parts.map(({ ofFee = ZERO }) => ofFee));
  const opening = oldPlan.chargeTiming === 'in_advance' ? pendingOpening : null;
  return {
    nextFeesCredited: opening ? [{ ...opening, amount }] : [],
    periodsSwitched: [{ subscriptionId: next.subscriptionId, switched: withCredited(switched, parts) }],
  };
}
