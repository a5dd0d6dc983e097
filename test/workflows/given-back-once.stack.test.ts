import { beforeAll, expect, test } from 'vitest';
import { newAccount, type TestAccount } from '../stack/accounts.ts';
import { itemsOf } from '../stack/api.ts';
import { balanceOf, ledgerOf } from '../stack/billed-customer.ts';
import { invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../stack/clocks.ts';
import { advance } from './in-process-clock.ts';

/** What was paid is given back once, whatever gives it back and in whichever order (spec/credits#given-back-once). */

let account: TestAccount;
let customers = 0;
beforeAll(async () => {
  account = await newAccount();
});

/** A fee of 30 in advance from 2026-03-01 (to 03-31), paid by hand; the clock stands on day 10. */
async function paidAhead(fee = 30) {
  const { api } = account;
  const clock = await makeClock(api, '2026-03-01T00:00:00Z');
  const customer_id = await makeCustomer(api, `once-${customers++}`, { test_clock_id: clock });
  const plan_id = await makePlan(api, { recurring_fee: fee, charge_timing: 'in_advance' });
  const subscription = await subscribe(api, { customer_id, plan_id });
  const [opening] = await invoicesOf(api, `customer_id=${customer_id}`);
  const invoice_id = String(opening?.invoice_id);
  expect((await api.post(`/api/invoices/${invoice_id}/mark_paid`, {})).status).toBe(200);
  await advance(api, clock, '2026-03-11T00:00:00Z');
  return { clock, customer_id, subscription, invoice_id };
}

const cancel = async (id: string) => {
  const answer = await account.api.post(`/api/subscriptions/${id}/cancel`, { invoicing_behavior: 'invoice_now' });
  expect(answer.status, answer.text).toBe(200);
};
const refund = (invoice_id: string, more: object = {}) =>
  account.api.post('/api/refunds', { invoice_id, method: 'bank_transfer', ...more });
const creditsOf = async (customer_id: string) => {
  const { exact } = await account.api.get(`/api/credits?customer_id=${customer_id}`);
  return itemsOf(exact.results).map(({ amount }) => String(amount));
};

test('refund 30 of a paid 30, then cancel on day 10 of 30: nothing more', async () => {
  const { customer_id, subscription, invoice_id } = await paidAhead();
  expect((await refund(invoice_id)).exact).toMatchObject({ amount: '30', status: 'pending' });
  await cancel(subscription);
  expect(await creditsOf(customer_id)).toEqual([]);
});

test('cancel first, a credit of 20, then a refund without an amount: 10', async () => {
  const { customer_id, subscription, invoice_id } = await paidAhead();
  await cancel(subscription);
  expect(await creditsOf(customer_id)).toEqual(['20']);
  const more = await refund(invoice_id, { amount: 10.01 });
  expect([more.status, more.body.detail]).toEqual([409, 'The invoice is paid and has 10 left to refund.']);
  expect((await refund(invoice_id)).exact).toMatchObject({ amount: '10' });
  expect((await refund(invoice_id)).body.detail).toContain('nothing left to refund');
});

test('a refund of 15, then the cancel gives 15; a refund that is canceled leaves its part to another', async () => {
  const { customer_id, subscription, invoice_id } = await paidAhead();
  const { refund_id } = (await refund(invoice_id, { amount: 15 })).body;
  await cancel(subscription);
  expect(await creditsOf(customer_id)).toEqual(['15']);
  expect((await refund(invoice_id)).status).toBe(409);
  expect((await account.api.post(`/api/refunds/${refund_id}/cancel`)).status).toBe(200);
  expect((await refund(invoice_id)).exact).toMatchObject({ amount: '15' });
});

// 60 to 30 on day 10: 20; 35 of the other 40 refunded; the cancel on day 21 would give 9, of which 5 are left.
test('a downgrade, a refund and a cancel together give back what was paid, not more', async () => {
  const { api } = account;
  const { clock, customer_id, subscription, invoice_id } = await paidAhead(60);
  const new_plan_id = await makePlan(api, { recurring_fee: 30, charge_timing: 'in_advance' });
  const down = await api.post(`/api/subscriptions/${subscription}/switch_plan/`, { new_plan_id });
  expect(down.status, down.text).toBe(200);
  expect(await creditsOf(customer_id)).toEqual(['20']);
  expect((await refund(invoice_id, { amount: 41 })).body.detail).toContain('has 40 left to refund');
  expect((await refund(invoice_id, { amount: 35 })).status).toBe(201);
  await advance(api, clock, '2026-03-21T00:00:00Z');
  const plan = { cancel_at: '2026-03-22', invoicing_behavior: 'invoice_now' };
  const planned = await api.post(`/api/subscriptions/${down.body.subscription_id}/cancel`, plan);
  expect(planned.status, planned.text).toBe(200);
  await advance(api, clock, '2026-03-23T00:00:00Z');
  expect((await creditsOf(customer_id)).toSorted()).toEqual(['20', '5']);
  expect((await refund(invoice_id)).status).toBe(409);
});

// 100 less 90 is 10. To 60 on day 10: of 26.67 the 10 that were charged. To 90 on day 15: 15, at once. To 60 on day 20: 10 of the 15 that are left.
test('a credit that there was too little for leaves the next one whole', async () => {
  const { api } = account;
  const clock = await makeClock(api, '2026-03-01T00:00:00Z');
  const customer_id = await makeCustomer(api, `once-${customers++}`, { test_clock_id: clock });
  const planOf = (recurring_fee: number) => makePlan(api, { recurring_fee, charge_timing: 'in_advance' });
  const coupon = { name: 'Ninety', amount_off: 90, currency: 'usd', duration: 'once' };
  const { coupon_id } = (await api.post('/api/coupons', coupon)).body;
  let id = await subscribe(api, { customer_id, plan_id: await planOf(100), discounts: [{ coupon_id }] });
  for (const [date, fee] of [
    ['2026-03-11', 60],
    ['2026-03-16', 90],
    ['2026-03-21', 60],
  ] as const) {
    await advance(api, clock, `${date}T00:00:00Z`);
    const to = { new_plan_id: await planOf(fee), invoicing_behavior: 'invoice_now' };
    const { body } = await api.post(`/api/subscriptions/${id}/switch_plan/`, to);
    id = String(body.subscription_id);
  }
  expect((await creditsOf(customer_id)).toSorted()).toEqual(['10', '10']);
  const invoices = await invoicesOf(api, `customer_id=${customer_id}`);
  expect(invoices.map(({ subtotal }) => String(subtotal)).toSorted()).toEqual(['10', '15']);
});

test('an invoice that is voided after a downgrade takes the credit with it', async () => {
  const { api } = account;
  const clock = await makeClock(api, '2026-03-01T00:00:00Z');
  const customer_id = await makeCustomer(api, `once-${customers++}`, { test_clock_id: clock, tax_rate: 10 });
  const [dear, cheap] = [
    await makePlan(api, { recurring_fee: 60, charge_timing: 'in_advance' }),
    await makePlan(api, { recurring_fee: 30, charge_timing: 'in_advance' }),
  ];
  const subscription = await subscribe(api, { customer_id, plan_id: dear });
  await advance(api, clock, '2026-03-11T00:00:00Z');
  await api.post(`/api/subscriptions/${subscription}/switch_plan/`, { new_plan_id: cheap });
  expect(await creditsOf(customer_id)).toEqual(['22']);
  const [opening] = await invoicesOf(api, `customer_id=${customer_id}`);
  expect((await api.post(`/api/invoices/${opening?.invoice_id}/void`)).status).toBe(200);
  const ledger = await ledgerOf(api, customer_id);
  for (const name of ['accounts_receivable', 'revenue', 'tax_payable', 'customer_credits']) {
    expect([name, balanceOf(ledger, name)]).toEqual([name, '0']);
  }
});

test('a cancel and refunds at the same time: together 30', async () => {
  const { api } = account;
  for (let i = 0; i < 3; i++) {
    const { customer_id, subscription, invoice_id } = await paidAhead();
    const answers = await Promise.all([
      cancel(subscription),
      ...Array.from({ length: 6 }, () => refund(invoice_id, { amount: 7 })),
    ]);
    expect(answers.length).toBe(7);
    const refunds = itemsOf((await api.get(`/api/refunds?invoice_id=${invoice_id}`)).exact.results);
    const back = [...(await creditsOf(customer_id)), ...refunds.map(({ amount }) => String(amount))];
    const total = back.reduce((sum, amount) => sum + Number(amount), 0);
    expect(total).toBeLessThanOrEqual(30);
    expect(total).toBeGreaterThan(20);
  }
});
