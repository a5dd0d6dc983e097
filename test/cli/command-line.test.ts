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
  expect(cli('configuration', 'x')).toEqual({ status: 2, stdout: '', stderr: 'configuration takes nothing.\n' });
});
