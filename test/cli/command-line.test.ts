import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { runCommandLine } from '../../cli/command-line.ts';

/** In a process of its own. */
function cli(...args: string[]) {
  const main = join(import.meta.dirname, '../../cli/main.ts');
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe('the process', () => {
  test('ends with 2 and what is wrong on standard error, or with 0 and what was asked for', () => {
    expect(cli('sart')).toMatchObject({
      ...{ status: 2, stdout: '' },
      stderr: expect.stringMatching(/^Unknown command sart\.\nusage: /),
    });
    expect(cli('--help')).toEqual({ status: 0, stdout: expect.stringContaining('  start '), stderr: '' });
  });

  test('ends so where the command itself refuses its arguments', () => {
    const stderr = expect.stringMatching(
      /^--name is missing.*\nusage: npm run cli -- create-account .*\nfor example: /,
    );
    expect(cli('create-account')).toEqual({ status: 2, stdout: '', stderr });
  });
});

beforeEach(() => {
  vi.spyOn(console, 'log');
});
afterEach(() => {
  expect(console.log).not.toHaveBeenCalled();
  vi.restoreAllMocks();
});

test('no command shows the usage and ends with 2', async () => {
  expect(await runCommandLine([])).toEqual({ code: 2, complaint: expect.stringMatching(/^usage: /) });
});

test('help of one command is shown, which is not run', async () => {
  const answer = expect.stringMatching(/^usage: npm run cli -- configuration\n/);
  expect(await runCommandLine(['configuration', '--help'])).toEqual({ code: 0, answer });
});

test('a command that takes nothing is not run with something', async () => {
  const complaint = expect.stringMatching(/^configuration takes nothing: /);
  expect(await runCommandLine(['configuration', 'x'])).toEqual({ code: 2, complaint });
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
])('%j ends with 2, says what is wrong and shows a line that works', async (args, wrong) => {
  const { code, complaint } = await runCommandLine(args);
  expect([code, complaint]).toEqual([2, expect.stringContaining(wrong)]);
  expect(complaint).toContain(`\nusage: npm run cli -- ${args[0]} `);
  expect(complaint).toContain(`\nfor example: npm run cli -- ${args[0]} `);
});
