import { describe, expect, test } from 'vitest';
import { inTransaction } from '../../../sql/postgres/postgres.ts';
import { newAccount, type TestAccount, withPostgres } from '../../stack/accounts.ts';
import { type Answer, type Api, itemsOf, type Json } from '../../stack/api.ts';
import { balanceOf, eventsOf, ledgerOf, makeBilledCustomer, whileAdvancing } from '../../stack/billed-customer.ts';

/** The clock's time in all of these tests, a Wednesday. */
const NOW = '2026-04-01T00:00:00.000Z';

type Paid = TestAccount & { invoiceId: string; clockId: string };

/** An account with one invoice of 100, paid by hand. */
async function paidAccount(options: Parameters<typeof makeBilledCustomer>[1] = {}): Promise<Paid> {
  const account = await newAccount();
  const { invoices, clockId, now } = await makeBilledCustomer(account.api, options);
  expect(now).toBe(NOW);
  const invoiceId = String(invoices[0]?.invoice_id);
  const paid = await account.api.post(`/api/invoices/${invoiceId}/mark_paid`);
  expect(paid.status).toBe(200);
  return { ...account, invoiceId, clockId };
}

async function refund({ api, invoiceId }: Paid, fields: object = {}): Promise<Answer> {
  const made = await api.post('/api/refunds', { invoice_id: invoiceId, ...fields });
  expect(made.status, made.text).toBe(201);
  return made;
}

async function invoiceOf({ api, invoiceId }: Paid): Promise<Json> {
  return (await api.get(`/api/invoices/${invoiceId}`)).exact;
}

describe('store credit', () => {
  test('all that was paid becomes a credit at once', async () => {
    const account = await paidAccount();
    const made = await refund(account);
    expect(made.body).toEqual({
      refund_id: expect.stringMatching(/^refund_[0-9a-z]{26}$/),
      invoice_id: account.invoiceId,
      customer_id: 'acme',
      amount: 100,
      currency: { code: 'USD', name: 'US Dollar', symbol: '$' },
      method: 'store_credit',
      reason: null,
      description: null,
      status: 'succeeded',
      credit_id: expect.stringMatching(/^credit_/),
      processor_refund_id: null,
      expected_by: null,
      created_at: NOW,
      completed_at: NOW,
    });
    const { refund_id, credit_id } = made.body;
    expect((await account.api.get(`/api/refunds/${refund_id}`)).text).toBe(made.text);
    const credit = await account.api.get(`/api/credits/${credit_id}`);
    expect(credit.exact).toMatchObject({
      customer_id: 'acme',
      amount: '100',
      amount_remaining: '100',
      reason: 'overpayment_credit',
      status: 'active',
      expires_at: null,
      created_at: NOW,
    });
    expect(String(credit.body.description)).toBe('Refund of invoice INV-000001');
    expect(await invoiceOf(account)).toMatchObject({ status: 'paid', amount_paid: '100', amount_refunded: '100' });

    const events = await eventsOf(`refund/${refund_id}`);
    expect(events).toEqual([
      { type: 'refund.created', data: made.text },
      { type: 'refund.succeeded', data: made.text },
    ]);
    expect(await eventsOf(`credit/${credit_id}`)).toEqual([{ type: 'credit.created', data: credit.text }]);

    const posted = (await ledgerOf(account.api, 'acme')).at(-1);
    expect(posted).toMatchObject({ kind: 'refund_credited', at: NOW, invoice_id: account.invoiceId });
    expect(posted).toMatchObject({ refund_id, credit_id });
    expect(posted?.entries).toEqual([
      { ledger_account: 'refunds', amount: '100' },
      { ledger_account: 'customer_credits', amount: '-100' },
    ]);
  });

  test('a part of it, named by the number of its invoice, with words of the caller', async () => {
    const account = await paidAccount();
    const fields = { amount: '12.30', method: 'store_credit', reason: 'outage', description: 'Sorry' };
    const made = await account.api.post('/api/refunds', { invoice_id: 'INV-000001', ...fields });
    expect(made.exact).toMatchObject({ invoice_id: account.invoiceId, amount: '12.3', reason: 'outage' });
    const credit = await account.api.get(`/api/credits/${made.body.credit_id}`);
    expect(credit.exact).toMatchObject({ amount: '12.3', description: 'Sorry' });
    expect(await invoiceOf(account)).toMatchObject({ amount_refunded: '12.3' });
    expect((await refund(account)).exact.amount).toBe('87.7');
  });
});

describe('bank transfer', () => {
  test('waits until it is completed by hand', async () => {
    const account = await paidAccount();
    const made = await refund(account, { method: 'bank_transfer', amount: 40 });
    expect(made.exact).toMatchObject({
      method: 'bank_transfer',
      status: 'pending',
      credit_id: null,
      expected_by: '2026-04-06',
      completed_at: null,
    });
    expect(await invoiceOf(account)).toMatchObject({ amount_refunded: '0' });
    const id = made.body.refund_id;
    expect((await eventsOf(`refund/${id}`)).map(({ type }) => type)).toEqual(['refund.created']);
    const kinds = async () => (await ledgerOf(account.api, 'acme')).map(({ kind }) => kind);
    expect(await kinds()).toEqual(['invoice_issued', 'payment_received']);

    const done = await account.api.post(`/api/refunds/${id}/complete`);
    expect(done.status).toBe(200);
    expect(done.exact).toEqual({ ...made.exact, status: 'succeeded', completed_at: NOW });
    expect((await account.api.get(`/api/refunds/${id}`)).text).toBe(done.text);
    expect(await invoiceOf(account)).toMatchObject({ amount_refunded: '40' });
    expect((await eventsOf(`refund/${id}`)).at(-1)).toEqual({ type: 'refund.succeeded', data: done.text });
    expect(await kinds()).toEqual(['invoice_issued', 'payment_received', 'refund_paid']);
    expect(balanceOf(await ledgerOf(account.api, 'acme'), 'cash')).toBe('60');
    await expectFinal(account.api, String(id), 'succeeded');
  });

  test('canceled, its money can be refunded again', async () => {
    const account = await paidAccount();
    const made = await refund(account, { method: 'bank_transfer' });
    const full = await account.api.post('/api/refunds', { invoice_id: account.invoiceId });
    expect([full.status, full.body.detail]).toEqual([409, 'The invoice is paid and has nothing left to refund.']);
    const canceled = await account.api.post(`/api/refunds/${made.body.refund_id}/cancel`);
    expect(canceled.exact).toEqual({ ...made.exact, status: 'canceled' });
    await expectFinal(account.api, String(made.body.refund_id), 'canceled');
    expect((await refund(account)).exact).toMatchObject({ amount: '100', status: 'succeeded' });
    expect(await invoiceOf(account)).toMatchObject({ amount_refunded: '100' });
  });

  async function expectFinal(api: Api, id: string, status: string) {
    for (const action of ['complete', 'cancel']) {
      const refused = await api.post(`/api/refunds/${id}/${action}`);
      expect(refused.status).toBe(409);
      expect(refused.body.detail).toContain(`The refund is ${status} and cannot be`);
    }
  }
});

// "default original_payment where a processor took the money" (spec/credits#refunds); what a processor took is in the records only, until
// processors can be connected.
test('original payment: for what a processor took, pending for 10 business days, and not settled by hand', async () => {
  const account = await paidAccount();
  await withPostgres((postgres) =>
    postgres.query("UPDATE payments SET method = 'stripe' WHERE invoice_id = $1", [account.invoiceId]),
  );
  const made = await refund(account, { amount: 10 });
  expect(made.exact).toMatchObject({ method: 'original_payment', status: 'pending', expected_by: '2026-04-15' });
  for (const action of ['complete', 'cancel']) {
    const refused = await account.api.post(`/api/refunds/${made.body.refund_id}/${action}`);
    expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining('only bank transfers')]);
  }
  expect((await refund(account, { method: 'store_credit' })).exact).toMatchObject({ amount: '90' });
});

describe('refusals', () => {
  test('every bad field at once', async () => {
    const { api } = await newAccount();
    const answer = await api.post('/api/refunds', { amount: 0, method: 'cash', reason: 7, hue: 1 });
    expect(answer.status).toBe(422);
    expect(Object.keys(answer.body).sort()).toEqual(['amount', 'hue', 'invoice_id', 'method', 'reason']);
    expect(answer.body.method).toEqual(['Must be one of original_payment, bank_transfer, store_credit.']);
  });

  test('money finer than its currency', async () => {
    const account = await paidAccount();
    const answer = await account.api.post('/api/refunds', { invoice_id: account.invoiceId, amount: 0.001 });
    expect(answer.status).toBe(422);
    expect(answer.body).toEqual({ amount: ['Must have at most 2 decimals in USD.'] });
  });

  test('more than is left, and an original payment that no processor took', async () => {
    const account = await paidAccount();
    await refund(account, { amount: 30 });
    const { api, invoiceId: invoice_id } = account;
    const more = await api.post('/api/refunds', { invoice_id, amount: 70.01 });
    expect([more.status, more.body.detail]).toEqual([409, 'The invoice is paid and has 70 left to refund.']);
    const original = await api.post('/api/refunds', { invoice_id, method: 'original_payment' });
    expect([original.status, original.body.detail]).toEqual([409, expect.stringContaining('No payment processor')]);
    expect((await api.get('/api/refunds')).body.count).toBe(1);
    expect(await invoiceOf(account)).toMatchObject({ amount_refunded: '30' });
  });

  test('an invoice that is not paid, or that credits paid', async () => {
    const { api } = await newAccount();
    const { invoices } = await makeBilledCustomer(api, {
      periods: 2,
      before: async () => void (await api.post('/api/credits', { customer_id: 'acme', amount: 100 })),
    });
    expect(invoices.map(({ status }) => status)).toEqual(['paid', 'open']);
    for (const { invoice_id, status } of invoices) {
      const refused = await api.post('/api/refunds', { invoice_id });
      expect(refused.status).toBe(409);
      expect(refused.body.detail).toBe(`The invoice is ${status} and has nothing left to refund.`);
    }
  });

  test("unknown invoices and refunds, and another account's", async () => {
    const account = await paidAccount();
    const stranger = await newAccount();
    const made = await refund(account, { method: 'bank_transfer' });
    for (const [api, invoice_id, id] of [
      [account.api, 'inv_none', 'refund_none'],
      [stranger.api, account.invoiceId, String(made.body.refund_id)],
    ] as const) {
      expect((await api.post('/api/refunds', { invoice_id })).status).toBe(404);
      expect((await api.get(`/api/refunds/${id}`)).status).toBe(404);
      expect((await api.post(`/api/refunds/${id}/complete`)).status).toBe(404);
      expect((await api.post(`/api/refunds/${id}/cancel`)).status).toBe(404);
    }
    expect((await stranger.api.get('/api/refunds')).body.count).toBe(0);
    expect((await account.api.get(`/api/refunds/${made.body.refund_id}`)).text).toBe(made.text);
  });

  // spec/test-clocks#advance: "a change to one of its customers while advancing: 409"
  test('while the clock of its customer advances', async () => {
    const account = await paidAccount();
    const { api, invoiceId: invoice_id } = account;
    const made = await refund(account, { method: 'bank_transfer', amount: 1 });
    const answers = await whileAdvancing(account, account.clockId, async () => [
      await api.post('/api/refunds', { invoice_id }),
      await api.post(`/api/refunds/${made.body.refund_id}/complete`),
      await api.post(`/api/refunds/${made.body.refund_id}/cancel`),
    ]);
    for (const { status, body } of answers) {
      expect([status, body.detail]).toEqual([409, expect.stringContaining('is advancing')]);
    }
  });
});

test('a repeat with the same Idempotency-Key gives no second refund', async () => {
  const { api, invoiceId: invoice_id } = await paidAccount();
  const call = () => api.post('/api/refunds', { invoice_id, amount: 1 }, { 'Idempotency-Key': 'once' });
  const [first, second] = [await call(), await call()];
  expect([first.status, second.status, second.text]).toEqual([201, 201, first.text]);
  expect((await api.get('/api/refunds')).body.count).toBe(1);
});

test('the list: newest first, by customer, invoice and status', async () => {
  const account = await paidAccount();
  const { api, invoiceId } = account;
  const ids: Json[string][] = [];
  for (const method of ['store_credit', 'bank_transfer', 'bank_transfer']) {
    ids.push((await refund(account, { method, amount: 1 })).body.refund_id);
  }
  await api.post(`/api/refunds/${ids[1]}/cancel`);
  const listed = async (query: string) => {
    const page = await api.get(`/api/refunds?${query}`);
    expect(page.status).toBe(200);
    return itemsOf(page.body.results).map(({ refund_id }) => refund_id);
  };
  expect(await listed('')).toEqual(ids.toReversed());
  expect(await listed('status=canceled')).toEqual([ids[1]]);
  expect(await listed(`customer_id=acme&invoice_id=${invoiceId}&status=pending`)).toEqual([ids[2]]);
  expect(await listed('customer_id=nobody')).toEqual([]);
  expect(await listed('invoice_id=INV-404')).toEqual([]);
  expect((await api.get('/api/refunds?page_size=2')).body).toMatchObject({ count: 3, previous: null });
  const bad = await api.get('/api/refunds?status=lost');
  expect(bad.status).toBe(422);
  expect(bad.body.status).toEqual(['Must be one of pending, succeeded, failed, canceled.']);
});

describe('Postgres itself', () => {
  const change = ({ accountId }: Paid, sql: string, values: unknown[]) =>
    withPostgres((postgres) => inTransaction(postgres, accountId, (tx) => tx.query(sql, values)));
  const INSERT = `INSERT INTO refunds (account_id, refund_id, invoice_id, customer_id, amount, currency, method, status,
    completed_at, created_at) VALUES ($1, $2, $3, 'acme', $4, 'USD', 'bank_transfer', $5,
    CASE WHEN $5 = 'succeeded' THEN now() END, now())`;

  test('keeps refunds within what was paid, whoever writes them', async () => {
    const account = await paidAccount();
    const insert = (id: string, amount: number, status = 'pending') =>
      change(account, INSERT, [account.accountId, id, account.invoiceId, amount, status]);
    await insert('a', 60);
    await expect(insert('b', 40.01)).rejects.toThrow('invoices_refunds_within_paid');
    await insert('c', 500, 'failed');
    await insert('d', 40, 'succeeded');
    expect(await invoiceOf(account)).toMatchObject({ amount_refunded: '40' });
    const cancel = "UPDATE refunds SET status = 'canceled' WHERE account_id = $1 AND refund_id = 'a'";
    await change(account, cancel, [account.accountId]);
    await insert('e', 60);
    await expect(insert('f', 0.01)).rejects.toThrow('invoices_refunds_within_paid');
  });

  test('keeps them so also where 50 are written at once by who takes no lock', async () => {
    const account = await paidAccount();
    const outcomes = await withPostgres((postgres) =>
      Promise.allSettled(
        Array.from({ length: 50 }, (_, i) =>
          inTransaction(postgres, account.accountId, (tx) =>
            tx.query(INSERT, [
              account.accountId,
              `r${i}`,
              account.invoiceId,
              15,
              i % 2 === 0 ? 'pending' : 'succeeded',
            ]),
          ),
        ),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(6);
  });

  test('lets only a pending refund change, and never its money', async () => {
    const account = await paidAccount();
    const id = (await refund(account, { method: 'bank_transfer', amount: 10 })).body.refund_id;
    for (const set of ['amount = 9', "invoice_id = 'inv_1'"]) {
      await expect(change(account, `UPDATE refunds SET ${set} WHERE refund_id = $1`, [id])).rejects.toThrow();
    }
    await expect(change(account, 'DELETE FROM refunds WHERE refund_id = $1', [id])).rejects.toThrow('cannot change');
    await account.api.post(`/api/refunds/${id}/cancel`);
    const revive = "UPDATE refunds SET status = 'pending' WHERE refund_id = $1";
    await expect(change(account, revive, [id])).rejects.toThrow('is canceled and cannot change');
  });
});
