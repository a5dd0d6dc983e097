import { type OperationResult, type OperationRow, resultOf, textOf } from '../operations.ts';
import type { Pool } from '../postgres.ts';

/** A result and the id that it is kept under. */
export type KeptOperation = { accountId: string; operationId: string; result: OperationResult };

/** Results under ids that are hashes of 64 hex digits, kept a minute ago or earlier: at most `limit`, the oldest first. */
export async function listUnkeyedOperations(pool: Pool, limit: number): Promise<KeptOperation[]> {
  const { rows } = await pool.query<OperationRow & { account_id: string; operation_id: string }>(
    `SELECT account_id, operation_id, result FROM operations
     WHERE length(operation_id) = 64 AND created_at < now() - interval '1 minute' ORDER BY created_at LIMIT $1`,
    [limit],
  );
  return rows.map((row) => ({ accountId: row.account_id, operationId: row.operation_id, result: resultOf(row) }));
}

/** Keeps a result under another id from now on, for as long as it would have been; what is already kept there stays. */
export async function moveOperation(pool: Pool, kept: KeptOperation, operationId: string): Promise<void> {
  await pool.query(
    `WITH moved AS (DELETE FROM operations WHERE account_id = $1 AND operation_id = $2 RETURNING account_id, created_at)
     INSERT INTO operations (account_id, operation_id, result, created_at) SELECT account_id, $3, $4, created_at FROM moved
     ON CONFLICT (account_id, operation_id) DO NOTHING`,
    [kept.accountId, kept.operationId, operationId, textOf(kept.result)],
  );
}
