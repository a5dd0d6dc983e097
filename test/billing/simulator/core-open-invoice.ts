import type { Credit } from '../../../billing/credits/credits.ts';
import type { IssuedInvoice } from '../../../billing/invoices/invoice.ts';
import { nextInvoiceStatus } from '../../../billing/subscriptions/states.ts';
import { type Decimal, min, ZERO } from '../../../core/decimal.ts';
import type { Instant } from '../../../core/instants.ts';

/** Returns an invoice as it is once a credit has paid what is owed of it, and how much that was. */
export function payWithCredit(
  invoice: IssuedInvoice,
  { amountRemaining }: Credit,
  at: Instant,
): { changed: IssuedInvoice; amount: Decimal } {
  const { status, amountDue, creditsApplied } = invoice;
  const isOwed = status === 'open' || status === 'uncollectible';
  const amount = isOwed ? min(amountRemaining, amountDue) : ZERO;
  const isPaid = amount.gt(0) && amount.eq(amountDue);
  const changed: IssuedInvoice = {
    ...invoice,
    creditsApplied: creditsApplied.plus(amount),
    amountDue: amountDue.minus(amount),
    ...(isPaid && { status: nextInvoiceStatus(status, 'pay'), paidAt: at }),
  };
  return { changed, amount };
}
