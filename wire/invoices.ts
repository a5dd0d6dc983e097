import { z } from '@hono/zod-openapi';
import {
  chargesSubtotal,
  type DatedInvoice,
  discountAmount,
  type InvoiceSection,
  isPastDue,
  type Payment,
} from '../billing/invoices/invoice.ts';
import { isoFromInstant, isoOfEdge, isoOrNull } from '../core/instants.ts';
import { heldToWire, heldUsageWire } from './catalog/held-usage.ts';
import { lineToWire, lineWire } from './invoice-lines.ts';
import {
  addressWire,
  currencyToWire,
  currencyWire,
  dateInput,
  dateWire,
  decimalWire,
  flagQuery,
  instantInput,
  instantWire,
  nonNegativeInput,
  searchInput,
} from './primitives.ts';

const INVOICE_STATUSES = ['draft', 'open', 'paid', 'void', 'uncollectible'] as const;

const INVOICE_KINDS = ['opening', 'period', 'closing', 'proration', 'manual'] as const;

/** Filters of GET /api/invoices (spec/api#lists); `issued_from` and `issued_to` are inclusive. */
export const invoiceFilters = {
  customer_id: z.string().optional().openapi({ description: 'Only invoices of this customer.', example: 'acme' }),
  subscription_id: z
    .string()
    .optional()
    .openapi({ description: 'Only invoices of this subscription.', example: 'sub_01jd3k9x' }),
  status: z.enum(INVOICE_STATUSES).optional().openapi({ description: 'Only invoices in this state.', example: 'open' }),
  number: z.string().optional().openapi({ description: 'The number of the invoice.', example: 'INV-000042' }),
  kind: z.enum(INVOICE_KINDS).optional().openapi({ description: 'Only invoices of this kind.', example: 'period' }),
  issued_from: dateInput.optional().openapi({ description: 'First issue date, inclusive.', example: '2026-11-01' }),
  issued_to: dateInput.optional().openapi({ description: 'Last issue date, inclusive.', example: '2026-11-30' }),
  due_before: dateInput.optional().openapi({ description: 'Due earlier than on this date.', example: '2026-12-01' }),
  min_due: nonNegativeInput
    .optional()
    .openapi({ description: 'At least so much is still to be paid, in whatever currency.', example: 100 }),
  past_due: flagQuery
    .optional()
    .openapi({ description: 'Only invoices that are past due; with false only those that are not.', example: true }),
  search: searchInput.optional().openapi({
    description: "The beginning of the invoice's number, or of words of its customer's id, name and email.",
    example: 'INV-0042',
  }),
};

/** Body of POST /api/invoices/<id>/mark_paid (spec/invoices#states). */
export const invoiceMarkPaid = z
  .strictObject({
    paid_at: instantInput
      .optional()
      .openapi({ description: 'When the money came; without it now.', example: '2026-11-20T10:00:00.000Z' }),
    reference: z
      .string()
      .max(500)
      .nullable()
      .default(null)
      .openapi({ description: 'Your own note on the payment.', example: 'transfer 4711' }),
  })
  .openapi({ example: { reference: 'transfer 4711' } });
export type InvoiceMarkPaid = z.output<typeof invoiceMarkPaid>;

const sectionWire = z.object({
  customer_id: z.string().openapi({ description: 'Whose subscription it is.', example: 'acme-berlin' }),
  subscription_id: z.string().openapi({ description: 'The subscription that is billed.', example: 'sub_01jd3k9x' }),
  kind: z.enum(INVOICE_KINDS).openapi({ description: 'What made it due.', example: 'period' }),
  period_start: instantWire
    .nullable()
    .openapi({ description: 'Start of the period that it closes.', example: '2026-11-20T00:00:00.000Z' }),
  period_end: instantWire
    .nullable()
    .openapi({ description: 'End of the period that it closes, exclusive.', example: '2026-12-20T00:00:00.000Z' }),
  subtotal: decimalWire.openapi({ description: 'Sum of its lines.', example: 29 }),
});

const paymentWire = z.object({
  payment_id: z.string().openapi({ description: 'Id of a payment.', example: 'pay_01jd3k9x' }),
  method: z.string().openapi({ description: 'How the money came.', example: 'manual' }),
  amount: decimalWire.openapi({ description: 'What was paid.', example: 29 }),
  reference: z
    .string()
    .nullable()
    .openapi({ description: "Your own note, or the processor's id of the charge.", example: 'transfer 4711' }),
  paid_at: instantWire.openapi({ description: 'When the money came.' }),
});

/** `{invoice_id}` in a path: the id or the number (spec/invoices#numbers). */
export const invoicePath = z.object({
  invoice_id: z.string().openapi({ description: 'Id or number of the invoice.', example: 'inv_01jd3k9x' }),
});

export const invoiceWire = z
  .object({
    invoice_id: z
      .string()
      .nullable()
      .openapi({ description: 'Id of the invoice; null on a draft.', example: 'inv_01jd3k9x' }),
    invoice_number: z.string().nullable().openapi({
      description: 'Number of the invoice, per account, without gaps, in order of issue; null on a draft.',
      example: 'INV-000001',
    }),
    customer_id: z.string().openapi({ description: 'Who pays it.', example: 'acme' }),
    subscription_id: z.string().nullable().openapi({
      description: 'The subscription that it closes a period of; null where it is of none.',
      example: 'sub_01jd3k9x',
    }),
    kind: z.enum(INVOICE_KINDS).openapi({
      description:
        "What made the invoice: the opening, a period's end, the closing of a subscription, a proration, or a person.",
      example: 'period',
    }),
    status: z.enum(INVOICE_STATUSES).openapi({
      description: 'draft: not issued; open: to be paid; void and uncollectible: nothing more is asked for.',
      example: 'open',
    }),
    currency: currencyWire.openapi({ description: 'Currency of all amounts of the invoice.' }),
    issue_date: dateWire.openapi({ description: "Date of issue in the customer's time zone." }),
    due_date: dateWire.openapi({
      description: 'Last day to pay: the date of issue plus the net terms of the account.',
    }),
    period_start: instantWire.nullable().openapi({
      description: 'Start of the period that it closes; null where it closes none.',
      example: '2026-11-20T00:00:00.000Z',
    }),
    period_end: instantWire
      .nullable()
      .openapi({ description: 'End of the period that it closes, exclusive.', example: '2026-12-20T00:00:00.000Z' }),
    lines: z.array(lineWire).openapi({
      description:
        'Fee, prepaid units, usage, add-ons, prorations, late usage, true-ups, discounts, credits, in this order.',
    }),
    sections: z.array(sectionWire).openapi({
      description: 'The parts of a consolidated invoice, one for each subscription that is billed on it; else empty.',
    }),
    charges_subtotal: decimalWire.openapi({
      description: 'Sum of the lines shown that are charges: all but the credits.',
      example: 29,
    }),
    subtotal: decimalWire.openapi({
      description: 'What is taxed: the sum of the lines that are not credits.',
      example: 29,
    }),
    held: z
      .array(heldUsageWire)
      .openapi({ description: 'Usage of the period that is not billed for want of a price.' }),
    discount_amount: decimalWire.openapi({
      description: 'What discounts take off: the sum of the discount lines, without its sign.',
      example: 0,
    }),
    tax_rate: decimalWire.openapi({ description: 'Tax in percent, as the customer had it at the issue.', example: 0 }),
    tax_amount: decimalWire.openapi({ description: 'Tax on the subtotal, rounded once.', example: 0 }),
    total: decimalWire.openapi({ description: 'Subtotal and tax, before credits.', example: 29 }),
    credits_applied: decimalWire.openapi({
      description: 'Credits applied to the invoice, at most its total.',
      example: 0,
    }),
    amount_paid: decimalWire.openapi({ description: 'What has been paid.', example: 0 }),
    amount_refunded: decimalWire.openapi({
      description: 'What has been given back by refunds that succeeded.',
      example: 0,
    }),
    amount_due: decimalWire.openapi({
      description: 'What is still to be paid: total less credits and payments.',
      example: 29,
    }),
    past_due: z.boolean().openapi({ description: 'Whether it is open and past its due date.', example: false }),
    created_at: instantWire.openapi({
      description: 'When it was issued; in clock time for customers on a test clock.',
    }),
    paid_at: instantWire
      .nullable()
      .openapi({ description: 'When it was paid in full; null until then.', example: null }),
    voided_at: instantWire
      .nullable()
      .openapi({ description: 'When the invoice was voided; null where it was not.', example: null }),
    payments: z.array(paymentWire).openapi({ description: 'Payments, oldest first.' }),
    billing_address: z
      .union([addressWire, z.null()])
      .openapi({ description: "The customer's address at the issue; null: none was set." }),
    customer_name: z.string().openapi({ description: "The customer's name at the issue.", example: 'Acme Inc.' }),
    test_clock_id: z
      .string()
      .nullable()
      .openapi({ description: 'The test clock that the customer lives on; null: real time.', example: null }),
  })
  .openapi('Invoice');

export type InvoiceWire = z.infer<typeof invoiceWire>;

/** An invoice of status draft. */
const draftPartWire = invoiceWire
  .extend({
    issue_date: dateWire.nullable().openapi({
      description: "Date on which it will be issued, in the customer's time zone; null if nothing makes it due yet.",
    }),
    due_date: dateWire.nullable().openapi({
      description:
        'Last day to pay: the date of issue plus the net terms of the account; null without a date of issue.',
    }),
    condition: z
      .enum(['on_resume'])
      .nullable()
      .openapi({
        description:
          'on_resume: the subscription is paused without a planned resume, and this is what a resume now would bill; it is not ' +
          'counted in the totals of the draft. null: the invoice is issued if nothing else happens.',
        example: null,
      }),
  })
  .openapi('DraftInvoicePart');

export type DraftPartWire = z.infer<typeof draftPartWire>;

/** GET /api/customers/<id>/draft_invoice/: an invoice of status draft, and its parts (spec/invoices#draft). */
export const draftInvoiceWire = draftPartWire
  .extend({
    as_of: instantWire.openapi({ description: 'Usage accepted up to this time is on the draft.' }),
    invoices: z.array(draftPartWire).openapi({
      description:
        'The parts of the draft, one for each invoice that will be issued, in order of issue. Parts with a condition come last, and the ' +
        'draft itself has neither their lines nor their amounts.',
    }),
  })
  .openapi('DraftInvoice');

/** The invoice as the API returns it. */
export function invoiceToWire(invoice: DatedInvoice): InvoiceWire {
  return {
    invoice_id: invoice.invoiceId,
    invoice_number: invoice.invoiceNumber,
    customer_id: invoice.customerId,
    subscription_id: invoice.subscriptionId,
    kind: invoice.kind,
    status: invoice.status,
    currency: currencyToWire(invoice.currency),
    issue_date: invoice.issueDate,
    due_date: invoice.dueDate,
    period_start: isoOfEdge(invoice.periodStart),
    period_end: isoOfEdge(invoice.periodEnd),
    lines: invoice.lines.map((line) => lineToWire(line, invoice.customerId)),
    sections: invoice.sections.map(sectionToWire),
    charges_subtotal: invoice.sums?.chargesSubtotal ?? chargesSubtotal(invoice.lines),
    subtotal: invoice.subtotal,
    held: invoice.held.map(heldToWire),
    discount_amount: invoice.sums?.discountAmount ?? discountAmount(invoice.lines),
    tax_rate: invoice.taxRate,
    tax_amount: invoice.taxAmount,
    total: invoice.total,
    credits_applied: invoice.creditsApplied,
    amount_paid: invoice.amountPaid,
    amount_refunded: invoice.amountRefunded,
    amount_due: invoice.amountDue,
    past_due: isPastDue(invoice),
    created_at: isoFromInstant(invoice.createdAt),
    paid_at: isoOrNull(invoice.paidAt),
    voided_at: isoOrNull(invoice.voidedAt),
    payments: invoice.payments.map(paymentToWire),
    billing_address: invoice.billingAddress,
    customer_name: invoice.customerName,
    test_clock_id: invoice.testClockId,
  };
}

/** A section of an invoice as the API returns it. */
export function sectionToWire(section: InvoiceSection): InvoiceWire['sections'][number] {
  return {
    customer_id: section.customerId,
    subscription_id: section.subscriptionId,
    kind: section.kind,
    period_start: isoOfEdge(section.periodStart),
    period_end: isoOfEdge(section.periodEnd),
    subtotal: section.subtotal,
  };
}

function paymentToWire(payment: Payment): InvoiceWire['payments'][number] {
  return {
    payment_id: payment.paymentId,
    method: payment.method,
    amount: payment.amount,
    reference: payment.reference,
    paid_at: isoFromInstant(payment.paidAt),
  };
}
