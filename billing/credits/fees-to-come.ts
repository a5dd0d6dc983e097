import { decimal, sum, ZERO } from '../../core/decimal.ts';
import { isFeeOf } from '../invoices/charged-ahead.ts';
import type { NewInvoiceLine } from '../invoices/invoice.ts';
import type { CollectedFee } from './charged-fee.ts';
import { leftOfCharges, type ToBeMade } from './switch-charges.ts';

/**
 * What of the fee of a period is among the lines of an invoice that is still to be made, as of one that is there: none, or one, less its
 * discounts.
 */
export function feesToCome(
  lines: readonly NewInvoiceLine[],
  of: ToBeMade,
  paid: Parameters<typeof isFeeOf>[1],
): CollectedFee[] {
  const fees = lines.filter((line) => isFeeOf(line, paid));
  if (fees.length === 0) return [];
  const discount = sum(fees.map(({ discountAmount = ZERO }) => discountAmount));
  const amount = sum(fees.map((line) => line.amount)).minus(discount);
  const percents = discount.isZero() ? [] : lines.flatMap(percentOffIn);
  const feeShare = percents.reduce((share, percent) => share.times(ONE.minus(percent.shiftedBy(-2))), ONE);
  const { invoiceId, taxRate } = of;
  const { left } = leftOfCharges(lines, of);
  return [{ invoiceId, taxRate, amount, discount, feeShare, left, unpaid: ZERO }];
}

const ONE = decimal(1);

function percentOffIn({ basis }: NewInvoiceLine) {
  return basis?.of === 'discount' && basis.percentOff !== null ? [basis.percentOff] : [];
}
