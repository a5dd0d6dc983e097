import { beforeEach, describe, expect, test } from 'vitest';
import { inTransaction } from '../../sql/postgres/postgres.ts';
import { apiWithScopes, newAccount, type TestAccount, withPostgres } from '../stack/accounts.ts';
import { itemsOf } from '../stack/api.ts';
import { whileAdvancing } from '../stack/billed-customer.ts';
import {
  advance,
  clockAtRest,
  eventually,
  invoicesOf,
  makeClock,
  makeCustomer,
  makePlan,
  subscribe,
} from '../stack/clocks.ts';

const FROZEN = '2026-03-01T00:00:00.000Z';
const LATER = '2026-03-02T00:00:00.000Z';

let account: TestAccount;

beforeEach(async () => {
  account = await newAccount();
});

describe('create, retrieve, list', () => {
  test('a clock is ready and stands still', async () => {
    const made = await account.api.post('/api/test-clocks', {
      frozen_time: '2026-03-01T01:00:00+01:00',
      name: 'spring',
    });
    expect(made.status).toBe(201);
    const clock = { name: 'spring', frozen_time: FROZEN, status: 'ready', test_clock_id: made.body.test_clock_id };
    expect(made.body).toEqual(clock);
    expect(made.body.test_clock_id).toMatch(/^clock_/);
    expect((await account.api.get(`/api/test-clocks/${made.body.test_clock_id}`)).body).toEqual(clock);
  });

  test('an account may have 500, and another one after one was deleted', async () => {
    const { accountId, api } = await newAccount();
    await withPostgres((postgres) =>
      inTransaction(postgres, accountId, (tx) =>
        tx.query(
          `INSERT INTO test_clocks (account_id, test_clock_id, frozen_time, status, created_at)
           SELECT $1, 'clock_' || n, now(), 'ready', now() FROM generate_series(1, 499) n`,
          [accountId],
        ),
      ),
    );
    const made = await Promise.all([1, 2, 3].map(() => api.post('/api/test-clocks', { frozen_time: FROZEN })));
    expect(made.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    const refused = made.find(({ status }) => status === 409);
    expect(refused?.body).toMatchObject({ code: 'too_many_test_clocks' });
    expect((await api.delete('/api/test-clocks/clock_7')).status).toBe(204);
    expect((await api.post('/api/test-clocks', { frozen_time: FROZEN })).status).toBe(201);
  });

  test('lists newest first, the name being null where there is none', async () => {
    const { api } = await newAccount();
    const first = await makeClock(api, FROZEN);
    const second = await makeClock(api, LATER);
    const page = await api.get('/api/test-clocks');
    expect(page.body).toMatchObject({ count: 2, next: null, previous: null });
    const results = itemsOf(page.body.results);
    expect(results.map((clock) => clock.test_clock_id)).toEqual([second, first]);
    expect(results[0]?.name).toBeNull();
  });

  test.each([
    [{}, { frozen_time: ['Required.'] }],
    [{ frozen_time: '2026-03-01T00:00:00' }, { frozen_time: [expect.stringContaining('ISO 8601')] }],
    [{ frozen_time: '9500-01-01T00:00:00Z' }, { frozen_time: ['Must be before the year 9000.'] }],
    [
      { frozen_time: 5, name: 7, speed: 1 },
      { frozen_time: ['Must be a string.'], name: ['Must be a string.'], speed: ['Unknown field.'] },
    ],
  ])('%j is refused, naming every bad field', async (body, fields) => {
    const refused = await account.api.post('/api/test-clocks', body);
    expect(refused.status).toBe(422);
    expect(refused.body).toEqual(fields);
  });
});

describe('advance', () => {
  test('answers advancing at once, then the clock stands at its goal', async () => {
    const clock = await makeClock(account.api, FROZEN);
    expect(await advance(account.api, clock, LATER)).toMatchObject({ status: 'ready', frozen_time: LATER });
  });

  test.each([FROZEN, '2026-02-28T23:59:59.999Z'])('to %s is not forward: 422', async (to) => {
    const clock = await makeClock(account.api, FROZEN);
    const refused = await account.api.post(`/api/test-clocks/${clock}/advance`, { frozen_time: to });
    expect(refused.status).toBe(422);
    expect(refused.body).toEqual({ frozen_time: ["Must be after the clock's frozen_time."] });
  });

  test('by more than ten years in one call is 422, by ten years it is not', async () => {
    const clock = await makeClock(account.api, FROZEN);
    const refused = await account.api.post(`/api/test-clocks/${clock}/advance`, {
      frozen_time: '2036-03-01T00:00:00.001Z',
    });
    expect(refused.status).toBe(422);
    expect(refused.body).toEqual({
      frozen_time: ["Must be at most 10 years after the clock's frozen_time. Advance in several calls."],
    });
    const goal = '2036-03-01T00:00:00.000Z';
    expect(await advance(account.api, clock, goal)).toMatchObject({ status: 'ready', frozen_time: goal });
  });

  test('while it advances, advancing it and changing its customers are 409', async () => {
    const { api } = account;
    const clock = await makeClock(api, FROZEN);
    const customer = await makeCustomer(api, 'busy', { test_clock_id: clock });
    const plan_id = await makePlan(api);
    const during = await whileAdvancing(account, clock, async () => [
      await api.post(`/api/test-clocks/${clock}/advance`, { frozen_time: '2026-06-01T00:00:00Z' }),
      await api.post('/api/subscriptions', { customer_id: customer, plan_id }),
      await api.post('/api/credits', { customer_id: customer, amount: 5 }),
      await api.post('/api/customers/', { customer_id: 'late', email: 'a@b.test', test_clock_id: clock }),
    ]);
    expect(during.map((answer) => answer.status)).toEqual([409, 409, 409, 409]);
    for (const answer of during) expect(answer.body.detail).toContain('advancing');
    expect((await api.post('/api/subscriptions', { customer_id: customer, plan_id })).status).toBe(201);
  });
});

describe('delete', () => {
  test('stops a clock that advances, after the step under way; a second one is refused as before', async () => {
    const { api } = account;
    const clock = await makeClock(api, FROZEN);
    const customer_id = await makeCustomer(api, 'daily', { test_clock_id: clock });
    await subscribe(api, { customer_id, plan_id: await makePlan(api, { billing_period: 'monthly' }) });
    const begun = await api.post(`/api/test-clocks/${clock}/advance`, { frozen_time: '2036-01-01T00:00:00Z' });
    expect(begun.status).toBe(200);
    await eventually(
      () => api.get(`/api/test-clocks/${clock}`),
      ({ body }) => String(body.frozen_time) > FROZEN,
    );
    const stopped = await api.delete(`/api/test-clocks/${clock}`);
    expect(stopped.status).toBe(202);
    expect(stopped.body).toMatchObject({ test_clock_id: clock, status: 'advancing' });
    const { status, frozen_time } = await clockAtRest(api, clock);
    expect([status, String(frozen_time) < '2036']).toEqual(['ready', true]);
    const bills = (await invoicesOf(api, `customer_id=${customer_id}`)).length;
    expect(bills).toBeLessThan(100);
    const entries = await api.get(`/api/audit-log?resource_id=${clock}`);
    expect(itemsOf(entries.body.results).map(({ action }) => action)).toEqual([
      'test_clock.stopped',
      'test_clock.advanced',
      'test_clock.created',
    ]);
    const next = new Date(Date.parse(String(frozen_time)) + 40 * 86_400_000).toISOString();
    expect(await advance(api, clock, next)).toMatchObject({ status: 'ready', frozen_time: next });
    const more = (await invoicesOf(api, `customer_id=${customer_id}`)).length - bills;
    // What the step under way has left, and the one or two months that end within forty days.
    expect(more).toBeGreaterThanOrEqual(1);
    expect(more).toBeLessThanOrEqual(3);
    expect((await api.delete(`/api/test-clocks/${clock}`)).body.detail).toContain('live subscription');
  });

  test('of a clock that is being stopped is 409', async () => {
    const clock = await makeClock(account.api, FROZEN);
    const during = await whileAdvancing(account, clock, async () => [
      await account.api.delete(`/api/test-clocks/${clock}`),
      await account.api.delete(`/api/test-clocks/${clock}`),
    ]);
    expect(during.map(({ status }) => status)).toEqual([202, 409]);
    expect(during[1]?.body.detail).toContain('stops after the step under way');
    expect((await account.api.delete(`/api/test-clocks/${clock}`)).status).toBe(204);
  });

  test('refused with a live subscription; else its customers stay, and do not change any more', async () => {
    const { api } = account;
    const clock = await makeClock(api, FROZEN);
    const customer_id = await makeCustomer(api, 'short-lived', { test_clock_id: clock });
    const plan_id = await makePlan(api);
    await subscribe(api, { customer_id, plan_id, auto_renew: false });
    const refused = await api.delete(`/api/test-clocks/${clock}`);
    expect(refused.status).toBe(409);
    expect(refused.body.detail).toContain('live subscription');

    await advance(api, clock, '2026-04-01T00:00:00Z');
    expect((await api.delete(`/api/test-clocks/${clock}`)).status).toBe(204);
    expect((await api.get(`/api/test-clocks/${clock}`)).status).toBe(404);
    expect((await api.delete(`/api/test-clocks/${clock}`)).status).toBe(404);
    expect(await invoicesOf(api, `customer_id=${customer_id}`)).toHaveLength(1);
    const change = await api.post('/api/subscriptions', { customer_id, plan_id });
    expect(change.status).toBe(409);
    expect(change.body.detail).toContain('deleted');
    expect(
      (await api.post('/api/customers/', { customer_id: 'x', email: 'a@b.test', test_clock_id: clock })).status,
    ).toBe(404);
  });
});

describe('who may', () => {
  const calls = (id: string) =>
    [
      ['post', '/api/test-clocks', { frozen_time: 'nonsense' }],
      ['get', '/api/test-clocks', undefined],
      ['get', `/api/test-clocks/${id}`, undefined],
      ['post', `/api/test-clocks/${id}/advance`, { frozen_time: 'nonsense' }],
      ['delete', `/api/test-clocks/${id}`, undefined],
    ] as const;

  test('an account in live mode gets 403, whatever it sends', async () => {
    const live = await newAccount({ mode: 'live' });
    for (const [method, path, body] of calls('clock_1')) expect((await live.api[method](path, body)).status).toBe(403);
  });

  test('a key without the scope gets 403', async () => {
    const reader = await apiWithScopes(account, ['read']);
    expect((await reader.post('/api/test-clocks', { frozen_time: FROZEN })).status).toBe(403);
  });

  test("another account's clock does not exist", async () => {
    const clock = await makeClock(account.api, FROZEN);
    const other = await newAccount();
    expect((await other.api.get(`/api/test-clocks/${clock}`)).status).toBe(404);
    expect((await other.api.post(`/api/test-clocks/${clock}/advance`, { frozen_time: LATER })).status).toBe(404);
    expect((await other.api.delete(`/api/test-clocks/${clock}`)).status).toBe(404);
    expect(
      (await other.api.post('/api/customers/', { customer_id: 'c', email: 'a@b.test', test_clock_id: clock })).status,
    ).toBe(404);
  });
});
