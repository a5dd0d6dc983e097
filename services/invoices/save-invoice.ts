import type { Account } from '../../billing/accounts/account.ts';
import type { ComputedInvoice } from '../../billing/invoices/compute-invoice.ts';
import type { IssuedInvoice } from '../../billing/invoices/invoice.ts';
import { postCreditApplied, postInvoiceIssued, postOverpaymentCredited } from '../../billing/ledger/ledger.ts';
import type { Customer } from '../../billing/subscriptions/subscription.ts';
import { decimal } from '../../core/decimal.ts';
import { newId } from '../../core/ids.ts';
import { addDays, type Instant, localDateAt } from '../../core/instants.ts';
import { insertCreditApplication } from '../../sql/postgres/credits/credits.ts';
import { insertInvoice, takeInvoiceNumber } from '../../sql/postgres/invoices/invoices.ts';
import { insertLedgerTransaction } from '../../sql/postgres/ledger/ledger.ts';
import { insertOutboxEvent } from '../../sql/postgres/outbox.ts';
import { planCollection } from '../../sql/postgres/payments/collections.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { invoiceToWire } from '../../wire/invoices.ts';
import { saveOverpaymentCredit } from '../credits/save-credit.ts';
import { planPastDue } from './past-due.ts';

export type Issue = {
  account: Account;
  customer: Customer;
  subscriptionId: string;
  periodIndex: number;
  invoice: ComputedInvoice;
  /** The customer's time. */
  now: Instant;
  /** The call that a proration is invoiced for: each makes one (spec/subscriptions#invoices-on-schedule). */
  operationId?: string;
};

/**
 * Saves a computed invoice as issued: its number, its lines, the credits it used, the ledger, and its events,
 * all in the caller's transaction (spec/invoices#record).
 */
export async function saveInvoice(tx: Transaction, issue: Issue): Promise<IssuedInvoice> {
  const { account, periodIndex, invoice: computed, now, operationId = null } = issue;
  const { accountId } = account;
  const invoice = issuedInvoice(issue, newId('inv'), await takeInvoiceNumber(tx, accountId));
  await insertInvoice(tx, accountId, invoice, { periodIndex, operationId });

  const { customerId, currency } = invoice;
  const subject = { accountId, customerId, currency, at: now, invoiceId: invoice.invoiceId };
  await insertLedgerTransaction(tx, subject, postInvoiceIssued(computed));
  for (const application of computed.applications) {
    await insertCreditApplication(tx, accountId, invoice.invoiceId, application, now);
    const { creditId } = application.credit;
    await insertLedgerTransaction(tx, { ...subject, creditId }, postCreditApplied(application.amount));
  }
  const data = invoiceToWire(invoice);
  const event = { accountId, subject: `invoice/${invoice.invoiceId}`, data };
  await insertOutboxEvent(tx, { ...event, type: 'invoice.created' });
  if (invoice.status === 'paid') await insertOutboxEvent(tx, { ...event, type: 'invoice.paid' });
  else await planPastDue(tx, accountId, invoice, issue.customer.timeZone);
  await planCollection(tx, accountId, issue.customer, invoice);
  if (computed.overpayment.gt(0)) await saveOverpayment(tx, issue, invoice);
  return invoice;
}

function issuedInvoice(issue: Issue, invoiceId: string, invoiceNumber: string): IssuedInvoice {
  const { account, customer, subscriptionId, invoice, now } = issue;
  const { applications: _applications, overpayment: _overpayment, ...computed } = invoice;
  const issueDate = localDateAt(now, customer.timeZone);
  return {
    ...computed,
    invoiceId,
    invoiceNumber,
    customerId: customer.customerId,
    subscriptionId,
    issueDate,
    dueDate: addDays(issueDate, account.netTermsDays),
    lines: invoice.lines.map((line) => ({ ...line, lineId: newId('line') })),
    amountPaid: decimal(0),
    amountRefunded: decimal(0),
    createdAt: now,
    paidAt: invoice.status === 'paid' ? now : null,
    voidedAt: null,
    payments: [],
    billingAddress: customer.billingAddress,
    customerName: customer.customerName,
    testClockId: customer.testClockId,
    customerToday: issueDate,
  };
}

/** What a negative total leaves is the customer's: a credit for the next invoice (spec/invoices#arithmetic). */
async function saveOverpayment(tx: Transaction, { account, customer, invoice, now }: Issue, issued: IssuedInvoice) {
  const { accountId } = account;
  const { overpayment: amount, currency } = invoice;
  const description = `Overpayment of invoice ${issued.invoiceNumber}`;
  const of = { customerId: customer.customerId, amount, currency, description, at: now };
  const origin = { accountId, timeZone: customer.timeZone, invoiceId: issued.invoiceId };
  await saveOverpaymentCredit(tx, { ...of, posting: postOverpaymentCredited(amount) }, origin);
}
