import { stringifyExactJson } from '../runtime/exact-json.ts';
import { firstRow, type Transaction } from './postgres.ts';

/** What a call answered, and the fingerprint of what it was asked. */
export type OperationResult = { requestHash: string; status: number; body: unknown };

type OperationRow = { result: { request_hash: string; status: { toNumber(): number }; body: unknown } };

/** How long a result is found again (contract 1, Idempotency-Key). */
const KEPT = "interval '24 hours'";

/** The result of an operation of the last 24 hours, or undefined where it has not been done. */
export async function findOperation(
  tx: Transaction,
  accountId: string,
  operationId: string,
): Promise<OperationResult | undefined> {
  const answer = await tx.query<OperationRow>(
    `SELECT result FROM operations WHERE account_id = $1 AND operation_id = $2 AND created_at > now() - ${KEPT}`,
    [accountId, operationId],
  );
  const row = firstRow(answer);
  return row && { requestHash: row.result.request_hash, status: row.result.status.toNumber(), body: row.result.body };
}

const INSERT = `INSERT INTO operations (account_id, operation_id, result) VALUES ($1, $2, $3)
  ON CONFLICT (account_id, operation_id) DO UPDATE SET result = excluded.result, created_at = now()`;

/** Writes the result of an operation, in the transaction that does it. */
export async function insertOperation(
  tx: Transaction,
  accountId: string,
  operationId: string,
  result: OperationResult,
): Promise<void> {
  await tx.query(INSERT, [accountId, operationId, textOf(result)]);
}

/** Writes that an operation was refused; what it was answered before stays (contract 1: a repeat with another body is too). */
export async function insertRefusal(
  tx: Transaction,
  accountId: string,
  operationId: string,
  result: OperationResult,
): Promise<void> {
  const sql = `${INSERT} WHERE operations.created_at <= now() - ${KEPT}`;
  await tx.query(sql, [accountId, operationId, textOf(result)]);
}

function textOf({ requestHash, status, body }: OperationResult): string {
  return stringifyExactJson({ request_hash: requestHash, status, body });
}

/**
 * Takes an operation for this transaction; false while another one does it. A crash lets it go with its connection, so
 * no operation stays taken (contract 1, Idempotency-Key).
 */
export async function tryLockOperation(tx: Transaction, accountId: string, operationId: string): Promise<boolean> {
  const sql = 'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS taken';
  return firstRow(await tx.query<{ taken: boolean }>(sql, [`${accountId} ${operationId}`]))?.taken === true;
}
