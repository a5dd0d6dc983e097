import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

function cli(...args: string[]) {
  const main = join(import.meta.dirname, '../../cli/main.ts');
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

test('an unknown command, and none, shows the usage and ends with 2', () => {
  expect(cli('sart')).toMatchObject({ status: 2, stderr: expect.stringMatching(/^Unknown command sart\.\nusage: /) });
  expect(cli()).toMatchObject({ status: 2, stderr: expect.stringMatching(/^usage: /) });
});

test('help is shown, of all commands and of one, which is not run', () => {
  expect(cli('--help')).toMatchObject({ status: 0, stdout: expect.stringContaining('  start ') });
  const usage = expect.stringMatching(/^usage: npm run cli -- configuration\n/);
  expect(cli('configuration', '--help')).toEqual({ status: 0, stdout: usage, stderr: '' });
});

test('a command that takes nothing is not run with something', () => {
  expect(cli('configuration', 'x')).toEqual({
    status: 2,
    stdout: '',
    stderr: expect.stringMatching(/^configuration takes nothing: /),
  });
});

test.each([
  [['create-account'], '--name is missing'],
  [['create-account', '--name', 'A', '--mode', 'prod'], '--mode is prod'],
  [['create-account', '--nme', 'A'], '--nme'],
  [['create-key'], '--account is missing'],
  [['create-key', '--account', 'a', '--scopes', 'read,root'], '--scopes has root'],
  [['verify-books', '--accounts', 'a'], '--accounts'],
  [['dead-letters'], 'list or replay'],
  [['dead-letters', 'lst'], 'list or replay'],
  [['dead-letters', 'list', 'more'], 'list or replay'],
  [['dead-letters', 'list', '--what'], '--what'],
  [['dead-letters', 'list', '--limit', 'x'], '--limit is x'],
  [['backup'], 'The folder is missing'],
  [['restore'], 'The folder of the backup is missing'],
  [['drill'], 'The folder is missing'],
  [['archive'], 'The folder of the archive is missing'],
  [['archive', 'folder', '--keep-days', '0'], '--keep-days is 0'],
  [['restore-records'], 'The folder of the archive is missing'],
  [['restore-records', 'folder', '--to', '2026-11-23'], '--to is 2026-11-23'],
  [['restore-records', 'folder', '--to-position', 'x'], '--to-position is x'],
])('%j ends with 2, says what is wrong and shows a line that works', (args, wrong) => {
  const { status, stdout, stderr } = cli(...args);
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toContain(wrong);
  expect(stderr).toContain(`\nusage: npm run cli -- ${args[0]} `);
  expect(stderr).toContain(`\nfor example: npm run cli -- ${args[0]} `);
});
