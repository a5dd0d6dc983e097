import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { isPortFree } from '../../local/free-ports.ts';
import { waitUntil } from '../stack/wait-until.ts';
import { NpmStart } from './npm-start.ts';

/** `npm start` as a person runs it. */
const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'meterbook-npm-'));
const dataDir = join(folder, 'data');
const apiKey = 'a-key-of-my-own-choice-and-32-characters';
let npm: NpmStart | undefined;

async function npmStart() {
  let port = 18_100 + (process.pid % 500);
  while (!(await isPortFree(port))) port += 1;
  npm = new NpmStart(dataDir, { PORT: String(port), API_KEY: apiKey });
  return { npm, stack: await npm.ready() };
}

afterEach(async () => {
  await npm?.end();
  rmSync(dataDir, { recursive: true, force: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** By a group's SIGTERM it is stopped in `upgrade/upgrade.stack.test.ts`, which needs one, too. */
test('prints where it is, serves, and stops by Ctrl-C and by npm’s going away', async () => {
  const first = await npmStart();
  const { stack } = first;
  for (const shown of [stack.base_url, stack.api_key, stack.temporal_ui_url]) expect(first.npm.output).toContain(shown);
  expect(stack.api_key).toBe(apiKey);
  await waitUntil(
    async () => (await fetch(`${stack.base_url}/readyz`)).status,
    (status) => status === 200,
  );
  const answer = await fetch(`${stack.base_url}/api/customers/`, { headers: { 'X-API-KEY': stack.api_key } });
  expect(answer.status).toBe(200);
  const ctrlC = (pid: number) => {
    process.kill(-pid, 'SIGINT');
    process.kill(-pid, 'SIGINT');
  };
  const took = [await first.npm.stopBy(ctrlC, stack)];

  const again = await npmStart();
  expect(again.stack.account_id).toBe(stack.account_id);
  took.push(await again.npm.stopBy((pid) => process.kill(pid, 'SIGKILL'), again.stack));
  // One of the two, since the other may have met moments in which the machine did nothing for us.
  expect(Math.min(...took)).toBeLessThan(15_000);
}, 300_000);

test('does not start with an API_KEY that could be tried out, and says what to do', () => {
  const environment = { ...process.env, DATA_DIR: dataDir, API_KEY: 'a-key-of-my-own-choice' };
  const { status, stderr } = spawnSync('npm', ['start'], { cwd: root, env: environment, encoding: 'utf8' });
  expect(status).toBe(1);
  expect(stderr).toMatch(/API_KEY: must have at least 32 characters/);
  expect(stderr).not.toContain('a-key-of-my-own-choice');
  expect(existsSync(dataDir)).toBe(false);
});
