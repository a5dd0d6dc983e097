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
import { JsonText, stringifyExactJson } from '../../runtime/exact-json.ts';
import { inTurns } from '../../runtime/in-turns.ts';
import type { UsageProgress } from '../../stream/progress.ts';
import { lineToWire } from '../../wire/invoice-lines.ts';
import { invoiceToWire } from '../../wire/invoices.ts';
import type { ReadRecords, StateQuestion } from '../billing/load-state.ts';
import type { CustomerRef } from '../references.ts';
import { type Draft, loadConsolidatedDraft, loadDraft } from './load-draft.ts';
import type { InvoiceSources } from './load-invoice-inputs.ts';

/**
 * What the next boundary would invoice now, by subscription and in all, as the API answers it: computed as the final invoices
 * are, and nothing is written.
 * @throws DomainError `not_found`
 */
export async function draftInvoice(
  sources: InvoiceSources & { progress: Pick<UsageProgress, 'asOf'> },
  { accountId, customerId }: CustomerRef,
  now: Instant,
) {
  // Asked for before ClickHouse is: what has landed by now is in the answer, and maybe more.
  const askedAsOf = sources.progress.asOf();
  askedAsOf.catch(() => {}); // rejects where it is awaited
  const question = { accountId, customerId, now };
  const draft = await loadDraft(sources, question);
  const { state, today } = draft;
  const { customer, account, at } = state;
  const toWire = draftToWire({ customer, netTermsDays: account.netTermsDays, at, today });
  const isSectioned = customer.billedTo === null && (customer.isPayer || draft.waiting.length > 0);
  const invoices = isSectioned ? await loadConsolidatedDraft(sources, question, draft) : ownInvoices(draft);
  const written = await inTurns(writtenInvoices(invoices, toWire));
  const counted = written.filter(({ condition }) => condition === null);
  const only = counted.length === 1 ? (counted[0]?.subscriptionId ?? null) : null;
  const issuedOn = counted.map((one) => one.issuedOn).toSorted()[0] ?? today;
  return {
    ...toWire.invoice(sumOfInvoices(counted, customer), { subscriptionId: only, issuedOn, condition: null }),
    as_of: isoFromInstant(await askedAsOf),
    invoices: written.map(({ text }) => text),
  };
}

/** What a draft comes to: with `readRecords`, by the records as these are at the end of a change that is undone. */
export async function sumDraft(
  sources: InvoiceSources,
  question: StateQuestion,
  readRecords?: ReadRecords,
): Promise<Pick<ComputedInvoice, 'currency' | 'total' | 'amountDue'>> {
  const { state, invoices, parts } = await loadDraft(sources, question, readRecords);
  const all = await inTurns(invoices);
  return sumOfInvoices(
    all.filter((_, i) => parts[i]?.condition === null),
    state.customer,
  );
}

/** A line as its text, with what sums and the order of lines are made of. */
type WrittenLine = Pick<InvoiceLine, 'type' | 'amount'> & { text: JsonText };
/** An invoice as its text, with what the whole draft is the sum of. */
type WrittenInvoice = ComputedInvoice<WrittenLine> & OfPart & { text: JsonText };

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

/** Each is written as soon as it is computed: texts are all that stays of a thousand. A line is in the whole, too, and written once. */
function* writtenInvoices(
  invoices: Iterable<ComputedInvoice & Partial<OfPart> & Pick<OfPart, 'issuedOn'>>,
  toWire: ReturnType<typeof draftToWire>,
): Generator<WrittenInvoice> {
  for (const { subscriptionId = null, condition = null, issuedOn, sections = [], ...computed } of invoices) {
    const of = { subscriptionId, condition, issuedOn, sections };
    const invoice = { ...computed, lines: computed.lines.map(toWire.line) };
    yield { ...invoice, ...of, text: new JsonText(stringifyExactJson(toWire.invoice(invoice, of))) };
  }
}

type DraftOf = { customer: Customer; netTermsDays: number; at: Instant; today: LocalDate };
type OfPart = {
  subscriptionId: string | null;
  condition: DraftCondition;
  issuedOn: LocalDate;
  sections?: InvoiceSection[];
};

/** Draft invoices as the API returns them. */
function draftToWire(of: DraftOf) {
  return {
    invoice: (computed: ComputedInvoice<WrittenLine>, part: OfPart) => ({
      ...invoiceToWire(draftOf(computed, of, part)),
      condition: part.condition,
      charges_subtotal: chargesSubtotal(computed.lines),
      discount_amount: discountAmount(computed.lines),
      lines: computed.lines.map(({ text }) => text),
    }),
    line: (line: NewInvoiceLine): WrittenLine => {
      const { type, amount } = line;
      return {
        type,
        amount,
        text: new JsonText(stringifyExactJson(lineToWire(draftLine(line), of.customer.customerId))),
      };
    },
  };
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
