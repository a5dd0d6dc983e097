import { isPlannedCredit } from '../../billing/credits/credits.ts';
import { sumOfInvoices } from '../../billing/invoices/compute-draft.ts';
import type { ComputedInvoice } from '../../billing/invoices/compute-invoice.ts';
import type { DraftPart } from '../../billing/invoices/draft-parts.ts';
import {
  chargesSubtotal,
  type DatedInvoice,
  discountAmount,
  type InvoiceLine,
  type NewInvoiceLine,
} from '../../billing/invoices/invoice.ts';
import type { Customer } from '../../billing/subscriptions/subscription.ts';
import { ZERO } from '../../core/decimal.ts';
import { addDays, type Instant, isoFromInstant, type LocalDate } from '../../core/instants.ts';
import { JsonText, stringifyExactJson } from '../../runtime/exact-json.ts';
import { inTurns } from '../../runtime/in-turns.ts';
import { invoiceToWire, lineToWire } from '../../wire/invoices.ts';
import type { ServiceDependencies } from '../dependencies.ts';
import type { CustomerRef } from '../references.ts';
import type { ReadRecords, SnapshotQuestion } from '../snapshot/load-customer-snapshot.ts';
import { loadDraft } from './load-draft.ts';
import type { InvoiceSources } from './load-invoice-inputs.ts';

/**
 * What the next boundary would invoice now, by subscription and in all, as the API answers it: computed as the final invoices
 * are, and nothing is written.
 * @throws DomainError `not_found`
 */
export async function draftInvoice(
  sources: InvoiceSources & Pick<ServiceDependencies, 'progress'>,
  { accountId, customerId }: CustomerRef,
  now: Instant,
) {
  // Asked for before ClickHouse is: what has landed by now is in the answer, and maybe more.
  const askedAsOf = sources.progress.asOf();
  askedAsOf.catch(() => {}); // rejects where it is awaited
  const { snapshot, today, parts, invoices } = await loadDraft(sources, { accountId, customerId, now });
  const { customer, account, at } = snapshot;
  const toWire = draftToWire({ customer, netTermsDays: account.netTermsDays, at, today });
  const written = await inTurns(writtenInvoices(invoices, parts, toWire));
  const only = parts.length === 1 ? (parts[0]?.subscriptionId ?? null) : null;
  const issuedOn = parts.map((part) => part.issuedOn).toSorted()[0] ?? today;
  return {
    ...toWire(sumOfInvoices(written, customer), { subscriptionId: only, issuedOn }),
    as_of: isoFromInstant(await askedAsOf),
    invoices: written.map(({ text }) => text),
  };
}

/** What a draft comes to: with `readRecords`, by the records as these are at the end of a change that is undone. */
export async function sumDraft(
  sources: InvoiceSources,
  question: SnapshotQuestion,
  readRecords?: ReadRecords,
): Promise<Pick<ComputedInvoice, 'currency' | 'total' | 'amountDue'>> {
  const { snapshot, invoices } = await loadDraft(sources, question, readRecords);
  return sumOfInvoices(await inTurns(invoices), snapshot.customer);
}

/** A line as its text, with what sums and the order of lines are made of. */
type WrittenLine = Pick<InvoiceLine, 'type' | 'amount'> & { text: JsonText };
/** An invoice as its text, with what the whole draft is the sum of. */
type WrittenInvoice = ComputedInvoice<WrittenLine> & { text: JsonText };

/** Each is written as soon as it is computed: texts are all that stays of a thousand. A line is in the whole, too, and written once. */
function* writtenInvoices(
  invoices: Iterable<ComputedInvoice>,
  parts: readonly DraftPart[],
  toWire: ReturnType<typeof draftToWire>,
): Generator<WrittenInvoice> {
  let i = 0;
  for (const computed of invoices) {
    const invoice = { ...computed, lines: computed.lines.map(writtenLine) };
    const part = parts[i++];
    if (part) yield { ...invoice, text: new JsonText(stringifyExactJson(toWire(invoice, part))) };
  }
}

function writtenLine(line: NewInvoiceLine): WrittenLine {
  const { type, amount } = line;
  return { type, amount, text: new JsonText(stringifyExactJson(lineToWire(draftLine(line)))) };
}

type DraftOf = { customer: Customer; netTermsDays: number; at: Instant; today: LocalDate };
type OfPart = { subscriptionId: string | null; issuedOn: LocalDate };

/** Draft invoices as the API returns them. */
function draftToWire(of: DraftOf) {
  return (computed: ComputedInvoice<WrittenLine>, part: OfPart) => ({
    ...invoiceToWire(draftOf(computed, of, part)),
    charges_subtotal: chargesSubtotal(computed.lines),
    discount_amount: discountAmount(computed.lines),
    lines: computed.lines.map(({ text }) => text),
  });
}

/** A computed invoice, but for its lines, as a record of status draft: no id, no number, nothing paid. */
function draftOf(computed: ComputedInvoice<unknown>, of: DraftOf, { subscriptionId, issuedOn }: OfPart): DatedInvoice {
  const { customer, netTermsDays, at, today } = of;
  const { applications: _applications, overpayment: _overpayment, ...amounts } = computed;
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
