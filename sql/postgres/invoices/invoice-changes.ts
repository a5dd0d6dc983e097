import type { Invoice, IssuedInvoice } from '../../../billing/invoices/invoice.ts';
import { isoFromInstant, isoOrNull } from '../../../core/instants.ts';
import { stringifyExactJson } from '../../../runtime/exact-json.ts';
import { firstRow, type Transaction } from '../postgres.ts';

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
