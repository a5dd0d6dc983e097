import type { Account } from '../../billing/accounts/account.ts';
import { type ComputedInvoice, computeInvoices, type InvoicePart } from '../../billing/invoices/compute-invoice.ts';
import type { InvoiceKind, IssuedInvoice } from '../../billing/invoices/invoice.ts';
import { postCreditApplied, postInvoiceIssued, postOverpaymentCredited } from '../../billing/ledger/ledger.ts';
import type { Period } from '../../billing/periods/periods.ts';
import type { Customer } from '../../billing/subscriptions/subscription.ts';
import { decimal } from '../../core/decimal.ts';
import { newId } from '../../core/ids.ts';
import { addDays, type Instant, localDateAt } from '../../core/instants.ts';
import { insertCreditApplications, listCreditsWithRemainder, lockCredits } from '../../sql/postgres/credits/credits.ts';
import { insertInvoices, takeInvoiceNumbers } from '../../sql/postgres/invoices/invoice-changes.ts';
import { insertLedgerTransactions } from '../../sql/postgres/ledger/ledger.ts';
import { insertOutboxEvents } from '../../sql/postgres/outbox.ts';
import { planCollections } from '../../sql/postgres/payments/collections.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { invoiceToWire } from '../../wire/invoices.ts';
import { saveOverpaymentCredit } from '../credits/save-credit.ts';
import { planPastDue } from './past-due.ts';

/** Whose invoices are made, and when in the customer's time. */
export type Issuing = { account: Account; customer: Customer; now: Instant };

/** What an invoice charges: nothing of what is left out. `pending`: lines that were waiting for it. */
type Charged = { kind: InvoiceKind } & Partial<
  Pick<InvoicePart, 'fees' | 'prepaid' | 'usages' | 'addons' | 'prorations' | 'late' | 'pending'>
>;

/** An invoice to be made, about a period of a subscription. */
export type InvoiceToIssue = {
  subscriptionId: string;
  period: Pick<Period, 'index' | 'startsAt' | 'endsAt'>;
  charged: Charged;
  /** The call that a proration is invoiced for: each makes one (spec/subscriptions#invoices-on-schedule). */
  operationId?: string | undefined;
  /** Makes none where nothing is due. */
  onlyIfDue?: boolean;
};

/** An invoice that is made, as it was computed and as it is issued. */
type MadeInvoice = { of: InvoiceToIssue; computed: ComputedInvoice; invoice: IssuedInvoice };

/**
 * The one way in which invoices come to be, in the caller's transaction: computed one after another by the customer's tax, credits and
 * date of now, then saved as issued, with their numbers, lines, the credits they used, the ledger and their events
 * (spec/invoices#record), in as many statements for many as for one. Null where `onlyIfDue` is asked and nothing is.
 */
export async function issueInvoices(
  tx: Transaction,
  issuing: Issuing,
  wanted: readonly InvoiceToIssue[],
): Promise<(IssuedInvoice | null)[]> {
  const { account, customer, now } = issuing;
  const { accountId } = account;
  const { customerId, currency, taxRate, timeZone } = customer;
  await lockCredits(tx, accountId, customerId);
  const credits = await listCreditsWithRemainder(tx, accountId, customerId);
  const today = localDateAt(now, timeZone);
  const all = [...computeInvoices({ currency, taxRate, today, credits, parts: wanted.map(partOf) })];
  // What a negative one leaves is a credit with its number, so those behind it are computed once it is saved.
  const negative = all.findIndex(({ overpayment }) => overpayment.gt(0));
  const computed = negative < 0 ? all : all.slice(0, negative + 1);
  const due = computed.map((one, i) => (wanted[i]?.onlyIfDue && isNothing(one) ? null : one));
  const numbers = await takeInvoiceNumbers(tx, accountId, due.filter((one) => one !== null).length);
  const made = due.map((one, i): MadeInvoice | null => {
    const of = wanted[i];
    const number = one && numbers.shift();
    return one && of && number ? { of, computed: one, invoice: issuedInvoice(issuing, of, one, number) } : null;
  });
  await saveInvoices(
    tx,
    issuing,
    made.filter((one) => one !== null),
  );
  const issued = made.map((one) => one?.invoice ?? null);
  const left = wanted.slice(computed.length);
  return left.length === 0 ? issued : [...issued, ...(await issueInvoices(tx, issuing, left))];
}

/** {@link issueInvoices} of one invoice. */
export async function issueInvoice(
  tx: Transaction,
  issuing: Issuing,
  wanted: InvoiceToIssue & { onlyIfDue?: false },
): Promise<IssuedInvoice> {
  const [invoice] = await issueInvoices(tx, issuing, [wanted]);
  if (!invoice) throw new Error(`no invoice of ${wanted.subscriptionId} was made`);
  return invoice;
}

function partOf({ period, charged }: InvoiceToIssue): InvoicePart {
  const nothing = { fees: [], prepaid: [], usages: [], pending: [] };
  return { ...nothing, ...charged, periodStart: period.startsAt, periodEnd: period.endsAt };
}

function isNothing({ lines }: ComputedInvoice): boolean {
  return lines.every(({ amount }) => amount.isZero());
}

async function saveInvoices(tx: Transaction, issuing: Issuing, made: readonly MadeInvoice[]): Promise<void> {
  if (made.length === 0) return;
  const { account, customer, now } = issuing;
  const { accountId } = account;
  const { customerId, currency } = customer;
  const rows = made.map(({ of, invoice }) => {
    return { invoice, periodIndex: of.period.index, operationId: of.operationId ?? null };
  });
  await insertInvoices(tx, accountId, rows);
  const applications = made.flatMap(({ computed, invoice }) => {
    const { invoiceId } = invoice;
    return computed.applications.map(({ credit, amount }) => ({ creditId: credit.creditId, invoiceId, amount }));
  });
  await insertCreditApplications(tx, accountId, applications, now);
  const postings = made.flatMap(({ computed, invoice: { invoiceId } }) => {
    const subject = { accountId, customerId, currency, at: now, invoiceId };
    return [
      { subject, posting: postInvoiceIssued(computed) },
      ...computed.applications.map(({ credit: { creditId }, amount }) => {
        return { subject: { ...subject, creditId }, posting: postCreditApplied(amount) };
      }),
    ];
  });
  await insertLedgerTransactions(tx, accountId, postings);
  const invoices = made.map(({ invoice }) => invoice);
  await insertOutboxEvents(tx, accountId, invoices.flatMap(eventsOf));
  const open = invoices.filter(({ status }) => status === 'open');
  await planPastDue(tx, accountId, customer, open);
  await planCollections(tx, accountId, customer, open);
  for (const one of made) if (one.computed.overpayment.gt(0)) await saveOverpayment(tx, issuing, one);
}

function eventsOf(invoice: IssuedInvoice) {
  const event = { subject: `invoice/${invoice.invoiceId}`, data: invoiceToWire(invoice) };
  const created = { ...event, type: 'invoice.created' };
  return invoice.status === 'paid' ? [created, { ...event, type: 'invoice.paid' }] : [created];
}

function issuedInvoice(
  { account, customer, now }: Issuing,
  of: InvoiceToIssue,
  invoice: ComputedInvoice,
  invoiceNumber: string,
): IssuedInvoice {
  const { applications: _applications, overpayment: _overpayment, ...computed } = invoice;
  const issueDate = localDateAt(now, customer.timeZone);
  return {
    ...computed,
    invoiceId: newId('inv'),
    invoiceNumber,
    customerId: customer.customerId,
    subscriptionId: of.subscriptionId,
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
  { account, customer, now }: Issuing,
  { computed, invoice }: MadeInvoice,
): Promise<void> {
  const { accountId } = account;
  const { overpayment: amount, currency } = computed;
  const description = `Overpayment of invoice ${invoice.invoiceNumber}`;
  const of = { customerId: customer.customerId, amount, currency, description, at: now };
  const origin = { accountId, timeZone: customer.timeZone, invoiceId: invoice.invoiceId };
  await saveOverpaymentCredit(tx, { ...of, posting: postOverpaymentCredited(amount) }, origin);
}
