import type { Pool, Transaction } from './postgres.ts';

/** Rows read and written at once: a few hundred kilobytes. */
const ROWS_AT_ONCE = 1_000;
/** A row of these has a whole document. */
const LARGE_ROWS_AT_ONCE = 10;
const TABLES_OF_LARGE_ROWS = new Set(['invoice_documents']);

/** What the records were when they were copied: which migrations had run, and their tables in an order in which they can be filled. */
export type BooksSchema = { migrations: string[]; tables: string[] };

/**
 * Copies the records as they are at one instant, table by table: `save` gets each row as one line of JSON, with every digit.
 * Nothing is locked; the copy sees no change that commits after it began.
 */
export async function exportRecords(
  postgres: Pool,
  save: (table: string, rows: AsyncIterable<string>) => Promise<void>,
): Promise<BooksSchema> {
  const client = await postgres.connect();
  let broken = true;
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    // A role for which row-level security hides rows gets an error, not half of the records.
    await client.query('SET LOCAL row_security = off; SET LOCAL statement_timeout = 0');
    const tables = await listTables(client);
    for (const table of tables) await save(table, rowsOf(client, table));
    const migrations = await listMigrations(client);
    await client.query('COMMIT');
    broken = false;
    return { migrations, tables };
  } finally {
    client.release(broken);
  }
}

/**
 * Fills empty records of the same migrations with copied rows, all or nothing: `load` gives each table's lines. What
 * `beforeCommit` throws takes everything back.
 */
export async function importRecords(
  postgres: Pool,
  tables: readonly string[],
  load: (table: string) => AsyncIterable<string>,
  beforeCommit: (tx: Transaction) => Promise<void>,
): Promise<void> {
  const client = await postgres.connect();
  let broken = true;
  try {
    await client.query('BEGIN');
    await client.query('SET LOCAL row_security = off; SET LOCAL statement_timeout = 0');
    for (const table of await listTables(client)) if (tables.includes(table)) await fill(client, table, load(table));
    await beforeCommit(client);
    await client.query('COMMIT');
    broken = false;
  } finally {
    client.release(broken);
  }
}

/** Whether there is nothing in these records that a restore could overwrite; also before any migration has run. */
export async function areRecordsEmpty(postgres: Pool): Promise<boolean> {
  const { rows } = await postgres.query<{ made: boolean }>("SELECT to_regclass('accounts') IS NOT NULL AS made");
  if (!rows[0]?.made) return true;
  const answer = await postgres.query<{ empty: boolean }>('SELECT NOT EXISTS (SELECT FROM accounts) AS empty');
  return answer.rows[0]?.empty === true;
}

async function* rowsOf(tx: Transaction, table: string): AsyncGenerator<string> {
  await tx.query(`DECLARE copied CURSOR FOR SELECT row_to_json(t)::text AS line FROM ${quoted(table)} t`);
  const atOnce = rowsAtOnce(table);
  for (;;) {
    const { rows } = await tx.query<{ line: string }>(`FETCH ${atOnce} FROM copied`);
    // Line breaks in JSON stand only between its tokens: a value has them escaped.
    for (const { line } of rows) yield line.replaceAll('\n', ' ');
    if (rows.length < atOnce) break;
  }
  await tx.query('CLOSE copied');
}

function rowsAtOnce(table: string): number {
  return TABLES_OF_LARGE_ROWS.has(table) ? LARGE_ROWS_AT_ONCE : ROWS_AT_ONCE;
}

/** Triggers must not run: what they would do has been done in the copied rows. */
async function fill(tx: Transaction, table: string, lines: AsyncIterable<string>): Promise<void> {
  const columns = await listColumns(tx, table);
  const names = columns.map(({ name }) => quoted(name)).join(', ');
  const insert = `INSERT INTO ${quoted(table)} (${names}) OVERRIDING SYSTEM VALUE
    SELECT ${names} FROM json_populate_recordset(null::${quoted(table)}, $1::json)`;
  await tx.query(`ALTER TABLE ${quoted(table)} DISABLE TRIGGER USER`);
  // A migration may have put a row there, which is copied too.
  await tx.query(`DELETE FROM ${quoted(table)}`);
  let batch: string[] = [];
  for await (const line of lines) {
    batch.push(line);
    if (batch.length < rowsAtOnce(table)) continue;
    await tx.query(insert, [`[${batch.join(',')}]`]);
    batch = [];
  }
  if (batch.length > 0) await tx.query(insert, [`[${batch.join(',')}]`]);
  await tx.query(`ALTER TABLE ${quoted(table)} ENABLE TRIGGER USER`);
  for (const { name } of columns.filter(({ counts }) => counts)) {
    await tx.query(
      `SELECT setval(pg_get_serial_sequence($1, $2), coalesce(max(${quoted(name)}), 0) + 1, false) FROM ${quoted(table)}`,
      [quoted(table), name],
    );
  }
}

type Column = { name: string; counts: boolean };

/** Columns that are stored as given; `counts`: the next row takes its value from a sequence. */
async function listColumns(tx: Transaction, table: string): Promise<Column[]> {
  const { rows } = await tx.query<Column>(
    `SELECT attname AS name, pg_get_serial_sequence($1, attname) IS NOT NULL AS counts FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum`,
    [quoted(table)],
  );
  return rows;
}

/** Tables of the records, each after those it refers to. */
async function listTables(tx: Transaction): Promise<string[]> {
  const { rows } = await tx.query<{ name: string; refers_to: string[] }>(
    `SELECT c.relname AS name, ARRAY(
       SELECT DISTINCT f.relname::text FROM pg_constraint k JOIN pg_class f ON f.oid = k.confrelid
       WHERE k.conrelid = c.oid AND k.contype = 'f' AND k.confrelid <> c.oid
     ) AS refers_to
     FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname <> 'schema_migrations'
     ORDER BY c.relname`,
  );
  const ordered: string[] = [];
  let left = rows;
  while (left.length > 0) {
    const next = left.filter(({ refers_to }) => refers_to.every((name) => ordered.includes(name)));
    if (next.length === 0) throw new Error(`Tables refer to each other in a circle: ${left.map(({ name }) => name)}`);
    ordered.push(...next.map(({ name }) => name));
    left = left.filter((row) => !next.includes(row));
  }
  return ordered;
}

async function listMigrations(tx: Transaction): Promise<string[]> {
  const { rows } = await tx.query<{ name: string }>('SELECT name FROM schema_migrations ORDER BY name');
  return rows.map(({ name }) => name);
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
