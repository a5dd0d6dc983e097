import { type Decimal, sum, ZERO } from '../../core/decimal.ts';
import type { InvoiceKind } from '../invoices/invoice.ts';
import type { DiscountTerms } from './facts.ts';

/** A discount that was active at the issue of an invoice, and whether it lowered that invoice then. */
export type ActiveDiscount = { terms: DiscountTerms; hasLowered: boolean };

/**
 * The terms by which an invoice turns line amounts into charges, frozen when it is issued (spec/reversals#terms). `order` is its
 * place in the payer's order of issue. `periodId` is the billing period that it counts for. `keys` are the cost lines it charges.
 * `voidedBefore` is the order of the first invoice that was issued after this one was voided; null while it stands.
 */
export type InvoiceTerms = {
  invoiceId: string;
  order: number;
  kind: InvoiceKind;
  periodId: string;
  payerId: string;
  /** Percent. */
  taxRate: Decimal;
  discounts: readonly ActiveDiscount[];
  keys: readonly string[];
  voidedBefore: number | null;
};

/**
 * A line above zero of an issued invoice. `termsOf` names the invoice by whose terms it was computed, which differs from `invoiceId`
 * for a late line. `net` is its amount after limits and discounts, without tax. Of it, reversals have taken `back`, and refunds,
 * credit notes and the like have forgiven `byHand`.
 */
export type Charge = {
  lineId: string;
  invoiceId: string;
  termsOf: string;
  key: string;
  net: Decimal;
  back: Decimal;
  byHand: Decimal;
  isVoid: boolean;
};

/** Whether `earlier` counts for `later`: it was issued before, and was not void when `later` was issued. */
export function countsFor(earlier: InvoiceTerms, later: InvoiceTerms): boolean {
  return earlier.order < later.order && (earlier.voidedBefore === null || later.order < earlier.voidedBefore);
}

/** What a charge still has to reverse: nothing of a void invoice (spec/reversals#bounds). */
export function reversible({ net, back, byHand, isVoid }: Pick<Charge, 'net' | 'back' | 'byHand' | 'isVoid'>): Decimal {
  const left = net.minus(back).minus(byHand);
  return isVoid || left.lt(0) ? ZERO : left;
}

/** What charges amount to by today, without what reversals took back. What was forgiven by hand still counts as charged. */
export function standing(charges: readonly Charge[]): Decimal {
  return sum(charges.map(({ net, back }) => net.minus(back)));
}
