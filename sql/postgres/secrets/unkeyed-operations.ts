import { type OperationResult, textOf } from '../operations.ts';
import type { Pool } from '../postgres.ts';

/** A result and the id that it is kept under. `result` is null for a large one, which tells no secret. */
export type KeptOperation = { accountId: string; operationId: string; result: OperationResult | null };

/** Bytes of a result above which it tells no secret: those that do have a few fields. */
const LARGE = 100_000;

type OperationRow = {
  account_id: string;
  operation_id: string;
  result: { request_hash: string; status: { toNumber(): number }; body: unknown } | null;
};

/** Results under ids that are hashes of 64 hex digits, kept a minute ago or earlier: at most `limit`, the oldest first. */
export async function listUnkeyedOperations(pool: Pool, limit: number): Promise<KeptOperation[]> {
  const { rows } = await pool.query<OperationRow>(
    `SELECT account_id, operation_id, CASE WHEN octet_length(result::text) <= ${LARGE} THEN result END AS result FROM operations
     WHERE length(operation_id) = 64 AND created_at < now() - interval '1 minute' ORDER BY created_at LIMIT $1`,
    [limit],
  );
  return rows.map(({ account_id: accountId, operation_id: operationId, result }) => {
    if (!result) return { accountId, operationId, result };
    const { request_hash: requestHash, status, body } = result;
    return { accountId, operationId, result: { requestHash, status: status.toNumber(), body } };
  });
}

/** Keeps a result under another id from now on, for as long as it would have been; what is already kept there stays. */
export async function moveOperation(
  pool: Pool,
  { accountId, operationId, result }: KeptOperation,
  newId: string,
): Promise<void> {
  await pool.query(
    `WITH moved AS (DELETE FROM operations WHERE account_id = $1 AND operation_id = $2 RETURNING account_id, created_at, result)
     INSERT INTO operations (account_id, operation_id, result, created_at)
     SELECT account_id, $3, coalesce($4::json, result), created_at FROM moved
     ON CONFLICT (account_id, operation_id) DO NOTHING`,
    [accountId, operationId, newId, result && textOf(result)],
  );
}
