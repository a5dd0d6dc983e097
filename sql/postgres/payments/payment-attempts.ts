import type { AttemptStatus, PaymentAttempt } from '../../../billing/payments/collection.ts';
import { decimal } from '../../../core/decimal.ts';
import { type Instant, isoFromInstant, isoOrNull } from '../../../core/instants.ts';
import { firstRow, type Transaction } from '../postgres.ts';

type AttemptRow = {
  attempt_id: string;
  invoice_id: string;
  provider: string;
  payer: string;
  payment_method: string;
  amount: string;
  currency: string;
  origin: PaymentAttempt['origin'];
  operation_id: string | null;
  status: AttemptStatus;
  reference: string | null;
  failure_code: string | null;
  failure_message: string | null;
  created_at: Instant;
  settled_at: Instant | null;
};

const COLUMNS = `attempt_id, invoice_id, provider, payer, payment_method, amount, currency, origin, operation_id, status,
  reference, failure_code, failure_message, created_at, settled_at`;

/** Every attempt to collect an invoice, oldest first. */
export async function listAttempts(tx: Transaction, accountId: string, invoiceId: string): Promise<PaymentAttempt[]> {
  const sql = `SELECT ${COLUMNS} FROM payment_attempts WHERE account_id = $1 AND invoice_id = $2 ORDER BY seq`;
  return (await tx.query<AttemptRow>(sql, [accountId, invoiceId])).rows.map(attemptFromRow);
}

/** An attempt by our id or by the processor's, whichever is known. */
export async function findAttempt(
  tx: Transaction,
  accountId: string,
  by: { provider: string; attemptId: string | null; reference: string | null },
): Promise<PaymentAttempt | undefined> {
  const answer = await tx.query<AttemptRow>(
    `SELECT ${COLUMNS} FROM payment_attempts WHERE account_id = $1 AND provider = $2 AND (attempt_id = $3 OR reference = $4)
     ORDER BY seq DESC LIMIT 1`,
    [accountId, by.provider, by.attemptId, by.reference],
  );
  const row = firstRow(answer);
  return row && attemptFromRow(row);
}

/** Whether money for the invoice may be on its way (spec/invoices#states: then it is not voided). Hold the invoice while it matters. */
export async function hasLiveAttempt(tx: Transaction, accountId: string, invoiceId: string): Promise<boolean> {
  return (await listInvoicesInFlight(tx, accountId, [invoiceId])).has(invoiceId);
}

/** Those of these invoices for which money may be on its way. */
export async function listInvoicesInFlight(
  tx: Transaction,
  accountId: string,
  invoiceIds: readonly string[],
): Promise<Set<string>> {
  if (invoiceIds.length === 0) return new Set();
  const { rows } = await tx.query<{ invoice_id: string }>(
    `SELECT invoice_id FROM payment_attempts
     WHERE account_id = $1 AND invoice_id = ANY($2) AND status NOT IN ('succeeded', 'failed')`,
    [accountId, invoiceIds],
  );
  return new Set(rows.map((row) => row.invoice_id));
}

/** Stores a new attempt. Postgres itself refuses one beside another that lives, or that has the money. */
export async function insertAttempt(tx: Transaction, accountId: string, attempt: PaymentAttempt): Promise<void> {
  await tx.query(
    `INSERT INTO payment_attempts (account_id, attempt_id, invoice_id, provider, payer, payment_method, amount, currency,
       origin, operation_id, status, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    [
      accountId,
      attempt.attemptId,
      attempt.invoiceId,
      attempt.provider,
      attempt.payer,
      attempt.paymentMethod,
      attempt.amount.toFixed(),
      attempt.currency,
      attempt.origin,
      attempt.operationId,
      attempt.status,
      isoFromInstant(attempt.createdAt),
    ],
  );
}

/** Stores what became of an attempt. */
export async function updateAttempt(tx: Transaction, accountId: string, attempt: PaymentAttempt): Promise<void> {
  await tx.query(
    `UPDATE payment_attempts SET status = $3, reference = $4, failure_code = $5, failure_message = $6, settled_at = $7
     WHERE account_id = $1 AND attempt_id = $2`,
    [
      accountId,
      attempt.attemptId,
      attempt.status,
      attempt.reference,
      attempt.failureCode,
      attempt.failureMessage,
      isoOrNull(attempt.settledAt),
    ],
  );
}

/** Stores the status of a dispute about a charge. Does nothing if the charge is not of this account. */
export async function updateDispute(
  tx: Transaction,
  accountId: string,
  dispute: { provider: string; reference: string; status: string },
): Promise<void> {
  await tx.query(
    'UPDATE payment_attempts SET dispute_status = $4 WHERE account_id = $1 AND provider = $2 AND reference = $3',
    [accountId, dispute.provider, dispute.reference, dispute.status],
  );
}

function attemptFromRow(row: AttemptRow): PaymentAttempt {
  return {
    attemptId: row.attempt_id,
    invoiceId: row.invoice_id,
    provider: row.provider,
    payer: row.payer,
    paymentMethod: row.payment_method,
    amount: decimal(row.amount),
    currency: row.currency,
    origin: row.origin,
    operationId: row.operation_id,
    status: row.status,
    reference: row.reference,
    failureCode: row.failure_code,
    failureMessage: row.failure_message,
    createdAt: row.created_at,
    settledAt: row.settled_at,
  };
}
