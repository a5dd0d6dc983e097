import type { Invoice, InvoiceLine, IssuedInvoice, Payment } from '../../../billing/invoices/invoice.ts';
import type { Address } from '../../../billing/subscriptions/subscription.ts';
import { type Decimal, decimal } from '../../../core/decimal.ts';
import { type Instant, type LocalDate, localDateAt } from '../../../core/instants.ts';
import { instantOfJson } from '../postgres.ts';

export type InvoiceRow = {
  invoice_id: string;
  invoice_number: string;
  customer_id: string;
  subscription_id: string | null;
  kind: Invoice['kind'];
  status: Invoice['status'];
  currency: string;
  issue_date: LocalDate;
  due_date: LocalDate;
  period_start: Instant | null;
  period_end: Instant | null;
  subtotal: string;
  tax_rate: string;
  tax_amount: string;
  total: string;
  credits_applied: string;
  amount_paid: string;
  amount_refunded: string;
  amount_due: string;
  billing_address: Address | null;
  customer_name: string;
  test_clock_id: string | null;
  created_at: Instant;
  paid_at: Instant | null;
  voided_at: Instant | null;
  timezone: string;
  customer_time: Instant;
};

/** Rows of other tables that come as JSON: their numbers are decimals, their instants text. */
export type InvoiceRowParts = { lines: LineRow[]; payments: PaymentRow[] };

type LineRow = {
  line_id: string;
  type: InvoiceLine['type'];
  description: string;
  subscription_id: string | null;
  plan_id: string | null;
  version: Decimal | null;
  metric_id: string | null;
  addon_id: string | null;
  credit_id: string | null;
  period_start: string | null;
  period_end: string | null;
  quantity: Decimal | null;
  billable_quantity: Decimal | null;
  unit_price: Decimal | null;
  amount: Decimal;
  tiers: InvoiceLine['tiers'];
  events_count: Decimal | null;
};

type PaymentRow = { payment_id: string; method: string; amount: Decimal; reference: string | null; paid_at: string };

/** The invoice of a row with its lines and payments. */
export function invoiceFromRow(row: InvoiceRow & InvoiceRowParts): IssuedInvoice {
  return {
    invoiceId: row.invoice_id,
    invoiceNumber: row.invoice_number,
    customerId: row.customer_id,
    subscriptionId: row.subscription_id,
    kind: row.kind,
    status: row.status,
    currency: row.currency,
    issueDate: row.issue_date,
    dueDate: row.due_date,
    periodStart: row.period_start,
    periodEnd: row.period_end,
    lines: row.lines.map(lineFromRow),
    subtotal: decimal(row.subtotal),
    taxRate: decimal(row.tax_rate),
    taxAmount: decimal(row.tax_amount),
    total: decimal(row.total),
    creditsApplied: decimal(row.credits_applied),
    amountPaid: decimal(row.amount_paid),
    amountRefunded: decimal(row.amount_refunded),
    amountDue: decimal(row.amount_due),
    billingAddress: row.billing_address,
    customerName: row.customer_name,
    testClockId: row.test_clock_id,
    createdAt: row.created_at,
    paidAt: row.paid_at,
    voidedAt: row.voided_at,
    customerToday: localDateAt(row.customer_time, row.timezone),
    payments: row.payments.map(paymentFromRow),
  };
}

function lineFromRow(row: LineRow): InvoiceLine {
  return {
    lineId: row.line_id,
    type: row.type,
    description: row.description,
    subscriptionId: row.subscription_id,
    planId: row.plan_id,
    version: row.version?.toNumber() ?? null,
    metricId: row.metric_id,
    addonId: row.addon_id,
    creditId: row.credit_id,
    periodStart: instantOf(row.period_start),
    periodEnd: instantOf(row.period_end),
    quantity: row.quantity,
    billableQuantity: row.billable_quantity,
    unitPrice: row.unit_price,
    amount: row.amount,
    tiers: row.tiers,
    eventsCount: row.events_count,
  };
}

function paymentFromRow(row: PaymentRow): Payment {
  return {
    paymentId: row.payment_id,
    method: row.method,
    amount: row.amount,
    reference: row.reference,
    paidAt: instantOfJson(row.paid_at),
  };
}

function instantOf(text: string | null): Instant | null {
  return text === null ? null : instantOfJson(text);
}
