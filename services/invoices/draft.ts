import { isPlannedCredit } from '../../billing/credits/credits.ts';
import { sumOfInvoices } from '../../billing/invoices/compute-draft.ts';
import type { ComputedInvoice } from '../../billing/invoices/compute-invoice.ts';
import { sectionsApart } from '../../billing/invoices/consolidated-draft.ts';
import type { DraftCondition } from '../../billing/invoices/draft-parts.ts';
import {
  chargesSubtotal,
  type DatedInvoice,
  discountAmount,
  type InvoiceLine,
  type InvoiceSection,
  type NewInvoiceLine,
} from '../../billing/invoices/invoice.ts';
import type { Customer } from '../../billing/subscriptions/subscription.ts';
import { ZERO } from '../../core/decimal.ts';
import { addDays, type Instant, isoFromInstant, type LocalDate } from '../../core/instants.ts';
import { leftOut } from '../../core/left-out.ts';
import { JsonText, stringifyExactJson, type Written } from '../../runtime/exact-json.ts';
import { inTurns } from '../../runtime/in-turns.ts';
import type { AnswerRoom } from '../../sql/postgres/page-window.ts';
import type { UsageProgress } from '../../stream/progress.ts';
import { lineToWire } from '../../wire/invoice-lines.ts';
import { type InvoiceWire, invoiceToWire } from '../../wire/invoices.ts';
import type { ReadRecords, StateQuestion } from '../billing/load-state.ts';
import type { CustomerRef } from '../references.ts';
import { type Draft, loadConsolidatedDraft, loadDraft } from './load-draft.ts';
import type { InvoiceSources } from './load-invoice-inputs.ts';

/** What a draft is computed from; `room`: how much of it may be held here. */
export type DraftSources = InvoiceSources & { progress: Pick<UsageProgress, 'asOf'>; room: AnswerRoom };

/**
 * What the next boundary would invoice now, by subscription and in all, as the API answers it: computed as the final invoices
 * are, and nothing is written. Lines beyond `mostBytes` of text are left out.
 * @throws DomainError `not_found`
 */
export async function draftInvoice(
  sources: DraftSources,
  { accountId, customerId }: CustomerRef,
  now: Instant,
  mostBytes = sources.room.mostBytes,
) {
  // Asked for before ClickHouse is: what has landed by now is in the answer, and maybe more.
  const askedAsOf = sources.progress.asOf();
  askedAsOf.catch(() => {}); // rejects where it is awaited
  const question = { accountId, customerId, now };
  const draft = await loadDraft(sources, question);
  const { state, today } = draft;
  const { customer, account, at } = state;
  const of = { customer, netTermsDays: account.netTermsDays, at, today };
  const toWire = draftToWire(of, lineWriter(customer.customerId, sources.room, mostBytes));
  const isSectioned = customer.billedTo === null && (customer.isPayer || draft.waiting.length > 0);
  const invoices = isSectioned ? await loadConsolidatedDraft(sources, question, draft) : ownInvoices(draft);
  const written = await inTurns(writtenInvoices(invoices, toWire));
  const counted = written.filter(({ condition }) => condition === null);
  const only = counted.length === 1 ? (counted[0]?.subscriptionId ?? null) : null;
  const issuedOn = counted.map((one) => one.issuedOn).toSorted()[0] ?? today;
  return {
    ...toWire.invoice(sumOfInvoices(counted, customer), { subscriptionId: only, issuedOn, condition: null }),
    as_of: isoFromInstant(await askedAsOf),
    invoices: written.map(({ record }) => record),
  };
}

/** What a draft comes to: with `readRecords`, by the records as these are at the end of a change that is undone. */
export async function sumDraft(
  sources: InvoiceSources,
  question: StateQuestion,
  readRecords?: ReadRecords,
): Promise<Pick<ComputedInvoice, 'currency' | 'total' | 'amountDue'>> {
  const { state, invoices, parts } = await loadDraft(sources, question, readRecords);
  const all = await inTurns(withoutLines(invoices));
  return sumOfInvoices(
    all.filter((_, i) => parts[i]?.condition === null),
    state.customer,
  );
}

function* withoutLines(invoices: Iterable<ComputedInvoice>): Generator<ComputedInvoice> {
  for (const invoice of invoices) yield { ...invoice, lines: [] };
}

/** A line as its text, null where that is left out, with what sums and the order of lines are made of. */
type WrittenLine = Pick<InvoiceLine, 'type' | 'amount'> & { text: JsonText | null };
/** An invoice as the API answers it, with what the whole draft is the sum of. */
type WrittenInvoice = ComputedInvoice<WrittenLine> &
  OfPart & { record: Written<InvoiceWire & { condition: DraftCondition }> };

/** What a customer will be invoiced, each with whose part of the draft it is, and when it will be issued. */
function* ownInvoices({ invoices, parts, waiting, payer, today }: Draft): Generator<ComputedInvoice & OfPart> {
  for (const section of sectionsApart(waiting, { ...payer, today })) yield { ...section, condition: null };
  let i = 0;
  for (const computed of invoices) {
    const part = parts[i++];
    if (!part) continue;
    const { subscriptionId, issuedOn, condition } = part;
    yield { ...computed, subscriptionId, issuedOn, condition };
  }
}

/** Each is written as soon as it is computed: texts are all that stays of its lines. A line is in the whole, too, and written once. */
function* writtenInvoices(
  invoices: Iterable<ComputedInvoice & Partial<OfPart> & Pick<OfPart, 'issuedOn'>>,
  toWire: ReturnType<typeof draftToWire>,
): Generator<WrittenInvoice> {
  for (const { subscriptionId = null, condition = null, issuedOn, sections = [], ...computed } of invoices) {
    const of = { subscriptionId, condition, issuedOn, sections };
    const invoice = { ...computed, lines: computed.lines.map(toWire.line) };
    yield { ...invoice, ...of, record: toWire.invoice(invoice, of) };
  }
}

/** Writes lines of a draft, which has each twice, until they have `mostBytes`. */
function lineWriter(
  customerId: string,
  room: AnswerRoom,
  mostBytes: number,
): (line: NewInvoiceLine) => JsonText | null {
  let bytes = 0;
  return (line) => {
    if (bytes > mostBytes) return null;
    const text = stringifyExactJson(lineToWire(draftLine(line), customerId));
    bytes += text.length;
    if (2 * bytes > room.bytes) room.needMore();
    return new JsonText(text);
  };
}

type DraftOf = { customer: Customer; netTermsDays: number; at: Instant; today: LocalDate };
type OfPart = {
  subscriptionId: string | null;
  condition: DraftCondition;
  issuedOn: LocalDate;
  sections?: InvoiceSection[];
};

/** Draft invoices as the API returns them. */
function draftToWire(of: DraftOf, write: (line: NewInvoiceLine) => JsonText | null) {
  return {
    invoice: (computed: ComputedInvoice<WrittenLine>, part: OfPart) => ({
      ...invoiceToWire(draftOf(computed, of, part)),
      condition: part.condition,
      charges_subtotal: chargesSubtotal(computed.lines),
      discount_amount: discountAmount(computed.lines),
      lines: textsOf(computed.lines),
    }),
    line: (line: NewInvoiceLine): WrittenLine => ({ type: line.type, amount: line.amount, text: write(line) }),
  };
}

function textsOf(lines: readonly WrittenLine[]): JsonText[] {
  const texts = lines.flatMap(({ text }) => text ?? []);
  return texts.length < lines.length ? leftOut(lines.length) : texts;
}

/** A computed invoice, but for its lines, as a record of status draft: no id, no number, nothing paid. */
function draftOf(
  computed: ComputedInvoice<unknown>,
  of: DraftOf,
  { subscriptionId, issuedOn, sections = [] }: OfPart,
): DatedInvoice {
  const { customer, netTermsDays, at, today } = of;
  const { applications: _applications, overpayment: _overpayment, discountsUsed: _used, ...amounts } = computed;
  return {
    ...amounts,
    status: 'draft',
    invoiceId: null,
    invoiceNumber: null,
    customerId: customer.customerId,
    subscriptionId,
    issueDate: issuedOn,
    dueDate: addDays(issuedOn, netTermsDays),
    lines: [],
    sections,
    amountPaid: ZERO,
    amountRefunded: ZERO,
    createdAt: at,
    paidAt: null,
    voidedAt: null,
    payments: [],
    billingAddress: customer.billingAddress,
    customerName: customer.customerName,
    testClockId: customer.testClockId,
    customerToday: today,
  };
}

function draftLine(line: NewInvoiceLine): InvoiceLine {
  const isPlanned = line.creditId !== null && isPlannedCredit(line.creditId);
  return { ...line, lineId: null, creditId: isPlanned ? null : line.creditId };
}
