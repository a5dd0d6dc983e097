import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addDocs } from '../../../api/pages/docs.ts';
import { createHttpApp, type HttpApp } from '../../../runtime/http/app.ts';
import { createLog } from '../../../runtime/log.ts';

/** How the documentation is served (spec/service#documents), with a build of four pages. */

let built: string;
let app: HttpApp;

beforeAll(() => {
  built = mkdtempSync(join(tmpdir(), 'meterbook-docs-'));
  mkdirSync(join(built, 'api'));
  mkdirSync(join(built, 'assets'));
  const page = (name: string, text: string) => writeFileSync(join(built, `${name}.html`), text);
  page('index', 'home');
  page('quickstart', 'export URL=ADDRESS-OF-THIS-ANSWER');
  page('api/plans', 'plans');
  writeFileSync(join(built, 'api/plans.html.gz'), gzipSync('plans, compressed'));
  page('not-found', 'no such page');
  writeFileSync(join(built, 'assets/main-1.css'), 'p{}');
  writeFileSync(join(built, 'built-from.txt'), 'no page');
  app = served(built);
});
afterAll(() => rmSync(built, { recursive: true }));

function served(folder: string): HttpApp {
  const made = createHttpApp(createLog('test', 'silent'));
  addDocs(made, folder);
  return made;
}

test.each([
  ['/docs', 'home'],
  ['/docs/', 'home'],
  ['/docs/api/plans', 'plans'],
  ['/docs/api/plans/', 'plans'],
])('%s is its page, under the policy of all pages, asked for anew each time', async (path, text) => {
  const answer = await app.request(path);
  expect([answer.status, await answer.text()]).toEqual([200, text]);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': expect.stringMatching(/^text\/html; charset=utf-8$/i),
    'content-security-policy': expect.stringMatching(
      /^default-src 'none'; script-src 'self'; style-src 'self' 'nonce-[\w+/]{22}=='; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/,
    ),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-cache',
  });
});

test('pages are sent as they were compressed ahead', async () => {
  const answer = await app.request('/docs/api/plans', { headers: { 'Accept-Encoding': 'gzip' } });
  expect(answer.headers.get('content-encoding')).toBe('gzip');
  expect(gunzipSync(await answer.arrayBuffer()).toString()).toBe('plans, compressed');
});

test('commands speak to the address that the reader asked; headers of somebody who is no trusted proxy do not count', async () => {
  const command = async (headers: Record<string, string>) =>
    (await app.request('http://own.example:8080/docs/quickstart', { headers })).text();
  expect(await command({ 'Accept-Encoding': 'gzip' })).toBe('export URL=http://own.example:8080');
  const proxied = { 'X-Forwarded-Host': 'billing.example', 'X-Forwarded-Proto': 'https' };
  expect(await command(proxied)).toBe('export URL=http://own.example:8080');
});

test.each(['/docs/nothing', '/docs/api/nothing', '/docs/built-from.txt', '/docs/../docs/api%2Fplans'])(
  '%s is no page: 404, in words',
  async (path) => {
    const answer = await app.request(path);
    expect([answer.status, await answer.text()]).toEqual([404, 'no such page']);
  },
);

test('assets are kept for ever; one that is not there is 404', async () => {
  const answer = await app.request('/docs/assets/main-1.css');
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
  expect((await app.request('/docs/assets/main-2.css')).status).toBe(404);
});

test('without a build: 503, when to come again, and the command', async () => {
  const answer = await served(join(built, 'nowhere')).request('/docs/quickstart');
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '10']);
  expect(await answer.json()).toMatchObject({ detail: expect.stringContaining('npm run build ') });
});
