import type { Invoice, InvoiceLine, IssuedInvoice, Payment } from '../../../billing/invoices/invoice.ts';
import type { LineBasis } from '../../../billing/invoices/line-basis.ts';
import type { PropertyTexts } from '../../../billing/pricing/price-book.ts';
import type { Address } from '../../../billing/subscriptions/subscription.ts';
import { type Decimal, decimal } from '../../../core/decimal.ts';
import { type Instant, type LocalDate, localDateAt } from '../../../core/instants.ts';
import { leftOut } from '../../../core/left-out.ts';
import { firstRow, instantOfJson, type Transaction } from '../postgres.ts';
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
};

type PaymentRow = { payment_id: string; method: string; amount: Decimal; reference: string | null; paid_at: string };

/** An invoice without its lines, sections and what it holds, with payments as JSON text and its customer's time. */
export const OWN_COLUMNS = `i.invoice_id, i.invoice_number, i.customer_id, i.subscription_id, i.kind, i.status, i.currency, i.issue_date,
  i.due_date, i.period_start, i.period_end, i.subtotal, i.tax_rate, i.tax_amount, i.total, i.credits_applied,
  i.amount_paid, i.amount_refunded, i.amount_due, i.billing_address, i.customer_name, i.test_clock_id, i.created_at,
  i.paid_at, i.voided_at, c.timezone, coalesce(t.frozen_time, now()) AS customer_time,
  (SELECT coalesce(jsonb_agg(to_jsonb(p) ORDER BY p.created_at), '[]') FROM payments p
   WHERE p.account_id = i.account_id AND p.invoice_id = i.invoice_id) AS payments`;

export const OF_INVOICE = 'l.account_id = i.account_id AND l.invoice_id = i.invoice_id';
export const LINES = `(SELECT coalesce(jsonb_agg(to_jsonb(l) ORDER BY l.ordinal), '[]') FROM invoice_lines l WHERE ${OF_INVOICE})`;

/** An invoice with its lines and payments as JSON text, whose numbers are read exactly, and its customer's time. */
const COLUMNS = `${OWN_COLUMNS}, i.held, ${LINES} AS lines, ${SECTIONS_OF_INVOICE} AS sections`;

export const OF_CUSTOMER = `JOIN customers c ON c.account_id = i.account_id AND c.customer_id = i.customer_id
  LEFT JOIN test_clocks t ON t.account_id = c.account_id AND t.test_clock_id = c.test_clock_id`;

/** The invoice by id or by number, or undefined where this account has none of that name (spec/invoices#numbers). */
export async function findInvoice(
  tx: Transaction,
  accountId: string,
  idOrNumber: string,
): Promise<IssuedInvoice | undefined> {
  const answer = await tx.query<InvoiceRow>(
    `SELECT ${COLUMNS} FROM invoices i ${OF_CUSTOMER}
     WHERE i.account_id = $1 AND (i.invoice_id = $2 OR i.invoice_number = $2)`,
    [accountId, idOrNumber],
  );
  const row = firstRow(answer);
  return row && invoiceFromRow(row);
}

/** As {@link findInvoice}, locking it until the transaction ends: payments and voids of it happen one after another. */
export async function lockInvoice(
  tx: Transaction,
  accountId: string,
  idOrNumber: string,
): Promise<IssuedInvoice | undefined> {
  await tx.query(
    'SELECT 1 FROM invoices WHERE account_id = $1 AND (invoice_id = $2 OR invoice_number = $2) FOR UPDATE',
    [accountId, idOrNumber],
  );
  return findInvoice(tx, accountId, idOrNumber);
}

/** As {@link findInvoice}, for one that must be there. Throws where it is not. */
export async function loadInvoice(tx: Transaction, accountId: string, invoiceId: string): Promise<IssuedInvoice> {
  const invoice = await findInvoice(tx, accountId, invoiceId);
  if (!invoice) throw new Error(`invoice ${invoiceId} is missing`);
  return invoice;
}

/** Those of these invoices that exist. */
export async function findInvoices(
  tx: Transaction,
  accountId: string,
  invoiceIds: readonly string[],
): Promise<IssuedInvoice[]> {
  if (invoiceIds.length === 0) return [];
  const { rows } = await tx.query<InvoiceRow>(
    `SELECT ${COLUMNS} FROM invoices i ${OF_CUSTOMER} WHERE i.account_id = $1 AND i.invoice_id = ANY($2)`,
    [accountId, invoiceIds],
  );
  return rows.map(invoiceFromRow);
}

/** Locks invoices until the transaction ends, in the one order in which several of them are locked: by id. */
export async function lockInvoices(tx: Transaction, accountId: string, invoiceIds: string[]): Promise<void> {
  const sql = 'SELECT 1 FROM invoices WHERE account_id = $1 AND invoice_id = ANY($2) ORDER BY invoice_id FOR UPDATE';
  if (invoiceIds.length > 0) await tx.query(sql, [accountId, invoiceIds]);
}

/** What the invoice's document says besides its record: who issued it, and the zone its periods are dates in. */
export type InvoiceParties = { issuerName: string; timeZone: string };

/** As they were when the invoice was issued. */
export async function loadInvoiceParties(
  tx: Transaction,
  accountId: string,
  invoiceId: string,
): Promise<InvoiceParties> {
  const answer = await tx.query<{ issuer_name: string; issue_timezone: string }>(
    'SELECT issuer_name, issue_timezone FROM invoices WHERE account_id = $1 AND invoice_id = $2',
    [accountId, invoiceId],
  );
  const row = firstRow(answer);
  if (!row) throw new Error(`invoice ${invoiceId} is missing`);
  return { issuerName: row.issuer_name, timeZone: row.issue_timezone };
}

/** Sum of `amount_due` over open and uncollectible invoices, per customer (spec/customers#record). */
export async function sumAmountsDue(
  tx: Transaction,
  accountId: string,
  customerIds: string[],
): Promise<Map<string, Decimal>> {
  const { rows } = await tx.query<{ customer_id: string; due: string }>(
    `SELECT customer_id, sum(amount_due) AS due FROM invoices
     WHERE account_id = $1 AND customer_id = ANY($2) AND status IN ('open', 'uncollectible') GROUP BY customer_id`,
    [accountId, customerIds],
  );
  return new Map(rows.map((row) => [row.customer_id, decimal(row.due)]));
}

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
