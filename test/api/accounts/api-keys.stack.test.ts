import { beforeAll, describe, expect, test } from 'vitest';
import { SCOPES } from '../../../core/scopes.ts';
import { hashKey } from '../../../runtime/http/api-key.ts';
import { newAccount, type TestAccount, withPostgres } from '../../stack/accounts.ts';
import { type Api, api, itemsOf, type Json } from '../../stack/api.ts';
import { waitUntil } from '../../stack/wait-until.ts';

let account: TestAccount;
beforeAll(async () => {
  account = await newAccount();
});

async function makeKey(fields: object = {}): Promise<Json & { key: string; key_id: string }> {
  const answer = await account.api.post('/api/api-keys', { name: 'A key', ...fields });
  expect(answer.status, answer.text).toBe(201);
  return answer.body as Json & { key: string; key_id: string };
}

/** What the edge and the API answer to a key: 401 where it is of no use (the body is refused otherwise). */
async function answers(key: string): Promise<number[]> {
  const client = api(key);
  return [(await client.post('/api/track', {})).status, (await client.get('/api/customers/')).status];
}

const recordOf = async (client: Api, id: string) =>
  itemsOf((await client.get('/api/api-keys')).body.results).find((one) => String(one.key_id) === id);

describe('create and list', () => {
  test('the key is told once, and works at once on the edge and the API', async () => {
    const made = await makeKey();
    expect(made).toEqual({
      key_id: expect.stringMatching(/^key_/),
      name: 'A key',
      prefix: made.key.slice(0, 12),
      scopes: SCOPES,
      created_at: expect.stringMatching(/Z$/),
      expires_at: null,
      last_used_at: null,
      key: expect.stringMatching(/^mb_test_.{40,}$/),
    });
    expect(await answers(made.key)).toEqual([422, 200]);
    const listed = await account.api.get('/api/api-keys');
    const { key: _key, ...record } = made;
    // When it was last used may have been saved meanwhile.
    expect({ ...itemsOf(listed.body.results)[0], last_used_at: null }).toEqual(record);
    expect(listed.text).not.toContain(made.key);
  });

  test('only its hash is stored, also where the call had an Idempotency-Key, whose repeat tells it again', async () => {
    const headers = { 'Idempotency-Key': `key-${account.accountId}` };
    const first = await account.api.post('/api/api-keys', { name: 'Once' }, headers);
    const again = await account.api.post('/api/api-keys', { name: 'Once' }, headers);
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const { key, key_id } = first.body as { key: string; key_id: string } & Json;
    const rows = await withPostgres(async (postgres) => [
      ...(await postgres.query('SELECT * FROM api_keys WHERE key_id = $1', [key_id])).rows,
      ...(await postgres.query('SELECT * FROM operations WHERE account_id = $1', [account.accountId])).rows,
    ]);
    expect(JSON.stringify(rows)).toContain(hashKey(key));
    expect(JSON.stringify(rows)).not.toContain(key.slice(13));
  });

  test.each([
    [{}, { name: ['Required.'] }],
    [
      { name: ' ', scopes: [], expires_at: '2020-01-01T00:00:00Z' },
      {
        name: ['This field may not be blank.'],
        scopes: ['Must name at least one scope.'],
        expires_at: ['Must be in the future.'],
      },
    ],
    [{ name: 'A', scopes: ['root'] }, { 'scopes.0': [expect.stringContaining('events:write')] }],
    [{ name: 'A', expires_at: '2999-01-01' }, { expires_at: [expect.any(String)] }],
    [{ name: 'A', key: 'mb_test_mine' }, { key: ['Unknown field.'] }],
  ])('%j is 422', async (body, fields) => {
    const answer = await account.api.post('/api/api-keys', body);
    expect([answer.status, answer.body]).toEqual([422, fields]);
  });

  test('scopes are those that were asked for, each once', async () => {
    const made = await makeKey({ scopes: ['read', 'events:write', 'read'] });
    expect(made.scopes).toEqual(['read', 'events:write']);
    const client = api(made.key);
    const got = [
      await client.post('/api/track', {}),
      await client.get('/api/account'),
      await client.post('/api/customers/', {}),
      await client.get('/api/api-keys'),
      await client.post('/api/verify-events', { idempotency_ids: ['a'] }),
    ];
    expect(got.map(({ status }) => status)).toEqual([422, 200, 403, 403, 200]);
  });
});

describe('the end of a key', () => {
  test('a revoked one is soon refused everywhere, and can no longer be rotated', async () => {
    const made = await makeKey();
    expect(await answers(made.key)).toEqual([422, 200]);
    const revoked = await account.api.post(`/api/api-keys/${made.key_id}/revoke`);
    expect(revoked.status).toBe(200);
    expect(Date.parse(String(revoked.body.expires_at))).toBeGreaterThan(Date.parse(String(made.created_at)));
    await waitUntil(
      () => answers(made.key),
      (now) => String(now) === '401,401',
    );
    const { last_used_at: _, ...again } = (await account.api.post(`/api/api-keys/${made.key_id}/revoke`)).body;
    expect(await recordOf(account.api, made.key_id)).toMatchObject(again);
    const rotated = await account.api.post(`/api/api-keys/${made.key_id}/rotate`);
    expect([rotated.status, rotated.body.detail]).toEqual([409, expect.stringContaining('revoked')]);
  });

  test('a rotated one lives as long as asked, and never longer than it would have', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const old = await makeKey({ name: 'Old', scopes: ['read'], expires_at: expiresAt });
    const answer = await account.api.post(`/api/api-keys/${old.key_id}/rotate`, { overlap_seconds: 7_200 });
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ name: 'Old', scopes: ['read'], expires_at: expiresAt, last_used_at: null });
    expect(answer.body.key_id).not.toBe(old.key_id);
    expect(await recordOf(account.api, old.key_id)).toMatchObject({ expires_at: expiresAt });

    const next = answer.body as Json & { key: string; key_id: string };
    await account.api.post(`/api/api-keys/${next.key_id}/rotate`, { overlap_seconds: 600 });
    const left = Date.parse(String((await recordOf(account.api, next.key_id))?.expires_at)) - Date.now();
    expect(left).toBeGreaterThan(500_000);
    expect(left).toBeLessThanOrEqual(600_000);
    expect((await api(next.key).get('/api/customers/')).status).toBe(200);
    expect((await account.api.post(`/api/api-keys/${next.key_id}/rotate`, { overlap_seconds: -1 })).status).toBe(422);

    const again = await account.api.post(`/api/api-keys/${next.key_id}/rotate`);
    // It is not the end of the overlap that the new key inherits.
    expect([again.status, again.body.expires_at]).toEqual([201, expiresAt]);
    await waitUntil(
      () => answers(next.key),
      (now) => String(now) === '401,401',
    );
  });
});

describe('the last key with scope admin (spec/accounts#keys)', () => {
  const revoke = (owner: TestAccount, id: string, body: object = {}) =>
    owner.api.post(`/api/api-keys/${id}/revoke`, body);
  const idsOf = async ({ api }: TestAccount) =>
    itemsOf((await api.get('/api/api-keys')).body.results).map(({ key_id }) => String(key_id));

  test('is revoked only with force', async () => {
    const owner = await newAccount();
    const [own = ''] = await idsOf(owner);
    const reader = await owner.api.post('/api/api-keys', { name: 'reads', scopes: ['read'] });
    const answer = await revoke(owner, own);
    expect([answer.status, answer.body.detail]).toEqual([409, expect.stringContaining('force: true')]);
    // One that is none is revoked as ever.
    expect((await revoke(owner, String(reader.body.key_id))).status).toBe(200);
    expect((await revoke(owner, own, { force: 'yes' })).body).toEqual({ force: ['Must be a boolean.'] });
    expect((await revoke(owner, own, { force: true })).status).toBe(200);
  });

  test('is not one that has a successor by rotation, nor one beside which another lives', async () => {
    const owner = await newAccount();
    const [own = ''] = await idsOf(owner);
    const rotated = await owner.api.post(`/api/api-keys/${own}/rotate`, { overlap_seconds: 600 });
    expect(rotated.status).toBe(201);
    expect((await revoke(owner, own)).status).toBe(200);
  });

  test('of two that are revoked at once one stays', async () => {
    const owner = await newAccount();
    const other = await owner.api.post('/api/api-keys', { name: 'second', scopes: ['admin'] });
    expect(other.status).toBe(201);
    const ids = await idsOf(owner);
    const answers = await Promise.all(ids.map((id) => revoke(owner, id)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  });
});

/** They wait for seconds: for both at once. */
describe.concurrent('by itself', () => {
  test('an expired key is refused, and can no longer be rotated', async ({ expect }) => {
    const made = await makeKey({ expires_at: new Date(Date.now() + 5_000).toISOString() });
    expect(made.expires_at).not.toBeNull();
    await waitUntil(
      () => answers(made.key),
      (now) => String(now) === '401,401',
    );
    const rotated = await account.api.post(`/api/api-keys/${made.key_id}/rotate`);
    expect([rotated.status, rotated.body.detail]).toEqual([409, expect.stringContaining('expired')]);
  });

  test('last_used_at is right to 30 seconds, whichever process has seen the key', async ({ expect }) => {
    const [edge, postgres] = [await makeKey(), await makeKey()];
    const before = Date.now();
    await api(edge.key).post('/api/track', {});
    await api(postgres.key).get('/api/customers/');
    const seen = await waitUntil(
      async () => [await recordOf(account.api, edge.key_id), await recordOf(account.api, postgres.key_id)],
      (records) => records.every((one) => one?.last_used_at),
    );
    for (const one of seen) expect(Date.parse(String(one?.last_used_at))).toBeGreaterThanOrEqual(before - 1);
  });
});
