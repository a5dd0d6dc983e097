import type { PlannedCredit } from '../../billing/credits/planned-credits.ts';
import { nameAgreed } from '../../billing/invoices/agreed-lines.ts';
import { type ComputedInvoice, computeInvoices } from '../../billing/invoices/compute-invoice.ts';
import {
  conditionalDrafts,
  consolidatedDrafts,
  type DueSection,
  type PartOfPayer,
  sectionsApart,
} from '../../billing/invoices/consolidated-draft.ts';
import { type DraftCondition, type DraftPart, draftParts } from '../../billing/invoices/draft-parts.ts';
import type { InvoiceSection } from '../../billing/invoices/invoice.ts';
import { planOf } from '../../billing/state/billing-rules.ts';
import type { CustomerState } from '../../billing/state/customer-state.ts';
import type { Customer } from '../../billing/subscriptions/subscription.ts';
import { NO_DATE } from '../../billing/subscriptions/upcoming.ts';
import { notFound } from '../../core/domain-error.ts';
import { type LocalDate, localDateAt } from '../../core/instants.ts';
import { atMost } from '../../runtime/at-most.ts';
import { inParts } from '../../sql/clickhouse/query-parameters.ts';
import { listBilledTo } from '../../sql/postgres/customers/billed-to.ts';
import { listWaitingSections } from '../../sql/postgres/invoices/invoice-sections.ts';
import { inReading, type Transaction } from '../../sql/postgres/postgres.ts';
import {
  loadStatesWith,
  type ReadRecords,
  type StateQuestion,
  type StatesQuestion,
  type StatesWith,
} from '../billing/load-state.ts';
import { answerUsagesOf } from '../usage/answer-usage.ts';
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
  /** Credits that planned changes will make after all parts. */
  creditsLeft: readonly PlannedCredit[];
};

/**
 * An invoice of a draft, with the subscription that it is of (null for several), its condition, and its date of issue, null if nothing makes
 * it due yet.
 */
export type DraftedInvoice = ComputedInvoice & {
  subscriptionId: string | null;
  condition: DraftCondition;
  issuedOn: LocalDate | null;
  sections?: InvoiceSection[];
};

/**
 * What the next boundaries would invoice now, computed as the final invoices are (spec/invoices#draft). @throws DomainError `not_found`
 */
export async function loadDraft(sources: InvoiceSources, { customerId, ...question }: StateQuestion): Promise<Draft> {
  const read = await loadDraftRecords(sources, { ...question, customerIds: [customerId] });
  const [draft] = await draftsOf(sources, question, read);
  if (!draft) throw notFound(`customer ${customerId}`);
  return draft;
}

/** Returns the invoices of a customer's draft, as `GET /api/customers/<id>/draft_invoice` lists them. */
export async function loadDraftedInvoices(
  sources: InvoiceSources,
  question: StateQuestion,
  own: Draft,
): Promise<Iterable<DraftedInvoice>> {
  if (!isConsolidated(own)) return ownInvoices(own);
  return consolidatedInvoices([own, ...(await loadOthers(sources, question))]);
}

/** Customers of one time zone and test clock, as a payer and those that are billed to it. */
type DraftsQuestion = Omit<StateQuestion, 'customerId'>;

/** Reads what decides drafts but for usage, and what waits for an invoice with others. */
export function loadDraftRecords(
  sources: InvoiceSources,
  question: StatesQuestion,
  readRecords?: ReadRecords,
): Promise<StatesWith<DueSection[]>[]> {
  const waitingOf = (tx: Transaction, ids: readonly string[]) => listWaitingSections(tx, question.accountId, ids);
  return loadStatesWith(sources, question, waitingOf, readRecords);
}

/** Returns the drafts of customers whose records were read, in no order. The usage of all is asked together. */
export async function draftsOf(
  sources: InvoiceSources,
  question: DraftsQuestion,
  records: readonly StatesWith<DueSection[]>[],
): Promise<Draft[]> {
  const states = records.flatMap((read) => read.states);
  const waiting = records.flatMap(({ also }) => also);
  const waitingBy = Map.groupBy(waiting, (section) => section.customerId);
  const asked = states.map((state) => {
    const { customerId } = state.customer;
    const creditsLeft: PlannedCredit[] = [];
    const sequence = draftParts(state, waitingBy.get(customerId), creditsLeft);
    return { owner: { ...question, customerId }, sequence, creditsLeft };
  });
  const parts = (await answerUsagesOf(sources, asked)).map((some) => some.flat());
  return states.map((state, i) => {
    const waits = waitingBy.get(state.customer.customerId) ?? [];
    return { ...draftOf(state, parts[i] ?? []), waiting: waits, creditsLeft: asked[i]?.creditsLeft ?? [] };
  });
}

function draftOf(state: CustomerState, made: readonly DraftPart[]): Omit<Draft, 'waiting' | 'creditsLeft'> {
  const { customer, payer, credits, discounts, at } = state;
  const today = localDateAt(at, customer.timeZone);
  const { currency, billedTo } = customer;
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
  return { state, today, parts, invoices, payer };
}

function* named(invoices: Iterable<ComputedInvoice>, rules: CustomerState['rules']): Generator<ComputedInvoice> {
  for (const invoice of invoices) yield nameAgreed(invoice, (version) => planOf(rules, version));
}

/** Whether the invoices of a customer's draft are consolidated ones. */
export function isConsolidated({ state: { customer }, waiting }: Draft): boolean {
  return customer.billedTo === null && (customer.isPayer || waiting.length > 0);
}

/** Returns the invoices of a draft that are not consolidated ones: the sections that wait, then one for each part. */
export function* ownInvoices({ invoices, parts, waiting, payer, today }: Draft): Generator<DraftedInvoice> {
  for (const section of sectionsApart(waiting, { ...payer, today })) yield { ...section, condition: null };
  let i = 0;
  for (const computed of invoices) {
    const part = parts[i++];
    if (!part) continue;
    const { subscriptionId, dueAt, condition } = part;
    yield { ...computed, subscriptionId, issuedOn: dueAt === NO_DATE ? null : part.issuedOn, condition };
  }
}

/** Customers whose records are read together: some megabytes. */
const LOADED_TOGETHER = 200;
/** Such lots at once: each has a connection. */
const LOTS_AT_ONCE = 4;

/** Returns the drafts of the customers that are billed to a payer, by customer id. One that is deleted meanwhile has none. */
async function loadOthers(sources: InvoiceSources, { customerId, ...question }: StateQuestion): Promise<Draft[]> {
  const { accountId } = question;
  const others = await inReading(sources.postgres, accountId, (tx) => listBilledTo(tx, accountId, customerId));
  const inTurn = atMost(LOTS_AT_ONCE);
  const loaded = inParts(others, LOADED_TOGETHER).map((customerIds) =>
    inTurn(() => loadDraftRecords(sources, { ...question, customerIds })),
  );
  const drafts = await draftsOf(sources, question, (await Promise.all(loaded)).flat());
  return inOrderOf(others, drafts);
}

/** Returns drafts in the order of their customers' ids in `customerIds`. */
export function inOrderOf(customerIds: readonly string[], drafts: readonly Draft[]): Draft[] {
  const byId = new Map(drafts.map((draft) => [draft.state.customer.customerId, draft]));
  return customerIds.flatMap((id) => byId.get(id) ?? []);
}

/** Returns the invoices of a payer's draft: those that it and the customers billed to it will be on. */
export function* consolidatedInvoices(all: readonly [own: Draft, ...others: Draft[]]): Generator<DraftedInvoice> {
  const [own] = all;
  const { customer, credits } = own.state;
  const payer = { ...customer, credits, today: own.today };
  const parts = all.flatMap(partsOf);
  const waiting = all.flatMap((one) => one.waiting);
  const creditsLeft = all.flatMap((one) => one.creditsLeft);
  for (const invoice of consolidatedDrafts(parts, payer, waiting, creditsLeft)) {
    yield { ...invoice, subscriptionId: null, condition: null };
  }
  yield* conditionalDrafts(parts, payer);
}

function partsOf({ state, parts }: Pick<Draft, 'state' | 'parts'>): PartOfPayer[] {
  const { customer, rules, discounts } = state;
  return parts
    .toSorted((a, b) => a.dueAt - b.dueAt)
    .map((part) => ({ customerId: customer.customerId, part, rules, discounts }));
}
