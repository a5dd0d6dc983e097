import type { Account } from '../../billing/accounts/account.ts';
import { type ApplicableCredit, type Credit, newCredit } from '../../billing/credits/credits.ts';
import { type ApplicableDiscount, countsPeriods, discountsAfter } from '../../billing/discounts/discounts.ts';
import { agreedVersions, nameAgreed } from '../../billing/invoices/agreed-lines.ts';
import {
  type ComputedInvoice,
  computeInvoices,
  type InvoicePart,
  isNothingDue,
  withMadeCredits,
} from '../../billing/invoices/compute-invoice.ts';
import { type ConsolidatedInvoice, sectionOf, withInvoiceNamed } from '../../billing/invoices/consolidated-invoice.ts';
import type { InvoiceKind, IssuedInvoice, NewInvoiceLine } from '../../billing/invoices/invoice.ts';
import type { PendingItems } from '../../billing/invoices/pending-items.ts';
import { postCreditApplied, postInvoiceIssued, postOverpaymentCredited } from '../../billing/ledger/ledger.ts';
import type { ChargeCount } from '../../billing/metering/line-counts.ts';
import type { Period } from '../../billing/periods/periods.ts';
import type { Customer } from '../../billing/subscriptions/subscription.ts';
import { decimal } from '../../core/decimal.ts';
import { newId } from '../../core/ids.ts';
import { addDays, type Instant, localDateAt } from '../../core/instants.ts';
import { loadPlans } from '../../sql/postgres/catalog/plans.ts';
import { insertCreditApplications, listCreditsWithRemainder, lockCredits } from '../../sql/postgres/credits/credits.ts';
import { loadPayer } from '../../sql/postgres/customers/customers.ts';
import { insertInvoices } from '../../sql/postgres/invoices/invoice-changes.ts';
import { numberToCome } from '../../sql/postgres/invoices/invoice-numbers.ts';
import { insertLineCounts } from '../../sql/postgres/invoices/line-counts.ts';
import { deletePendingItems, updatePendingItemsTaken } from '../../sql/postgres/invoices/pending-items.ts';
import { insertLedgerTransactions } from '../../sql/postgres/ledger/ledger.ts';
import { insertOutboxEvents } from '../../sql/postgres/outbox.ts';
import { planCollections } from '../../sql/postgres/payments/collections.ts';
import { type Transaction, withoutAnswers } from '../../sql/postgres/postgres.ts';
import { listApplicableDiscounts, updateDiscountsUsed } from '../../sql/postgres/subscriptions/discounts.ts';
import { invoiceToWire } from '../../wire/invoices.ts';
import { saveCredit } from '../credits/save-credit.ts';
import { auditIssued } from './audit-issued.ts';
import { holdSections } from './hold-sections.ts';
import { planPastDue } from './past-due.ts';

/**
 * What has an invoice made: a call, whose audit entry it is part of, or time, at the instant at which it was due, and then it has one
 * of its own (spec/audit-log#actions).
 */
export type IssuedBy = 'call' | { dueAt: Instant };

/** Whose invoices are made, when in the customer's time, and by what. */
export type Issuing = { account: Account; customer: Customer; now: Instant; by: IssuedBy };

/** What an invoice charges: nothing of what is left out. `pending`: lines that were waiting for it. */
type Charged = { kind: InvoiceKind } & Partial<
  Pick<InvoicePart, 'fees' | 'prepaid' | 'usages' | 'addons' | 'prorations' | 'late' | 'trueUps' | 'held' | 'pending'>
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
  /** What waited for it, and is on it. */
  taken?: PendingItems;
  /** What its usage was counted from, also of what waited. */
  counts?: readonly ChargeCount[];
};

/** What was made: an invoice, or (null) a section of one that is issued once all of its instant is there. */
export type Issued = { invoiceId: string | null };

/** An invoice that is made, as it was computed and as it is issued, and the credit that a negative one leaves. */
type MadeInvoice = {
  of: InvoiceToIssue | null;
  computed: ComputedInvoice;
  invoice: IssuedInvoice;
  credit: Credit | null;
};

/**
 * The one way in which invoices come to be, in the caller's transaction: computed one after another by the payer's tax, credits and
 * date of now, then saved as issued, with their lines, the credits they used, the ledger and their events (spec/invoices#record), in as
 * many statements for many as for one. Their numbers come as the transaction ends. Null where `onlyIfDue` is asked and nothing is. What time makes due
 * of a payer with others, or of one of these, is a section of their invoice (spec/invoices#sections).
 */
export async function issueInvoices(
  tx: Transaction,
  issuing: Issuing,
  wanted: readonly InvoiceToIssue[],
): Promise<(Issued | null)[]> {
  const { account, customer } = issuing;
  const { accountId } = account;
  const dueAt = sectionsSince(issuing);
  if (dueAt !== null) return holdInvoices(tx, issuing, wanted, dueAt);
  const payer = await loadPayer(tx, accountId, customer);
  const made = await makeInvoices(tx, { ...issuing, customer: payer }, wanted, customer);
  const issued = made.flatMap((one) => one ?? []);
  const writing = withoutAnswers(tx);
  await saveInvoices(writing, { ...issuing, customer: payer }, issued);
  for (const { of, invoice } of issued) {
    if (of?.taken) await updatePendingItemsTaken(writing, accountId, of.taken, invoice.invoiceId);
  }
  await insertLineCounts(
    writing,
    accountId,
    issued.map(({ of, invoice }) => ({ invoice, counts: of?.counts ?? [] })),
  );
  return made.map((one) => one && { invoiceId: one.invoice.invoiceId });
}

/** The instant of whose invoice with others what is billed are sections; null where it is on invoices of its own. */
export function sectionsSince({ customer, by }: Pick<Issuing, 'customer' | 'by'>): Instant | null {
  return by !== 'call' && (customer.isPayer || customer.billedTo !== null) ? by.dueAt : null;
}

/** `issuing.customer` pays for what is billed of `customer`. */
async function makeInvoices(
  tx: Transaction,
  issuing: Issuing,
  wanted: readonly InvoiceToIssue[],
  customer: Customer,
): Promise<(MadeInvoice | null)[]> {
  const { account, customer: payer, now } = issuing;
  const { accountId } = account;
  const { customerId, currency, taxRate, timeZone } = payer;
  await lockCredits(tx, accountId, [customerId]);
  const credits = await listCreditsWithRemainder(tx, accountId, [customerId]);
  const discounts = await lockDiscounts(tx, accountId, customer, wanted);
  const today = localDateAt(now, timeZone);
  const computed = computeInvoices({ currency, taxRate, today, credits, discounts, parts: wanted.map(partOf) });
  const named = await withAgreed(tx, accountId, [...computed]);
  const due = named.map((one, i) => (wanted[i]?.onlyIfDue && isNothingDue(one.lines) ? null : one));
  const left = new Map<string, ApplicableCredit>();
  return due.map((one, i): MadeInvoice | null => {
    const of = wanted[i];
    if (!one || !of) return null;
    const invoiceId = newId('inv');
    const credit = overpaymentOf(issuing, one, invoiceId);
    if (credit && one.leaves) left.set(one.leaves.creditId, credit);
    const final = withMadeCredits(one, left);
    const about = { subscriptionId: of.subscriptionId, sections: [] };
    const invoice = issuedInvoice(issuing, about, linesOf(final, customer, payer), invoiceId);
    return { of, computed: final, invoice, credit };
  });
}

/** The discounts that may lower these invoices of a customer, in order of redemption, locked. */
async function lockDiscounts(
  tx: Transaction,
  accountId: string,
  { customerId, hasDiscounts }: Customer,
  wanted: readonly InvoiceToIssue[],
): Promise<ApplicableDiscount[]> {
  if (!hasDiscounts) return [];
  const lines = wanted.flatMap(({ charged }) => {
    const { fees = [], prepaid = [], usages = [], addons = [], prorations = [], late = [], pending = [] } = charged;
    return [...fees, ...prepaid, ...usages, ...addons, ...prorations, ...late, ...pending];
  });
  const billed = new Set([...wanted, ...lines].flatMap(({ subscriptionId }) => subscriptionId ?? []));
  return listApplicableDiscounts(tx, accountId, [customerId], { lock: [...billed] });
}

/** The discounts of which it is a period (spec/discounts#periods). */
function usedBy({ kind, discountsUsed }: Pick<ComputedInvoice, 'kind' | 'discountsUsed'>): string[] {
  return countsPeriods(kind) ? discountsUsed : [];
}

/** An invoice to a payer names whose lines it has. */
function linesOf(invoice: ComputedInvoice, { customerId }: Customer, payer: Customer): ComputedInvoice {
  if (customerId === payer.customerId) return invoice;
  return { ...invoice, lines: invoice.lines.map((line) => (line.type === 'credit' ? line : { ...line, customerId })) };
}

/** Sections of the invoice of an instant, in the place of invoices; null where `onlyIfDue` is asked and nothing is. */
async function holdInvoices(
  tx: Transaction,
  { account: { accountId }, customer, now }: Issuing,
  wanted: readonly InvoiceToIssue[],
  dueAt: Instant,
): Promise<(Issued | null)[]> {
  const { customerId, currency, timeZone } = customer;
  const on = { currency, today: localDateAt(now, timeZone) };
  let discounts = await lockDiscounts(tx, accountId, customer, wanted);
  const held = wanted.flatMap((of) => {
    const owner = { customerId, subscriptionId: of.subscriptionId };
    const section = sectionOf(owner, partOf(of), { ...on, discounts });
    if (of.onlyIfDue && isNothingDue(section.lines)) return [];
    discounts = discountsAfter(discounts, { ...section, used: section.discountsUsed });
    return { ...section, of, counts: of.counts ?? [], periodIndex: of.period.index };
  });
  await holdSections(tx, accountId, customer, held, dueAt);
  await updateDiscountsUsed(tx, accountId, held.flatMap(usedBy));
  for (const { of } of held) if (of.taken) await deletePendingItems(tx, accountId, of.taken);
  return wanted.map((one) => (held.some(({ of }) => of === one) ? { invoiceId: null } : null));
}

/** Issues a consolidated invoice, in the transaction that takes its sections. */
export async function saveConsolidated(
  tx: Transaction,
  issuing: Issuing,
  consolidated: ConsolidatedInvoice,
): Promise<IssuedInvoice> {
  const { accountId } = issuing.account;
  const [computed = consolidated] = await withAgreed(tx, accountId, [consolidated]);
  const invoiceId = newId('inv');
  const credit = overpaymentOf(issuing, computed, invoiceId);
  const about = { subscriptionId: null, sections: computed.sections };
  const named = { ...computed, lines: withInvoiceNamed(computed.lines, invoiceId) };
  const invoice = issuedInvoice(issuing, about, named, invoiceId);
  await saveInvoices(withoutAnswers(tx), issuing, [{ of: null, computed, invoice, credit }]);
  return invoice;
}

/** The invoices whose lines say what was agreed on for them, where anything was. */
async function withAgreed<T extends { lines: NewInvoiceLine[] }>(
  tx: Transaction,
  accountId: string,
  invoices: readonly T[],
): Promise<T[]> {
  const versions = invoices.flatMap(({ lines }) => agreedVersions(lines));
  if (versions.length === 0) return [...invoices];
  const planOf = await loadPlans(tx, accountId, versions);
  return invoices.map((invoice) => nameAgreed(invoice, planOf));
}

/** What a negative total leaves is the payer's: a credit for the next invoice (spec/invoices#arithmetic). */
function overpaymentOf({ customer, now }: Issuing, { overpayment }: ComputedInvoice, invoiceId: string) {
  if (!overpayment.gt(0)) return null;
  const { customerId, currency } = customer;
  const of = { customerId, currency, reason: 'overpayment_credit', expiresAt: null, createdAt: now } as const;
  return newCredit({
    ...of,
    creditId: newId('credit'),
    amount: overpayment,
    description: `Overpayment of invoice ${numberToCome(invoiceId)}`,
  });
}

/** {@link issueInvoices} of one invoice. */
export async function issueInvoice(
  tx: Transaction,
  issuing: Issuing,
  wanted: InvoiceToIssue & { onlyIfDue?: false },
): Promise<Issued> {
  const [invoice] = await issueInvoices(tx, issuing, [wanted]);
  if (!invoice) throw new Error(`no invoice of ${wanted.subscriptionId} was made`);
  return invoice;
}

function partOf({ period, charged }: InvoiceToIssue): InvoicePart {
  const nothing = { fees: [], prepaid: [], usages: [], pending: [] };
  return { ...nothing, ...charged, periodStart: period.startsAt, periodEnd: period.endsAt };
}

/** Only writes. */
async function saveInvoices(tx: Transaction, issuing: Issuing, made: readonly MadeInvoice[]): Promise<void> {
  if (made.length === 0) return;
  const { account, customer, now } = issuing;
  const { accountId } = account;
  const { customerId, currency } = customer;
  const rows = made.map(({ of, invoice }) => {
    return { invoice, periodIndex: of?.period.index ?? null, operationId: of?.operationId ?? null };
  });
  await insertInvoices(tx, accountId, rows);
  const invoices = made.map(({ invoice }) => invoice);
  await insertOutboxEvents(tx, accountId, invoices.flatMap(eventsOf));
  if (issuing.by !== 'call') auditIssued(tx, accountId, invoices);
  for (const { credit, invoice } of made) if (credit) await saveOverpayment(tx, issuing, credit, invoice);
  const applications = made.flatMap(({ computed, invoice }) => {
    const { invoiceId } = invoice;
    return computed.applications.map(({ credit, amount }) => ({ creditId: credit.creditId, invoiceId, amount }));
  });
  await insertCreditApplications(tx, accountId, applications, now);
  await updateDiscountsUsed(
    tx,
    accountId,
    made.flatMap(({ computed }) => usedBy(computed)),
  );
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
  const open = invoices.filter(({ status }) => status === 'open');
  await planPastDue(tx, accountId, customer, open);
  await planCollections(tx, accountId, customer, open);
}

function eventsOf(invoice: IssuedInvoice) {
  const event = { subject: `invoice/${invoice.invoiceId}`, data: invoiceToWire(invoice) };
  const created = { ...event, type: 'invoice.created' };
  return invoice.status === 'paid' ? [created, { ...event, type: 'invoice.paid' }] : [created];
}

function issuedInvoice(
  { account, customer, now }: Issuing,
  about: Pick<IssuedInvoice, 'subscriptionId' | 'sections'>,
  invoice: ComputedInvoice,
  invoiceId: string,
): IssuedInvoice {
  const { applications: _applications, overpayment: _overpayment, discountsUsed: _used, ...computed } = invoice;
  const issueDate = localDateAt(now, customer.timeZone);
  return {
    ...computed,
    ...about,
    invoiceId,
    invoiceNumber: numberToCome(invoiceId),
    customerId: customer.customerId,
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

async function saveOverpayment(
  tx: Transaction,
  { account: { accountId }, customer: { timeZone } }: Issuing,
  credit: Credit,
  { invoiceId }: IssuedInvoice,
): Promise<void> {
  await saveCredit(tx, credit, postOverpaymentCredited(credit.amount), { accountId, timeZone, invoiceId });
}
