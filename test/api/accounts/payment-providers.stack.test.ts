import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../../core/ids.ts';
import { apiWithScopes, newAccount, type TestAccount, withPostgres } from '../../stack/accounts.ts';
import { stack } from '../../stack/api.ts';
import { callBack, confirmationOf, connect, connectedAccount, decide, fakeStripe } from '../../stack/processors.ts';

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
    expect((await callBack(callback(), { state, code: 'ac_repeated' })).status).toBe(200);
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
    const put = await api.put('/api/payment-providers/stripe/callback', {});
    expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, POST']);
    const got = await api.get('/hooks/stripe');
    expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST']);
  });

  describe('the page that names both accounts', () => {
    /** An account whose owner has come back from the processor, and sees the page. */
    async function offered(of?: TestAccount) {
      const account = of ?? (await newAccount());
      const begun = await account.api.post('/api/payment-providers/stripe/connect', REDIRECT);
      const state = new URL(String(begun.body.authorization_url)).searchParams.get('state');
      const name = newId('acct').replaceAll('_', '');
      const page = await callBack(callback(), { state, code: `ac_${name}` });
      const text = await page.clone().text();
      return { account, page, text, name: `acct_${name}`, confirmation: await confirmationOf(page) };
    }
    const isConnected = async (account: TestAccount) =>
      (await account.api.get('/api/payment-providers')).text.includes('"connected":true');
    const past = (account: TestAccount, minutes: number) =>
      withPostgres((postgres) =>
        postgres.query(
          "UPDATE oauth_states SET created_at = created_at - $2 * interval '1 minute' WHERE account_id = $1",
          [account.accountId, minutes],
        ),
      );

    test('nothing is connected by it; it is whole without a script, and in no frame', async () => {
      const { account, page, text, name } = await offered();
      const { body } = await account.api.get('/api/account');
      for (const part of [name, 'Acme &amp; &lt;Sons&gt;', String(body.name), 'app.test', 'Decline', 'TEST']) {
        expect(text).toContain(part);
      }
      expect(text).not.toMatch(/<script|<Sons>/);
      const policy = String(page.headers.get('content-security-policy'));
      expect(policy).toMatch(
        /^default-src 'none'; style-src 'nonce-[^']+'; form-action 'self' https:\/\/app\.test; base-uri 'none'; frame-ancestors 'none'$/,
      );
      expect(page.headers.get('cache-control')).toBe('no-store');
      expect(await isConnected(account)).toBe(false);
    });

    test('its POST keeps the grant, once', async () => {
      const { account, confirmation, name } = await offered();
      const back = await decide(callback(), { confirmation });
      expect([back.status, back.headers.get('location')]).toEqual([303, 'https://app.test/done?connected=stripe']);
      expect((await account.api.get('/api/payment-providers')).text).toContain(name);
      expect((await decide(callback(), { confirmation })).status).toBe(400);
      expect((await decide(callback(), { confirmation, decision: 'decline' })).status).toBe(400);
      expect(await isConnected(account)).toBe(true);
    });

    test('Decline gives the grant back, and connects nothing', async () => {
      const { account, confirmation, name } = await offered();
      const back = await decide(callback(), { confirmation, decision: 'decline' });
      expect([back.status, back.headers.get('location')]).toEqual([303, 'https://app.test/done?error=declined']);
      expect((await decide(callback(), { confirmation })).status).toBe(400);
      expect([await isConnected(account), await fakeStripe().isRevoked(name)]).toEqual([false, true]);
    });

    test('Decline leaves a connection of the same account at the processor alone', async () => {
      const own = await connectedAccount();
      const begun = await own.api.post('/api/payment-providers/stripe/connect', REDIRECT);
      const state = new URL(String(begun.body.authorization_url)).searchParams.get('state');
      const code = own.externalAccountId.replace('acct_', 'ac_');
      const confirmation = await confirmationOf(await callBack(callback(), { state, code }));
      expect((await decide(callback(), { confirmation, decision: 'decline' })).status).toBe(303);
      expect([await isConnected(own), await fakeStripe().isRevoked(own.externalAccountId)]).toEqual([true, false]);
    });

    test('a confirmation that is missing, made up, of another account, or a state in its place is 400', async () => {
      const [mine, theirs] = [await offered(), await offered()];
      const [token, , keyId] = mine.confirmation.split('.');
      const [, sealed] = theirs.confirmation.split('.');
      const begun = await mine.account.api.post('/api/payment-providers/stripe/connect', REDIRECT);
      const state = String(new URL(String(begun.body.authorization_url)).searchParams.get('state'));
      for (const bad of ['', 'made-up', `${token}.${sealed}.${keyId}`, `${state}.${sealed}.${keyId}`]) {
        expect([bad, (await decide(callback(), { confirmation: bad })).status]).toEqual([bad, 400]);
      }
      const elsewhere = callback().replace('stripe', 'braintree');
      expect((await decide(elsewhere, { confirmation: theirs.confirmation })).status).toBe(400);
      expect([await isConnected(mine.account), await isConnected(theirs.account)]).toEqual([false, false]);
    });

    test('a confirmation is gone after 10 minutes; a person is told so in words', async () => {
      const { account, confirmation } = await offered();
      await past(account, 10);
      const late = await decide(callback(), { confirmation }, { Accept: 'text/html' });
      expect([late.status, late.headers.get('content-type'), await isConnected(account)]).toEqual([
        400,
        'text/html; charset=UTF-8',
        false,
      ]);
      expect(await late.text()).toContain('no longer of use');
    });

    test('another site cannot press the button', async () => {
      const { account, confirmation } = await offered();
      for (const headers of [{ Origin: 'https://evil.test' }, { Origin: 'null' }, { 'Sec-Fetch-Site': 'cross-site' }]) {
        const forged = await decide(callback(), { confirmation }, headers as Record<string, string>);
        expect(forged.status).toBe(403);
      }
      expect(await isConnected(account)).toBe(false);
      const own = { Origin: stack().base_url, 'Sec-Fetch-Site': 'same-origin' };
      expect((await decide(callback(), { confirmation }, own)).status).toBe(303);
    });
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
