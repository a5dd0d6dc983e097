import type { GiveBack } from '../../billing/cancel.ts';
import { type Credit, newCredit } from '../../billing/credits.ts';
import { type Decimal, ZERO } from '../../billing/decimal.ts';
import { type Instant, localDateAt } from '../../billing/instants.ts';
import type { IssuedInvoice } from '../../billing/invoice.ts';
import { postCreditApplied, postFeeGivenBack } from '../../billing/ledger.ts';
import { planRefund, refundableAmount } from '../../billing/refunds.ts';
import { nextInvoiceStatus } from '../../billing/states.ts';
import type { Customer } from '../../billing/subscription.ts';
import { newId } from '../../runtime/ids.ts';
import { insertCreditApplication, lockCredits } from '../../sql/credits.ts';
import { updateInvoiceCredited } from '../../sql/give-backs.ts';
import { lockInvoice } from '../../sql/invoices.ts';
import { insertLedgerTransaction } from '../../sql/ledger.ts';
import { insertOutboxEvent } from '../../sql/outbox.ts';
import { hasLiveAttempt } from '../../sql/payment-attempts.ts';
import type { Transaction } from '../../sql/postgres.ts';
import { insertRefund, listRefundsOfInvoice } from '../../sql/refunds.ts';
import { saveCredit } from '../../sql/save-credit.ts';
import { invoiceToWire } from '../../wire/invoices.ts';
import { refundToWire } from '../../wire/refunds.ts';

type Owner = { accountId: string; customer: Customer; now: Instant };

/**
 * Gives back a part of an invoice's fee (contract 7, cancel): as a refund where a processor took the money, the rest as an
 * overpayment credit, which pays for that invoice at once where it is still open.
 */
export async function saveGiveBack(tx: Transaction, owner: Owner, given: GiveBack): Promise<void> {
  const { accountId, customer } = owner;
  const invoice = await lockInvoice(tx, accountId, given.invoiceId);
  if (!invoice) throw new Error(`invoice ${given.invoiceId} is missing`);
  const total = given.amount.plus(given.tax);
  const refunded = await refundByProcessor(tx, owner, invoice, total);
  const rest = total.minus(refunded);
  if (!rest.gt(0)) return;
  await lockCredits(tx, accountId, customer.customerId);
  const credit = newCredit({
    creditId: newId('credit'),
    customerId: customer.customerId,
    amount: rest,
    currency: invoice.currency,
    reason: 'overpayment_credit',
    description: `Part of the fee of invoice ${invoice.invoiceNumber}`,
    expiresAt: null,
    createdAt: owner.now,
  });
  const tax = given.tax.gt(refunded) ? given.tax.minus(refunded) : ZERO;
  const origin = { accountId, timeZone: customer.timeZone, invoiceId: invoice.invoiceId };
  await saveCredit(tx, credit, postFeeGivenBack({ amount: rest.minus(tax), tax }), origin);
  // While a payment of it is in flight, what is due stays what was asked for; the credit is for the next invoice.
  const isInFlight = await hasLiveAttempt(tx, accountId, invoice.invoiceId);
  if (invoice.status === 'open' && !isInFlight) await applyAtOnce(tx, owner, invoice, credit);
}

/** What of `total` goes back through the processor that took the invoice's money; 0 where none did. */
async function refundByProcessor(
  tx: Transaction,
  { accountId, customer, now }: Owner,
  invoice: IssuedInvoice,
  total: Decimal,
): Promise<Decimal> {
  if (invoice.payments.every(({ method }) => method === 'manual')) return ZERO;
  const earlier = await listRefundsOfInvoice(tx, accountId, invoice.invoiceId);
  const left = refundableAmount(invoice.amountPaid, earlier);
  const amount = total.lt(left) ? total : left;
  if (!amount.gt(0)) return ZERO;
  const request = { amount, method: 'original_payment' as const, reason: 'subscription_canceled', description: null };
  const planned = planRefund(invoice, earlier, request, { at: now, today: localDateAt(now, customer.timeZone) });
  const refund = { ...planned, refundId: newId('refund'), creditId: null };
  await insertRefund(tx, accountId, refund);
  const told = { accountId, subject: `refund/${refund.refundId}`, data: refundToWire(refund) };
  await insertOutboxEvent(tx, { ...told, type: 'refund.created' });
  return amount;
}

async function applyAtOnce(tx: Transaction, owner: Owner, invoice: IssuedInvoice, credit: Credit): Promise<void> {
  const { accountId, now } = owner;
  const { invoiceId, customerId, currency, amountDue } = invoice;
  const amount = credit.amount.lt(amountDue) ? credit.amount : amountDue;
  const isPaid = amount.eq(amountDue);
  const changed: IssuedInvoice = {
    ...invoice,
    creditsApplied: invoice.creditsApplied.plus(amount),
    amountDue: amountDue.minus(amount),
    status: isPaid ? nextInvoiceStatus(invoice.status, 'pay') : invoice.status,
    paidAt: isPaid ? now : null,
  };
  await insertCreditApplication(tx, accountId, invoiceId, { credit, amount }, now);
  const subject = { accountId, customerId, currency, at: now, invoiceId, creditId: credit.creditId };
  await insertLedgerTransaction(tx, subject, postCreditApplied(amount));
  await updateInvoiceCredited(tx, accountId, changed);
  if (!isPaid) return;
  const data = invoiceToWire(changed);
  await insertOutboxEvent(tx, { accountId, type: 'invoice.paid', subject: `invoice/${invoiceId}`, data });
}
