import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { exportRecords, importRecords } from '../../../sql/postgres/copy-records.ts';
import { deleteOldestDocuments } from '../../../sql/postgres/invoices/invoice-documents.ts';
import { inTransaction, type Pool } from '../../../sql/postgres/postgres.ts';
import { ownPostgres } from '../../stack/own-database.ts';

const KILOBYTE = 1_000;

/** The kept documents of an account, oldest first. */
async function idsOf(pool: Pool, accountId: string): Promise<string[]> {
  const sql = 'SELECT invoice_id FROM invoice_documents WHERE account_id = $1 ORDER BY kept_at';
  return (await pool.query<{ invoice_id: string }>(sql, [accountId])).rows.map((row) => row.invoice_id);
}

async function keep(pool: Pool, accountId: string, count: number): Promise<void> {
  for (let n = 1; n <= count; n++) {
    await pool.query(
      `INSERT INTO invoice_documents (account_id, invoice_id, state, pdf, bytes, kept_at)
       VALUES ($1, $2, 'open', $3, $4, now() + make_interval(secs => $5))`,
      [accountId, `inv-${n}`, randomBytes(KILOBYTE), KILOBYTE, n],
    );
  }
}

test('an account keeps its newest documents, as many as it may, and another one keeps all of its own', async () => {
  const { pool, drop } = await ownPostgres();
  try {
    await keep(pool, 'full', 5);
    await keep(pool, 'other', 2);
    await inTransaction(pool, 'full', (tx) => deleteOldestDocuments(tx, 'full', 3 * KILOBYTE));
    expect(await idsOf(pool, 'full')).toEqual(['inv-3', 'inv-4', 'inv-5']);
    expect(await idsOf(pool, 'other')).toEqual(['inv-1', 'inv-2']);
    await inTransaction(pool, 'full', (tx) => deleteOldestDocuments(tx, 'full', 0));
    expect(await idsOf(pool, 'full')).toEqual([]);
  } finally {
    await drop();
  }
});

test('a backup has kept documents, and a restore brings every byte back', async () => {
  const [from, to] = [await ownPostgres(), await ownPostgres()];
  try {
    await keep(from.pool, 'acc', 23);
    const lines = new Map<string, string[]>();
    const { tables } = await exportRecords(from.pool, async (table, rows) => {
      const copied: string[] = [];
      for await (const row of rows) copied.push(row);
      lines.set(table, copied);
    });
    const load = async function* (table: string) {
      yield* lines.get(table) ?? [];
    };
    await importRecords(to.pool, tables, load, async () => {});
    const all = 'SELECT * FROM invoice_documents ORDER BY invoice_id';
    const [kept, restored] = [await from.pool.query(all), await to.pool.query(all)];
    expect(kept.rows).toHaveLength(23);
    expect(restored.rows).toEqual(kept.rows);
  } finally {
    await Promise.all([from.drop(), to.drop()]);
  }
});
