import { createHash } from 'node:crypto';
import { sumOfInvoices } from '../../billing/invoices/compute-draft.ts';
import type { ComputedInvoice } from '../../billing/invoices/compute-invoice.ts';
import type { Customer } from '../../billing/subscriptions/subscription.ts';
import { stringifyExactJson, type Written } from '../../runtime/exact-json.ts';
import { takeInTurns } from '../../runtime/in-turns.ts';
import { listBilledTo } from '../../sql/postgres/customers/billed-to.ts';
import { findCustomers } from '../../sql/postgres/customers/customers.ts';
import type { AnswerRoom } from '../../sql/postgres/page-window.ts';
import { inReading } from '../../sql/postgres/postgres.ts';
import type { DraftPartWire } from '../../wire/invoices.ts';
import type { ReadRecords, StateQuestion, StatesQuestion } from '../billing/load-state.ts';
import {
  consolidatedInvoices,
  type Draft,
  type DraftedInvoice,
  draftsOf,
  inOrderOf,
  isConsolidated,
  loadDraftRecords,
  ownInvoices,
} from './load-draft.ts';
import type { InvoiceSources } from './load-invoice-inputs.ts';
import { draftWriter, lineWriter, type OfPart, type WriteLine, writtenInvoices } from './write-draft.ts';

/** What a draft comes to. */
export type DraftSums = Pick<ComputedInvoice, 'currency' | 'total' | 'amountDue'> & { customerId: string };

/** What the drafts of a customer, and of the customer that pays for it, come to. */
export type DraftsSums = { own: DraftSums; payer: DraftSums | null };

/** `asShown`: a record or line of a draft as a preview shows it. */
export type PreviewSources = InvoiceSources & { room: AnswerRoom; asShown: <T extends object>(record: T) => T };

/** What a change makes of the drafts. `parts` are the parts of the customer's draft that it did not have before. */
export type PreviewedDrafts = { before: DraftsSums; after: DraftsSums; parts: Written<DraftPartWire>[] };

/**
 * Compares the draft of a customer before and after a change that is undone, part by part (spec/api#previews). `readChanged` reads the
 * records as they are at its end.
 */
export async function previewDrafts(
  sources: PreviewSources,
  { customerId, ...question }: StateQuestion,
  readChanged: ReadRecords,
): Promise<PreviewedDrafts> {
  const { accountId } = question;
  const customerIds = await inReading(sources.postgres, accountId, async (tx) => {
    const [customer] = await findCustomers(tx, accountId, [customerId]);
    const payerId = customer?.billedTo ?? customerId;
    const isShared = payerId !== customerId || customer?.isPayer === true;
    const others = isShared ? await listBilledTo(tx, accountId, payerId) : [];
    return [customerId, ...[payerId, ...others].filter((id) => id !== customerId)];
  });
  const asked = { ...question, customerIds };
  const seen = new Map<string, number>();
  const before = await takeDrafts(sources, await loadDrafts(sources, asked), {
    write: () => null,
    take: (_record, digest) => seen.set(digest, (seen.get(digest) ?? 0) + 1),
  });
  const parts: Written<DraftPartWire>[] = [];
  const { room } = sources;
  const after = await takeDrafts(sources, await loadDrafts(sources, asked, readChanged), {
    write: lineWriter(room, room.mostBytes, 1),
    take: (record, digest) => {
      const times = seen.get(digest) ?? 0;
      if (times === 0) parts.push(record);
      else seen.set(digest, times - 1);
    },
  });
  return { before, after, parts };
}

/** The drafts of a customer and of the one who pays for it, null if nobody else does, with their invoices. */
type DraftsOfOne = Record<'own', DraftWithInvoices> & { payer: DraftWithInvoices | null };
type DraftWithInvoices = { draft: Draft; invoices: Iterable<DraftedInvoice> };

/** Loads the drafts of the first of the customers, and of its payer, which are made of those of all. */
async function loadDrafts(
  sources: InvoiceSources,
  { customerIds, ...question }: StatesQuestion,
  readRecords?: ReadRecords,
): Promise<DraftsOfOne> {
  const records = await loadDraftRecords(sources, { ...question, customerIds }, readRecords);
  const [draft, ...others] = inOrderOf(customerIds, await draftsOf(sources, question, records));
  if (!draft) throw new Error(`a change of customer ${customerIds[0]}, who is not there`);
  const { customer, payer } = draft.state;
  if (payer.customerId === customer.customerId) {
    const invoices = isConsolidated(draft) ? consolidatedInvoices([draft, ...others]) : ownInvoices(draft);
    return { own: { draft, invoices }, payer: null };
  }
  const own = { draft, invoices: ownInvoices(draft) };
  const [paying] = others.filter(({ state }) => state.customer.customerId === payer.customerId);
  if (!paying) throw new Error(`payer ${payer.customerId} of a change is not there`);
  const billed = inOrderOf(customerIds.toSorted(), [draft, ...others.filter((one) => one !== paying)]);
  return { own, payer: { draft: paying, invoices: consolidatedInvoices([paying, ...billed]) } };
}

/** `take` gets each part of the customer's own draft with what tells whether another draft has the same. */
type Taking = { write: WriteLine; take: (record: Written<DraftPartWire>, digest: string) => void };

async function takeDrafts(
  { asShown }: PreviewSources,
  { own, payer }: DraftsOfOne,
  { write, take }: Taking,
): Promise<DraftsSums> {
  let hash = createHash('sha256');
  const writer = draftWriter(own.draft, (line) => {
    const shown = asShown(line);
    hash.update(stringifyExactJson(shown));
    return write(shown);
  });
  const sums: Counted[] = [];
  await takeInTurns(writtenInvoices(own.invoices, writer), ({ record, ...part }) => {
    const { lines, ...others } = asShown(record as DraftPartWire);
    const digest = hash.update(stringifyExactJson(others)).digest('base64');
    hash = createHash('sha256');
    take({ ...others, lines }, digest);
    sums.push(withoutLines(part));
  });
  return { own: sumsOf(sums, own.draft.state.customer), payer: payer && (await sumsOfPayer(payer)) };
}

async function sumsOfPayer({ draft, invoices }: DraftWithInvoices): Promise<DraftSums> {
  const sums: Counted[] = [];
  await takeInTurns(invoices, (invoice) => sums.push(withoutLines(invoice)));
  return sumsOf(sums, draft.state.customer);
}

type Counted = ComputedInvoice & OfPart;

function withoutLines<T extends Omit<Counted, 'lines'>>(invoice: T): Omit<T, 'lines'> & { lines: [] } {
  return { ...invoice, lines: [] };
}

function sumsOf(invoices: readonly Counted[], customer: Customer): DraftSums {
  const counted = invoices.filter(({ condition }) => condition === null);
  const { currency, total, amountDue } = sumOfInvoices(counted, customer);
  return { customerId: customer.customerId, currency, total, amountDue };
}
