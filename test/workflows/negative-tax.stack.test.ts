import { beforeAll, expect, test } from 'vitest';
import { newAccount, type TestAccount } from '../stack/accounts.ts';
import type { Json } from '../stack/api.ts';
import { balanceOf, ledgerOf } from '../stack/billed-customer.ts';
import { billOf, draftOf, rowsOf } from '../stack/bills.ts';
import { invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../stack/clocks.ts';
import { advance } from './in-process-clock.ts';

let account: TestAccount;
beforeAll(async () => {
  account = await newAccount();
});

const BACK = {
  subtotal: '-56.67',
  tax_rate: '20',
  tax_amount: '-11.33',
  total: '-68',
  amount_due: '0',
  status: 'paid',
};

/** From a plan of 10 to one of 100 on day 0 with `invoice_now` at 20 %: 108, paid; the clock stands on day 10 of 30. */
async function switched(name: string) {
  const { api } = account;
  const clock = await makeClock(api, '2026-03-01T00:00:00Z');
  const customer_id = await makeCustomer(api, name, { test_clock_id: clock, tax_rate: 20 });
  const old = await subscribe(api, { customer_id, plan_id: await makePlan(api, { recurring_fee: 10 }) });
  const new_plan_id = await makePlan(api, { recurring_fee: 100 });
  const done = await api.post(`/api/subscriptions/${old}/switch_plan/`, {
    new_plan_id,
    invoicing_behavior: 'invoice_now',
  });
  expect(done.status, done.text).toBe(200);
  const paid = await api.post(`/api/invoices/${done.body.invoice_id}/mark_paid`, {});
  expect(paid.exact).toMatchObject({ total: '108', status: 'paid' });
  await advance(api, clock, '2026-03-11T00:00:00Z');
  return { clock, customer_id, subscription: String(done.body.subscription_id) };
}

/** The customer has paid 40, all told: 108 less a credit of 68. */
async function expectBack(customer_id: string, invoice: Json | undefined) {
  const { api } = account;
  expect(rowsOf(invoice)).toEqual(['recurring_fee 3.33 from 2026-03-01', 'proration -60 from 2026-03-01']);
  expect(invoice).toMatchObject(BACK);
  const credits = (await api.get(`/api/credits?customer_id=${customer_id}`)).exact.results;
  expect(credits).toMatchObject([{ amount: '68', amount_remaining: '68', reason: 'overpayment_credit' }]);
  const ledger = await ledgerOf(api, customer_id);
  const balances = ['accounts_receivable', 'cash', 'revenue', 'tax_payable', 'customer_credits'].map((name) => {
    return balanceOf(ledger, name);
  });
  expect(balances).toEqual(['0', '108', '-33.33', '-6.67', '-68']);
}

// spec/invoices#arithmetic
test('a cancel with invoice_now gives back the tax on what it takes back, at the rate it was charged with', async () => {
  const { api } = account;
  const { customer_id, subscription } = await switched('now');
  expect((await api.patch(`/api/customers/${customer_id}/`, { tax_rate: 5 })).status).toBe(200);
  const cancel = await api.post(`/api/subscriptions/${subscription}/cancel`, { invoicing_behavior: 'invoice_now' });
  expect(cancel.status, cancel.text).toBe(200);
  const [, closing, ...others] = await invoicesOf(api, `customer_id=${customer_id}`);
  expect(others).toEqual([]);
  await expectBack(customer_id, closing);
});

test('so does a planned one, in the draft as in the end', async () => {
  const { api } = account;
  const { clock, customer_id, subscription } = await switched('planned');
  await api.patch(`/api/customers/${customer_id}/`, { tax_rate: 5 });
  const plan = { cancel_at: '2026-03-12', invoicing_behavior: 'invoice_now' };
  expect((await api.post(`/api/subscriptions/${subscription}/cancel`, plan)).status).toBe(200);
  const draft = await draftOf(api, customer_id);
  await advance(api, clock, '2026-03-13T00:00:00Z');
  const [, closing] = await invoicesOf(api, `customer_id=${customer_id}`);
  // A day later: 10 * 11 / 30 = 3.67, 90 * -19 / 30 = -57; -53.33, tax -10.67.
  expect(closing).toMatchObject({ subtotal: '-53.33', tax_amount: '-10.67', total: '-64' });
  expect(billOf(draft)).toEqual(billOf(closing));
});

test('what waits for the end of the period keeps the rate it was charged with', async () => {
  const { api } = account;
  const { clock, customer_id, subscription } = await switched('waiting');
  expect((await api.post(`/api/subscriptions/${subscription}/cancel`, {})).status).toBe(200);
  await api.patch(`/api/customers/${customer_id}/`, { tax_rate: 5 });
  await advance(api, clock, '2026-04-01T00:00:00Z');
  const [, closing] = await invoicesOf(api, `customer_id=${customer_id}`);
  await expectBack(customer_id, closing);
});
