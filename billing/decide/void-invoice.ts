import type { Instant } from '../../core/instants.ts';
import type { ChangeSet } from '../change-set.ts';
import type { IssuedInvoice } from '../invoices/invoice.ts';
import { type CreditUse, voidInvoice } from '../invoices/void-invoice.ts';

/** When an invoice is voided, whether a payment of it is in flight, and the discounts that counted it as one of their periods. */
type Voiding = { at: Instant; inFlight: boolean; discountsUncounted: readonly string[] };

/**
 * Decides the void of an invoice, and what happens to each credit that the invoice used or that was given back from it. The
 * `customerId` of a use is the holder of the credit.
 * @throws DomainError `conflict` if the invoice cannot be voided (spec/invoices#states)
 */
export function decideVoid(
  before: IssuedInvoice,
  uses: readonly (CreditUse & { customerId: string })[],
  { at, inFlight, discountsUncounted }: Voiding,
): { invoice: IssuedInvoice; changes: ChangeSet } {
  const { invoice, restorations, posting } = voidInvoice(before, uses, { at, inFlight });
  const { invoiceId, customerId, currency } = before;
  const subject = { customerId, currency, at, invoiceId };
  const restored = restorations.flatMap(({ creditId, postings }) => {
    const holder = uses.find(({ credit }) => credit.creditId === creditId)?.customerId ?? customerId;
    return postings.map((one) => ({ subject: { ...subject, customerId: holder, creditId }, posting: one }));
  });
  return {
    invoice,
    changes: {
      invoicesChanged: [invoice],
      creditsRestored: restorations.map(({ creditId, amountRemaining, voidedAt }) => {
        return { creditId, invoiceId, amountRemaining, voidedAt, at };
      }),
      discountsUncounted,
      postings: [{ subject, posting }, ...restored],
      events: [{ type: 'invoice.voided', invoiceId }],
    },
  };
}
