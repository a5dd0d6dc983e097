import type { Refund, RefundMethod } from '../../../billing/credits/refunds.ts';
import type { RefundStatus } from '../../../billing/subscriptions/states.ts';
import { decimal } from '../../../core/decimal.ts';
import { type Instant, isoFromInstant, isoOrNull, type LocalDate } from '../../../core/instants.ts';
import { findPage, type ListSort, type PageOf, type PageWindow, sortedBy } from '../page-window.ts';
import { firstRow, type Pool, type Transaction } from '../postgres.ts';

type RefundRow = {
  refund_id: string;
  invoice_id: string;
  customer_id: string;
  amount: string;
  currency: string;
  method: RefundMethod;
  reason: string | null;
  description: string | null;
  status: RefundStatus;
  credit_id: string | null;
  gives_back: boolean;
  processor_refund_id: string | null;
  expected_by: LocalDate | null;
  created_at: Instant;
  completed_at: Instant | null;
};

const COLUMNS = `refund_id, invoice_id, customer_id, amount, currency, method, reason, description, status, credit_id, gives_back,
  processor_refund_id, expected_by, created_at, completed_at`;

/** The refund, or undefined where this account has none of that id. */
export async function findRefund(tx: Transaction, accountId: string, refundId: string): Promise<Refund | undefined> {
  const sql = `SELECT ${COLUMNS} FROM refunds WHERE account_id = $1 AND refund_id = $2`;
  const row = firstRow(await tx.query<RefundRow>(sql, [accountId, refundId]));
  return row && refundFromRow(row);
}

/** As {@link findRefund}, locking its invoice until the transaction ends: all that happens to its money is one after another. */
export async function lockRefund(tx: Transaction, accountId: string, refundId: string): Promise<Refund | undefined> {
  await tx.query(
    `SELECT 1 FROM invoices WHERE account_id = $1
     AND invoice_id = (SELECT invoice_id FROM refunds WHERE account_id = $1 AND refund_id = $2) FOR UPDATE`,
    [accountId, refundId],
  );
  return findRefund(tx, accountId, refundId);
}

/** A refund by our id or by the processor's, whichever an event names. */
export async function findRefundOfProcessor(
  tx: Transaction,
  accountId: string,
  by: { refundId: string | null; processorRefundId: string },
): Promise<Refund | undefined> {
  const answer = await tx.query<RefundRow>(
    `SELECT ${COLUMNS} FROM refunds WHERE account_id = $1 AND (refund_id = $2 OR processor_refund_id = $3) LIMIT 1`,
    [accountId, by.refundId, by.processorRefundId],
  );
  const row = firstRow(answer);
  return row && refundFromRow(row);
}

/**
 * Refunds of every account that a processor is to send back and has not yet said the end of, oldest first, for the reconcile
 * sweep. `isSent`: the processor has it.
 */
export async function listRefundsUnderWay(
  pool: Pool,
): Promise<{ accountId: string; refundId: string; isSent: boolean }[]> {
  const answer = await pool.query<{ account_id: string; refund_id: string; is_sent: boolean }>(
    `SELECT account_id, refund_id, processor_refund_id IS NOT NULL AS is_sent FROM refunds
     WHERE status = 'pending' AND method = 'original_payment' ORDER BY seq`,
  );
  return answer.rows.map((row) => ({ accountId: row.account_id, refundId: row.refund_id, isSent: row.is_sent }));
}

/** All refunds of an invoice, oldest first, whatever their status. */
export async function listRefundsOfInvoice(tx: Transaction, accountId: string, invoiceId: string): Promise<Refund[]> {
  return listRefundsOfInvoices(tx, accountId, [invoiceId]);
}

/** {@link listRefundsOfInvoice} of several invoices. */
export async function listRefundsOfInvoices(
  tx: Transaction,
  accountId: string,
  invoiceIds: readonly string[],
): Promise<Refund[]> {
  if (invoiceIds.length === 0) return [];
  const sql = `SELECT ${COLUMNS} FROM refunds WHERE account_id = $1 AND invoice_id = ANY($2) ORDER BY seq`;
  const answer = await tx.query<RefundRow>(sql, [accountId, invoiceIds]);
  return answer.rows.map(refundFromRow);
}

/** What refunds are sorted by. */
export const REFUND_SORTS = { created_at: 'r.created_at', amount: 'r.amount' } as const;

export type RefundFilter = {
  customerId?: string | undefined;
  invoiceId?: string | undefined;
  status?: RefundStatus | undefined;
  sort?: ListSort<keyof typeof REFUND_SORTS> | undefined;
};

/** One page of an account's refunds, newest first unless sorted. */
export function listRefunds(
  tx: Transaction,
  accountId: string,
  filter: RefundFilter,
  window: PageWindow,
): Promise<PageOf<Refund>> {
  const { customerId, invoiceId, status } = filter;
  const equals = { account_id: accountId, customer_id: customerId, invoice_id: invoiceId, status };
  const sortBy = sortedBy(REFUND_SORTS, filter.sort);
  const list = { select: COLUMNS, table: ['refunds', 'r'], sortedFrom: 'refunds_in_order', equals, sortBy } as const;
  return findPage(tx, list, window, refundFromRow);
}

/** Stores a new refund. Postgres itself counts it against what was paid, and refuses what exceeds that (spec/credits#refunds). */
export async function insertRefund(tx: Transaction, accountId: string, refund: Refund): Promise<void> {
  await tx.query(
    `INSERT INTO refunds (account_id, refund_id, invoice_id, customer_id, amount, currency, method, reason, description,
       status, credit_id, processor_refund_id, expected_by, created_at, completed_at, gives_back)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
    [
      accountId,
      refund.refundId,
      refund.invoiceId,
      refund.customerId,
      refund.amount.toFixed(),
      refund.currency,
      refund.method,
      refund.reason,
      refund.description,
      refund.status,
      refund.creditId,
      refund.processorRefundId,
      refund.expectedBy,
      isoFromInstant(refund.createdAt),
      isoOrNull(refund.completedAt),
      refund.isProration,
    ],
  );
}

/** Stores what became of a pending refund. */
export async function updateRefund(tx: Transaction, accountId: string, refund: Refund): Promise<void> {
  await tx.query(
    `UPDATE refunds SET status = $3, processor_refund_id = $4, completed_at = $5 WHERE account_id = $1 AND refund_id = $2`,
    [accountId, refund.refundId, refund.status, refund.processorRefundId, isoOrNull(refund.completedAt)],
  );
}

function refundFromRow(row: RefundRow): Refund {
  return {
    refundId: row.refund_id,
    invoiceId: row.invoice_id,
    customerId: row.customer_id,
    amount: decimal(row.amount),
    currency: row.currency,
    method: row.method,
    reason: row.reason,
    description: row.description,
    status: row.status,
    creditId: row.credit_id,
    isProration: row.gives_back,
    processorRefundId: row.processor_refund_id,
    expectedBy: row.expected_by,
    createdAt: row.created_at,
    completedAt: row.completed_at,
  };
}
