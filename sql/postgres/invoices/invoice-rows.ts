import type {
  Invoice,
  InvoiceLine,
  InvoiceSection,
  IssuedInvoice,
  Payment,
} from '../../../billing/invoices/invoice.ts';
import type { LineBasis } from '../../../billing/invoices/line-basis.ts';
import type { HeldUsage } from '../../../billing/pricing/held-usage.ts';
import type { PropertyTexts } from '../../../billing/pricing/price-book.ts';
import type { Address } from '../../../billing/subscriptions/subscription.ts';
import { type Decimal, decimal } from '../../../core/decimal.ts';
import { type Instant, type LocalDate, localDateAt } from '../../../core/instants.ts';
import { leftOut } from '../../../core/left-out.ts';
import { MOST_LISTED } from '../../../runtime/exact-json.ts';
import { instantOfJson } from '../postgres.ts';
import { heldFromRows, type StoredHeld } from './held-combinations.ts';
import { SECTIONS_OF_INVOICE, type SectionOfInvoiceRow, sectionFromRow } from './invoice-sections.ts';

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
  held: StoredHeld[] | null;
  timezone: string;
  customer_time: Instant;
  /** Rows of other tables that come as JSON: their numbers are decimals, their instants text. */
  lines: LineRow[];
  payments: PaymentRow[];
  sections: SectionOfInvoiceRow[];
};

export type LineRow = {
  line_id: string;
  type: InvoiceLine['type'];
  description: string;
  customer_id: string | null;
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
  tiers: InvoiceLine['tiers'] | null;
  tiers_count?: Decimal;
  events_count: Decimal | null;
  discount_amount: Decimal;
  basis: LineBasis | null;
  price_group: PropertyTexts | null;
  price_id: string | null;
  based_on: Decimal | null;
  overridden: boolean;
  reversed_amount: Decimal | null;
};

type PaymentRow = { payment_id: string; method: string; amount: Decimal; reference: string | null; paid_at: string };

/** An invoice without its lines, sections and what it holds, with payments as JSON text and its customer's time. */
const OWN_COLUMNS = `i.invoice_id, i.invoice_number, i.customer_id, i.subscription_id, i.kind, i.status, i.currency, i.issue_date,
  i.due_date, i.period_start, i.period_end, i.subtotal, i.tax_rate, i.tax_amount, i.total, i.credits_applied,
  i.amount_paid, i.amount_refunded, i.amount_due, i.billing_address, i.customer_name, i.test_clock_id, i.created_at,
  i.paid_at, i.voided_at, c.timezone, coalesce(t.frozen_time, now()) AS customer_time,
  (SELECT coalesce(jsonb_agg(to_jsonb(p) ORDER BY p.created_at), '[]') FROM payments p
   WHERE p.account_id = i.account_id AND p.invoice_id = i.invoice_id) AS payments`;

const OF_INVOICE = 'l.account_id = i.account_id AND l.invoice_id = i.invoice_id';
/** SQL: how much reversals and refunds have taken back of line `l`, by its charge `g`. Null if the line has no recorded charge. */
export const REVERSED_AMOUNT = 'CASE WHEN l.amount > 0 THEN g.back + g.by_hand END AS reversed_amount';
export const CHARGE_OF_LINE =
  'LEFT JOIN charges g ON g.account_id = l.account_id AND g.invoice_id = l.invoice_id AND g.ordinal = l.ordinal';
const LINES = `(SELECT coalesce(jsonb_agg(to_jsonb(l) ORDER BY l.ordinal), '[]')
   FROM (SELECT l.*, ${REVERSED_AMOUNT} FROM invoice_lines l ${CHARGE_OF_LINE} WHERE ${OF_INVOICE}) l)`;

/** An invoice with its lines and payments as JSON text, whose numbers are read exactly, and its customer's time. */
export const WHOLE_COLUMNS = `${OWN_COLUMNS}, i.held, ${LINES} AS lines, ${SECTIONS_OF_INVOICE} AS sections`;

export const OF_CUSTOMER = `JOIN customers c ON c.account_id = i.account_id AND c.customer_id = i.customer_id
  LEFT JOIN test_clocks t ON t.account_id = c.account_id AND t.test_clock_id = c.test_clock_id`;

/** An invoice as a list shows it: members that are left out are null, and how many entries they have. */
export type ListedRow = Omit<InvoiceRow, 'lines' | 'sections' | 'held'> & {
  lines: LineRow[] | null;
  lines_count: number;
  charges_subtotal: string;
  discount_amount: string;
  sections: SectionOfInvoiceRow[] | null;
  sections_count: number;
  held: StoredHeld[] | null;
  held_count: number | null;
};

/** Sums and counts of what may be left out of an invoice. */
export const OF_PARTS = `CROSS JOIN LATERAL (SELECT count(*)::int AS lines_count,
    coalesce(sum(l.amount) FILTER (WHERE l.type <> 'credit'), 0) AS charges_subtotal,
    coalesce(-sum(l.amount) FILTER (WHERE l.type = 'discount'), 0) AS discount_amount FROM invoice_lines l WHERE ${OF_INVOICE}) lined
  CROSS JOIN LATERAL (SELECT count(*)::int AS sections_count FROM invoice_sections x
    WHERE i.subscription_id IS NULL AND x.account_id = i.account_id AND x.invoice_id = i.invoice_id) sectioned`;

/** A line as JSON; only one of many bytes can have members that are left out. */
export const LISTED_LINE = `CASE WHEN octet_length(l.tiers::text) + coalesce(octet_length(l.basis::text), 0) > 2000
  THEN json_as_listed(to_jsonb(l)) ELSE to_jsonb(l) END`;

const HELD_COUNT = 'jsonb_array_length(i.held)';

/** As {@link WHOLE_COLUMNS}, for an invoice with {@link OF_PARTS}: without members of more than 100 entries. */
export const LISTED_COLUMNS = `${OWN_COLUMNS}, lined.*, sectioned.*,
  CASE WHEN lined.lines_count <= ${MOST_LISTED} THEN ${LINES.replace('to_jsonb(l)', LISTED_LINE)} END AS lines,
  CASE WHEN sectioned.sections_count <= ${MOST_LISTED} THEN ${SECTIONS_OF_INVOICE} END AS sections,
  CASE WHEN ${HELD_COUNT} <= ${MOST_LISTED} THEN i.held END AS held, ${HELD_COUNT} AS held_count`;

/** The invoice of a row with its lines and payments. */
export function invoiceFromRow(row: InvoiceRow): IssuedInvoice {
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
    sections: row.sections.map(sectionFromRow),
    held: heldFromRows(row.held),
  };
}

export function lineFromRow(row: LineRow): InvoiceLine {
  return {
    ...(row.customer_id !== null && { customerId: row.customer_id }),
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
    tiers: row.tiers ?? leftOut(row.tiers_count?.toNumber() ?? 0),
    eventsCount: row.events_count,
    discountAmount: row.discount_amount,
    reversedAmount: row.reversed_amount,
    ...(row.basis && { basis: row.basis }),
    ...(row.price_group && { group: row.price_group }),
    ...(row.price_id !== null && { priceId: row.price_id }),
    ...(row.based_on && { agreed: { version: row.based_on.toNumber(), overridden: row.overridden } }),
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

/** The invoice of a row with its large members left out. */
export function shownFromRow({ lines, sections, held, ...row }: ListedRow): IssuedInvoice {
  const invoice = invoiceFromRow({ ...row, lines: lines ?? [], sections: sections ?? [], held });
  const { lines_count, sections_count, held_count, charges_subtotal, discount_amount } = row;
  return {
    ...invoice,
    ...(lines === null && { lines: leftOut<InvoiceLine>(lines_count) }),
    ...(sections === null && { sections: leftOut<InvoiceSection>(sections_count) }),
    ...(held === null && held_count && { held: leftOut<HeldUsage>(held_count) }),
    sums: { chargesSubtotal: decimal(charges_subtotal), discountAmount: decimal(discount_amount) },
  };
}
