import { beforeEach, describe, expect, test } from 'vitest';
import { newAccount, type TestAccount } from '../../stack/accounts.ts';
import { makeCustomer } from '../../stack/resources.ts';

let account: TestAccount;

beforeEach(async () => {
  account = await newAccount();
});

const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe('create and retrieve', () => {
  test('only what is required: the complete record with its defaults', async () => {
    const made = await account.api.post('/api/customers/', { customer_id: 'plain', email: 'a@b.example' });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      customer_id: 'plain',
      customer_name: '',
      email: 'a@b.example',
      default_currency: { code: 'USD', name: 'US Dollar', symbol: '$' },
      payment_provider: null,
      payment_provider_id: null,
      has_payment_method: false,
      tax_rate: 0,
      timezone: 'UTC',
      billing_address: null,
      subscriptions: [],
      invoices: [],
      total_amount_due: 0,
      test_clock_id: null,
      billed_to: null,
      metadata: {},
      created_at: INSTANT,
    });
    expect((await account.api.get('/api/customers/plain/')).body).toEqual(made.body);
  });

  test('every field', async () => {
    const fields = {
      customer_id: 'full',
      customer_name: 'Ünïcode & Söhne',
      email: 'billing@full.example',
      timezone: 'Europe/Berlin',
      billing_address: { line1: 'Weg 1', city: 'Köln', state: 'NW', postal_code: '50667', country: 'DE' },
      payment_provider: 'stripe',
      payment_provider_id: 'cus_1',
      metadata: { segment: 'smb' },
    };
    const made = await account.api.post('/api/customers/', {
      ...fields,
      default_currency_code: 'jpy',
      tax_rate: '19.50',
    });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject(fields);
    expect(made.body.default_currency).toEqual({ code: 'JPY', name: 'Japanese Yen', symbol: '¥' });
    expect(made.text).toContain('"tax_rate":19.5,');
    expect((await account.api.get('/api/customers/full/')).body).toEqual(made.body);
  });

  test("the account's currency is the default", async () => {
    const { api } = await newAccount({ currency: 'kwd' });
    expect((await makeCustomer(api)).default_currency).toMatchObject({ code: 'KWD' });
  });

  test('name is a synonym of customer_name, but not together with it', async () => {
    const made = await account.api.post('/api/customers/', { customer_id: 'named', email: 'a@b.example', name: 'N' });
    expect(made.body.customer_name).toBe('N');
    const both = { customer_id: 'both', email: 'a@b.example', name: 'N', customer_name: 'N' };
    const refused = await account.api.post('/api/customers/', both);
    expect(refused.status).toBe(422);
    expect(Object.keys(refused.body)).toEqual(['name']);
  });

  test.each(['a/b', 'ü x', '100%', '%41', 'a?b#c', '…', '+', 'x'.repeat(256), 'a\\b', "o'n"])(
    'id %j works in bodies and in paths',
    async (id) => {
      const made = await account.api.post('/api/customers/', { customer_id: id, email: 'a@b.example' });
      expect(made.status).toBe(201);
      const found = await account.api.get(`/api/customers/${encodeURIComponent(id)}/`);
      expect(found.body).toEqual(made.body);
    },
  );

  test('an id with - and _ is never respelled', async () => {
    await makeCustomer(account.api, { customer_id: 'a-b_c' });
    expect((await account.api.get('/api/customers/a-b_c/')).status).toBe(200);
    expect((await account.api.get('/api/customers/a_b-c/')).status).toBe(404);
  });

  test('a second customer of the same id is 409; another account may have it', async () => {
    await makeCustomer(account.api, { customer_id: 'taken' });
    const again = await account.api.post('/api/customers/', { customer_id: 'taken', email: 'x@y.example' });
    expect(again.status).toBe(409);
    expect(again.body.detail).toContain('taken');
    const other = await newAccount();
    await makeCustomer(other.api, { customer_id: 'taken' });
  });
});

describe('refusals', () => {
  test('every bad field at once', async () => {
    const answer = await account.api.post('/api/customers/', {
      email: 'no address',
      default_currency_code: 'XYZ',
      timezone: 'Mars/Base',
      tax_rate: 100.01,
      billing_address: { line1: 1, street: 'x' },
      payment_provider: 'paypal',
      metadata: { a: 1 },
      hue: 'red',
    });
    expect(answer.status).toBe(422);
    expect(Object.keys(answer.body).sort()).toEqual([
      'billing_address.line1',
      'billing_address.street',
      'customer_id',
      'default_currency_code',
      'email',
      'hue',
      'metadata.a',
      'payment_provider',
      'tax_rate',
      'timezone',
    ]);
    for (const messages of Object.values(answer.body)) expect(messages).toEqual([expect.any(String)]);
    expect(answer.body.customer_id).toEqual(['Required.']);
    expect(answer.body.hue).toEqual(['Unknown field.']);
  });

  test.each(['', '.', '..', 'x'.repeat(257), 'a\nb', 'a\u0085b', 7, null, ['a']])(
    'customer_id %j is 422',
    async (customer_id) => {
      const answer = await account.api.post('/api/customers/', { customer_id, email: 'a@b.example' });
      expect(answer.status).toBe(422);
      expect(Object.keys(answer.body)).toEqual(['customer_id']);
    },
  );

  test.each([-0.01, 101, 'x', true, '1e', ''])('tax_rate %j is 422', async (tax_rate) => {
    const answer = await account.api.post('/api/customers/', { customer_id: 'taxed', email: 'a@b.example', tax_rate });
    expect(answer.status).toBe(422);
    expect(Object.keys(answer.body)).toEqual(['tax_rate']);
  });

  test('lone surrogates are 422', async () => {
    const answer = await account.api.post(
      '/api/customers/',
      '{"customer_id": "a", "email": "a@b.example", "customer_name": "\\ud800"}',
    );
    expect(answer.status).toBe(422);
    expect(Object.keys(answer.body)).toEqual(['customer_name']);
  });

  test('metadata: at most 50 keys of at most 500 characters', async () => {
    const many = Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, 'v']));
    for (const metadata of [many, { a: 'x'.repeat(501) }, [], 'x']) {
      const answer = await account.api.post('/api/customers/', { customer_id: 'meta', email: 'a@b.example', metadata });
      expect(answer.status).toBe(422);
    }
    const fits = { ...many, k50: undefined, k0: 'x'.repeat(500) };
    expect((await makeCustomer(account.api, { metadata: fits })).metadata).toEqual(JSON.parse(JSON.stringify(fits)));
  });

  test('a test clock that does not exist is 404', async () => {
    const answer = await account.api.post('/api/customers/', {
      customer_id: 'c',
      email: 'a@b.example',
      test_clock_id: 'clock_x',
    });
    expect(answer.status).toBe(404);
  });
});

describe('list', () => {
  test('newest first, page by page, with absolute links', async () => {
    const { api } = await newAccount();
    for (const customer_id of ['one', 'two', 'three']) await makeCustomer(api, { customer_id });
    const first = await api.get('/api/customers/?page_size=2');
    expect(first.body).toMatchObject({
      count: 3,
      previous: null,
      results: [{ customer_id: 'three' }, { customer_id: 'two' }],
    });
    const next = new URL(String(first.body.next));
    expect([next.pathname, next.searchParams.get('page')]).toEqual(['/api/customers/', '2']);
    expect(next.searchParams.get('after')).toBeTruthy();
    const second = await api.get(next.href);
    expect(second.body).toMatchObject({ count: 3, next: null, results: [{ customer_id: 'one' }] });
    expect((await api.get(String(second.body.previous))).body.results).toEqual(first.body.results);
    expect((await api.get('/api/customers/?page_size=2&page=3')).status).toBe(404);
  });
});

describe('Idempotency-Key', () => {
  const body = { customer_id: 'idem', email: 'a@b.example' };
  const key = { 'Idempotency-Key': 'k-1' };

  test('the same call gives the first answer, another body is 422', async () => {
    const first = await account.api.post('/api/customers/', body, key);
    const again = await account.api.post('/api/customers/', body, key);
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.text).toBe(first.text);
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect((await account.api.post('/api/customers/', { ...body, email: 'c@d.example' }, key)).status).toBe(422);
    expect((await account.api.post('/api/customers/', body)).status).toBe(409);
  });
});
