import { expect, test } from 'vitest';
import { decimal, sum } from '../../../core/decimal.ts';
import { newAccount } from '../../stack/accounts.ts';
import { itemsOf, type Json } from '../../stack/api.ts';
import { balanceOf, ledgerOf, makeBilledCustomer } from '../../stack/billed-customer.ts';
import { makeCustomer } from '../../stack/clocks.ts';

test("a new customer has an empty ledger; an unknown one, or another account's, is 404", async () => {
  const [{ api }, stranger] = [await newAccount(), await newAccount()];
  await makeCustomer(api, 'acme');
  const empty = await api.get('/api/customers/acme/ledger');
  expect([empty.status, empty.body]).toEqual([200, { count: 0, next: null, previous: null, results: [] }]);
  expect((await api.get('/api/customers/nobody/ledger')).status).toBe(404);
  expect((await stranger.api.get('/api/customers/acme/ledger')).status).toBe(404);
});

// "a double-entry ledger that sums to zero per transaction; ... lists it" (spec/credits#ledger)
test('everything that money did, newest first, each transaction summing to zero', async () => {
  const { api } = await newAccount();
  const { invoices, now } = await makeBilledCustomer(api, {
    customer: { tax_rate: 20 },
    before: async () => void (await api.post('/api/credits', { customer_id: 'acme', amount: 30 })),
  });
  const invoice_id = String(invoices[0]?.invoice_id);
  await api.post(`/api/invoices/${invoice_id}/mark_paid`);
  const back = await api.post('/api/refunds', { invoice_id, amount: '12.50' });
  const ledger = await ledgerOf(api, 'acme');
  const entries = (transaction: Json) =>
    itemsOf(transaction.entries).map(({ ledger_account, amount }) => [ledger_account, amount]);
  expect(ledger.map((transaction) => [transaction.kind, entries(transaction)])).toEqual([
    [
      'credit_granted',
      [
        ['credit_grants', '30'],
        ['customer_credits', '-30'],
      ],
    ],
    [
      'invoice_issued',
      [
        ['accounts_receivable', '120'],
        ['revenue', '-100'],
        ['tax_payable', '-20'],
      ],
    ],
    [
      'credit_applied',
      [
        ['customer_credits', '30'],
        ['accounts_receivable', '-30'],
      ],
    ],
    [
      'payment_received',
      [
        ['cash', '90'],
        ['accounts_receivable', '-90'],
      ],
    ],
    [
      'refund_credited',
      [
        ['refunds', '12.5'],
        ['customer_credits', '-12.5'],
      ],
    ],
  ]);
  expect(ledger.at(-1)).toEqual({
    ledger_transaction_id: expect.stringMatching(/^ltx_/),
    kind: 'refund_credited',
    at: now,
    invoice_id,
    credit_id: back.body.credit_id,
    refund_id: back.body.refund_id,
    entries: expect.any(Array),
  });
  for (const transaction of ledger) {
    const amounts = itemsOf(transaction.entries).map(({ amount }) => decimal(String(amount)));
    expect(sum(amounts).isZero()).toBe(true);
  }
  expect(balanceOf(ledger, 'accounts_receivable')).toBe('0');
  const page = await api.get('/api/customers/acme/ledger?page=2&page_size=2');
  expect(page.body).toMatchObject({ count: 5, next: expect.stringContaining('page=3') });
  expect(itemsOf(page.exact.results)[0]).toEqual(ledger[2]);
});

test('it shows nothing of the other customers', async () => {
  const { api } = await newAccount();
  for (const id of ['acme', 'bolt']) {
    await makeCustomer(api, id);
    await api.post('/api/credits', { customer_id: id, amount: 1 });
  }
  expect(await ledgerOf(api, 'bolt')).toHaveLength(1);
});
