import { stringifyExactJson } from '../../runtime/exact-json.ts';
import { firstRow, type Transaction } from './postgres.ts';

/** What a call answered, and the fingerprint of what it was asked. */
export type OperationResult = { requestHash: string; status: number; body: unknown };

/** A row's answer, as Postgres gives JSON. */
export type OperationRow = { result: { request_hash: string; status: { toNumber(): number }; body: unknown } };

/** How long a result is found again (spec/api#idempotency-key). */
const KEPT = "interval '24 hours'";

/** The first result of an operation, known by any of these ids, of the last 24 hours; undefined where it has not been done. */
export async function findOperation(
  tx: Transaction,
  accountId: string,
  operationIds: string[],
): Promise<OperationResult | undefined> {
  const answer = await tx.query<OperationRow>(
    `SELECT result FROM operations WHERE account_id = $1 AND operation_id = ANY($2) AND created_at > now() - ${KEPT}
     ORDER BY created_at LIMIT 1`,
    [accountId, operationIds],
  );
  const row = firstRow(answer);
  return row && resultOf(row);
}

/** The answer of a row. */
export function resultOf({ result }: OperationRow): OperationResult {
  return { requestHash: result.request_hash, status: result.status.toNumber(), body: result.body };
}

/** Writes the result of an operation, in the transaction that does it. */
export async function insertOperation(
  tx: Transaction,
  accountId: string,
  operationId: string,
  result: OperationResult,
): Promise<void> {
  await tx.query(
    `INSERT INTO operations (account_id, operation_id, result) VALUES ($1, $2, $3)
     ON CONFLICT (account_id, operation_id) DO UPDATE SET result = excluded.result, created_at = now()`,
    [accountId, operationId, textOf(result)],
  );
}

/**
 * Writes under the first of an operation's ids that it was refused; what it was answered before, under any of them, stays:
 * a repeat with another body is a refusal too.
 */
export async function insertRefusal(
  tx: Transaction,
  accountId: string,
  operationIds: [string, ...string[]],
  result: OperationResult,
): Promise<void> {
  await tx.query(
    `INSERT INTO operations (account_id, operation_id, result)
     SELECT $1, $2, $3 WHERE NOT EXISTS (
       SELECT FROM operations WHERE account_id = $1 AND operation_id = ANY($4) AND created_at > now() - ${KEPT})
     ON CONFLICT (account_id, operation_id) DO UPDATE SET result = excluded.result, created_at = now()
     WHERE operations.created_at <= now() - ${KEPT}`,
    [accountId, operationIds[0], textOf(result), operationIds],
  );
}

/** An answer as a row holds it. */
export function textOf({ requestHash, status, body }: OperationResult): string {
  return stringifyExactJson({ request_hash: requestHash, status, body });
}

/**
 * Takes an operation, by all of its ids, for this transaction; false while another one does it. A crash lets it go with its
 * connection, so no operation stays taken.
 */
export async function tryLockOperation(tx: Transaction, accountId: string, operationIds: string[]): Promise<boolean> {
  const sql = `SELECT bool_and(pg_try_advisory_xact_lock(hashtextextended($1 || ' ' || id, 0))) AS taken FROM unnest($2::text[]) AS id`;
  return firstRow(await tx.query<{ taken: boolean }>(sql, [accountId, operationIds]))?.taken === true;
}
