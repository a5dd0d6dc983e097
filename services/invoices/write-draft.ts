import { isPlannedCredit } from '../../billing/credits/credits.ts';
import type { ComputedInvoice } from '../../billing/invoices/compute-invoice.ts';
import {
  chargesSubtotal,
  type DatedInvoice,
  discountAmount,
  type InvoiceLine,
  type NewInvoiceLine,
} from '../../billing/invoices/invoice.ts';
import { ZERO } from '../../core/decimal.ts';
import { addDays } from '../../core/instants.ts';
import { leftOut } from '../../core/left-out.ts';
import { JsonText, stringifyExactJson, type Written } from '../../runtime/exact-json.ts';
import type { AnswerRoom } from '../../sql/postgres/page-window.ts';
import { lineToWire } from '../../wire/invoice-lines.ts';
import { type DraftPartWire, invoiceToWire } from '../../wire/invoices.ts';
import type { Draft, DraftedInvoice } from './load-draft.ts';

/** A line as its text, null where that is left out, with what sums and the order of lines are made of. */
type WrittenLine = Pick<InvoiceLine, 'type' | 'amount'> & { text: JsonText | null };

export type OfPart = Pick<DraftedInvoice, 'subscriptionId' | 'condition' | 'issuedOn' | 'sections'>;

/** An invoice of a draft as the API answers it, with what the whole draft is the sum of. */
export type WrittenInvoice = ComputedInvoice<WrittenLine> & OfPart & { record: Written<DraftPartWire> };

/** Writes lines of a draft as texts; null for a line that is left out. */
export type WriteLine = (line: ReturnType<typeof lineToWire>) => JsonText | null;

/** Writes each invoice as soon as it is computed: texts are all that stays of its lines. A line is in the whole, too, and written once. */
export function* writtenInvoices(
  invoices: Iterable<DraftedInvoice>,
  writer: ReturnType<typeof draftWriter>,
): Generator<WrittenInvoice> {
  for (const { subscriptionId, condition, issuedOn, sections = [], ...computed } of invoices) {
    const of = { subscriptionId, condition, issuedOn, sections };
    const invoice = { ...computed, lines: computed.lines.map(writer.line) };
    yield { ...invoice, ...of, record: writer.invoice(invoice, of) };
  }
}

/** Writes lines of a draft, which has each `copies` times, until they have `mostBytes`. */
export function lineWriter(room: AnswerRoom, mostBytes: number, copies: number): WriteLine {
  let bytes = 0;
  return (line) => {
    if (bytes > mostBytes) return null;
    const text = stringifyExactJson(line);
    bytes += text.length;
    if (copies * bytes > room.bytes) room.needMore();
    return new JsonText(text);
  };
}

/** Draft invoices of a customer as the API returns them. */
export function draftWriter(
  { state: { customer, account, at }, today }: Pick<Draft, 'state' | 'today'>,
  write: WriteLine,
) {
  const datedInvoice = (
    computed: ComputedInvoice<unknown>,
    { subscriptionId, issuedOn: date, sections = [] }: OfPart,
  ): DatedInvoice => {
    const issuedOn = date ?? today;
    const { applications: _applications, overpayment: _overpayment, discountsUsed: _used, ...amounts } = computed;
    return {
      ...amounts,
      status: 'draft',
      invoiceId: null,
      invoiceNumber: null,
      customerId: customer.customerId,
      subscriptionId,
      issueDate: issuedOn,
      dueDate: addDays(issuedOn, account.netTermsDays),
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
  };
  return {
    invoice: (computed: ComputedInvoice<WrittenLine>, part: OfPart) => ({
      ...invoiceToWire(datedInvoice(computed, part)),
      ...(part.issuedOn === null && { issue_date: null, due_date: null }),
      condition: part.condition,
      charges_subtotal: chargesSubtotal(computed.lines),
      discount_amount: discountAmount(computed.lines),
      lines: textsOf(computed.lines),
    }),
    line: (line: NewInvoiceLine): WrittenLine => ({
      type: line.type,
      amount: line.amount,
      text: write(lineToWire(draftLine(line), customer.customerId)),
    }),
  };
}

function textsOf(lines: readonly WrittenLine[]): JsonText[] {
  const texts = lines.flatMap(({ text }) => text ?? []);
  return texts.length < lines.length ? leftOut(lines.length) : texts;
}

function draftLine(line: NewInvoiceLine): InvoiceLine {
  const isPlanned = line.creditId !== null && isPlannedCredit(line.creditId);
  return { ...line, lineId: null, creditId: isPlanned ? null : line.creditId };
}
