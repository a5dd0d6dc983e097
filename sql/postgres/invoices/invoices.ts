import type { Invoice, InvoiceKind, IssuedInvoice } from '../../../billing/invoices/invoice.ts';
import type { InvoiceStatus } from '../../../billing/subscriptions/states.ts';
import { type Decimal, decimal } from '../../../core/decimal.ts';
import { isoFromInstant, isoOrNull, type LocalDate } from '../../../core/instants.ts';
import { stringifyExactJson } from '../../../runtime/exact-json.ts';
import {
  askPlanned,
  COUNT_CAP,
  type Condition,
  findPage,
  type ListSort,
  type PageOf,
  type PageWindow,
  sortedBy,
} from '../page-window.ts';
import { firstRow, type Transaction } from '../postgres.ts';
import { type InvoiceRow, type InvoiceRowParts, invoiceFromRow } from './invoice-rows.ts';

/** An invoice with its lines and payments as JSON text, whose numbers are read exactly, and its customer's time. */
const COLUMNS = `i.*, c.timezone, coalesce(t.frozen_time, now()) AS customer_time,
  (SELECT coalesce(jsonb_agg(to_jsonb(l) ORDER BY l.ordinal), '[]') FROM invoice_lines l
   WHERE l.account_id = i.account_id AND l.invoice_id = i.invoice_id) AS lines,
  (SELECT coalesce(jsonb_agg(to_jsonb(p) ORDER BY p.created_at), '[]') FROM payments p
   WHERE p.account_id = i.account_id AND p.invoice_id = i.invoice_id) AS payments`;

const OF_CUSTOMER = `JOIN customers c ON c.account_id = i.account_id AND c.customer_id = i.customer_id
  LEFT JOIN test_clocks t ON t.account_id = c.account_id AND t.test_clock_id = c.test_clock_id`;

const INVOICES = ['invoices', 'i'] as const;

type FullInvoiceRow = InvoiceRow & InvoiceRowParts;

/** The invoice by id or by number, or undefined where this account has none of that name (spec/invoices#numbers). */
export async function findInvoice(
  tx: Transaction,
  accountId: string,
  idOrNumber: string,
): Promise<IssuedInvoice | undefined> {
  const answer = await tx.query<FullInvoiceRow>(
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
  const { rows } = await tx.query<FullInvoiceRow>(
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

/** What invoices are sorted by; numbers are given in the order of age. */
export const INVOICE_SORTS = {
  created_at: 'i.created_at',
  issue_date: 'i.issue_date',
  due_date: 'i.due_date',
  amount_due: 'i.amount_due',
  invoice_number: 'i.seq',
} as const;

export type InvoiceFilter = {
  customerId?: string | undefined;
  subscriptionId?: string | undefined;
  status?: InvoiceStatus | undefined;
  number?: string | undefined;
  kind?: InvoiceKind | undefined;
  /** First and last issue date. */
  issuedFrom?: LocalDate | undefined;
  issuedTo?: LocalDate | undefined;
  /** Due earlier than on this date. */
  dueBefore?: LocalDate | undefined;
  /** At least so much is to be paid, in whatever currency. */
  minDue?: Decimal | undefined;
  sort?: ListSort<keyof typeof INVOICE_SORTS> | undefined;
};

/** One page of an account's invoices, newest first unless sorted. */
export async function listInvoices(
  tx: Transaction,
  accountId: string,
  filter: InvoiceFilter,
  window: PageWindow,
): Promise<PageOf<IssuedInvoice>> {
  const { customerId, subscriptionId, status, number, kind } = filter;
  const equals = { customer_id: customerId, subscription_id: subscriptionId, status, invoice_number: number, kind };
  const isDue = filter.minDue === undefined ? [] : [await whereDue(tx, accountId, filter.minDue)];
  const list = {
    select: COLUMNS,
    table: INVOICES,
    joins: OF_CUSTOMER,
    equals: { account_id: accountId, ...equals },
    where: [
      ['i.issue_date >= ?', filter.issuedFrom],
      ['i.issue_date <= ?', filter.issuedTo],
      ['i.due_date < ?', filter.dueBefore],
      ...isDue,
    ],
    sortBy: sortedBy(INVOICE_SORTS, filter.sort),
  } as const;
  return findPage(tx, list, window, invoiceFromRow);
}

/**
 * That at least `minDue` is due. Under row-level security no index may compare numbers, but one may be read in their order: the
 * highest amounts are looked at, unless more invoices than are counted have as much.
 */
async function whereDue(tx: Transaction, accountId: string, minDue: Decimal): Promise<Condition> {
  const highest = `(SELECT o.seq, o.amount_due FROM invoices o WHERE o.account_id = $1
    ORDER BY o.amount_due DESC, o.seq DESC LIMIT ${COUNT_CAP + 1}) highest`;
  const least = minDue.toFixed();
  const sql = `SELECT count(*) AS count FROM ${highest} WHERE amount_due >= $2`;
  const { rows } = await askPlanned<{ count: string }>(tx, sql, [accountId, least]);
  const isFew = Number(rows[0]?.count) <= COUNT_CAP;
  return [isFew ? `i.seq = ANY (ARRAY(SELECT seq FROM ${highest} WHERE amount_due >= ?))` : 'i.amount_due >= ?', least];
}

/** The newest invoices of each of these customers, newest first. */
export async function listNewestInvoices(
  tx: Transaction,
  accountId: string,
  customerIds: string[],
  perCustomer: number,
): Promise<IssuedInvoice[]> {
  const answer = await tx.query<FullInvoiceRow>(
    `SELECT ${COLUMNS} FROM unnest($2::text[]) AS wanted (customer_id)
     JOIN LATERAL (
       SELECT * FROM invoices o WHERE o.account_id = $1 AND o.customer_id = wanted.customer_id
       ORDER BY o.seq DESC LIMIT $3
     ) i ON true ${OF_CUSTOMER}
     ORDER BY i.seq DESC`,
    [accountId, customerIds, perCustomer],
  );
  return answer.rows.map(invoiceFromRow);
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

/** The next number of the account: no gaps, since it is given back if the transaction does not commit (spec/invoices#numbers). */
export async function takeInvoiceNumber(tx: Transaction, accountId: string): Promise<string> {
  const answer = await tx.query<{ number: string }>(
    `UPDATE invoice_counters SET last_number = last_number + 1 WHERE account_id = $1
     RETURNING 'INV-' || lpad(last_number::text, greatest(6, length(last_number::text)), '0') AS number`,
    [accountId],
  );
  const row = firstRow(answer);
  if (!row) throw new Error(`account ${accountId} has no invoice counter`);
  return row.number;
}

/** Stores an issued invoice with its lines. */
export async function insertInvoice(
  tx: Transaction,
  accountId: string,
  invoice: Invoice,
  { periodIndex, operationId }: { periodIndex: number | null; operationId: string | null },
): Promise<void> {
  await tx.query(
    `INSERT INTO invoices (account_id, invoice_id, invoice_number, customer_id, subscription_id, period_index, kind, status,
       currency, issue_date, due_date, period_start, period_end, subtotal, tax_rate, tax_amount, total, credits_applied,
       amount_due, billing_address, customer_name, test_clock_id, created_at, paid_at, operation_id, issuer_name, issue_timezone)
     SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25,
       a.name, coalesce((SELECT d.timezone FROM periods d WHERE d.account_id = $1 AND d.subscription_id = $5
         AND d.period_index = $6), c.timezone)
     FROM accounts a JOIN customers c USING (account_id) WHERE a.account_id = $1 AND c.customer_id = $4`,
    [
      accountId,
      invoice.invoiceId,
      invoice.invoiceNumber,
      invoice.customerId,
      invoice.subscriptionId,
      periodIndex,
      invoice.kind,
      invoice.status,
      invoice.currency,
      invoice.issueDate,
      invoice.dueDate,
      isoOrNull(invoice.periodStart),
      isoOrNull(invoice.periodEnd),
      invoice.subtotal.toFixed(),
      invoice.taxRate.toFixed(),
      invoice.taxAmount.toFixed(),
      invoice.total.toFixed(),
      invoice.creditsApplied.toFixed(),
      invoice.amountDue.toFixed(),
      invoice.billingAddress,
      invoice.customerName,
      invoice.testClockId,
      isoFromInstant(invoice.createdAt),
      isoOrNull(invoice.paidAt),
      operationId,
    ],
  );
  await insertLines(tx, accountId, invoice);
}

async function insertLines(tx: Transaction, accountId: string, invoice: Invoice) {
  const lines = invoice.lines.map((line, ordinal) => ({
    ordinal,
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
    tiers: line.tiers,
    events_count: line.eventsCount,
    given_back_of: line.givenBackOf ?? null,
  }));
  await tx.query(
    `INSERT INTO invoice_lines
     SELECT $1, $2, l.* FROM jsonb_to_recordset($3) AS l (ordinal integer, line_id text, type text, description text,
       subscription_id text, plan_id text, version integer, metric_id text, addon_id text, credit_id text,
       period_start timestamptz, period_end timestamptz, quantity numeric, billable_quantity numeric, unit_price numeric,
       amount numeric, tiers jsonb, events_count numeric, given_back_of text)`,
    [accountId, invoice.invoiceId, stringifyExactJson(lines)],
  );
}

/** Stores what a payment changed of an issued invoice; its lines never change (spec/invoices#states). */
export async function updateInvoicePaid(tx: Transaction, accountId: string, invoice: Invoice): Promise<void> {
  await tx.query(
    `UPDATE invoices SET status = $3, amount_paid = $4, amount_due = $5, paid_at = $6
     WHERE account_id = $1 AND invoice_id = $2`,
    [
      accountId,
      invoice.invoiceId,
      invoice.status,
      invoice.amountPaid.toFixed(),
      invoice.amountDue.toFixed(),
      isoOrNull(invoice.paidAt),
    ],
  );
}

/** Stores the new status of an invoice that was voided or marked uncollectible. */
export async function updateInvoiceStatus(tx: Transaction, accountId: string, invoice: IssuedInvoice): Promise<void> {
  await tx.query('UPDATE invoices SET status = $3, voided_at = $4 WHERE account_id = $1 AND invoice_id = $2', [
    accountId,
    invoice.invoiceId,
    invoice.status,
    isoOrNull(invoice.voidedAt),
  ]);
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
