import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addConsole } from '../../../api/pages/console.ts';
import { createHttpApp, type HttpApp } from '../../../runtime/http/app.ts';
import { createLog } from '../../../runtime/log.ts';

/** How the console is served (spec/service#console), with a build of two files. */

const SCRIPT = 'console.log(1);';
let built: string;
let app: HttpApp;

beforeAll(() => {
  built = mkdtempSync(join(tmpdir(), 'meterbook-console-'));
  mkdirSync(join(built, 'assets'));
  writeFileSync(join(built, 'index.html'), '<meta nonce="NONCE-OF-THIS-ANSWER"><i nonce="NONCE-OF-THIS-ANSWER">');
  writeFileSync(join(built, 'secret.txt'), 'not an asset');
  writeFileSync(join(built, 'assets/index-1.js'), SCRIPT);
  writeFileSync(join(built, 'assets/index-1.js.gz'), gzipSync(SCRIPT));
  app = served(built);
});
afterAll(() => rmSync(built, { recursive: true }));

function served(folder: string): HttpApp {
  const made = createHttpApp(createLog('test', 'silent'));
  addConsole(made, folder);
  return made;
}

test.each(['/console', '/console/', '/console/customers/a%2Fb/usage?page=2', '/console/no.such.file'])(
  '%s is the page, under a policy that names its nonce, kept by nobody',
  async (path) => {
    const answers = [await app.request(path), await app.request(path)];
    const nonces = await Promise.all(
      answers.map(async (answer) => {
        const [, nonce = ''] = /^<meta nonce="([\w+/]{22}==)"><i nonce="\1">$/.exec(await answer.text()) ?? [];
        expect(answer.status).toBe(200);
        expect(Object.fromEntries(answer.headers)).toMatchObject({
          'content-type': 'text/html; charset=UTF-8',
          'content-security-policy': `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'no-referrer',
          'cache-control': 'no-store',
        });
        return nonce;
      }),
    );
    expect(nonces[0]).not.toBe(nonces[1]);
  },
);

describe('files', () => {
  test('are compressed and kept for ever', async () => {
    const answer = await app.request('/console/assets/index-1.js', { headers: { 'Accept-Encoding': 'gzip' } });
    expect([answer.status, Object.fromEntries(answer.headers)]).toMatchObject([
      200,
      {
        'content-encoding': 'gzip',
        'content-type': expect.stringContaining('text/javascript'),
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
      },
    ]);
    expect(await (await app.request('/console/assets/index-1.js')).text()).toBe(SCRIPT);
  });

  test.each(['index-2.js', '../secret.txt', '%2e%2e/secret.txt', '..%2fsecret.txt', ''])(
    'that are not there are 404, and none but assets is served: %s',
    async (name) => {
      const answer = await app.request(`/console/assets/${name}`);
      const text = await answer.text();
      expect(text).not.toContain('not an asset');
      if (!name.startsWith('.') && !name.startsWith('%2e%2e/')) expect(answer.status).toBe(404);
    },
  );
});

test('a browser is led from / to the console; anything else finds nothing there', async () => {
  const browser = await app.request('/', { headers: { Accept: 'text/html,application/xhtml+xml' } });
  expect([browser.status, browser.headers.get('location')]).toEqual([302, '/console']);
  expect((await app.request('/', { headers: { Accept: 'application/json' } })).status).toBe(404);
});

test('other methods are 405', async () => {
  for (const path of ['/console', '/console/customers', '/']) {
    const answer = await app.request(path, { method: 'POST' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET']);
  }
});

test('without a build: 503, when to come again, and the command', async () => {
  const answer = await served(join(built, 'nowhere')).request('/console');
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '10']);
  expect(await answer.json()).toMatchObject({
    code: 'unavailable',
    detail: expect.stringContaining('npm run build '),
  });
});
