import type { StackFile } from '../../local/stack-file.ts';
import type { Pool } from '../../sql/postgres/postgres.ts';
import { cpuOf } from '../process-usage.ts';

/** The invoices of a burst once more, by one statement a table that somebody has written by hand: milliseconds, and of Postgres's CPU, each. */
export async function insertSelect(postgres: Pool, file: StackFile, count: number) {
  for (const table of ['invoices', 'invoice_lines']) {
    await postgres.query(`DROP TABLE IF EXISTS bench_${table}`);
    await postgres.query(`CREATE TABLE bench_${table} (LIKE ${table} INCLUDING ALL)`);
  }
  const before = cpuOf(file, ['postgres']).postgres;
  const begun = performance.now();
  const chosen = 'SELECT invoice_id FROM invoices WHERE account_id = $1 ORDER BY created_at DESC LIMIT $2';
  await postgres.query(
    `WITH made AS (
       INSERT INTO bench_invoices OVERRIDING SYSTEM VALUE
       SELECT * FROM invoices WHERE account_id = $1 AND invoice_id IN (${chosen}) RETURNING invoice_id)
     INSERT INTO bench_invoice_lines OVERRIDING SYSTEM VALUE
     SELECT l.* FROM invoice_lines l JOIN made USING (invoice_id) WHERE l.account_id = $1`,
    [file.account_id, count],
  );
  const ms = performance.now() - begun;
  return { ms: ms / count, cpuMs: (cpuOf(file, ['postgres']).postgres - before) / count };
}
