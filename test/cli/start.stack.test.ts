import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { isPortFree } from '../../local/free-ports.ts';
import { api } from '../stack/api.ts';
import { makeCustomer, makePlan, subscribe } from '../stack/clocks.ts';
import { makeDataFolder } from '../stack/data-folder.ts';
import { waitUntil } from '../stack/wait-until.ts';
import { NpmStart } from './npm-start.ts';

/** `npm start` as a person runs it. */
const root = join(import.meta.dirname, '../..');
const folder = await makeDataFolder('meterbook-npm-');
const dataDir = join(folder, 'data');
const apiKey = 'a-key-of-my-own-choice-and-32-characters';
let npm: NpmStart | undefined;

async function npmStart() {
  let port = 18_100 + (process.pid % 500);
  while (!(await isPortFree(port))) port += 1;
  npm = new NpmStart(dataDir, { PORT: String(port), API_KEY: apiKey });
  return npm;
}

/** As a terminal, or a deployment, tells a whole group: npm tells its own child, too. */
const toGroup = (signal: NodeJS.Signals) => (pid: number) => {
  process.kill(-pid, signal);
  process.kill(-pid, signal);
};

afterEach(async () => {
  await npm?.end();
  rmSync(dataDir, { recursive: true, force: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** By npm's going away it is stopped in `upgrade/upgrade.stack.test.ts`, which needs one, too. */
test('prints where it is, serves, and stops by Ctrl-C', async () => {
  const started = await npmStart();
  const stack = await started.ready();
  for (const shown of [stack.base_url, stack.api_key, stack.temporal_ui_url]) expect(started.output).toContain(shown);
  expect(stack.api_key).toBe(apiKey);
  await waitUntil(
    async () => (await fetch(`${stack.base_url}/readyz`)).status,
    (status) => status === 200,
  );
  const answer = await fetch(`${stack.base_url}/api/customers/`, { headers: { 'X-API-KEY': stack.api_key } });
  expect(answer.status).toBe(200);
  expect(await started.stopBy(toGroup('SIGINT'), stack)).toBeLessThan(15_000);
});

test('starts on one address of this machine, behind a proxy that cannot be reached', async () => {
  const address = Object.values(networkInterfaces())
    .flat()
    .find((one) => one?.family === 'IPv4' && !one.internal)?.address;
  const HOST = address ?? '127.0.0.2';
  const nowhere = 'http://127.0.0.1:9';
  const proxies = { http_proxy: nowhere, https_proxy: nowhere, HTTP_PROXY: nowhere, HTTPS_PROXY: nowhere };
  npm = new NpmStart(dataDir, { PORT: '0', HOST, WEBHOOK_ALLOW_PRIVATE: 'false', NODE_USE_ENV_PROXY: '1', ...proxies });
  const stack = await npm.ready();
  expect(new URL(stack.base_url).hostname).toBe(HOST);
  const call = api(stack.api_key, stack.base_url);
  expect((await call.get('/api/customers/')).status).toBe(200);
  // Through Temporal.
  await makeCustomer(call, 'acme');
  const subscription = await subscribe(call, { customer_id: 'acme', plan_id: await makePlan(call, {}) });
  expect((await call.post(`/api/subscriptions/${subscription}/pause`)).status).toBe(200);
}, 300_000);

test('a HOST that is no address of this machine is named', async () => {
  const environment = {
    ...process.env,
    DATA_DIR: dataDir,
    PORT: '0',
    HOST: '192.0.2.1',
    WEBHOOK_ALLOW_PRIVATE: 'false',
  };
  const { status, stderr } = spawnSync('npm', ['start'], { cwd: root, env: environment, encoding: 'utf8' });
  expect(status).toBe(1);
  expect(stderr).toContain('HOST=192.0.2.1 is no address of this machine');
});

test('a start is given up by SIGTERM', async () => {
  const starting = await npmStart();
  await starting.says('is ready (pid');
  await starting.giveUpBy(toGroup('SIGTERM'));
  expect(starting.output).not.toContain('Meterbook is ready');
});

test('does not start with an API_KEY that could be tried out, and says what to do', () => {
  const environment = { ...process.env, DATA_DIR: dataDir, API_KEY: 'a-key-of-my-own-choice' };
  const { status, stderr } = spawnSync('npm', ['start'], { cwd: root, env: environment, encoding: 'utf8' });
  expect(status).toBe(1);
  expect(stderr).toMatch(/API_KEY: must have at least 32 characters/);
  expect(stderr).not.toContain('a-key-of-my-own-choice');
  expect(existsSync(dataDir)).toBe(false);
});
