import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addPortalPage } from '../../../api/pages/portal.ts';
import { createSecretCipher } from '../../../runtime/cipher.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { createHttpApp, type HttpApp } from '../../../runtime/http/app.ts';
import { createLog } from '../../../runtime/log.ts';
import { createPool } from '../../../sql/postgres/postgres.ts';

/** How the page of a portal link is served (spec/portal#page), with a build of two files; a token that we have not signed asks no records. */

let built: string;
let app: HttpApp;
const postgres = createPool('postgres://nobody@127.0.0.1:9/none');

beforeAll(() => {
  built = mkdtempSync(join(tmpdir(), 'meterbook-portal-'));
  mkdirSync(join(built, 'assets'));
  writeFileSync(join(built, 'index.html'), '<i nonce="NONCE-OF-THIS-ANSWER">');
  writeFileSync(join(built, 'assets/index-1.js'), '1;');
  app = served(built);
});
afterAll(async () => {
  rmSync(built, { recursive: true });
  await postgres.end();
});

function served(folder: string): HttpApp {
  const made = createHttpApp(createLog('test', 'silent'));
  const cipher = createSecretCipher(() => []);
  addPortalPage(made, { postgres, cipher, clock: systemClock }, folder);
  return made;
}

test.each(['/portal/x', '/portal/x/', '/portal/x/invoices/INV-000001', '/portal/%00'])(
  '%s is the page, 404, under a policy that names its nonce, kept by nobody',
  async (path) => {
    const answer = await app.request(path);
    const [, nonce] = /^<i nonce="([\w+/]{22}==)">$/.exec(await answer.text()) ?? [];
    expect([answer.status, Object.fromEntries(answer.headers)]).toMatchObject([
      404,
      {
        'content-security-policy': expect.stringContaining(`script-src 'self'; style-src 'self' 'nonce-${nonce}'`),
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      },
    ]);
  },
);

test('its files are kept for ever; one that is not there is 404', async () => {
  const answer = await app.request('/portal/assets/index-1.js');
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
  expect((await app.request('/portal/assets/index-2.js')).status).toBe(404);
});

test('beneath api/ there are data and no pages', async () => {
  const answer = await app.request('/portal/x/api/ledger');
  expect([answer.status, await answer.json()]).toMatchObject([404, { code: 'not_found' }]);
});

test('other methods are 405; without a build it is 503', async () => {
  expect((await app.request('/portal/x', { method: 'POST' })).status).toBe(405);
  expect((await served(join(built, 'nowhere')).request('/portal/x')).status).toBe(503);
});
