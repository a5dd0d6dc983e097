import type { CollectedFee } from '../../../billing/credits/charged-fee.ts';
import { type ApplicableDiscount, feeShareLeft } from '../../../billing/discounts/discounts.ts';
import type { IssuedInvoice } from '../../../billing/invoices/invoice.ts';

/** Adds to each fee what the discounts of its invoice have left of it, as `listChargedFees` does. */
export function withFeeShares(
  fees: readonly CollectedFee[],
  invoices: readonly IssuedInvoice[],
  { subscriptionId, discounts }: { subscriptionId: string; discounts: readonly ApplicableDiscount[] },
): CollectedFee[] {
  return fees.map((one) => {
    const lines = invoices.find(({ invoiceId }) => invoiceId === one.invoiceId)?.lines ?? [];
    const taken = lines.flatMap(({ basis }) => (basis?.of === 'discount' ? [basis.discountId] : []));
    const then = discounts.filter(({ discountId }) => taken.includes(discountId));
    const ofFees = then.map((discount) => ({ ...discount, periodsRemaining: null }));
    return { ...one, feeShare: feeShareLeft(ofFees, { subscriptionId, planId: '' }) };
  });
}
