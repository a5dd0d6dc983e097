import { beforeAll, describe, expect, test } from 'vitest';
import { apiWithScopes, newAccount, type TestAccount } from '../../stack/accounts.ts';
import { invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { advance } from '../../workflows/in-process-clock.ts';

let account: TestAccount;
beforeAll(async () => {
  account = await newAccount({ currency: 'eur' });
});

test('the record, with its defaults', async () => {
  const { status, body } = await account.api.get('/api/account');
  expect([status, body]).toEqual([
    200,
    {
      account_id: account.accountId,
      name: 'Test',
      mode: 'test',
      default_currency: 'eur',
      net_terms_days: 0,
      invoice_grace_seconds: 0,
      rate_limit: null,
      payment_retry_days: [1, 3, 5, 7],
      late_usage: 'next_invoice',
    },
  ]);
});

test('every setting can be changed, one or all; what is not named stays', async () => {
  const { api } = await newAccount();
  const settings = {
    name: 'Renamed',
    default_currency: 'jpy',
    net_terms_days: 30,
    invoice_grace_seconds: 3600,
    rate_limit: 1000,
    payment_retry_days: [2, 10],
    late_usage: 'ignore',
  };
  const before = (await api.get('/api/account')).body;
  expect((await api.patch('/api/account', settings)).body).toEqual({ ...before, ...settings });
  const after = await api.patch('/api/account', { rate_limit: null, payment_retry_days: [] });
  expect(after.body).toEqual({ ...before, ...settings, rate_limit: null, payment_retry_days: [] });
  expect((await api.get('/api/account')).body).toEqual(after.body);
  expect((await api.patch('/api/account', {})).body).toEqual(after.body);
});

test('read needs read, change needs admin', async () => {
  const [reader, admin] = [await apiWithScopes(account, ['read']), await apiWithScopes(account, ['admin'])];
  expect((await reader.get('/api/account')).status).toBe(200);
  expect((await reader.patch('/api/account', {})).status).toBe(403);
  expect((await admin.get('/api/account')).status).toBe(403);
  expect((await admin.patch('/api/account', {})).status).toBe(200);
});

test.each([
  [{ net_terms_days: -1 }, 'net_terms_days'],
  [{ net_terms_days: 1.5 }, 'net_terms_days'],
  [{ net_terms_days: null }, 'net_terms_days'],
  [{ invoice_grace_seconds: -1 }, 'invoice_grace_seconds'],
  [{ rate_limit: 0 }, 'rate_limit'],
  [{ rate_limit: 1.5 }, 'rate_limit'],
  [{ payment_retry_days: [3, 1] }, 'payment_retry_days'],
  [{ payment_retry_days: [0] }, 'payment_retry_days.0'],
  [{ late_usage: 'never' }, 'late_usage'],
  [{ default_currency: 'nope' }, 'default_currency'],
  [{ name: ' ' }, 'name'],
  [{ mode: 'live' }, 'mode'],
  [{ account_id: 'acct_1' }, 'account_id'],
])('%j is 422', async (body, field) => {
  const answer = await account.api.patch('/api/account', body);
  expect([answer.status, Object.keys(answer.body)]).toEqual([422, [field]]);
});

describe('settings are followed', () => {
  test('net terms and grace, also by what a clock has planned already', async () => {
    const { api } = await newAccount();
    const clock = await makeClock(api, '2026-03-01T00:00:00Z');
    const customer_id = await makeCustomer(api, 'graceful', { test_clock_id: clock });
    await subscribe(api, { customer_id, plan_id: await makePlan(api) });
    await api.patch('/api/account', { invoice_grace_seconds: 86_400, net_terms_days: 14 });
    await advance(api, clock, '2026-03-31T23:59:59Z');
    expect(await invoicesOf(api, '')).toEqual([]);
    await advance(api, clock, '2026-04-01T00:00:00Z');
    expect(await invoicesOf(api, '')).toMatchObject([{ issue_date: '2026-04-01', due_date: '2026-04-15' }]);
    await api.patch('/api/account', { invoice_grace_seconds: 0 });
    await advance(api, clock, '2026-04-30T00:00:00Z');
    expect(await invoicesOf(api, '')).toMatchObject([{}, { created_at: '2026-04-30T00:00:00.000Z' }]);
  });

  test('the currency is that of new customers and plans', async () => {
    const { api } = await newAccount();
    await makeCustomer(api, 'dollars');
    await api.patch('/api/account', { default_currency: 'KWD' });
    await makeCustomer(api, 'dinars');
    const codes = ['dollars', 'dinars'].map(
      async (id) => (await api.get(`/api/customers/${id}/`)).body.default_currency,
    );
    expect(await Promise.all(codes)).toMatchObject([{ code: 'USD' }, { code: 'KWD' }]);
  });
});
