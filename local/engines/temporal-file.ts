import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, linkSync, renameSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { acceptsConnections } from '../free-ports.ts';

/**
 * A table that the first version of Temporal we no longer have to upgrade makes. Name a newer one when a later version adds tables or columns;
 * `test/local/temporal-file.stack.test.ts` compares an upgraded file with a new one.
 */
const NEWEST_TABLE = 'current_chasm_executions';
/** Triggers fill the tables of the text index while rows are copied. */
const OF_THE_TEXT_INDEX = /_fts_/;
const MAKE_MS = 60_000;
const POLL_MS = 100;

/** The development server's program, and what it is started with to make an empty file. */
export type EmptyFileMaker = { program: string; environment: Record<string, string | undefined>; port: number };

/**
 * Upgrades the file of an earlier development server, which makes its tables in a new file and never changes them. A new server
 * on an old file would work until it needs a table or column that is missing. So the server makes a new file, every row
 * moves there, and the new file takes the old one's place in one step. The old one stays beside it as `<file>.before`.
 */
export async function upgradeTemporalFile(file: string, maker: EmptyFileMaker, say: (line: string) => void) {
  if (!existsSync(file) || hasTable(file, NEWEST_TABLE)) return;
  say("upgrading the file of Temporal's workflows");
  const draft = `${file}.new`;
  removeDatabase(draft);
  await makeEmptyFile(draft, maker);
  copyRows(file, draft);
  rmSync(`${file}.before`, { force: true });
  linkSync(file, `${file}.before`);
  renameSync(draft, file);
}

function hasTable(file: string, name: string): boolean {
  const database = new DatabaseSync(file);
  try {
    return tablesOf(database, 'main').includes(name);
  } finally {
    database.close();
  }
}

/** Runs the development server on a file that does not exist, until it serves: all tables have been made by then. */
async function makeEmptyFile(file: string, { program, environment, port }: EmptyFileMaker): Promise<void> {
  const flags = [
    '--headless',
    '--ip',
    '127.0.0.1',
    '--port',
    String(port),
    '--db-filename',
    file,
    '--log-level',
    'error',
  ];
  const server = spawn(program, ['server', 'start-dev', ...flags], {
    env: environment,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(server, 'exit');
  let reason = 'it wrote nothing';
  createInterface({ input: server.stderr }).on('line', (line) => {
    reason = line;
  });
  const until = performance.now() + MAKE_MS;
  try {
    // Nobody may read the file meanwhile: the server gives up when it finds it locked.
    while (!(await acceptsConnections(port))) {
      if (server.exitCode !== null || performance.now() > until)
        throw new Error(`Temporal can't make the new file ${file}: ${reason}`);
      await sleep(POLL_MS);
    }
  } finally {
    server.kill('SIGKILL');
    await ended;
  }
}

/** Replaces all rows of `draft` by those of `file`, which is left without a log beside it. */
function copyRows(file: string, draft: string): void {
  const old = new DatabaseSync(file);
  old.exec('PRAGMA journal_mode = DELETE');
  old.close();
  // Temporal's tables are written so.
  const database = new DatabaseSync(draft, { enableDoubleQuotedStringLiterals: true });
  try {
    database.exec('PRAGMA journal_mode = DELETE');
    database.exec(`ATTACH '${file.replaceAll("'", "''")}' AS old`);
    database.exec('BEGIN');
    for (const table of tablesOf(database, 'main')) database.exec(`DELETE FROM main."${table}"`);
    for (const table of tablesOf(database, 'old')) {
      const columns = storedColumns(database, table);
      database.exec(`INSERT INTO main."${table}" (${columns}) SELECT ${columns} FROM old."${table}"`);
    }
    database.exec('COMMIT');
  } finally {
    database.close();
  }
}

function tablesOf(database: DatabaseSync, schema: 'main' | 'old'): string[] {
  const select = `SELECT name FROM ${schema}.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`;
  const names = database
    .prepare(select)
    .all()
    .map(({ name }) => String(name));
  return names.filter((name) => !OF_THE_TEXT_INDEX.test(name));
}

/** The columns of an old table that are not computed from others. */
function storedColumns(database: DatabaseSync, table: string): string {
  const columns = database.prepare(`PRAGMA old.table_xinfo("${table}")`).all();
  return columns
    .filter(({ hidden }) => hidden === 0)
    .map(({ name }) => `"${name}"`)
    .join(', ');
}

function removeDatabase(file: string): void {
  for (const ending of ['', '-wal', '-shm', '-journal']) rmSync(`${file}${ending}`, { force: true });
}
