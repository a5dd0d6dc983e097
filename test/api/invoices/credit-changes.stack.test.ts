import { describe, expect, test } from 'vitest';
import { newAccount, type TestAccount } from '../../stack/accounts.ts';
import { itemsOf, type Json } from '../../stack/api.ts';
import { balanceOf, ledgerOf, makeBilledCustomer, whileAdvancing } from '../../stack/billed-customer.ts';
import { invoicesOf, makeClock, makeCustomer } from '../../stack/clocks.ts';
import { advance } from '../../workflows/in-process-clock.ts';

/** 22:30 of the 20th in Berlin, still the 20th in UTC. */
const NOW = '2026-11-20T21:30:00.000Z';

type Given = TestAccount & { clockId: string; creditId: string; credit: Json };

/** An account with a customer in Berlin on a clock, and a credit of 30 of that customer. */
async function givenCredit(fields: object = {}): Promise<Given> {
  const account = await newAccount();
  const clockId = await makeClock(account.api, NOW);
  await makeCustomer(account.api, 'acme', { test_clock_id: clockId, timezone: 'Europe/Berlin' });
  const made = await account.api.post('/api/credits', { customer_id: 'acme', amount: 30, ...fields });
  expect(made.status).toBe(201);
  return { ...account, clockId, creditId: String(made.body.credit_id), credit: made.exact };
}

test("what is left of all active credits, by currency, by the customer's calendar", async () => {
  const { api, clockId } = await givenCredit({ expires_at: '2026-11-20' });
  const balance = async () => (await api.get('/api/customers/acme/credit_balance')).exact;
  const currency = { code: 'USD', name: 'US Dollar', symbol: '$' };
  expect(await balance()).toEqual({
    customer_id: 'acme',
    balances: [{ currency, amount_remaining: '30', credits: '1' }],
  });
  for (const amount of ['0.1', '0.2', '12345678901234567890.12']) {
    expect((await api.post('/api/credits', { customer_id: 'acme', amount })).status).toBe(201);
  }
  const voided = await api.post('/api/credits', { customer_id: 'acme', amount: 7 });
  await api.post(`/api/credits/${voided.body.credit_id}/void`);
  // Past midnight in Berlin the first has expired.
  await advance(api, clockId, '2026-11-20T23:00:00.000Z');
  expect((await balance()).balances).toEqual([{ currency, amount_remaining: '12345678901234567890.42', credits: '3' }]);
  await makeCustomer(api, 'other');
  expect((await api.get('/api/customers/other/credit_balance')).body).toEqual({ customer_id: 'other', balances: [] });
  expect((await api.get('/api/customers/nobody/credit_balance')).status).toBe(404);
});

describe('update', () => {
  // "Update takes `expires_at` (null: never) and `description`" (spec/credits#credits)
  test('expiry and description, each alone or both; what is left out stays', async () => {
    const { api, creditId, credit } = await givenCredit({ description: 'old' });
    const update = (body: object) => api.post(`/api/credits/${creditId}/update`, body);
    const first = await update({ expires_at: '2026-11-20' });
    expect(first.status).toBe(200);
    expect(first.exact).toEqual({ ...credit, expires_at: '2026-11-20' });
    expect((await update({ description: 'new' })).exact).toEqual({
      ...credit,
      expires_at: '2026-11-20',
      description: 'new',
    });
    expect((await update({ expires_at: null, description: null })).exact).toEqual({ ...credit, description: null });
    const nothing = await update({});
    expect(nothing.exact).toEqual({ ...credit, description: null });
    expect((await api.get(`/api/credits/${creditId}`)).text).toBe(nothing.text);
  });

  test('an expiry before today of the customer, and other bad fields', async () => {
    const { api, creditId, credit } = await givenCredit();
    const past = await api.post(`/api/credits/${creditId}/update`, { expires_at: '2026-11-19' });
    expect(past.status).toBe(422);
    expect(past.body).toEqual({ expires_at: ['Must not be in the past; today is 2026-11-20.'] });
    const bad = await api.post(`/api/credits/${creditId}/update`, { expires_at: 'soon', description: 1, amount: 5 });
    expect(bad.status).toBe(422);
    expect(Object.keys(bad.body).sort()).toEqual(['amount', 'description', 'expires_at']);
    expect((await api.get(`/api/credits/${creditId}`)).exact).toEqual(credit);
  });

  test('the new expiry decides whether the next invoice uses it', async () => {
    const { api } = await newAccount();
    const ids: unknown[] = [];
    const { invoices } = await makeBilledCustomer(api, {
      before: async () => {
        for (const [amount, expires_at] of [
          [10, '2026-03-05'],
          [20, null],
        ]) {
          const made = await api.post('/api/credits', { customer_id: 'acme', amount, expires_at });
          ids.push(made.body.credit_id);
        }
        await api.post(`/api/credits/${ids[0]}/update`, { expires_at: '2026-04-01' });
        await api.post(`/api/credits/${ids[1]}/update`, { expires_at: '2026-03-31' });
      },
    });
    expect(invoices[0]).toMatchObject({ credits_applied: '10', amount_due: '90' });
    expect((await api.get(`/api/credits/${ids[1]}`)).exact).toMatchObject({
      status: 'expired',
      amount_remaining: '20',
    });
  });
});

describe('void', () => {
  test('what is left is gone, the ledger says so', async () => {
    const { api, creditId, credit } = await givenCredit();
    const voided = await api.post(`/api/credits/${creditId}/void`);
    expect(voided.status).toBe(200);
    expect(voided.exact).toEqual({ ...credit, status: 'voided', amount_remaining: '0', voided_at: NOW });
    expect((await api.get(`/api/credits/${creditId}`)).text).toBe(voided.text);
    const ledger = await ledgerOf(api, 'acme');
    expect(ledger.map(({ kind }) => kind)).toEqual(['credit_granted', 'credit_voided']);
    expect(ledger[1]).toMatchObject({ at: NOW, credit_id: creditId, invoice_id: null, refund_id: null });
    expect([balanceOf(ledger, 'customer_credits'), balanceOf(ledger, 'credit_grants')]).toEqual(['0', '0']);
  });

  // "void keeps what was applied" (spec/credits#credits), "It is no longer applied to any future invoice" (interface)
  test('what was applied stays, and the next invoice gets nothing of it', async () => {
    const { api } = await newAccount();
    let creditId: unknown;
    const { invoices, clockId } = await makeBilledCustomer(api, {
      before: async () => {
        creditId = (await api.post('/api/credits', { customer_id: 'acme', amount: 130 })).body.credit_id;
      },
    });
    expect(invoices[0]).toMatchObject({ status: 'paid', credits_applied: '100' });
    const voided = await api.post(`/api/credits/${creditId}/void`);
    expect(voided.exact).toMatchObject({ status: 'voided', amount: '130', amount_remaining: '0' });
    expect(voided.exact.applications).toEqual([
      { invoice_id: invoices[0]?.invoice_id, amount: '100', applied_at: invoices[0]?.created_at },
    ]);
    await advance(api, clockId, '2026-05-01T00:00:00.000Z');
    const [first, second] = await invoicesOf(api, 'customer_id=acme');
    expect(first).toEqual(invoices[0]);
    expect(second).toMatchObject({ credits_applied: '0', amount_due: '100' });
  });
});

// "Update or void of one not active: 409"
test.each([
  ['voided', async ({ api, creditId }: Given) => void (await api.post(`/api/credits/${creditId}/void`))],
  ['expired', async ({ api, clockId }: Given) => void (await advance(api, clockId, '2026-11-20T23:00:00.000Z'))],
])('one that is %s is refused, naming that', async (status, make) => {
  const given = await givenCredit({ expires_at: '2026-11-20' });
  await make(given);
  const before = await given.api.get(`/api/credits/${given.creditId}`);
  expect(before.body.status).toBe(status);
  for (const [action, body] of [
    ['update', { expires_at: null }],
    ['void', {}],
  ] as const) {
    const refused = await given.api.post(`/api/credits/${given.creditId}/${action}`, body);
    expect(refused.status).toBe(409);
    expect(refused.body.detail).toContain(`The credit is ${status} and cannot be`);
  }
  expect((await given.api.get(`/api/credits/${given.creditId}`)).text).toBe(before.text);
});

test("unknown credits are 404, another account's too, also where the body is good", async () => {
  const { api, creditId, credit } = await givenCredit();
  const stranger = await newAccount();
  for (const [caller, id] of [
    [api, 'credit_none'],
    [stranger.api, creditId],
  ] as const) {
    expect((await caller.post(`/api/credits/${id}/update`, { expires_at: null })).status).toBe(404);
    expect((await caller.post(`/api/credits/${id}/void`)).status).toBe(404);
  }
  expect((await api.get(`/api/credits/${creditId}`)).exact).toEqual(credit);
});

test('while the clock of its customer advances, a credit does not change', async () => {
  const given = await givenCredit();
  const { api, creditId, clockId } = given;
  const answers = await whileAdvancing(given, clockId, async () => [
    await api.post(`/api/credits/${creditId}/update`, { expires_at: null }),
    await api.post(`/api/credits/${creditId}/void`),
  ]);
  for (const { status, body } of answers) {
    expect([status, body.detail]).toEqual([409, expect.stringContaining('is advancing')]);
  }
});

test("the list: by customer and by status, as of the customer's own time", async () => {
  const { api, clockId, creditId } = await givenCredit({ expires_at: '2026-11-20' });
  const lasting = (await api.post('/api/credits', { customer_id: 'acme', amount: 1 })).body.credit_id;
  const gone = (await api.post('/api/credits', { customer_id: 'acme', amount: 2 })).body.credit_id;
  await api.post(`/api/credits/${gone}/void`);
  const listed = async (query: string) => {
    const page = await api.get(`/api/credits?${query}`);
    return itemsOf(page.body.results).map(({ credit_id }) => credit_id);
  };
  expect(await listed('status=active')).toEqual([lasting, creditId]);
  // One hour on it is the 21st in Berlin, not yet in UTC.
  await advance(api, clockId, '2026-11-20T23:00:00.000Z');
  expect(await listed('status=active')).toEqual([lasting]);
  expect(await listed('status=expired')).toEqual([creditId]);
  expect(await listed('status=voided&customer_id=acme')).toEqual([gone]);
  expect(await listed('status=consumed')).toEqual([]);
  expect(await listed('customer_id=nobody')).toEqual([]);
});
