import { type ComputedCharges, type ComputeInput, computeCharges, newCarry } from './compute.ts';
import type { DiscountTerms } from './facts.ts';
import type { InvoiceTerms } from './terms.ts';

/** Whether a discount takes part in an invoice. */
export type IsAllowed = (invoice: InvoiceTerms, discount: DiscountTerms) => boolean;

/**
 * Decides which discounts take part in which invoice (spec/discounts#periods). A coupon counts the billing periods that it lowers;
 * the counts are derived here and never stored. A discount that lowered an invoice at its issue keeps taking part. The invoice under
 * way, which is the last one, comes next, and then older invoices in order of issue, each if a count is left.
 */
export function discountsAllowed(invoices: readonly InvoiceTerms[], input: Omit<ComputeInput, 'isAllowed'>): IsAllowed {
  const allowed = new Set<string>();
  const keyOf = (invoice: InvoiceTerms, { discountId }: DiscountTerms) => `${invoice.invoiceId} ${discountId}`;
  for (const invoice of invoices) {
    for (const { terms, hasLowered } of invoice.discounts) if (hasLowered) allowed.add(keyOf(invoice, terms));
  }
  const isAllowed: IsAllowed = (invoice, discount) => allowed.has(keyOf(invoice, discount));
  const candidates = [...invoices.slice(-1), ...invoices.slice(0, -1)];
  for (const invoice of candidates) {
    for (const { terms, hasLowered } of invoice.discounts) {
      if (hasLowered) continue;
      if (hasCountLeft(terms, invoice, periodsLowered(invoices, input, isAllowed))) allowed.add(keyOf(invoice, terms));
    }
  }
  return isAllowed;
}

/** The billing periods that a discount lowers by the invoices that stand, and those whose fee it lowers. */
type Lowered = { periods: Set<string>; ofFees: Set<string> };

function hasCountLeft({ discountId, periods }: DiscountTerms, invoice: InvoiceTerms, lowered: Map<string, Lowered>) {
  if (periods === null) return true;
  const used = lowered.get(discountId);
  if (!used || used.periods.size < periods) return true;
  // The invoices of one billing period use one count together. Once its fee has used the last one, no proration is lowered.
  if (!used.periods.has(invoice.periodId)) return false;
  return invoice.kind !== 'proration' || !used.ofFees.has(invoice.periodId);
}

function periodsLowered(
  invoices: readonly InvoiceTerms[],
  input: Omit<ComputeInput, 'isAllowed'>,
  isAllowed: IsAllowed,
): Map<string, Lowered> {
  const carry = newCarry();
  const lowered = new Map<string, Lowered>();
  for (const invoice of invoices) {
    const computed = computeCharges(invoice, { ...input, isAllowed: (one) => isAllowed(invoice, one) }, carry);
    if (invoice.voidedBefore === null) count(invoice, computed, lowered);
  }
  return lowered;
}

function count(invoice: InvoiceTerms, { lowerings, lines }: ComputedCharges, lowered: Map<string, Lowered>): void {
  const hasFee = lines.some(({ line: { type } }) => type === 'recurring_fee' || type === 'prepaid_units');
  for (const { discountId } of lowerings) {
    const used = lowered.get(discountId) ?? { periods: new Set(), ofFees: new Set() };
    used.periods.add(invoice.periodId);
    if (hasFee) used.ofFees.add(invoice.periodId);
    lowered.set(discountId, used);
  }
}
