import type { NewSection, OnInvoice } from '../../../billing/change-set.ts';
import type { WaitingSection } from '../../../billing/decide/issue-consolidated.ts';
import type { DueSection } from '../../../billing/invoices/consolidated-draft.ts';
import { standInOf } from '../../../billing/invoices/consolidated-invoice.ts';
import type { InvoiceKind, InvoiceSection } from '../../../billing/invoices/invoice.ts';
import { type Decimal, decimal } from '../../../core/decimal.ts';
import { type Instant, isoFromInstant, isoOrNull } from '../../../core/instants.ts';
import { stringifyExactJson } from '../../../runtime/exact-json.ts';
import { accountsWith } from '../accounts-with.ts';
import { instantOfJson, lookAcrossAccounts, type Pool, type Transaction } from '../postgres.ts';
import { heldFromRows, heldToRows, type StoredHeld } from './held-combinations.ts';
import { countsFromStored, lineFromStored, linesToStored, rowsOnInvoices, type StoredLine } from './pending-items.ts';

/** Keeps sections until all that is due at their instant is there. Postgres refuses a second one of a period and kind. */
export async function insertSections(
  tx: Transaction,
  accountId: string,
  sections: readonly NewSection[],
): Promise<void> {
  if (sections.length === 0) return;
  const rows = sections.map((section) => ({
    customer_id: section.customerId,
    subscription_id: section.subscriptionId,
    period_index: section.periodIndex,
    kind: section.kind,
    due_at: isoFromInstant(section.dueAt),
    period_start: isoOrNull(section.periodStart),
    period_end: isoOrNull(section.periodEnd),
    subtotal: section.subtotal,
    lines: linesToStored(section.lines, section.counts),
    held: heldToRows(section.held),
  }));
  await tx.query(
    `INSERT INTO invoice_sections (account_id, customer_id, subscription_id, period_index, kind, due_at, period_start, period_end,
       subtotal, lines, held)
     SELECT $1, s.* FROM json_to_recordset($2) AS s (customer_id text, subscription_id text, period_index integer, kind text,
       due_at timestamptz, period_start timestamptz, period_end timestamptz, subtotal numeric, lines json, held jsonb)`,
    [accountId, stringifyExactJson(rows)],
  );
}

type SectionRow = {
  seq: string;
  customer_id: string;
  subscription_id: string;
  kind: InvoiceKind;
  period_start: Instant;
  period_end: Instant;
  subtotal: string;
  lines: StoredLine[];
  held: StoredHeld[] | null;
};

const COLUMNS = 'seq, customer_id, subscription_id, kind, period_start, period_end, subtotal, lines, held';

/** The sections of these customers that wait for their invoice, in the order in which they fell due. */
export async function listWaitingSections(
  tx: Transaction,
  accountId: string,
  customerIds: readonly string[],
): Promise<DueSection[]> {
  const { rows } = await tx.query<SectionRow & { due_at: Instant }>(
    `SELECT ${COLUMNS}, due_at FROM invoice_sections
     WHERE account_id = $1 AND customer_id = ANY($2) AND invoice_id IS NULL ORDER BY due_at, seq`,
    [accountId, customerIds],
  );
  return rows.map((row) => ({ ...waitingFromRow(row), dueAt: row.due_at, standIn: standInOf(row.seq) }));
}

/**
 * The lines of customers of account `$1` (`customerIds`: a query of them) that wait on sections, by what tells what was charged. In one
 * statement with `invoice_lines` each line is there once: it comes to its invoice as it leaves its section.
 */
export function linesOnSections(customerIds: string): string {
  return `SELECT w."subscriptionId" AS subscription_id, w.type, w."metricId" AS metric_id,
      to_timestamp(w."periodStart" / 1000.0) AS period_start, w.amount, w."givenBackOf" AS given_back_of
    FROM invoice_sections x CROSS JOIN LATERAL json_to_recordset(x.lines) AS w ("subscriptionId" text, type text, "metricId" text,
      "periodStart" numeric, amount numeric, "givenBackOf" text)
    WHERE x.account_id = $1 AND x.customer_id = ANY (ARRAY(${customerIds})) AND x.invoice_id IS NULL`;
}

/** The sections of these customers that wait since an instant, locked until the transaction ends. */
export async function lockSections(
  tx: Transaction,
  accountId: string,
  customerIds: readonly string[],
  dueAt: Instant,
): Promise<WaitingSection[]> {
  const { rows } = await tx.query<SectionRow>(
    `SELECT ${COLUMNS} FROM invoice_sections
     WHERE account_id = $1 AND customer_id = ANY($2) AND due_at = $3 AND invoice_id IS NULL ORDER BY seq FOR UPDATE`,
    [accountId, customerIds, isoFromInstant(dueAt)],
  );
  return rows.map(waitingFromRow);
}

function waitingFromRow(row: SectionRow): WaitingSection {
  return {
    seq: row.seq,
    customerId: row.customer_id,
    subscriptionId: row.subscription_id,
    kind: row.kind,
    periodStart: row.period_start,
    periodEnd: row.period_end,
    subtotal: decimal(row.subtotal),
    lines: row.lines.map(lineFromStored),
    held: heldFromRows(row.held),
    counts: countsFromStored(row.lines),
  };
}

/** Stores that sections are on invoices, whose lines are theirs. */
export async function updateSectionsInvoiced(
  tx: Transaction,
  accountId: string,
  invoiced: readonly OnInvoice[],
): Promise<void> {
  if (invoiced.length === 0) return;
  await tx.query(
    `UPDATE invoice_sections x SET invoice_id = i.invoice_id, lines = NULL, held = NULL
     FROM unnest($2::bigint[], $3::text[]) AS i (seq, invoice_id) WHERE x.account_id = $1 AND x.seq = i.seq`,
    [accountId, ...rowsOnInvoices(invoiced)],
  );
}

/** What waits of a customer is not invoiced any more. */
export async function deleteWaitingSections(tx: Transaction, accountId: string, customerId: string): Promise<void> {
  await tx.query('DELETE FROM invoice_sections WHERE account_id = $1 AND customer_id = $2 AND invoice_id IS NULL', [
    accountId,
    customerId,
  ]);
}

/** The sections of a consolidated invoice `i`, the payer's first, then by customer and subscription; none of any other. */
export const SECTIONS_OF_INVOICE = `CASE WHEN i.subscription_id IS NULL THEN (
    SELECT coalesce(jsonb_agg(jsonb_build_object('customer_id', x.customer_id, 'subscription_id', x.subscription_id, 'kind', x.kind,
        'period_start', x.period_start, 'period_end', x.period_end, 'subtotal', x.subtotal)
      ORDER BY (x.customer_id = i.customer_id) DESC, x.customer_id COLLATE "C", x.subscription_id COLLATE "C", x.period_start), '[]')
    FROM invoice_sections x WHERE x.account_id = i.account_id AND x.invoice_id = i.invoice_id) ELSE '[]' END`;

/** Its numbers are decimals, its instants text. */
export type SectionOfInvoiceRow = {
  customer_id: string;
  subscription_id: string;
  kind: InvoiceKind;
  period_start: string;
  period_end: string;
  subtotal: Decimal;
};

/** A section of an issued invoice. */
export function sectionFromRow(row: SectionOfInvoiceRow): InvoiceSection {
  return {
    customerId: row.customer_id,
    subscriptionId: row.subscription_id,
    kind: row.kind,
    periodStart: instantOfJson(row.period_start),
    periodEnd: instantOfJson(row.period_end),
    subtotal: row.subtotal,
  };
}

/** Returns the ids of the accounts that have sections without an invoice. */
export async function listAccountsWithSections(pool: Pool): Promise<string[]> {
  const { rows } = await lookAcrossAccounts<{ id: string }>(
    pool,
    `WITH RECURSIVE ${accountsWith('invoice_sections WHERE invoice_id IS NULL')}
     SELECT id FROM accounts_waiting WHERE id IS NOT NULL`,
  );
  return rows.map((row) => row.id);
}

/** Returns the consolidated invoices of an account that sections wait for, by payer and instant, the oldest first. */
export async function listWaitingInvoices(
  tx: Transaction,
  accountId: string,
  limit: number,
): Promise<{ payerId: string; dueAt: Instant }[]> {
  const { rows } = await tx.query<{ payer_id: string; due_at: Instant }>(
    `SELECT DISTINCT coalesce(b.payer_id, x.customer_id) AS payer_id, x.due_at
     FROM invoice_sections x LEFT JOIN billed_to b USING (account_id, customer_id)
     WHERE x.account_id = $1 AND x.invoice_id IS NULL ORDER BY x.due_at LIMIT $2`,
    [accountId, limit],
  );
  return rows.map((row) => ({ payerId: row.payer_id, dueAt: row.due_at }));
}
