import type { Decimal } from '../../core/decimal.ts';
import type { Instant } from '../../core/instants.ts';
import type { Credit } from '../credits/credits.ts';
import { prorationCreditText } from '../credits/proration-credits.ts';
import type { IssuedInvoice } from '../invoices/invoice.ts';
import { postCreditApplied, postProrationCredit } from '../ledger/ledger.ts';
import { nextInvoiceStatus } from '../subscriptions/states.ts';
import type { Customer } from '../subscriptions/subscription.ts';
import { decideCredit, type GivenCredit, OVERPAYMENT } from './credits.ts';

/**
 * The part of an invoice that its customer gets back. `amount` includes `tax`. `appliedAtOnce` of it pays what is still due of
 * that invoice.
 */
export type ProrationToCredit = {
  invoice: IssuedInvoice;
  customer: Pick<Customer, 'customerId' | 'timeZone'>;
  amount: Decimal;
  tax: Decimal;
  appliedAtOnce: Decimal;
  at: Instant;
  /** What the credit says and when it expires, if that is not as for a fee. */
  terms?: Pick<Credit, 'description' | 'expiresAt'>;
};

/** Decides the credit of a part of an invoice: of its fee (spec/subscriptions#cancel), or of what late usage lowers. */
export function decideProrationCredit(given: ProrationToCredit): GivenCredit {
  const { invoice, customer, amount, tax, appliedAtOnce, at, terms } = given;
  const { invoiceId, currency } = invoice;
  const { customerId, timeZone } = customer;
  const posting = postProrationCredit({ amount: amount.minus(tax), tax });
  const of = { ...OVERPAYMENT, customerId, amount, currency, description: prorationCreditText(invoice), ...terms };
  const { credit, changes } = decideCredit({ ...of, posting, invoiceId }, { at, timeZone });
  if (!appliedAtOnce.gt(0)) return { credit, changes };
  const { creditId } = credit;
  const subject = { customerId: invoice.customerId, currency, at, invoiceId, creditId };
  const after = withCreditApplied(invoice, appliedAtOnce, at);
  return {
    credit,
    changes: {
      ...changes,
      creditApplications: [{ creditId, invoiceId, amount: appliedAtOnce, at }],
      invoicesChanged: [after],
      postings: [...(changes.postings ?? []), { subject, posting: postCreditApplied(appliedAtOnce) }],
      events: [
        ...(changes.events ?? []),
        ...(after.status === 'paid' ? [{ type: 'invoice.paid', invoiceId } as const] : []),
      ],
    },
  };
}

/** Returns the invoice after a credit has paid `amount` of it. */
function withCreditApplied(invoice: IssuedInvoice, amount: Decimal, at: Instant): IssuedInvoice {
  const isPaid = amount.eq(invoice.amountDue);
  return {
    ...invoice,
    creditsApplied: invoice.creditsApplied.plus(amount),
    amountDue: invoice.amountDue.minus(amount),
    status: isPaid ? nextInvoiceStatus(invoice.status, 'pay') : invoice.status,
    paidAt: isPaid ? at : null,
  };
}
