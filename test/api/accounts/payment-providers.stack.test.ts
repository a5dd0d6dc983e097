import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../../core/ids.ts';
import { apiWithScopes, newAccount, withPostgres } from '../../stack/accounts.ts';
import { stack } from '../../stack/api.ts';
import { callBack, connect, connectedAccount, fakeStripe } from '../../stack/processors.ts';

const REDIRECT = { redirect_url: 'https://app.test/done' };
const callback = () => `${stack().base_url}/api/payment-providers/stripe/callback`;

describe('connecting a payment processor', () => {
  let connected: Awaited<ReturnType<typeof connectedAccount>>;
  beforeAll(async () => {
    connected = await connectedAccount();
  });

  test('the list shows it, for this account alone', async () => {
    const { body } = await connected.api.get('/api/payment-providers');
    expect(body.results).toMatchObject([
      { provider: 'stripe', connected: true, account_id: connected.externalAccountId },
      { provider: 'braintree', connected: false, account_id: null, connected_at: null },
    ]);
    const other = await newAccount();
    expect((await other.api.get('/api/payment-providers')).text).not.toContain(connected.externalAccountId);
  });

  test('B9: a state works once; a missing or foreign one is 400', async () => {
    const account = await newAccount();
    const externalName = newId('acct').replaceAll('_', '');
    const state = await connect(account, externalName);
    expect((await callBack(callback(), { state, code: 'ac_other' })).status).toBe(400);
    expect((await callBack(callback(), { code: 'ac_other' })).status).toBe(400);
    expect((await callBack(callback(), { state: 'made-up', code: 'ac_other' })).status).toBe(400);
    expect((await account.api.get('/api/payment-providers')).text).toContain(`acct_${externalName}`);
  });

  test('beginning to connect, repeated by its Idempotency-Key, answers the same; the state is not kept in the clear', async () => {
    const account = await newAccount();
    const begin = () =>
      account.api.post('/api/payment-providers/stripe/connect', REDIRECT, { 'Idempotency-Key': 'connect' });
    const [first, again] = [await begin(), await begin()];
    expect([first.status, again.status, again.text]).toEqual([200, 200, first.text]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const state = new URL(String(first.body.authorization_url)).searchParams.get('state') ?? '';
    const sql = 'SELECT result::text FROM operations WHERE account_id = $1';
    const { rows } = await withPostgres((postgres) => postgres.query<{ result: string }>(sql, [account.accountId]));
    expect(rows).toHaveLength(1);
    expect(rows[0]?.result).not.toContain(state);
    expect((await callBack(callback(), { state, code: 'ac_repeated' })).status).toBe(302);
  });

  test('the callback has every spelling, it and the hook are 405 for other methods', async () => {
    const { base_url } = stack();
    for (const path of ['/payment_providers/stripe/callback/', '/api/payment_providers/stripe/callback']) {
      expect([path, (await callBack(`${base_url}${path}`, { state: 'made-up', code: 'ac_other' })).status]).toEqual([
        path,
        400,
      ]);
    }
    const { api } = connected;
    const posted = await api.post('/api/payment-providers/stripe/callback');
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET']);
    const got = await api.get('/hooks/stripe');
    expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST']);
  });

  test('B9: a state is gone after 10 minutes', async () => {
    const account = await newAccount();
    const begun = await account.api.post('/api/payment-providers/stripe/connect', REDIRECT);
    const state = new URL(String(begun.body.authorization_url)).searchParams.get('state');
    await withPostgres((postgres) =>
      postgres.query("UPDATE oauth_states SET created_at = created_at - interval '10 minutes' WHERE account_id = $1", [
        account.accountId,
      ]),
    );
    expect((await callBack(callback(), { state, code: 'ac_late' })).status).toBe(400);
  });

  test('what the owner or the processor refuses comes back as an error', async () => {
    const account = await newAccount();
    for (const [query, error] of [
      [{ error: 'access_denied' }, 'access_denied'],
      [{ code: 'expired' }, 'not_granted'],
    ] as const) {
      const begun = await account.api.post('/api/payment-providers/stripe/connect', REDIRECT);
      const state = new URL(String(begun.body.authorization_url)).searchParams.get('state');
      const back = await callBack(callback(), { state, ...query });
      expect(back.headers.get('location')).toBe(`https://app.test/done?error=${error}`);
    }
    const { body } = await account.api.get('/api/payment-providers');
    expect(body.results).toMatchObject([{ connected: false }, { connected: false }]);
  });

  test('errors: an unknown provider, one that is not configured, a bad URL, a key without the scope', async () => {
    const { api } = connected;
    expect((await api.post('/api/payment-providers/paypal/connect', REDIRECT)).status).toBe(404);
    const bad = await api.post('/api/payment-providers/stripe/connect', { redirect_url: 'javascript:alert(1)' });
    expect(bad.status).toBe(422);
    const reader = await apiWithScopes(connected, ['read']);
    expect((await reader.get('/api/payment-providers')).status).toBe(403);
    expect((await (await newAccount()).api.post('/api/payment-providers/stripe/disconnect')).status).toBe(409);
  });

  test('B10: a stolen row does not tell the tokens, not even in another row', async () => {
    const other = await connectedAccount();
    const { rows } = await withPostgres((postgres) =>
      postgres.query<{ sealed_tokens: Buffer }>(
        'SELECT sealed_tokens FROM processor_connections WHERE account_id = $1',
        [other.accountId],
      ),
    );
    expect(rows[0]?.sealed_tokens.toString('latin1')).not.toMatch(/sk_acct|rt_/);
    await withPostgres((postgres) =>
      postgres.query(
        `UPDATE processor_connections SET (sealed_tokens, key_id) =
           (SELECT sealed_tokens, key_id FROM processor_connections WHERE account_id = $1) WHERE account_id = $2`,
        [connected.accountId, other.accountId],
      ),
    );
    const disconnecting = other.api.post('/api/payment-providers/stripe/disconnect');
    await expect(disconnecting).rejects.toThrow('was answered 500');
  });

  test('disconnecting forgets the tokens and gives the grant back', async () => {
    const account = await connectedAccount();
    const gone = await account.api.post('/api/payment-providers/stripe/disconnect');
    expect(gone.body).toEqual({ provider: 'stripe', connected: false, account_id: null, connected_at: null });
    expect(await fakeStripe().isRevoked(account.externalAccountId)).toBe(true);
    expect((await account.api.post('/api/payment-providers/stripe/disconnect')).status).toBe(409);
  });
});
