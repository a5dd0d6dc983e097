import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { killChild } from '../stack/kill-child.ts';
import { startClickHouseProcess } from './clickhouse-process.ts';

/** What SQL may not do on the local server, also for who has the password. */
const path = mkdtempSync(join(tmpdir(), 'meterbook-access-'));
const secret = join(path, 'secret');
const written = join(path, 'written');
const PASSWORD = 'kept in a file';
let server: { child: ChildProcess; url: string };

beforeAll(async () => {
  writeFileSync(secret, 'only for its owner\n');
  server = await startClickHouseProcess(path, PASSWORD);
  await ask('CREATE TABLE kept (a String) ENGINE = MergeTree ORDER BY a');
});
afterAll(async () => {
  await killChild(server.child);
  rmSync(path, { recursive: true, force: true });
});

const authorization = `Basic ${Buffer.from(`meterbook:${PASSWORD}`).toString('base64')}`;

async function ask(sql: string): Promise<{ status: number; text: string }> {
  const answer = await fetch(server.url, { method: 'POST', body: sql, headers: { authorization } });
  return { status: answer.status, text: await answer.text() };
}

test.each([
  `SELECT * FROM file('${secret}', 'LineAsString')`,
  `SELECT * FROM '${secret}'`,
  `SELECT * FROM default.\`${secret}\``,
  `SELECT file('${secret}')`,
  `SELECT \`file\` /* ( */ ('${secret}')`,
  `INSERT INTO kept VALUES (file('${secret}'))`,
  `INSERT INTO kept FROM INFILE '${secret}' FORMAT LineAsString`,
  `SELECT 1 INTO OUTFILE '${written}'`,
  `INSERT INTO FUNCTION file('${written}', 'TSV', 'a String') SELECT 'x'`,
  `CREATE TABLE leak (a String) ENGINE = File(LineAsString, '${secret}')`,
  `CREATE DATABASE leak ENGINE = Filesystem('${path}')`,
  `CREATE DICTIONARY leak (a UInt64, b String) PRIMARY KEY a SOURCE(EXECUTABLE(COMMAND 'id > ${written}' FORMAT 'TSV')) LAYOUT(FLAT()) LIFETIME(0)`,
  `BACKUP TABLE kept TO File('${written}')`,
  "SELECT * FROM url('http://127.0.0.1:1/', 'LineAsString')",
  "SELECT * FROM remote('127.0.0.1:1', system.one)",
  "SELECT * FROM mysql('127.0.0.1:1', 'a', 'b', 'c', 'd')",
  'CREATE FUNCTION leak AS (a) -> a',
  'CREATE USER leak',
  'SYSTEM SHUTDOWN',
])('refuses %s', async (sql) => {
  const { status, text } = await ask(sql);
  expect(text).toContain('ACCESS_DENIED');
  expect(status).toBe(403);
  expect(existsSync(written)).toBe(false);
});

test('takes what keeps and reads tables, with the words of files as names and values', async () => {
  for (const sql of [
    'CREATE TABLE other (file String, outfile String) ENGINE = ReplacingMergeTree ORDER BY file',
    "INSERT INTO other VALUES ('file(', 'INTO OUTFILE')",
    'INSERT INTO other (file, outfile) FORMAT JSONEachRow\n{"file": "INFILE", "outfile": "file(1)"}',
    'CREATE MATERIALIZED VIEW seen TO kept AS SELECT file AS a FROM other',
    "ALTER TABLE other DELETE WHERE file = 'INFILE' SETTINGS mutations_sync = 1",
  ]) {
    const { status, text } = await ask(sql);
    expect(status, `${sql}: ${text}`).toBe(200);
  }
  expect((await ask('SELECT file, o.outfile FROM other AS o')).text).toBe('file(\tINTO OUTFILE\n');
});
