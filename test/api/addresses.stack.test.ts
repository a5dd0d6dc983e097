import { beforeAll, describe, expect, test } from 'vitest';
import { createApi } from '../../api/api.ts';
import { createLog } from '../../runtime/log.ts';
import { newAccount, type TestAccount } from '../stack/accounts.ts';
import { api, stack } from '../stack/api.ts';
import { configOf, started } from '../stack/own-process.ts';

/** Which origin links have, and which one logs in (spec/service#addresses). */

const CLAIMED = {
  'X-Forwarded-Host': 'billing.example, edge.internal',
  'X-Forwarded-Proto': 'HTTPS,http',
  'X-Forwarded-Port': '8443',
};

let account: TestAccount;
beforeAll(async () => {
  account = await newAccount();
  for (const id of ['acme', 'other']) {
    await account.api.post('/api/customers/', { customer_id: id, email: `${id}@example.test` });
  }
});

const STRIPE = { STRIPE_CLIENT_ID: 'ca_test', STRIPE_SECRET_KEY: 'sk_test', STRIPE_WEBHOOK_SECRET: 'whsec_test' };

const startApi = (variables: Record<string, string>) =>
  started(createApi(configOf({ ...STRIPE, ...variables }), { log: createLog('test', 'silent') }));

/** Returns the origin of each kind of link that the service at `url` makes for a request with `headers`. */
async function originsOf(url: string, headers: Record<string, string>): Promise<string[]> {
  const client = api(account.key, url);
  const list = await client.get('/api/customers/?page_size=1', undefined, headers);
  const portal = await client.post('/api/customers/acme/portal_link', {}, headers);
  const redirect = { redirect_url: 'https://app.test/done' };
  const oauth = await client.post('/api/payment-providers/stripe/connect', redirect, headers);
  const authorization = new URL(String(oauth.body.authorization_url));
  const links = [list.body.next, portal.body.url, authorization.searchParams.get('redirect_uri')];
  return links.map((link) => new URL(String(link)).origin);
}

async function logIn(url: string, origin: string, headers: Record<string, string> = {}) {
  const { status, body } = await api(null, url).post(
    '/console/session',
    { api_key: account.key },
    { ...headers, Origin: origin },
  );
  return [status, body.code, body.detail];
}

describe('from a caller that is no trusted proxy', () => {
  test('what the headers claim is in no link, through the gateway or past it', async () => {
    const { base_url } = stack();
    expect(new Set(await originsOf(base_url, CLAIMED))).toEqual(new Set([base_url]));
    const own = await startApi({});
    expect(new Set(await originsOf(own, CLAIMED))).toEqual(new Set([own]));
  });

  test('the 403 of a log-in names the origin that was expected', async () => {
    const { base_url } = stack();
    const refused = await logIn(base_url, 'https://billing.example:8443', CLAIMED);
    expect(refused).toEqual([403, 'csrf_failed', expect.stringContaining(`another origin than ${base_url}.`)]);
    expect((await logIn(base_url, base_url, CLAIMED))[0]).toBe(201);
  });
});

test('from a trusted proxy the first value of each header counts', async () => {
  const url = await startApi({ TRUSTED_PROXIES: '127.0.0.1' });
  expect(new Set(await originsOf(url, CLAIMED))).toEqual(new Set(['https://billing.example:8443']));
  expect((await logIn(url, 'https://billing.example:8443', CLAIMED))[0]).toBe(201);
  expect((await logIn(url, url, CLAIMED))[0]).toBe(403);
});

test('PUBLIC_URL settles it: links have it, and no other origin logs in', async () => {
  const url = await startApi({ TRUSTED_PROXIES: '127.0.0.1', PUBLIC_URL: 'https://money.example' });
  for (const headers of [{}, CLAIMED]) {
    expect(new Set(await originsOf(url, headers))).toEqual(new Set(['https://money.example']));
    expect((await logIn(url, 'https://money.example', headers))[0]).toBe(201);
    for (const origin of [url, 'https://billing.example:8443']) {
      expect(await logIn(url, origin, headers)).toEqual([
        403,
        'csrf_failed',
        expect.stringContaining('https://money.example.'),
      ]);
    }
  }
});
