import type { Decimal } from '../core/decimal.ts';
import type { InvoiceKind } from './invoices/invoice.ts';

/** The terms, charges and reversals of invoices (spec/reversals#what-stands). */
export type NewCharges = {
  terms: readonly NewTerms[];
  charges: readonly NewCharge[];
  reversals: readonly NewReversal[];
};

/**
 * The terms of an invoice, or of a section of it, with the discounts that were active at its issue. `voidedBefore`: the place in the order of issue
 * before which it was voided; null while it is not void.
 */
export type NewTerms = {
  invoiceId: string;
  section: number;
  kind: InvoiceKind;
  periodId: string;
  discountIds: readonly string[];
  /** Those that lowered it. */
  discountsUsed: readonly string[];
  voidedBefore: string | null;
};

/** What an invoice charged for a key; `lineId` is null if no line did. `taxBack` is the tax in `back`. */
export type NewCharge = {
  invoiceId: string;
  ordinal: number;
  lineId: string | null;
  periodId: string;
  key: string;
  termsOf: string;
  termsSection: number;
  net: Decimal;
  back: Decimal;
  taxBack: Decimal;
};

/** Parts of charges that a line, a credit or a refund takes back; below zero it restores them. */
export type NewReversal = {
  kind: 'line' | 'credit' | 'refund';
  sourceId: string;
  isByHand: boolean;
  parts: readonly { invoiceId: string; ordinal: number; amount: Decimal; taxAmount: Decimal }[];
};

/** What a refund took back, or all lines of a void invoice. */
export type ReversalsOf = { refundId: string } | { voidedInvoiceId: string };
