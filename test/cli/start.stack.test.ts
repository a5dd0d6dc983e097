import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { isPortFree } from '../../local/free-ports.ts';
import { commandOf, endLeftovers, findLeftovers } from '../../local/leftovers.ts';
import type { StackFile } from '../../local/stack-file.ts';

/** `npm start` as a person runs it: the whole service, through npm. */
const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'meterbook-npm-'));
const dataDir = join(folder, 'data');
const apiKey = 'a-key-of-my-own-choice-and-32-characters';
let npm: ChildProcess | undefined;
let output = '';

async function npmStart(): Promise<StackFile> {
  let port = 18_100 + (process.pid % 500);
  while (!(await isPortFree(port))) port += 1;
  output = '';
  const environment = { ...process.env, PORT: String(port), DATA_DIR: dataDir, API_KEY: apiKey };
  npm = spawn('npm', ['start'], { cwd: root, env: environment, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [npm.stdout, npm.stderr]) stream?.on('data', (chunk) => (output += chunk));
  await until(() => output.includes('ready.') || npm?.exitCode !== null);
  expect(output).toContain('Meterbook is ready.');
  return JSON.parse(readFileSync(join(dataDir, 'stack.json'), 'utf8')) as StackFile;
}

async function until(what: () => boolean | Promise<boolean>, limitMs = 120_000) {
  const end = performance.now() + limitMs;
  while (!(await what())) {
    if (performance.now() > end) throw new Error(`still not so: ${what}\n${output}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

afterEach(async () => {
  if (npm?.pid) spawnSync('kill', ['-KILL', '--', `-${npm.pid}`]);
  await endLeftovers(dataDir);
  rmSync(dataDir, { recursive: true, force: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('prints where it is, serves, and stops by Ctrl-C, by a group’s SIGTERM and by npm’s going away', async () => {
  const stack = await npmStart();
  for (const shown of [stack.base_url, stack.api_key, stack.temporal_ui_url]) expect(output).toContain(shown);
  expect(stack.api_key).toBe(apiKey);
  await until(async () => (await fetch(`${stack.base_url}/readyz`)).status === 200);
  const answer = await fetch(`${stack.base_url}/api/customers/`, { headers: { 'X-API-KEY': stack.api_key } });
  expect(answer.status).toBe(200);

  const stops = [
    (pid: number) => {
      process.kill(-pid, 'SIGINT');
      process.kill(-pid, 'SIGINT');
    },
    (pid: number) => {
      process.kill(-pid, 'SIGTERM');
      process.kill(-pid, 'SIGTERM');
    },
    (pid: number) => process.kill(pid, 'SIGKILL'),
  ];
  const took: number[] = [];
  for (const [round, stop] of stops.entries()) {
    const { pids, account_id } = round === 0 ? stack : await npmStart();
    expect(account_id).toBe(stack.account_id);
    stop(npm?.pid ?? 0);
    const begun = performance.now();
    await until(async () => (await commandOf(pids.launcher ?? 0)) === '');
    took.push(performance.now() - begun);
    expect(existsSync(join(dataDir, 'stack.json'))).toBe(false);
    expect(await findLeftovers(dataDir)).toEqual([]);
  }
  // Two of the three, since one of them may have met moments in which the machine did nothing for us.
  expect(took.toSorted((a, b) => a - b)[1]).toBeLessThan(15_000);
}, 300_000);

test('does not start with an API_KEY that could be tried out, and says what to do', () => {
  const environment = { ...process.env, DATA_DIR: dataDir, API_KEY: 'a-key-of-my-own-choice' };
  const { status, stderr } = spawnSync('npm', ['start'], { cwd: root, env: environment, encoding: 'utf8' });
  expect(status).toBe(1);
  expect(stderr).toMatch(/API_KEY: must have at least 32 characters/);
  expect(stderr).not.toContain('a-key-of-my-own-choice');
  expect(existsSync(dataDir)).toBe(false);
});
