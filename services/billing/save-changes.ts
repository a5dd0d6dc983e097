import {
  type ChangeSet,
  invoicePlaceholder,
  isLocalId,
  type NamedEvent,
  type NewCredit,
  type NewPosting,
  type PlannedStep,
} from '../../billing/change-set.ts';
import type { IssuedInvoice } from '../../billing/invoices/invoice.ts';
import { COLLECTION_RANK, PAST_DUE_RANK, SECTIONS_RANK } from '../../billing/periods/schedule.ts';
import { collectionSubject, pastDueSubject, sectionsSubject } from '../../billing/periods/step-subjects.ts';
import { type IdPrefix, newId } from '../../core/ids.ts';
import { updateCredits, updateCreditsRestored } from '../../sql/postgres/credits/credit-changes.ts';
import { insertCreditApplications, insertCredits } from '../../sql/postgres/credits/credits.ts';
import { type DueStep, deleteSteps, planSteps } from '../../sql/postgres/due-steps.ts';
import { insertBilledUsage } from '../../sql/postgres/invoices/billed-usage.ts';
import { insertInvoices, updateInvoices } from '../../sql/postgres/invoices/invoice-changes.ts';
import { insertSections, updateSectionsInvoiced } from '../../sql/postgres/invoices/invoice-sections.ts';
import { upsertLimitedAmounts } from '../../sql/postgres/invoices/limited-amounts.ts';
import { insertLineCounts } from '../../sql/postgres/invoices/line-counts.ts';
import { upsertPastDueWaits } from '../../sql/postgres/invoices/past-due-waits.ts';
import {
  deletePendingItems,
  insertPendingItems,
  updatePendingItemsTaken,
} from '../../sql/postgres/invoices/pending-items.ts';
import { upsertWatermarks } from '../../sql/postgres/invoices/usage-watermarks.ts';
import { insertLedgerTransactions, type NewLedgerTransaction } from '../../sql/postgres/ledger/ledger.ts';
import { insertOutboxEvents, type NewOutboxEvent } from '../../sql/postgres/outbox.ts';
import { collectableEvent } from '../../sql/postgres/payments/collections.ts';
import { insertPayments } from '../../sql/postgres/payments/payments.ts';
import { type Transaction, withoutAnswers } from '../../sql/postgres/postgres.ts';
import { updateAddonsBilled } from '../../sql/postgres/subscriptions/addon-subscriptions.ts';
import { updateDiscountsUncounted, updateDiscountsUsed } from '../../sql/postgres/subscriptions/discounts.ts';
import { updateNextFeesTaken } from '../../sql/postgres/subscriptions/pending-invoices.ts';
import { creditToWire } from '../../wire/credits.ts';
import { type InvoiceWire, invoiceToWire } from '../../wire/invoices.ts';
import { created } from '../audit/audited.ts';
import { BY_SYSTEM } from '../audit/origin.ts';
import { saveAuditEntries } from '../audit/save-audit-entry.ts';

/** The ids of the records that a change set made, by local id. */
export type SavedIds = ReadonlyMap<string, string>;

/** Returns the id of a record that a change set made or names. Throws for a local id that it did not make. */
export function savedId(ids: SavedIds, id: string): string {
  const saved = isLocalId(id) ? ids.get(id) : id;
  if (saved === undefined) throw new Error(`a change set makes no record ${id}`);
  return saved;
}

/**
 * Writes a change set in the caller's transaction, and returns the id of each record that it made. The statements are sent behind each
 * other, and many invoices take as many as one. The first that fails fails the transaction. The caller has locked the records that the
 * change set changes.
 */
export async function saveChanges(tx: Transaction, accountId: string, changes: ChangeSet): Promise<SavedIds> {
  const ids = newIdsOf(changes);
  const saved = withIds(changes, ids);
  const { invoices, credits, sections = [], discountsUsed = [], pendingDeleted = [], stepsDone = [] } = saved;
  const writing = withoutAnswers(tx);
  await insertInvoices(writing, accountId, invoices);
  await insertLineCounts(
    writing,
    accountId,
    invoices.flatMap(({ counts }) => counts),
  );
  await insertCredits(writing, accountId, credits);
  await insertCreditApplications(writing, accountId, saved.creditApplications);
  await saveExistingChanged(writing, accountId, saved);
  await updateDiscountsUsed(writing, accountId, discountsUsed);
  await insertSections(writing, accountId, sections);
  await updateSectionsInvoiced(writing, accountId, saved.sectionsInvoiced);
  await updatePendingItemsTaken(writing, accountId, saved.pendingTaken);
  await deletePendingItems(writing, accountId, pendingDeleted);
  await saveCharged(writing, accountId, changes);
  await insertLedgerTransactions(
    writing,
    accountId,
    saved.postings.map((one) => ofAccount(accountId, one)),
  );
  const done = stepsDone.map(({ payerId, dueAt }) => sectionsSubject(payerId, dueAt));
  await deleteSteps(writing, accountId, done);
  await saveSteps(writing, accountId, saved.steps);
  await saveEventsAndAudit(writing, accountId, saved);
  return ids;
}

/** Writes the records of charges, which keep them from being billed twice and by which late usage is recognized. */
async function saveCharged(tx: Transaction, accountId: string, changes: ChangeSet): Promise<void> {
  const { pendingAdded = [], addonsBilled = [], nextFeesTaken = [], usageBilled = [], usageHeld = [] } = changes;
  const { limitedAmounts = [], watermarks = [] } = changes;
  for (const { owner, lines, counts } of pendingAdded) await insertPendingItems(tx, accountId, owner, lines, counts);
  await updateAddonsBilled(tx, accountId, addonsBilled);
  await updateNextFeesTaken(tx, accountId, nextFeesTaken);
  await insertBilledUsage(tx, accountId, usageBilled, usageHeld);
  await upsertLimitedAmounts(tx, accountId, limitedAmounts);
  await upsertWatermarks(tx, accountId, watermarks);
}

/** Writes payments, and what has changed of credits and invoices that existed before. */
async function saveExistingChanged(tx: Transaction, accountId: string, changes: ChangeSet): Promise<void> {
  const { creditsChanged = [], creditsRestored = [], invoicesChanged = [], payments = [] } = changes;
  await updateCredits(tx, accountId, creditsChanged);
  await updateCreditsRestored(tx, accountId, creditsRestored);
  await updateInvoices(tx, accountId, invoicesChanged);
  await insertPayments(tx, accountId, payments);
  await updateDiscountsUncounted(tx, accountId, changes.discountsUncounted ?? []);
}

/** An id for each record that the change set makes. */
function newIdsOf({ invoices = [], credits = [] }: ChangeSet): Map<string, string> {
  const ids = new Map<string, string>();
  const make = (id: string | null, prefix: IdPrefix) => {
    if (id !== null && isLocalId(id)) ids.set(id, newId(prefix));
  };
  for (const { invoice } of invoices) {
    make(invoice.invoiceId, 'inv');
    for (const { lineId } of invoice.lines) make(lineId, 'line');
  }
  for (const { creditId } of credits) make(creditId, 'credit');
  return ids;
}

/** The change set with the ids of its records in the place of local ones, and a placeholder for the number of each invoice. */
function withIds(changes: ChangeSet, ids: SavedIds) {
  const { invoices = [], credits = [], creditApplications = [], postings = [], steps = [], events = [] } = changes;
  const { sectionsInvoiced = [], pendingTaken = [], audit = [] } = changes;
  const idOf = (id: string) => savedId(ids, id);
  const made = new Set<string>(invoices.map(({ invoice }) => invoice.invoiceId));
  const nameOf = (text: string) => {
    return text.replaceAll(/\{invoice:(new:\d+)\}/g, (text, id: string) => {
      return made.has(id) ? invoicePlaceholder(idOf(id)) : text;
    });
  };
  /** Replaces the local ids of the invoice and the credit that a record names. */
  const named = <T extends object>(one: T): T => ({
    ...one,
    ...('invoiceId' in one && typeof one.invoiceId === 'string' && { invoiceId: idOf(one.invoiceId) }),
    ...('creditId' in one && typeof one.creditId === 'string' && { creditId: idOf(one.creditId) }),
  });
  const lineOf = (line: IssuedInvoice['lines'][number]) => ({
    ...line,
    lineId: line.lineId && idOf(line.lineId),
    creditId: line.creditId && idOf(line.creditId),
    ...(line.givenBackOf !== undefined && { givenBackOf: idOf(line.givenBackOf) }),
    ...(line.creditId !== null && isLocalId(line.creditId) && { description: nameOf(line.description) }),
  });
  return {
    ...changes,
    invoices: invoices.map(({ invoice, counts, ...about }) => {
      const invoiceId = idOf(invoice.invoiceId);
      const invoiceNumber = invoicePlaceholder(invoiceId);
      return {
        ...about,
        invoice: { ...invoice, invoiceId, invoiceNumber, lines: invoice.lines.map(lineOf) },
        counts: counts.map((count) => ({ ...count, lineId: idOf(count.lineId) })),
      };
    }),
    credits: credits.map((credit) => ({
      ...named(credit),
      description: credit.description && nameOf(credit.description),
    })),
    creditApplications: creditApplications.map(named),
    sectionsInvoiced: sectionsInvoiced.map(named),
    pendingTaken: pendingTaken.map(named),
    postings: postings.map((one) => ({ ...one, subject: named(one.subject) })),
    steps: steps.map(named),
    events: events.map(named),
    audit: audit.map(named),
  };
}

type Saved = ReturnType<typeof withIds>;

function ofAccount(accountId: string, { subject, posting }: NewPosting): NewLedgerTransaction {
  return { subject: { accountId, ...subject }, posting };
}

/** Plans steps of test clocks. In real time an invoice waits for the sweep until it is past due, and all else is found without. */
async function saveSteps(tx: Transaction, accountId: string, steps: readonly PlannedStep[]): Promise<void> {
  const waits = steps.flatMap((step) => (step.testClockId === null && step.kind === 'past_due' ? step : []));
  await upsertPastDueWaits(tx, accountId, waits);
  for (const [testClockId, planned] of Map.groupBy(steps, (step) => step.testClockId)) {
    await planSteps(tx, { accountId, testClockId }, planned.map(dueStepOf));
  }
}

function dueStepOf(step: PlannedStep): DueStep {
  const { kind, dueAt } = step;
  if (step.kind === 'issue_sections') {
    return { subject: sectionsSubject(step.payerId, dueAt), kind, dueAt, rank: SECTIONS_RANK };
  }
  const { invoiceId } = step;
  if (kind === 'past_due') return { subject: pastDueSubject(invoiceId), kind, dueAt, rank: PAST_DUE_RANK };
  return { subject: collectionSubject(invoiceId), kind, dueAt, rank: COLLECTION_RANK };
}

/** Writes events and audit entries with their JSON. */
async function saveEventsAndAudit(tx: Transaction, accountId: string, saved: Saved): Promise<void> {
  const { invoices, invoicesChanged = [], credits, events, audit } = saved;
  const all = [...invoices.map(({ invoice }) => invoice), ...invoicesChanged];
  const invoiceOf = found(all.map((invoice) => [invoice.invoiceId, invoice]));
  const creditOf = found(credits.map((credit) => [credit.creditId, credit]));
  // An invoice that is paid at once has two events.
  const shown = new Map<string, InvoiceWire>();
  const show = (invoiceId: string) => {
    const wire = shown.get(invoiceId) ?? invoiceToWire(invoiceOf(invoiceId));
    shown.set(invoiceId, wire);
    return wire;
  };
  const eventOf = (event: NamedEvent): NewOutboxEvent => {
    if (event.type === 'credit.created') return creditEvent(creditOf(event.creditId));
    const { type, invoiceId } = event;
    if (type === 'invoice.collectable') return collectableEvent({ invoiceId });
    return { type, subject: `invoice/${invoiceId}`, data: show(invoiceId) };
  };
  await insertOutboxEvents(tx, accountId, events.map(eventOf));
  // Lines are not kept in the audit log: of an invoice with thousands of them they are not looked at again.
  const entries = audit.map(({ invoiceId }) => created(invoiceToWire({ ...invoiceOf(invoiceId), lines: [] })));
  saveAuditEntries(tx, { accountId, action: 'invoice.created', origin: BY_SYSTEM }, entries);
}

function creditEvent(credit: NewCredit): NewOutboxEvent {
  const data = creditToWire(credit, credit.customerToday);
  return { type: 'credit.created', subject: `credit/${credit.creditId}`, data };
}

/** The look-up of records by id, which throws where there is none. */
function found<T>(records: readonly (readonly [id: string, record: T])[]): (id: string) => T {
  const byId = new Map(records);
  return (id) => {
    const record = byId.get(id);
    if (!record) throw new Error(`a change set names ${id}, which it neither makes nor changes`);
    return record;
  };
}
