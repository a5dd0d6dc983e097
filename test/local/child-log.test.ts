import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openLog, rotateLog } from '../../local/supervise/child-log.ts';

const folder = mkdtempSync(join(tmpdir(), 'meterbook-log-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a log that has reached its limit begins anew under the process that writes it; the oldest goes', () => {
  const file = join(folder, 'logs/api.log');
  const limits = { fileBytes: 10, files: 3 };
  const { descriptor } = openLog(file);
  const contents = () =>
    ['', '.1', '.2', '.3'].map((n) => (existsSync(file + n) ? readFileSync(file + n, 'utf8') : null));

  writeSync(descriptor, 'short\n');
  rotateLog(file, limits);
  expect(contents()).toEqual(['short\n', null, null, null]);
  for (const line of ['first life\n', 'second life\n', 'third life\n', 'fourth life\n']) {
    writeSync(descriptor, line);
    rotateLog(file, limits);
  }
  writeSync(descriptor, 'now\n');
  expect(contents()).toEqual(['now\n', 'fourth life\n', 'third life\n', null]);
});

test('one file alone is cut off', () => {
  const file = join(folder, 'alone.log');
  appendFileSync(file, 'longer than that\n');
  rotateLog(file, { fileBytes: 10, files: 1 });
  expect(readFileSync(file, 'utf8')).toBe('');
  expect(existsSync(`${file}.1`)).toBe(false);
});
