import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { root } from '../source-files.ts';
import { failureList } from './failures.ts';
import type { Report } from './run-report.ts';

const folder = mkdtempSync(join(tmpdir(), 'meterbook-report-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const FILES = {
  'fails.test.ts': `
    test('good', () => {});
    test.skip('left out', () => {});
    describe('numbers', () => test('are equal', () => expect({ a: 1 }).toEqual({ a: 2 })));`,
  'hook-of-file.test.ts': `
    beforeAll(() => { throw new Error('no stack'); });
    test('never begun', () => {});
    test('never begun either', () => {});`,
  'hook-of-describe.test.ts': `
    test('good', () => {});
    describe('pages', () => {
      beforeAll(() => { throw new Error('no browser'); });
      test('never begun', () => {});
    });`,
  'hook-at-end.test.ts': `
    afterAll(() => { throw new Error('still running'); });
    test('good', () => {});`,
  'import.test.ts': `
    import './missing.ts';
    test('never found', () => {});`,
  'outside.test.ts': `
    test('good', () => { void Promise.reject(new Error('nobody waits')); });`,
};

test('a run reports each test, hook, import and uncaught error that failed', async () => {
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
  const file = join(folder, 'report.json');
  const program = join(root, 'node_modules/.bin/vitest');
  const options = ['--root', folder, '--globals', '--reporter', join(import.meta.dirname, 'run-report.ts')];
  const { VITEST: _, ...env } = process.env;
  const run = promisify(execFile)(program, ['run', ...options, `--outputFile=${file}`], { env });
  await expect(run).rejects.toMatchObject({ code: 1 });
  const { failures, ...counts } = JSON.parse(readFileSync(file, 'utf8')) as Report;
  expect(counts).toEqual({ passed: 4, skipped: 4 });
  const shown = failures.map(
    ({ file, name, message }) => `${file.split('/').at(-1)} ${name}: ${message.split('\n')[0]}`,
  );
  expect(shown.sort()).toEqual([
    'fails.test.ts numbers > are equal: expected { a: 1 } to deeply equal { a: 2 }',
    'hook-at-end.test.ts (the file or one of its hooks): still running',
    'hook-of-describe.test.ts pages (a hook): no browser',
    'hook-of-file.test.ts (the file or one of its hooks): no stack',
    expect.stringMatching(/^import\.test\.ts \(the file or one of its hooks\): .*missing\.ts/),
    'outside.test.ts (outside of a test): nobody waits',
  ]);
  expect(failures.find(({ file }) => file === 'fails.test.ts')?.message).toMatch(
    /\+ .*"a": 1.*\n.*\nat .*fails\.test\.ts:4:/s,
  );
});

test('the list names what failed, and stays short', () => {
  expect(failureList([])).toBe('');
  const long = Array.from({ length: 40 }, (_, i) => `line ${i} ${'x'.repeat(300)}`).join('\n');
  const failures = Array.from({ length: 32 }, (_, i) => ({
    file: `test/${i}.test.ts`,
    name: `a > b ${i}`,
    message: long,
  }));
  const lines = failureList(failures).split('\n');
  expect(lines.slice(0, 2)).toEqual(['── failed: 32', '1. test/0.test.ts > a > b 0']);
  expect(lines.at(-1)).toBe('… and 2 more');
  expect(lines).toHaveLength(1 + 30 * 16 + 1);
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(210);
  expect(failureList([{ file: '', name: 'lint', message: '\u001b[31mbad\u001b[0m' }])).toBe(
    '── failed: 1\n1. lint\n   bad',
  );
});
