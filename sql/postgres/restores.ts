import { type Instant, isoFromInstant } from '../../core/instants.ts';
import { firstRow, type Pool, type Transaction } from './postgres.ts';

/** Keeps that these records have been restored, at `restoredAt`, from a backup that was taken at `takenAt` (ISO 8601). */
export async function insertRestore(
  records: Pick<Transaction, 'query'>,
  restoredAt: Instant,
  takenAt: string,
): Promise<void> {
  const sql = 'INSERT INTO restores (restored_at, taken_at) VALUES ($1, $2)';
  await records.query(sql, [isoFromInstant(restoredAt), takenAt]);
}

/** The newest restore after which workflows have not looked again; null where all have. */
export async function findUnseenRestore(pool: Pool): Promise<Instant | null> {
  const answer = await pool.query<{ at: Instant }>(
    'SELECT restored_at AS at FROM restores WHERE looked_again_at IS NULL ORDER BY restored_at DESC LIMIT 1',
  );
  return firstRow(answer)?.at ?? null;
}

/** All workflows have looked again after every restore up to `restoredAt`. */
export async function updateRestoreSeen(pool: Pool, restoredAt: Instant, at: Instant): Promise<void> {
  await pool.query('UPDATE restores SET looked_again_at = $2 WHERE restored_at <= $1 AND looked_again_at IS NULL', [
    isoFromInstant(restoredAt),
    isoFromInstant(at),
  ]);
}

/** Whether these records were restored from a backup at or after `since`. */
export async function isRestoredSince(tx: Transaction, since: Instant): Promise<boolean> {
  const answer = await tx.query('SELECT FROM restores WHERE restored_at >= $1 LIMIT 1', [isoFromInstant(since)]);
  return answer.rowCount === 1;
}
