import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPool, inTransaction, type Pool } from '../../sql/postgres.ts';
import { stack } from '../stack/api.ts';
import { waitUntil } from '../stack/wait-until.ts';

let pool: Pool;
let other: Pool;

beforeAll(() => {
  pool = createPool(stack().postgres_url);
  other = createPool(stack().postgres_url);
});
afterAll(() => Promise.all([pool.end(), other.end()]));

test('a connection that breaks while it is in use fails its transaction, not the process, and the next one works', async () => {
  const uncaught: unknown[] = [];
  const note = (error: unknown) => uncaught.push(error);
  process.on('uncaughtException', note);
  try {
    const work = inTransaction(pool, 'acct_none', async (tx) => {
      const { rows } = await tx.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      await other.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
      // No query is under way when the connection ends.
      await waitUntil(
        () => other.query('SELECT 1 FROM pg_stat_activity WHERE pid = $1', [rows[0]?.pid]),
        (found) => found.rowCount === 0,
      );
      await new Promise((resolve) => setTimeout(resolve, 100));
      await tx.query('SELECT 1');
    });
    await expect(work).rejects.toThrow();
    expect(await inTransaction(pool, 'acct_none', async () => 'works')).toBe('works');
    expect(uncaught).toEqual([]);
  } finally {
    process.off('uncaughtException', note);
  }
});
