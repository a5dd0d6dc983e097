import { beforeEach, describe, expect, test } from 'vitest';
import { newAccount, type TestAccount, withPostgres } from '../../stack/accounts.ts';
import { itemsOf } from '../../stack/api.ts';
import { makeCustomer } from '../../stack/resources.ts';

let account: TestAccount;

beforeEach(async () => {
  account = await newAccount();
  await makeCustomer(account.api, { customer_id: 'acme' });
});

describe('create and retrieve', () => {
  test('the complete record with its defaults', async () => {
    const made = await account.api.post('/api/credits', { customer_id: 'acme', amount: '12.30' });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      credit_id: expect.stringMatching(/^credit_[0-9a-z]{26}$/),
      customer_id: 'acme',
      amount: 12.3,
      amount_remaining: 12.3,
      currency: { code: 'USD', name: 'US Dollar', symbol: '$' },
      reason: 'service_credit',
      description: null,
      status: 'active',
      expires_at: null,
      voided_at: null,
      created_at: expect.stringMatching(/Z$/),
      applications: [],
    });
    expect(made.exact.amount).toBe('12.3');
    expect((await account.api.get(`/api/credits/${made.body.credit_id}`)).text).toBe(made.text);
  });

  test('every field', async () => {
    const fields = { reason: 'promotional_credit', description: 'Spring', expires_at: '2999-12-31' };
    const made = await account.api.post('/api/credits', { customer_id: 'acme', amount: 5, ...fields });
    expect(made.body).toMatchObject(fields);
    expect((await account.api.get(`/api/credits/${made.body.credit_id}`)).body).toEqual(made.body);
  });

  test('it is posted to the ledger and announced, in the same transaction', async () => {
    const made = await account.api.post('/api/credits', { customer_id: 'acme', amount: 7.5 });
    const id = made.body.credit_id;
    await withPostgres(async (postgres) => {
      const entries = await postgres.query(
        `SELECT t.kind, e.ledger_account, e.amount FROM ledger_transactions t
         JOIN ledger_entries e USING (account_id, ledger_transaction_id) WHERE t.credit_id = $1 ORDER BY e.ordinal`,
        [id],
      );
      expect(entries.rows).toEqual([
        { kind: 'credit_granted', ledger_account: 'credit_grants', amount: '7.5' },
        { kind: 'credit_granted', ledger_account: 'customer_credits', amount: '-7.5' },
      ]);
      const events = await postgres.query('SELECT type, data::text FROM outbox_events WHERE subject = $1', [
        `credit/${id}`,
      ]);
      expect(events.rows).toEqual([{ type: 'credit.created', data: made.text }]);
    });
  });

  test('a repeat with the same Idempotency-Key gives no second credit', async () => {
    const { api } = await newAccount();
    await makeCustomer(api, { customer_id: 'acme' });
    const call = () => api.post('/api/credits', { customer_id: 'acme', amount: 1 }, { 'Idempotency-Key': 'once' });
    const answers = [await call(), await call()];
    expect(answers.map((answer) => answer.text)).toEqual([answers[0]?.text, answers[0]?.text]);
    expect((await api.get('/api/credits')).body.count).toBe(1);
  });
});

describe('refusals', () => {
  test('every bad field at once', async () => {
    const answer = await account.api.post('/api/credits', {
      amount: 0,
      reason: 'bribe',
      expires_at: '2026-02-30',
      hue: 1,
    });
    expect(answer.status).toBe(422);
    expect(Object.keys(answer.body).sort()).toEqual(['amount', 'customer_id', 'expires_at', 'hue', 'reason']);
  });

  test("more decimals than the customer's currency, and an expiry in the past", async () => {
    const answer = await account.api.post('/api/credits', {
      customer_id: 'acme',
      amount: 1.001,
      expires_at: '2020-01-01',
    });
    expect(answer.status).toBe(422);
    expect(Object.keys(answer.body).sort()).toEqual(['amount', 'expires_at']);
    await makeCustomer(account.api, { customer_id: 'kuwait', default_currency_code: 'KWD' });
    const fits = await account.api.post('/api/credits', { customer_id: 'kuwait', amount: 1.001 });
    expect(fits.body).toMatchObject({ amount: 1.001, currency: { code: 'KWD' } });
    await makeCustomer(account.api, { customer_id: 'tokyo', default_currency_code: 'JPY' });
    expect((await account.api.post('/api/credits', { customer_id: 'tokyo', amount: 0.5 })).status).toBe(422);
  });

  test('an unknown customer is 404', async () => {
    const answer = await account.api.post('/api/credits', { customer_id: 'nobody', amount: 1.001 });
    expect(answer.status).toBe(404);
    expect(answer.body.detail).toContain('nobody');
    const other = await newAccount();
    expect((await other.api.post('/api/credits', { customer_id: 'acme', amount: 1 })).status).toBe(404);
  });
});

describe('on a test clock', () => {
  test('today is the local date of the clock', async () => {
    const clock = await account.api.post('/api/test-clocks', { frozen_time: '2030-05-01T02:00:00Z' });
    const { test_clock_id } = clock.body;
    await makeCustomer(account.api, { customer_id: 'clocked', test_clock_id, timezone: 'America/New_York' });
    const give = (expires_at: string) =>
      account.api.post('/api/credits', { customer_id: 'clocked', amount: 1, expires_at });
    expect((await give('2030-04-29')).status).toBe(422);
    const today = await give('2030-04-30');
    expect(today.body).toMatchObject({ status: 'active', created_at: '2030-05-01T02:00:00.000Z' });
  });
});

describe('list', () => {
  test('a status finds the credits that show it, in every time zone and on test clocks', async () => {
    const { api, accountId } = await newAccount();
    const clockIds = await Promise.all(
      ['2020-06-01T00:00:00Z', '2040-06-01T00:00:00Z'].map(async (frozen_time) => {
        const { body } = await api.post('/api/test-clocks', { frozen_time });
        return body.test_clock_id;
      }),
    );
    const zones = ['Pacific/Kiritimati', 'UTC', 'Etc/GMT+12'];
    for (const timezone of zones) await makeCustomer(api, { customer_id: timezone, timezone });
    for (const test_clock_id of clockIds) {
      await makeCustomer(api, { customer_id: String(test_clock_id), test_clock_id });
    }
    const days = ['-800', '-2', '-1', '+0', '+1', '+2', '+800', 'null'];
    for (const customer_id of [...zones, ...clockIds]) {
      for (const description of days) await api.post('/api/credits', { customer_id, amount: 1, description });
    }
    await withPostgres((postgres) =>
      postgres.query(
        "UPDATE credits SET expires_at = current_date + nullif(description, 'null')::integer WHERE account_id = $1",
        [accountId],
      ),
    );
    const list = async (query: string) => itemsOf((await api.get(`/api/credits?page_size=200${query}`)).body.results);
    const shown = await list('');
    expect(new Set(shown.map(({ status }) => String(status)))).toEqual(new Set(['active', 'expired']));
    for (const status of ['active', 'expired']) {
      expect(await list(`&status=${status}`)).toEqual(shown.filter((credit) => String(credit.status) === status));
    }
  });

  test('newest first, by customer and by status', async () => {
    const { api, accountId } = await newAccount();
    for (const customer_id of ['a', 'b']) await makeCustomer(api, { customer_id });
    const give = async (customer_id: string) =>
      (await api.post('/api/credits', { customer_id, amount: 1 })).body.credit_id;
    const [first, second, third] = [await give('a'), await give('a'), await give('b')];
    const idsOf = async (query: string) => {
      const answer = await api.get(`/api/credits${query}`);
      return itemsOf(answer.body.results).map(({ credit_id }) => credit_id);
    };
    expect(await idsOf('')).toEqual([third, second, first]);
    expect(await idsOf('?customer_id=a')).toEqual([second, first]);
    expect(await idsOf('?customer_id=nobody')).toEqual([]);
    expect(await idsOf('?status=active')).toHaveLength(3);
    // No operation consumes, voids or dates back a credit yet: the records are changed by hand.
    await withPostgres(async (postgres) => {
      const where = 'account_id = $1 AND credit_id = $2';
      await postgres.query(`UPDATE credits SET amount_remaining = 0 WHERE ${where}`, [accountId, first]);
      await postgres.query(`UPDATE credits SET expires_at = '2020-01-01' WHERE ${where}`, [accountId, second]);
      await postgres.query(`UPDATE credits SET voided_at = now(), amount_remaining = 0 WHERE ${where}`, [
        accountId,
        third,
      ]);
    });
    expect(await idsOf('?status=consumed')).toEqual([first]);
    expect(await idsOf('?status=expired')).toEqual([second]);
    expect(await idsOf('?status=voided&customer_id=b')).toEqual([third]);
    expect(await idsOf('?status=active')).toEqual([]);
    const statuses = itemsOf((await api.get('/api/credits')).body.results);
    expect(statuses.map((credit) => credit.status)).toEqual(['voided', 'expired', 'consumed']);
  });

  test('an unknown status is 422', async () => {
    const answer = await account.api.get('/api/credits?status=spent');
    expect(answer.status).toBe(422);
    expect(Object.keys(answer.body)).toEqual(['status']);
  });
});
