import { beforeEach, describe, expect, test } from 'vitest';
import { createApi } from '../../../api/api.ts';
import { createLog } from '../../../runtime/log.ts';
import { newAccount, type TestAccount, withPostgres } from '../../stack/accounts.ts';
import { type Answer, api, stack } from '../../stack/api.ts';
import { configOf, started } from '../../stack/own-process.ts';
import { waitUntil } from '../../stack/wait-until.ts';

/** Sessions of the console (spec/accounts#sessions). */

const SESSION = '/console/session';
const MINUTE = 60_000;

let account: TestAccount;
beforeEach(async () => {
  account = await newAccount();
});

/** A browser that has logged in: it sends its cookie, and with what changes something the CSRF token. */
async function logIn(key: string, baseUrl = stack().base_url, headers: Record<string, string> = {}) {
  const client = api(null, baseUrl);
  const answer = await client.post(SESSION, { api_key: key }, headers);
  expect(answer.status, answer.text).toBe(201);
  const cookie = cookieOf(answer);
  const own = { ...headers, Cookie: cookie };
  const writing = { ...own, 'X-CSRF-Token': String(answer.body.csrf_token) };
  return {
    answer,
    cookie,
    csrf: String(answer.body.csrf_token),
    get: (path: string, more = {}) => client.get(path, undefined, { ...own, ...more }),
    post: (path: string, body: unknown, more = {}) => client.post(path, body, { ...writing, ...more }),
    delete: (path: string, more = {}) => client.delete(path, undefined, { ...writing, ...more }),
  };
}

function cookieOf({ headers }: Answer): string {
  return String(headers.get('set-cookie')).split(';')[0] ?? '';
}

const customer = (id: string) => ({ customer_id: id, email: `${id}@example.test` });
const outcome = ({ status, body }: Answer) => [status, body.code];

describe('logging in', () => {
  test('tells the account, the key and the CSRF token, and keeps the token of the session where no script reads it', async () => {
    const { body } = await account.api.get('/api/account');
    const session = await logIn(account.key);
    expect(session.answer.body).toEqual({
      account: body,
      key: { key_id: expect.any(String), name: expect.any(String), scopes: ['events:write', 'read', 'write', 'admin'] },
      csrf_token: expect.stringMatching(/^[\w-]{43}$/),
      expires_at: expect.any(String),
    });
    const cookie = String(session.answer.headers.get('set-cookie'));
    expect(cookie).toMatch(/^meterbook_session=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(session.answer.headers.get('cache-control')).toBe('no-store');
    const shown = await session.get(SESSION);
    expect([shown.status, shown.body]).toEqual([200, session.answer.body]);
    expect(shown.headers.get('cache-control')).toBe('no-store');
  });

  test('by https the cookie is of this host alone', async () => {
    const url = await started(
      createApi(configOf({ TRUSTED_PROXIES: '127.0.0.1' }), { log: createLog('test', 'silent') }),
    );
    const https = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'billing.example' };
    const session = await logIn(account.key, url, { ...https, Origin: 'https://billing.example' });
    expect(session.answer.headers.get('set-cookie')).toMatch(
      /^__Host-meterbook_session=.*; Path=\/; HttpOnly; Secure; /,
    );
    expect((await session.get('/api/account')).status).toBe(200);
    // The same token under the name that a neighbour could have planted.
    const Cookie = session.cookie.replace('__Host-', '');
    expect((await api(null, url).get('/api/account', undefined, { ...https, Cookie })).status).toBe(401);
  });

  test('a key that is unknown, revoked or expired is 401, one that may not read 403', async () => {
    const made = (await account.api.post('/api/api-keys', { name: 'old' })).body;
    await account.api.post(`/api/api-keys/${made.key_id}/revoke`);
    const url = await started(createApi(configOf(), { log: createLog('test', 'silent') }));
    const unknown = await api(null, url).post(SESSION, { api_key: 'mb_test_nobody' });
    const revoked = await api(null, url).post(SESSION, { api_key: made.key });
    expect([outcome(unknown), outcome(revoked)]).toEqual([
      [401, 'unauthorized'],
      [401, 'unauthorized'],
    ]);
    expect(revoked.body.detail).toBe(unknown.body.detail);
    const { body: writer } = await account.api.post('/api/api-keys', { name: 'writer', scopes: ['write'] });
    expect(outcome(await api(null, url).post(SESSION, { api_key: writer.key }))).toEqual([403, 'forbidden']);
  });

  test('a key that has ended, of which this process has not heard yet, leaves nothing behind', async () => {
    const url = await started(createApi(configOf(), { log: createLog('test', 'silent') }));
    const { body: key } = await account.api.post('/api/api-keys', { name: 'soon gone' });
    await logIn(String(key.key), url);
    expect((await account.api.post(`/api/api-keys/${key.key_id}/revoke`)).status).toBe(200);
    expect((await api(null, url).post(SESSION, { api_key: key.key })).status).toBe(401);
    const { body } = await account.api.get(`/api/audit-log?action=session.created&key_id=${key.key_id}`);
    expect(body.count).toBe(1);
  });

  test('bad bodies are named, and there are no parameters', async () => {
    const client = api(null);
    expect((await client.post(SESSION, {})).body).toEqual({ api_key: ['Required.'] });
    expect((await client.post(SESSION, { api_key: 1, key: 'x' })).status).toBe(422);
    expect((await client.post(SESSION, 'api_key=x')).status).toBe(400);
    expect((await client.post(`${SESSION}?next=/`, { api_key: account.key })).body).toEqual({
      next: ['Unknown parameter.'],
    });
    const put = await client.put(SESSION, {});
    expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, POST, DELETE']);
  });

  test('ten failures of an address are enough, whatever else it says it is', async () => {
    const url = await started(createApi(configOf(), { log: createLog('test', 'silent') }));
    const client = api(null, url);
    const attempt = (key: string, i: number) =>
      client.post(SESSION, { api_key: key }, { 'X-Forwarded-For': `203.0.113.${i}`, Forwarded: `for=203.0.113.${i}` });
    for (let i = 0; i < 10; i++) expect((await attempt(`wrong-${i}`, i)).status).toBe(401);
    const refused = await attempt(account.key, 11);
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true]);
  });

  test('attempts with a broken body count like those with a wrong key', async () => {
    const url = await started(createApi(configOf(), { log: createLog('test', 'silent') }));
    const client = api(null, url);
    const large = { api_key: 'x'.repeat(20_000) };
    const bodies = [{}, { api_key: 1 }, 'api_key=x', { key: account.key }, { api_key: '\0' }, large, {}, {}, {}];
    const statuses: number[] = [];
    for (const body of bodies) statuses.push((await client.post(SESSION, body)).status);
    expect(statuses).toEqual([422, 422, 400, 422, 422, 413, 422, 422, 422]);
    expect((await client.post(`${SESSION}?next=/`, { api_key: account.key })).status).toBe(422);
    expect((await client.post(SESSION, { api_key: account.key })).status).toBe(429);
  });

  test('addresses that a trusted proxy tells of are told apart', async () => {
    const url = await started(
      createApi(configOf({ TRUSTED_PROXIES: '127.0.0.1' }), { log: createLog('test', 'silent') }),
    );
    const from = (address: string, key: string) =>
      api(null, url).post(SESSION, { api_key: key }, { 'X-Forwarded-For': address });
    for (let i = 0; i < 10; i++) expect((await from('203.0.113.1', `wrong-${i}`)).status).toBe(401);
    expect((await from('203.0.113.1', account.key)).status).toBe(429);
    expect((await from('203.0.113.2', account.key)).status).toBe(201);
  });
});

describe('the cookie', () => {
  test('stands for the key under /api, but for intake, other spellings, and where a key is sent, too', async () => {
    const session = await logIn(account.key);
    expect((await session.post('/api/customers/', customer('acme'))).status).toBe(201);
    const read = await session.get('/api/customers/acme');
    expect([read.status, read.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const event = { event_name: 'e', customer_id: 'acme', idempotency_id: 'e', time_created: new Date().toISOString() };
    expect((await session.post('/api/track', event)).status).toBe(401);
    expect((await session.get('/customers/acme')).status).toBe(401);
    expect((await session.get('/api/customers/acme', { 'X-API-KEY': 'mb_test_nobody' })).status).toBe(401);
    const other = await newAccount();
    expect((await session.get('/api/customers/acme', { 'X-API-KEY': other.key })).status).toBe(404);
  });

  test('has the scopes of its key and no others', async () => {
    const { body } = await account.api.post('/api/api-keys', { name: 'reader', scopes: ['read'] });
    const session = await logIn(String(body.key));
    expect((await session.get('/api/customers')).status).toBe(200);
    expect(outcome(await session.post('/api/customers/', customer('acme')))).toEqual([403, 'forbidden']);
    expect(outcome(await session.get('/api/api-keys'))).toEqual([403, 'forbidden']);
  });

  test('altered, unknown or missing it is 401', async () => {
    const { cookie } = await logIn(account.key);
    const altered = cookie.replace(/=(.)/, (_, first) => (first === 'A' ? '=B' : '=A'));
    for (const Cookie of [`${cookie}x`, altered, 'meterbook_session=', 'meterbook_session=%00']) {
      const refused = await api(null).get('/api/account', undefined, { Cookie });
      // An empty one is no session at all.
      const caching = Cookie.endsWith('=') ? null : 'no-store';
      expect([refused.status, refused.headers.get('cache-control')]).toEqual([401, caching]);
      expect((await api(null).get(SESSION, undefined, { Cookie })).status).toBe(401);
    }
    expect((await api(null).get(SESSION)).status).toBe(401);
    expect((await api(null).delete(SESSION)).status).toBe(401);
  });

  test('is of no use after log-out', async () => {
    const [session, other] = [await logIn(account.key), await logIn(account.key)];
    const ended = await session.delete(SESSION);
    expect([ended.status, ended.text]).toEqual([204, '']);
    expect(ended.headers.get('set-cookie')).toMatch(
      /^meterbook_session=; Max-Age=0; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    expect((await session.get('/api/account')).status).toBe(401);
    expect((await session.delete(SESSION)).status).toBe(401);
    expect((await other.get('/api/account')).status).toBe(200);
  });
});

describe('requests that no page of ours makes', () => {
  test('without the CSRF token of the session, or with another one, nothing is changed', async () => {
    const [session, other] = [await logIn(account.key), await logIn(account.key)];
    for (const token of ['', 'x'.repeat(43), other.csrf]) {
      const forged = await session.post('/api/customers/', customer('acme'), { 'X-CSRF-Token': token });
      expect(outcome(forged)).toEqual([403, 'csrf_failed']);
      expect(forged.headers.get('cache-control')).toBe('no-store');
    }
    expect(outcome(await session.delete(SESSION, { 'X-CSRF-Token': '' }))).toEqual([403, 'csrf_failed']);
    // A page of another session is told nothing of this one, either.
    const read = (token: string) => session.get('/api/account', { 'X-CSRF-Token': token });
    expect([outcome(await read(other.csrf)), (await read(session.csrf)).status]).toEqual([[403, 'csrf_failed'], 200]);
    expect((await account.api.get('/api/customers/acme')).status).toBe(404);
  });

  test.each([
    [{ Origin: 'https://evil.example' }],
    [{ Origin: 'null' }],
    [{ 'Sec-Fetch-Site': 'cross-site' }],
    [{ 'Sec-Fetch-Site': 'same-site' }],
  ])('%o is refused, at log-in too', async (foreign) => {
    const session = await logIn(account.key);
    expect(outcome(await session.post('/api/customers/', customer('acme'), foreign))).toEqual([403, 'csrf_failed']);
    expect(outcome(await session.get('/api/account', foreign))).toEqual([403, 'csrf_failed']);
    expect(outcome(await api(null).post(SESSION, { api_key: account.key }, foreign))).toEqual([403, 'csrf_failed']);
    // A key is no cookie: nobody but its owner sends it.
    expect((await account.api.get('/api/account', undefined, foreign)).status).toBe(200);
  });

  test('our own origin is fine, and what the person at the address bar reads', async () => {
    const ours = { Origin: new URL(stack().base_url).origin, 'Sec-Fetch-Site': 'same-origin' };
    const session = await logIn(account.key, undefined, ours);
    expect((await session.post('/api/customers/', customer('acme'))).status).toBe(201);
    const typed = { 'Sec-Fetch-Site': 'none' };
    expect((await session.get('/api/account', typed)).status).toBe(200);
    expect(outcome(await session.post('/api/customers/', customer('beta'), typed))).toEqual([403, 'csrf_failed']);
  });
});

describe('the end of a session', () => {
  /** An API whose clock the test moves. */
  async function movable() {
    const time = { now: Date.now() };
    const url = await started(
      createApi(configOf(), { log: createLog('test', 'silent'), clock: { now: () => time.now } }),
    );
    return { time, url };
  }

  test('unused for two hours it is over; used it lives on, up to twelve hours in all', async () => {
    const { time, url } = await movable();
    const began = time.now;
    const session = await logIn(account.key, url);
    expect(Date.parse(String(session.answer.body.expires_at))).toBe(began + 120 * MINUTE);
    for (let minutes = 119; minutes < 720; minutes += 119) {
      time.now = began + minutes * MINUTE;
      const { body } = await session.get(SESSION);
      expect(Date.parse(String(body.expires_at))).toBe(began + Math.min(minutes + 120, 720) * MINUTE);
    }
    time.now = began + 720 * MINUTE - 1;
    expect((await session.get('/api/account')).status).toBe(200);
    time.now += 1;
    expect((await session.get('/api/account')).status).toBe(401);

    time.now = began;
    const unused = await logIn(account.key, url);
    time.now += 120 * MINUTE - 1;
    expect((await unused.get('/api/account')).status).toBe(200);
    time.now += 120 * MINUTE;
    expect((await unused.get('/api/account')).status).toBe(401);
    expect((await unused.get(SESSION)).status).toBe(401);
  });

  test('is the end of its key: revoked, expired or rotated', async () => {
    const { time, url } = await movable();
    const soon = new Date(time.now + 10 * MINUTE).toISOString();
    const key = async (body: object) => (await account.api.post('/api/api-keys', { name: 'k', ...body })).body;
    const [revoked, expiring, rotated] = [await key({}), await key({ expires_at: soon }), await key({})];
    const sessions = [];
    for (const one of [revoked, expiring, rotated]) sessions.push(await logIn(String(one.key), url));
    expect(sessions[1]?.answer.body.expires_at).toBe(soon);

    await account.api.post(`/api/api-keys/${revoked.key_id}/revoke`);
    time.now = Date.now();
    expect((await sessions[0]?.get('/api/account'))?.status).toBe(401);
    time.now += 10 * MINUTE;
    expect((await sessions[1]?.get('/api/account'))?.status).toBe(401);
    await account.api.post(`/api/api-keys/${rotated.key_id}/rotate`);
    expect((await sessions[2]?.get('/api/account'))?.status).toBe(401);
    expect((await account.api.get('/api/account')).status).toBe(200);
  });

  test('is not that of the process, nor does the use of one go unseen', async () => {
    const url = await started(createApi(configOf(), { log: createLog('test', 'silent') }));
    const { body: key } = await account.api.post('/api/api-keys', { name: 'k' });
    const session = await logIn(String(key.key), url);
    const elsewhere = api(null);
    expect((await elsewhere.get('/api/account', undefined, { Cookie: session.cookie })).status).toBe(200);
    await waitUntil(
      async () => (await account.api.get('/api/api-keys')).text,
      (text) => !text.includes(`"key_id":"${key.key_id}","name":"k","last_used_at":null`),
    );
  });
});

test('who reads the database can use no session', async () => {
  const session = await logIn(account.key);
  const rows = await withPostgres(async (postgres) => {
    const sql = 'SELECT s::text AS row FROM console_sessions s WHERE account_id = $1';
    return (await postgres.query<{ row: string }>(sql, [account.accountId])).rows;
  });
  const token = session.cookie.split('=')[1] ?? '';
  const kept = rows.map(({ row }) => row).join();
  expect(rows).toHaveLength(1);
  const hex = (text: string) => Buffer.from(text, 'base64url').toString('hex');
  for (const secret of [token, hex(token), session.csrf, hex(session.csrf), account.key])
    expect(kept).not.toContain(secret);
  const [, hash = ''] = /\\x([0-9a-f]{64})/.exec(kept.replaceAll('\\\\', '\\')) ?? [];
  expect(hash).toHaveLength(64);
  for (const stolen of [hash, Buffer.from(hash, 'hex').toString('base64url')]) {
    const Cookie = `meterbook_session=${stolen}`;
    expect((await api(null).get('/api/account', undefined, { Cookie })).status).toBe(401);
  }
});
