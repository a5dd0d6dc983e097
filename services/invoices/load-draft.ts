import { nameAgreed } from '../../billing/invoices/agreed-lines.ts';
import { type ComputedInvoice, computeInvoices } from '../../billing/invoices/compute-invoice.ts';
import {
  type ConditionalDraft,
  conditionalDrafts,
  consolidatedDrafts,
  type DueSection,
  type PartOfPayer,
} from '../../billing/invoices/consolidated-draft.ts';
import type { ConsolidatedInvoice } from '../../billing/invoices/consolidated-invoice.ts';
import { type DraftPart, draftParts } from '../../billing/invoices/draft-parts.ts';
import { planOf } from '../../billing/state/billing-rules.ts';
import type { CustomerState } from '../../billing/state/customer-state.ts';
import type { Customer } from '../../billing/subscriptions/subscription.ts';
import { notFound } from '../../core/domain-error.ts';
import { type LocalDate, localDateAt } from '../../core/instants.ts';
import { atMost } from '../../runtime/at-most.ts';
import { inParts } from '../../sql/clickhouse/query-parameters.ts';
import { listBilledTo } from '../../sql/postgres/customers/billed-to.ts';
import { listWaitingSections } from '../../sql/postgres/invoices/invoice-sections.ts';
import { inReading, type Transaction } from '../../sql/postgres/postgres.ts';
import { loadStatesWith, loadStateWith, type ReadRecords, type StateQuestion } from '../billing/load-state.ts';
import { answerUsages, answerUsagesOf } from '../usage/answer-usage.ts';
import type { InvoiceSources } from './load-invoice-inputs.ts';

/**
 * A customer's draft: what made it, in order of issue, and its invoices, one for each part, computed as they are taken. Those that have a
 * condition come last.
 */
export type Draft = {
  state: CustomerState;
  /** The customer's date. */
  today: LocalDate;
  parts: DraftPart[];
  invoices: Iterable<ComputedInvoice>;
  /** What is billed already, and waits for an invoice with others. */
  waiting: DueSection[];
  /** Who is billed: the customer, or who pays for it. */
  payer: Customer;
};

/**
 * What the next boundaries would invoice now, computed as the final invoices are (spec/invoices#draft); with `readRecords`, by the records
 * as these are at the end of a change that is undone. @throws DomainError `not_found`
 */
export async function loadDraft(
  sources: InvoiceSources,
  question: StateQuestion,
  readRecords?: ReadRecords,
): Promise<Draft> {
  const read = await loadRecords(sources, question, readRecords);
  if (!read) throw notFound(`customer ${question.customerId}`);
  const { state, also: waiting } = read;
  const { customer, payer, credits, discounts, at } = state;
  const today = localDateAt(at, customer.timeZone);
  const { currency, billedTo } = customer;
  const made = (await answerUsages(sources, question, draftParts(state, waiting))).flat();
  const ordinary = made.filter(({ condition }) => condition === null).toSorted((a, b) => a.dueAt - b.dueAt);
  const parts = [...ordinary, ...made.filter(({ condition }) => condition !== null)];
  // The part of one that is billed to another: by that one's tax, and without credits, which are that one's.
  const settled =
    billedTo === null
      ? { credits, parts: ordinary }
      : { credits: [], parts: ordinary.map((part) => ({ ...part, prorationCredits: [] })) };
  const terms = { currency, taxRate: payer.taxRate, today };
  const computed = computeInvoices({ ...terms, discounts, ...settled });
  const conditional = conditionalDrafts(partsOf({ state, parts }), {
    ...terms,
    customerId: customer.customerId,
    credits: settled.credits,
  });
  const invoices = (function* () {
    yield* named(computed, state.rules);
    yield* conditional;
  })();
  return { state, today, parts, invoices, waiting, payer };
}

/** What decides the draft but for usage, and what waits for an invoice with others; undefined for an unknown customer. */
function loadRecords(sources: InvoiceSources, question: StateQuestion, readRecords?: ReadRecords) {
  const { accountId, customerId } = question;
  const waitingOf = (tx: Transaction) => listWaitingSections(tx, accountId, [customerId]);
  return loadStateWith(sources, question, waitingOf, readRecords);
}

function* named(invoices: Iterable<ComputedInvoice>, rules: CustomerState['rules']): Generator<ComputedInvoice> {
  for (const invoice of invoices) yield nameAgreed(invoice, (version) => planOf(rules, version));
}

/** Customers whose records are read together: some megabytes. */
const LOADED_TOGETHER = 200;
/** Such lots at once: each has a connection. */
const LOTS_AT_ONCE = 4;

/**
 * The parts of a payer's draft, its own and those of the customers that are billed to it, and the invoices that they will be on. What they
 * have used is asked together.
 */
export async function loadConsolidatedDraft(
  sources: InvoiceSources,
  question: StateQuestion,
  own: Draft,
): Promise<Iterable<(ConsolidatedInvoice & Pick<DraftPart, 'issuedOn'>) | ConditionalDraft>> {
  const { customer, credits } = own.state;
  const { accountId, customerId } = question;
  const others = await inReading(sources.postgres, accountId, (tx) => listBilledTo(tx, accountId, customerId));
  const inTurn = atMost(LOTS_AT_ONCE);
  const waitingOf = (tx: Transaction, ids: readonly string[]) => listWaitingSections(tx, accountId, ids);
  const loaded = inParts(others, LOADED_TOGETHER).map((customerIds) =>
    inTurn(() => loadStatesWith(sources, { ...question, customerIds }, waitingOf)),
  );
  // One that is deleted meanwhile has no part in it.
  const records = (await Promise.all(loaded)).flat();
  const byId = new Map(records.flatMap((read) => read.states).map((one) => [one.customer.customerId, one]));
  const states = others.flatMap((id) => byId.get(id) ?? []);
  const waiting = [...own.waiting, ...records.flatMap(({ also }) => also)];
  const waitingBy = Map.groupBy(waiting, (section) => section.customerId);
  const asked = states.map((state) => {
    const { customerId: id } = state.customer;
    const sequence = draftParts(state, waitingBy.get(id));
    return { owner: { ...question, customerId: id }, sequence };
  });
  const parts = (await answerUsagesOf(sources, asked)).map((some) => some.flat());
  const drafts = states.map((state, i) => ({ state, parts: parts[i] ?? [] }));
  const all = [own, ...drafts].flatMap(partsOf);
  const settled = { ...customer, credits, today: own.today };
  return (function* () {
    yield* consolidatedDrafts(all, settled, waiting);
    yield* conditionalDrafts(all, settled);
  })();
}

function partsOf({ state, parts }: Pick<Draft, 'state' | 'parts'>): PartOfPayer[] {
  const { customer, rules, discounts } = state;
  return parts
    .toSorted((a, b) => a.dueAt - b.dueAt)
    .map((part) => ({ customerId: customer.customerId, part, rules, discounts }));
}
