import { sum } from '../../core/decimal.ts';
import { newCharge } from './issue.ts';
import type { BillingRecords, ChargeReversal, Difference } from './settle.ts';
import type { Charge } from './terms.ts';

/**
 * The records after differences have been placed (spec/reversals#what-stands): reversals count against their charges, restoring lines
 * count no longer, and late lines are new charges of `hostId`, the invoice that bills them.
 */
export function applyDifferences(
  records: BillingRecords,
  differences: readonly Difference[],
  hostId: string,
): BillingRecords {
  const reversals = differences.flatMap((one) => one.reversals);
  const gains = differences.flatMap(({ invoice, gains: own }) => own.map((gain) => ({ invoice, gain })));
  const restores = gains.flatMap(({ gain }) => gain.restores);
  const charges = records.charges.map((charge) => {
    const back = charge.back.plus(sumOf(reversals, charge)).minus(sumOf(restores, charge));
    return back.eq(charge.back) ? charge : { ...charge, back };
  });
  const late = gains.flatMap(({ invoice, gain }, i): Charge[] => {
    const net = gain.amount.minus(sum(gain.restores.map(({ amount }) => amount)));
    if (!net.gt(0)) return [];
    const lineId = `${hostId}/late/${records.charges.length + i}`;
    return [newCharge({ lineId, key: gain.key, net }, { invoiceId: hostId, termsOf: invoice.invoiceId })];
  });
  return { ...records, charges: [...charges, ...late] };
}

function sumOf(reversals: readonly ChargeReversal[], { lineId }: Charge) {
  return sum(reversals.filter(({ charge }) => charge.lineId === lineId).map(({ amount }) => amount));
}
