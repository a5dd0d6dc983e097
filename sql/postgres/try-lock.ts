import type { Pool } from './postgres.ts';

/**
 * Runs `work` under a lock of that name, outside of any transaction: for what asks other people's servers. Undefined at once
 * where somebody holds it. The lock ends with its connection, so a crash frees it.
 */
export async function withTryLock<T>(pool: Pool, name: string, work: () => Promise<T>): Promise<T | undefined> {
  const client = await pool.connect();
  try {
    const sql = 'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS locked';
    const { rows } = await client.query<{ locked: boolean }>(sql, [name]);
    if (!rows[0]?.locked) return undefined;
    try {
      return await work();
    } finally {
      await client.query('SELECT pg_advisory_unlock(hashtextextended($1, 0))', [name]);
    }
  } finally {
    client.release();
  }
}
