import { type Decimal, sum, ZERO } from '../../core/decimal.ts';
import type { UsageValue } from '../metering/aggregate.ts';
import { computeTax } from './compute-invoice.ts';
import { type LinePricing, recomputeAmount } from './explain-line.ts';
import type { InvoiceAmounts, InvoiceLine } from './invoice.ts';

/**
 * A line to be computed again: how a component prices it (null: none does), and the value its metric has now up to the
 * position the line was counted to (null: not to be read, or not any more).
 */
export type LineRecount = { line: InvoiceLine; pricing: LinePricing | null; usage: UsageValue | null };

export type CheckedField = 'quantity' | 'amount' | 'subtotal' | 'tax_amount' | 'total';

/** What an issued invoice says and what comes out when it is computed again; `lineId` null: of the invoice as a whole. */
export type InvoiceDifference = { lineId: string | null; field: CheckedField; billed: Decimal; recomputed: Decimal };

/**
 * Computes an issued invoice again by the rules that made it (spec/rating#order, spec/invoices#arithmetic); empty where everything is the same.
 * `places` are the currency's decimals. Never throws for what it finds.
 */
export function checkInvoice(
  invoice: Pick<InvoiceAmounts, 'subtotal' | 'taxRate' | 'taxAmount' | 'total'>,
  recounts: readonly LineRecount[],
  places: number,
): InvoiceDifference[] {
  const found: InvoiceDifference[] = [];
  const compare = (lineId: string | null, field: CheckedField, billed: Decimal, recomputed: Decimal) => {
    if (!billed.eq(recomputed)) found.push({ lineId, field, billed, recomputed });
  };
  const amounts = recounts.map(({ line, pricing, usage }) => {
    const quantity = usage === null || pricing === null ? line.quantity : usage.value.minus(pricing.quantityBefore);
    if (line.quantity !== null && quantity !== null) compare(line.lineId, 'quantity', line.quantity, quantity);
    const counted = pricing && usage?.byEvent ? { ...pricing, byEvent: usage.byEvent } : pricing;
    const amount = recomputeAmount({ ...line, quantity }, counted, places);
    compare(line.lineId, 'amount', line.amount, amount);
    return { type: line.type, amount, ownTax: line.basis?.of === 'late_usage' ? line.basis.taxAmount : null };
  });
  const charged = amounts.filter(({ type }) => type !== 'credit');
  const subtotal = sum(charged.map(({ amount }) => amount));
  const taxed = sum(charged.filter(({ ownTax }) => ownTax === null).map(({ amount }) => amount));
  // One issued by a release that did not tax below 0 stays as it is.
  const isUntaxed = subtotal.lt(0) && invoice.taxAmount.isZero();
  const taxes = [computeTax(taxed, invoice.taxRate, places), ...charged.map(({ ownTax }) => ownTax ?? ZERO)];
  const taxAmount = isUntaxed ? ZERO : sum(taxes);
  compare(null, 'subtotal', invoice.subtotal, subtotal);
  compare(null, 'tax_amount', invoice.taxAmount, taxAmount);
  compare(null, 'total', invoice.total, subtotal.plus(taxAmount));
  return found;
}
