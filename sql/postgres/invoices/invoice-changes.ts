import type { NewInvoice } from '../../../billing/change-set.ts';
import type { IssuedInvoice } from '../../../billing/invoices/invoice.ts';
import { isoFromInstant, isoOrNull } from '../../../core/instants.ts';
import { stringifyExactJson } from '../../../runtime/exact-json.ts';
import type { Transaction } from '../postgres.ts';
import { heldToRows } from './held-combinations.ts';
import { noteNumbersSaid, numberAtEnd } from './invoice-numbers.ts';

/** An invoice to be stored, which says a placeholder for its number. */
export type InvoiceToInsert = Pick<NewInvoice, 'periodIndex' | 'operationId'> & { invoice: IssuedInvoice };

/** Stores issued invoices of one account with their lines, in the order in which they are numbered as the transaction ends. */
export async function insertInvoices(
  tx: Transaction,
  accountId: string,
  made: readonly InvoiceToInsert[],
): Promise<void> {
  if (made.length === 0) return;
  const invoices = made.map(({ invoice }) => invoice);
  numberAtEnd(
    tx,
    accountId,
    invoices.map(({ invoiceId }) => invoiceId),
  );
  await tx.query(
    `INSERT INTO invoices (account_id, invoice_id, invoice_number, customer_id, subscription_id, period_index, kind, status,
       currency, issue_date, due_date, period_start, period_end, subtotal, tax_rate, tax_amount, total, credits_applied,
       amount_due, billing_address, customer_name, test_clock_id, created_at, paid_at, operation_id, held, issuer_name, issue_timezone)
     SELECT $1, i.invoice_id, i.invoice_number, i.customer_id, i.subscription_id, i.period_index, i.kind, i.status,
       i.currency, i.issue_date, i.due_date, i.period_start, i.period_end, i.subtotal, i.tax_rate, i.tax_amount, i.total,
       i.credits_applied, i.amount_due, i.billing_address, i.customer_name, i.test_clock_id, i.created_at, i.paid_at,
       i.operation_id, i.held, a.name, coalesce(d.timezone, c.timezone)
     FROM jsonb_to_recordset($2) AS i (n integer, invoice_id text, invoice_number text, customer_id text,
         subscription_id text, period_index integer, kind text, status text, currency text, issue_date date, due_date date,
         period_start timestamptz, period_end timestamptz, subtotal numeric, tax_rate numeric, tax_amount numeric,
         total numeric, credits_applied numeric, amount_due numeric, billing_address jsonb, customer_name text,
         test_clock_id text, created_at timestamptz, paid_at timestamptz, operation_id text, held jsonb)
       JOIN accounts a ON a.account_id = $1
       JOIN customers c ON c.account_id = $1 AND c.customer_id = i.customer_id
       LEFT JOIN periods d ON d.account_id = $1 AND d.subscription_id = i.subscription_id AND d.period_index = i.period_index
     ORDER BY i.n`,
    [accountId, stringifyExactJson(made.map(invoiceToRow))],
  );
  const lines = invoices.flatMap(linesToRows);
  const said = lines.flatMap(({ line_id: id, description: text }) => (id === null ? [] : { id, text }));
  noteNumbersSaid(tx, 'lines', said);
  await tx.query(
    `INSERT INTO invoice_lines (account_id, invoice_id, ordinal, line_id, type, description, subscription_id, plan_id, version,
       metric_id, addon_id, credit_id, period_start, period_end, quantity, billable_quantity, unit_price, amount, tiers,
       events_count, given_back_of, discount_amount, basis, based_on, overridden, customer_id, price_group, price_id)
     SELECT $1, l.* FROM jsonb_to_recordset($2) AS l (invoice_id text, ordinal integer, line_id text, type text,
       description text, subscription_id text, plan_id text, version integer, metric_id text, addon_id text, credit_id text,
       period_start timestamptz, period_end timestamptz, quantity numeric, billable_quantity numeric, unit_price numeric,
       amount numeric, tiers jsonb, events_count numeric, given_back_of text, discount_amount numeric, basis jsonb,
       based_on integer, overridden boolean, customer_id text, price_group jsonb, price_id text)`,
    [accountId, stringifyExactJson(lines)],
  );
}

function invoiceToRow({ invoice, periodIndex, operationId }: InvoiceToInsert, n: number) {
  return {
    n,
    invoice_id: invoice.invoiceId,
    invoice_number: invoice.invoiceNumber,
    customer_id: invoice.customerId,
    subscription_id: invoice.subscriptionId,
    period_index: periodIndex,
    kind: invoice.kind,
    status: invoice.status,
    currency: invoice.currency,
    issue_date: invoice.issueDate,
    due_date: invoice.dueDate,
    period_start: isoOrNull(invoice.periodStart),
    period_end: isoOrNull(invoice.periodEnd),
    subtotal: invoice.subtotal,
    tax_rate: invoice.taxRate,
    tax_amount: invoice.taxAmount,
    total: invoice.total,
    credits_applied: invoice.creditsApplied,
    amount_due: invoice.amountDue,
    billing_address: invoice.billingAddress,
    customer_name: invoice.customerName,
    test_clock_id: invoice.testClockId,
    created_at: isoFromInstant(invoice.createdAt),
    paid_at: isoOrNull(invoice.paidAt),
    operation_id: operationId,
    held: heldToRows(invoice.held),
  };
}

function linesToRows(invoice: IssuedInvoice) {
  return invoice.lines.map((line, ordinal) => ({
    invoice_id: invoice.invoiceId,
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
    customer_id: line.customerId ?? null,
    discount_amount: line.discountAmount ?? 0,
    basis: line.basis ?? null,
    based_on: line.agreed?.version ?? null,
    overridden: line.agreed?.overridden ?? false,
    price_group: line.group ?? null,
    price_id: line.priceId ?? null,
  }));
}

/** Stores what has changed of issued invoices; their lines never change (spec/invoices#states). */
export async function updateInvoices(
  tx: Transaction,
  accountId: string,
  changed: readonly IssuedInvoice[],
): Promise<void> {
  if (changed.length === 0) return;
  const rows = changed.map((invoice) => ({
    invoice_id: invoice.invoiceId,
    status: invoice.status,
    credits_applied: invoice.creditsApplied,
    amount_paid: invoice.amountPaid,
    amount_due: invoice.amountDue,
    paid_at: isoOrNull(invoice.paidAt),
    voided_at: isoOrNull(invoice.voidedAt),
  }));
  await tx.query(
    `UPDATE invoices i SET status = u.status, credits_applied = u.credits_applied, amount_paid = u.amount_paid,
       amount_due = u.amount_due, paid_at = u.paid_at, voided_at = u.voided_at
     FROM jsonb_to_recordset($2) AS u (invoice_id text, status text, credits_applied numeric, amount_paid numeric,
       amount_due numeric, paid_at timestamptz, voided_at timestamptz)
     WHERE i.account_id = $1 AND i.invoice_id = u.invoice_id`,
    [accountId, stringifyExactJson(rows)],
  );
}
