import type { Account } from '../../billing/accounts/account.ts';
import { type ComputedInvoice, computeInvoice, type InvoiceInput } from '../../billing/invoices/compute-invoice.ts';
import type { IssuedInvoice } from '../../billing/invoices/invoice.ts';
import { postCreditApplied, postInvoiceIssued, postOverpaymentCredited } from '../../billing/ledger/ledger.ts';
import type { Period } from '../../billing/periods/periods.ts';
import type { Customer } from '../../billing/subscriptions/subscription.ts';
import { decimal } from '../../core/decimal.ts';
import { newId } from '../../core/ids.ts';
import { addDays, type Instant, localDateAt } from '../../core/instants.ts';
import { insertCreditApplication, listCreditsWithRemainder, lockCredits } from '../../sql/postgres/credits/credits.ts';
import { insertInvoice, takeInvoiceNumber } from '../../sql/postgres/invoices/invoice-changes.ts';
import { insertLedgerTransaction } from '../../sql/postgres/ledger/ledger.ts';
import { insertOutboxEvent } from '../../sql/postgres/outbox.ts';
import { planCollection } from '../../sql/postgres/payments/collections.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { invoiceToWire } from '../../wire/invoices.ts';
import { saveOverpaymentCredit } from '../credits/save-credit.ts';
import { planPastDue } from './past-due.ts';

/** What an invoice charges: nothing of what is left out. `pending`: lines that were waiting for it. */
type Charged = Pick<InvoiceInput, 'kind'> &
  Partial<Pick<InvoiceInput, 'fees' | 'prepaid' | 'usages' | 'addons' | 'prorations' | 'late' | 'pending'>>;

/** An invoice to be made, about a period of a subscription. */
export type InvoiceToIssue = {
  account: Account;
  customer: Customer;
  subscriptionId: string;
  period: Pick<Period, 'index' | 'startsAt' | 'endsAt'>;
  charged: Charged;
  /** The customer's time. */
  now: Instant;
  /** The call that a proration is invoiced for: each makes one (spec/subscriptions#invoices-on-schedule). */
  operationId?: string | undefined;
  /** Makes none where nothing is due. */
  onlyIfDue?: boolean;
};

/**
 * The one way in which an invoice comes to be, in the caller's transaction: computed by the customer's tax, credits and date of now,
 * then saved as issued, with its number, its lines, the credits it used, the ledger and its events (spec/invoices#record). Null where
 * `onlyIfDue` is asked and nothing is.
 */
export function issueInvoice(tx: Transaction, of: InvoiceToIssue & { onlyIfDue?: false }): Promise<IssuedInvoice>;
export function issueInvoice(tx: Transaction, of: InvoiceToIssue): Promise<IssuedInvoice | null>;
export async function issueInvoice(tx: Transaction, of: InvoiceToIssue): Promise<IssuedInvoice | null> {
  const { account, customer, period, now, charged, onlyIfDue = false } = of;
  const { customerId, currency, taxRate, timeZone } = customer;
  await lockCredits(tx, account.accountId, customerId);
  const computed = computeInvoice({
    fees: [],
    prepaid: [],
    usages: [],
    pending: [],
    ...charged,
    currency,
    taxRate,
    periodStart: period.startsAt,
    periodEnd: period.endsAt,
    credits: await listCreditsWithRemainder(tx, account.accountId, customerId),
    today: localDateAt(now, timeZone),
  });
  if (onlyIfDue && computed.lines.every(({ amount }) => amount.isZero())) return null;
  return saveInvoice(tx, of, computed);
}

async function saveInvoice(tx: Transaction, of: InvoiceToIssue, computed: ComputedInvoice): Promise<IssuedInvoice> {
  const { account, customer, period, now, operationId = null } = of;
  const { accountId } = account;
  const invoice = issuedInvoice(of, computed, newId('inv'), await takeInvoiceNumber(tx, accountId));
  await insertInvoice(tx, accountId, invoice, { periodIndex: period.index, operationId });

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
  else await planPastDue(tx, accountId, invoice, customer.timeZone);
  await planCollection(tx, accountId, customer, invoice);
  if (computed.overpayment.gt(0)) await saveOverpayment(tx, of, computed, invoice);
  return invoice;
}

function issuedInvoice(
  { account, customer, subscriptionId, now }: InvoiceToIssue,
  invoice: ComputedInvoice,
  invoiceId: string,
  invoiceNumber: string,
): IssuedInvoice {
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
async function saveOverpayment(
  tx: Transaction,
  { account, customer, now }: InvoiceToIssue,
  { overpayment: amount, currency }: ComputedInvoice,
  issued: IssuedInvoice,
) {
  const { accountId } = account;
  const description = `Overpayment of invoice ${issued.invoiceNumber}`;
  const of = { customerId: customer.customerId, amount, currency, description, at: now };
  const origin = { accountId, timeZone: customer.timeZone, invoiceId: issued.invoiceId };
  await saveOverpaymentCredit(tx, { ...of, posting: postOverpaymentCredited(amount) }, origin);
}
