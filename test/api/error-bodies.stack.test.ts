import { beforeAll, describe, expect, test } from 'vitest';
import { apiWithScopes, newAccount, type TestAccount } from '../stack/accounts.ts';
import { type Api, api } from '../stack/api.ts';

/** Every error but 422 says what is wrong, in words and by a code, and which request it was (spec/api#errors). */
let account: TestAccount;
let limited: Api;
let reader: Api;

beforeAll(async () => {
  [account, { api: limited }] = await Promise.all([newAccount(), newAccount()]);
  reader = await apiWithScopes(account, ['read']);
  await account.api.post('/api/customers', { customer_id: 'taken', email: 'a@b.example' });
});

const track = (client: Api, body: unknown, headers?: Record<string, string>) =>
  client.post('/api/track', body, headers);
const create = (client: Api, body: unknown, headers?: Record<string, string>) =>
  client.post('/api/customers', body, headers);
const GZIP = { 'Content-Encoding': 'gzip' };
const BROTLI = { 'Content-Encoding': 'br' };
const large = (bytes: number) => `{"customer_id": "${'a'.repeat(bytes)}"}`;

const ERRORS: [what: string, status: number, code: string, ask: () => ReturnType<Api['get']>][] = [
  ['a body that is not JSON', 400, 'bad_request', () => create(account.api, '{"a"')],
  ['a body that is not JSON, at the edge', 400, 'bad_request', () => track(account.api, '{"a"')],
  ['a bad page', 400, 'bad_request', () => account.api.get('/api/customers?page=0')],
  ['no key', 401, 'unauthorized', () => create(api(null), {})],
  ['no key, at the edge', 401, 'unauthorized', () => track(api(null), {})],
  ['an unknown key', 401, 'unauthorized', () => create(api('mb_test_unknown'), {})],
  ['a key without the scope', 403, 'forbidden', () => create(reader, {})],
  ['a key without the scope, at the edge', 403, 'forbidden', () => track(reader, {})],
  ['no record of this id', 404, 'not_found', () => account.api.get('/api/customers/nobody')],
  ['an id that nothing can have', 404, 'not_found', () => account.api.get('/api/customers/a%00b')],
  ['no such path', 404, 'not_found', () => account.api.get('/api/nothing')],
  ['no such path, without a key', 404, 'not_found', () => api(null).get('/nothing')],
  ['no such page', 404, 'not_found', () => account.api.get('/api/customers?page=99')],
  ['no such method', 405, 'method_not_allowed', () => account.api.put('/api/customers', {})],
  ['no such method, at the edge', 405, 'method_not_allowed', () => account.api.get('/api/track')],
  ['no such method of a probe', 405, 'method_not_allowed', () => account.api.post('/livez')],
  ['an id that is taken', 409, 'conflict', () => create(account.api, { customer_id: 'taken', email: 'a@b.example' })],
  ['a large body', 413, 'too_large', () => create(account.api, large(1 << 20))],
  ['a large body, at the edge', 413, 'too_large', () => track(account.api, large(1 << 16))],
  ['an encoded body', 415, 'unsupported_content_encoding', () => create(account.api, {}, GZIP)],
  [
    'a body in an encoding that events do not have',
    415,
    'unsupported_content_encoding',
    () => track(account.api, {}, BROTLI),
  ],
  [
    'an encoded body of a processor',
    415,
    'unsupported_content_encoding',
    () => api(null).post('/hooks/stripe', {}, GZIP),
  ],
];

describe('detail, code and request_id', () => {
  test.each(ERRORS)('%s: %i %s', async (what, status, code, ask) => {
    const answer = await ask();
    expect([answer.status, answer.body]).toEqual([
      status,
      { detail: expect.stringMatching(/^\S.+\.$/), code, request_id: answer.headers.get('x-request-id') },
    ]);
    if (status === 415)
      expect(answer.headers.get('accept-encoding')).toBe(what.includes('events') ? 'gzip, zstd' : 'identity');
  });

  test('above the rate limit: 429, at the edge too', async () => {
    expect((await limited.patch('/api/account', { rate_limit: 1 })).status).toBe(200);
    for (const ask of [() => limited.get('/api/plans'), () => track(limited, {})]) {
      let answer = await ask();
      const deadline = Date.now() + 60_000;
      while (answer.status !== 429 && Date.now() < deadline) answer = await ask();
      const request_id = answer.headers.get('x-request-id');
      expect(answer.body).toEqual({ detail: expect.any(String), code: 'too_many_requests', request_id });
    }
  });

  test('identity is no encoding', async () => {
    expect((await create(account.api, {}, { 'Content-Encoding': 'identity' })).status).toBe(422);
    expect((await track(account.api, {}, { 'Content-Encoding': 'Identity' })).status).toBe(422);
  });
});
