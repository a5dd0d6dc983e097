import type { InvoiceLine, IssuedInvoice } from '../invoices/invoice.ts';

/** An issued invoice, as far as its charges depend on it. */
export type Recorded = Pick<
  IssuedInvoice,
  | 'invoiceId'
  | 'customerId'
  | 'subscriptionId'
  | 'kind'
  | 'currency'
  | 'periodStart'
  | 'periodEnd'
  | 'lines'
  | 'sections'
>;

/** Whose invoice or section it is, and for which period. */
export type TermsHead = Pick<Recorded, 'subscriptionId' | 'kind' | 'periodStart' | 'periodEnd'>;

/** The terms that an invoice has: one, or those of its sections in their order. `of` is the place of the terms of a line. */
export type SectionsOfInvoice = { heads: readonly TermsHead[]; of: (ordinal: number) => number };

/**
 * Finds the section of each line of an invoice: the one of its subscription, the latest that has begun by the line's start if there are
 * several. A line of another subscription waited for its customer's first section (spec/invoices#sections).
 */
export function sectionsOf(invoice: Recorded): SectionsOfInvoice {
  const { sections, lines, customerId: payerId } = invoice;
  if (sections.length === 0) return { heads: [invoice], of: () => 0 };
  const places = lines.map(({ customerId = payerId, subscriptionId, periodStart }: InvoiceLine) => {
    const ofCustomer = sections.flatMap((section, place) =>
      section.customerId === customerId ? [{ section, place }] : [],
    );
    const own = ofCustomer.filter(({ section }) => section.subscriptionId === subscriptionId);
    const begun = own.filter(({ section }) => (section.periodStart ?? 0) <= (periodStart ?? 0));
    return (begun.at(-1) ?? own[0] ?? ofCustomer[0])?.place ?? 0;
  });
  return { heads: sections, of: (ordinal) => places[ordinal] ?? 0 };
}
