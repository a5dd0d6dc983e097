import type { Decimal } from '../../core/decimal.ts';
import type { NewInvoiceLine } from '../invoices/invoice.ts';
import type { InvoiceMoney } from './place.ts';
import type { Charge, InvoiceTerms } from './terms.ts';

/** The line of a charge, by its place on its invoice. `left` is its amount before limits and discounts, less the part that went back. */
export type ChargedLine = {
  key: string;
  periodId: string;
  lineId: string;
  invoiceId: string;
  ordinal: number;
  line: NewInvoiceLine;
  left: Decimal;
};

/**
 * The charges that stand (spec/reversals#what-stands), with the terms and the money of their invoices. `periodIds` are all periods that the invoices
 * have keys of: it takes their facts to compute these invoices again.
 */
export type StandingCharges = {
  invoices: readonly InvoiceTerms[];
  charges: readonly Charge[];
  money: readonly InvoiceMoney[];
  periodIds: readonly string[];
  chargedLines: readonly ChargedLine[];
};
