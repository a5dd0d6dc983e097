import { z } from '@hono/zod-openapi';
import {
  chargesSubtotal,
  type DatedInvoice,
  type InvoiceLine,
  isPastDue,
  LINE_TYPES,
  type Payment,
} from '../billing/invoices/invoice.ts';
import { isoFromInstant, isoOrNull } from '../core/instants.ts';
import {
  addressWire,
  currencyToWire,
  currencyWire,
  dateInput,
  dateWire,
  decimalWire,
  instantInput,
  instantWire,
  nonNegativeInput,
  orNull,
} from './primitives.ts';

export const INVOICE_STATUSES = ['draft', 'open', 'paid', 'void', 'uncollectible'] as const;

export const INVOICE_KINDS = ['opening', 'period', 'closing', 'proration', 'manual'] as const;

/** Filters of GET /api/invoices (spec/api#lists); `issued_from` and `issued_to` are inclusive. */
export const invoiceFilters = {
  customer_id: z.string().optional(),
  subscription_id: z.string().optional(),
  status: z.enum(INVOICE_STATUSES).optional(),
  number: z.string().optional(),
  kind: z.enum(INVOICE_KINDS).optional(),
  issued_from: dateInput.optional(),
  issued_to: dateInput.optional(),
  due_before: dateInput.optional(),
  min_due: nonNegativeInput.optional(),
};

/** Body of POST /api/invoices/<id>/mark_paid (spec/invoices#states). */
export const invoiceMarkPaid = z.strictObject({
  paid_at: instantInput.optional(),
  reference: z.string().max(500).nullable().default(null),
});

const lineTierWire = z.object({
  up_to: orNull(decimalWire),
  quantity: decimalWire,
  unit_price: decimalWire,
  flat_fee: decimalWire,
  amount: decimalWire,
});

const lineWire = z.object({
  line_id: z.string().nullable(),
  type: z.enum(LINE_TYPES),
  description: z.string(),
  subscription_id: z.string().nullable(),
  plan_id: z.string().nullable(),
  version: z.int().nullable(),
  metric_id: z.string().nullable(),
  addon_id: z.string().nullable(),
  credit_id: z.string().nullable(),
  period_start: instantWire.nullable(),
  period_end: instantWire.nullable(),
  quantity: orNull(decimalWire),
  billable_quantity: orNull(decimalWire),
  unit_price: orNull(decimalWire),
  amount: decimalWire,
  tiers: z.array(lineTierWire),
  events_count: orNull(decimalWire),
});

const paymentWire = z.object({
  payment_id: z.string(),
  method: z.string(),
  amount: decimalWire,
  reference: z.string().nullable(),
  paid_at: instantWire,
});

/** `{invoice_id}` in a path: the id or the number (spec/invoices#numbers). */
export const invoicePath = z.object({ invoice_id: z.string() });

export const invoiceWire = z
  .object({
    invoice_id: z.string().nullable(),
    invoice_number: z.string().nullable().openapi({ example: 'INV-000001' }),
    customer_id: z.string(),
    subscription_id: z.string().nullable(),
    kind: z.enum(INVOICE_KINDS),
    status: z.enum(INVOICE_STATUSES),
    currency: currencyWire,
    issue_date: dateWire,
    due_date: dateWire,
    period_start: instantWire.nullable(),
    period_end: instantWire.nullable(),
    lines: z.array(lineWire),
    charges_subtotal: decimalWire,
    subtotal: decimalWire,
    tax_rate: decimalWire,
    tax_amount: decimalWire,
    total: decimalWire,
    credits_applied: decimalWire,
    amount_paid: decimalWire,
    amount_refunded: decimalWire,
    amount_due: decimalWire,
    past_due: z.boolean(),
    created_at: instantWire,
    paid_at: instantWire.nullable(),
    voided_at: instantWire.nullable(),
    payments: z.array(paymentWire),
    billing_address: addressWire.nullable(),
    customer_name: z.string(),
    test_clock_id: z.string().nullable(),
  })
  .openapi('Invoice');

export type InvoiceWire = z.infer<typeof invoiceWire>;

/** GET /api/customers/<id>/draft_invoice/: an invoice of status draft, and the one of each subscription (spec/invoices#draft). */
export const draftInvoiceWire = invoiceWire
  .extend({ as_of: instantWire, invoices: z.array(invoiceWire) })
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
    period_start: isoOrNull(invoice.periodStart),
    period_end: isoOrNull(invoice.periodEnd),
    lines: invoice.lines.map(lineToWire),
    charges_subtotal: chargesSubtotal(invoice.lines),
    subtotal: invoice.subtotal,
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

/** A line as the API returns it in its invoice. */
export function lineToWire(line: InvoiceLine): InvoiceWire['lines'][number] {
  return {
    line_id: line.lineId,
    type: line.type,
    description: line.description,
    subscription_id: line.subscriptionId,
    plan_id: line.planId,
    version: line.version,
    metric_id: line.metricId,
    addon_id: line.addonId,
    credit_id: line.creditId,
    period_start: isoOrNull(line.periodStart),
    period_end: isoOrNull(line.periodEnd),
    quantity: line.quantity,
    billable_quantity: line.billableQuantity,
    unit_price: line.unitPrice,
    amount: line.amount,
    tiers: line.tiers.map((tier) => ({
      up_to: tier.upTo,
      quantity: tier.quantity,
      unit_price: tier.unitPrice,
      flat_fee: tier.flatFee,
      amount: tier.amount,
    })),
    events_count: line.eventsCount,
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
