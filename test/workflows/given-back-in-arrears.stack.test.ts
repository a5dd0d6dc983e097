import { beforeAll, describe, expect, test } from 'vitest';
import { newAccount, type TestAccount } from '../stack/accounts.ts';
import { itemsOf } from '../stack/api.ts';
import { balanceOf, ledgerOf } from '../stack/billed-customer.ts';
import { billOf, draftOf, linesOf, rowsOf } from '../stack/bills.ts';
import { invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../stack/clocks.ts';
import { makeMetric, posted } from '../stack/resources.ts';
import { advance } from './in-process-clock.ts';

/** What an upgrade, or prepaid units, have charged is given back once (spec/credits#given-back-once). */

let account: TestAccount;
let customers = 0;
beforeAll(async () => {
  account = await newAccount();
});

const post = (path: string, body?: object) => posted(account.api, path, body);
const newCustomer = async (tax_rate: number) => {
  const clock = await makeClock(account.api, '2026-03-01T00:00:00Z');
  const customer_id = await makeCustomer(account.api, `arrears-${customers++}`, { test_clock_id: clock, tax_rate });
  return { clock, customer_id };
};

/** From a plan of 10 to one of 100 on day 0 with `invoice_now` at 20 %: 108. */
async function upgraded({ isPaid = true } = {}) {
  const { api } = account;
  const { clock, customer_id } = await newCustomer(20);
  const cheap = await makePlan(api, { recurring_fee: 10 });
  const old = await subscribe(api, { customer_id, plan_id: cheap });
  const new_plan_id = await makePlan(api, { recurring_fee: 100 });
  const switched = await post(`/api/subscriptions/${old}/switch_plan/`, {
    ...{ new_plan_id, invoicing_behavior: 'invoice_now' },
  });
  const invoice_id = String(switched.body.invoice_id);
  if (isPaid) await post(`/api/invoices/${invoice_id}/mark_paid`);
  return { clock, customer_id, subscription: String(switched.body.subscription_id), invoice_id, cheap };
}

const dayTen = (clock: string) => advance(account.api, clock, '2026-03-11T00:00:00Z');
const refund = (invoice_id: string, more: object = {}) =>
  account.api.post('/api/refunds', { invoice_id, method: 'bank_transfer', ...more });
const cancel = (id: string, more: object = {}) =>
  post(`/api/subscriptions/${id}/cancel`, { invoicing_behavior: 'invoice_now', ...more });
const creditsOf = async (customer_id: string) => {
  const { exact } = await account.api.get(`/api/credits?customer_id=${customer_id}`);
  return itemsOf(exact.results).map(({ amount }) => String(amount));
};
const lastOf = async (customer_id: string) => (await invoicesOf(account.api, `customer_id=${customer_id}`)).at(-1);

describe('the charge of an upgrade in arrears', () => {
  const FEE = 'recurring_fee 3.33 from 2026-03-01';

  test('refunded in full, then canceled on day 10: nothing more is given back', async () => {
    const { clock, customer_id, subscription, invoice_id } = await upgraded();
    expect((await refund(invoice_id)).exact).toMatchObject({ amount: '108' });
    await dayTen(clock);
    await cancel(subscription);
    expect(rowsOf(await lastOf(customer_id))).toEqual([FEE]);
    expect(await creditsOf(customer_id)).toEqual([]);
  });

  test('refunded in part, then a planned cancel: what is left of it, in the draft as on the invoice', async () => {
    const { clock, customer_id, subscription, invoice_id } = await upgraded();
    await refund(invoice_id, { amount: 60 });
    await cancel(subscription, { cancel_at: '2026-03-11' });
    const draft = await draftOf(account.api, customer_id);
    await dayTen(clock);
    const closing = await lastOf(customer_id);
    expect(rowsOf(closing)).toEqual([FEE, 'proration -40 from 2026-03-01']);
    expect(closing).toMatchObject({ subtotal: '-36.67', tax_amount: '-7.33', total: '-44' });
    expect(billOf(draft)).toEqual(billOf(closing));
    expect((await refund(invoice_id)).status).toBe(409);
  });

  test.each(['invoice_now', 'add_to_next_invoice'])('canceled with %s, then refunded: the rest', async (behavior) => {
    const { clock, customer_id, subscription, invoice_id } = await upgraded();
    await dayTen(clock);
    await cancel(subscription, { invoicing_behavior: behavior });
    const more = await refund(invoice_id, { amount: 36.01 });
    expect([more.status, more.body.detail]).toEqual([409, 'The invoice is paid and has 36 left to refund.']);
    expect((await refund(invoice_id)).exact).toMatchObject({ amount: '36' });
    await advance(account.api, clock, '2026-04-01T00:00:00Z');
    expect(await creditsOf(customer_id)).toEqual(['68']);
  });

  test('voided, then canceled: only the old fee is due', async () => {
    const { clock, customer_id, subscription, invoice_id } = await upgraded({ isPaid: false });
    await post(`/api/invoices/${invoice_id}/void`);
    await dayTen(clock);
    await cancel(subscription);
    expect(rowsOf(await lastOf(customer_id))).toEqual([FEE]);
  });

  test('canceled, then voided: the customer owes nothing and is owed nothing', async () => {
    const { clock, customer_id, subscription, invoice_id } = await upgraded({ isPaid: false });
    await dayTen(clock);
    await cancel(subscription);
    expect(await creditsOf(customer_id)).toEqual(['68']);
    await post(`/api/invoices/${invoice_id}/void`);
    const { exact } = await account.api.get(`/api/credits?customer_id=${customer_id}`);
    expect(exact.results).toMatchObject([{ amount: '68', amount_remaining: '0', status: 'voided' }]);
    const ledger = await ledgerOf(account.api, customer_id);
    for (const name of ['accounts_receivable', 'revenue', 'tax_payable', 'customer_credits']) {
      expect([name, balanceOf(ledger, name)]).toEqual([name, '0']);
    }
  });

  test('uncollectible, then canceled: what never came is not given back', async () => {
    const { clock, customer_id, subscription, invoice_id } = await upgraded({ isPaid: false });
    await post(`/api/invoices/${invoice_id}/mark_uncollectible`);
    await dayTen(clock);
    await cancel(subscription);
    expect(rowsOf(await lastOf(customer_id))).toEqual([FEE]);
  });

  test('a downgrade gives back of it, and leaves the rest to refund; a cancel then charges what was not used', async () => {
    const { clock, customer_id, subscription, invoice_id, cheap } = await upgraded();
    await dayTen(clock);
    const down = await post(`/api/subscriptions/${subscription}/switch_plan/`, { new_plan_id: cheap });
    expect(await creditsOf(customer_id)).toEqual(['72']);
    expect((await refund(invoice_id, { amount: 37 })).body.detail).toContain('has 36 left to refund');
    await advance(account.api, clock, '2026-03-21T00:00:00Z');
    await cancel(String(down.body.subscription_id));
    // 10 * 20 / 30 of the fee; of 90 for 10 days nothing is left, of the credit 30 are for days not used.
    expect(rowsOf(await lastOf(customer_id))).toEqual([
      'recurring_fee 6.67 from 2026-03-01',
      'proration -30 from 2026-03-01',
      'proration 30 from 2026-03-11',
      'credit -8',
    ]);
  });

  test('refunded in full, then a downgrade: a credit of the fee that is still to come', async () => {
    const { clock, customer_id, subscription, invoice_id, cheap } = await upgraded();
    await refund(invoice_id);
    await dayTen(clock);
    const plan = { new_plan_id: cheap, effective_date: '2026-03-12' };
    await post(`/api/subscriptions/${subscription}/switch_plan/`, plan);
    const draft = await draftOf(account.api, customer_id);
    await advance(account.api, clock, '2026-03-31T00:00:00Z');
    expect(await creditsOf(customer_id)).toEqual(['12']);
    expect((await lastOf(customer_id))?.credits_applied).toBe('12');
    expect(draft).toMatchObject({ total: '12', credits_applied: '12' });
  });

  test('voided after a downgrade it takes the credit with it', async () => {
    const { clock, customer_id, subscription, invoice_id, cheap } = await upgraded({ isPaid: false });
    await dayTen(clock);
    await post(`/api/subscriptions/${subscription}/switch_plan/`, { new_plan_id: cheap });
    await post(`/api/invoices/${invoice_id}/void`);
    const ledger = await ledgerOf(account.api, customer_id);
    for (const name of ['accounts_receivable', 'revenue', 'tax_payable', 'customer_credits']) {
      expect([name, balanceOf(ledger, name)]).toEqual([name, '0']);
    }
  });
});

describe('prepaid units', () => {
  /** 100 units at 1, no fee and no tax. */
  async function prepaid({ isPaid = true } = {}) {
    const { api } = account;
    const { clock, customer_id } = await newCustomer(0);
    const metric_id = String((await makeMetric(api)).metric_id);
    const components = [{ metric_id, overage_price: 1, prepaid_units: 100 }];
    const subscription = await subscribe(api, {
      ...{ customer_id, plan_id: await makePlan(api, { recurring_fee: 0, components }) },
    });
    const [opening] = await invoicesOf(api, `customer_id=${customer_id}`);
    const invoice_id = String(opening?.invoice_id);
    if (isPaid) await post(`/api/invoices/${invoice_id}/mark_paid`);
    await dayTen(clock);
    const change = (units: number, of = subscription) =>
      post(`/api/subscriptions/${of}/components/change-prepaid-units`, {
        ...{ metric_id, units, invoicing_behavior: 'invoice_now' },
      });
    const switched = async () => {
      const new_plan_id = await makePlan(api, { recurring_fee: 0, components });
      const answer = await post(`/api/subscriptions/${subscription}/switch_plan/`, { new_plan_id });
      return String(answer.body.subscription_id);
    };
    return { customer_id, invoice_id, change, switched, subscription };
  }

  test('fewer, then a refund: the rest', async () => {
    const { customer_id, invoice_id, change } = await prepaid();
    await change(40);
    expect(await creditsOf(customer_id)).toEqual(['60']);
    expect((await refund(invoice_id, { amount: 41 })).body.detail).toContain('has 40 left to refund');
    await change(30);
    expect((await refund(invoice_id)).exact).toMatchObject({ amount: '30' });
    await change(0);
    expect((await creditsOf(customer_id)).toSorted()).toEqual(['10', '60']);
  });

  test.each([
    ['70', ['30']],
    ['100', []],
  ])('refunded %s, then to 40: a credit of what is left', async (amount, credits) => {
    const { customer_id, invoice_id, change } = await prepaid();
    expect((await refund(invoice_id, { amount: Number(amount) })).status).toBe(201);
    await change(40);
    expect(await creditsOf(customer_id)).toEqual(credits);
  });

  test('voided after fewer: the customer owes nothing and is owed nothing', async () => {
    const { customer_id, invoice_id, change } = await prepaid({ isPaid: false });
    await change(40);
    await post(`/api/invoices/${invoice_id}/void`);
    const ledger = await ledgerOf(account.api, customer_id);
    for (const name of ['accounts_receivable', 'revenue', 'customer_credits']) {
      expect([name, balanceOf(ledger, name)]).toEqual([name, '0']);
    }
  });

  // spec/prepaid-units#changes: 100 units at 1, to 40: 60; voided; to 100 for 60; to 40: 60 of that invoice, and then nothing is left.
  test.each([false, true])(
    'what went back of an invoice that is void counts no more; switched: %s',
    async (switches) => {
      const { customer_id, invoice_id, change, switched, subscription } = await prepaid({ isPaid: false });
      await change(40);
      await post(`/api/invoices/${invoice_id}/void`);
      await change(100);
      const now = switches ? await switched() : subscription;
      await change(40, now);
      const { exact } = await account.api.get(`/api/credits?customer_id=${customer_id}`);
      const told = itemsOf(exact.results).map(({ amount, status }) => `${amount} ${status}`);
      expect(told.toSorted()).toEqual(['60 active', '60 voided']);
      await change(0, now);
      expect(await creditsOf(customer_id)).toEqual(['60', '60']);
    },
  );

  // 100 units at 1 wait; of the 60 that go back 30 are charged with a percentage, 60 with an amount, which leaves these.
  test.each([
    [{ percent_off: 50 }, '30', ['discount -50', 'credit -30'], '20'],
    [{ amount_off: 80, currency: 'usd' }, '60', ['discount -40', 'credit -60'], '0'],
  ])('fewer of those that wait for an invoice: %j', async (off, credited, lines, due) => {
    const { api } = account;
    const { customer_id } = await newCustomer(0);
    const metric_id = String((await makeMetric(api)).metric_id);
    const coupon = await post('/api/coupons', { name: 'Offer', duration: 'forever', ...off });
    const plan_id = await makePlan(api, { recurring_fee: 0, components: [{ metric_id, overage_price: 1 }] });
    const discounts = [{ coupon_id: coupon.body.coupon_id }];
    const subscription = await subscribe(api, { customer_id, plan_id, discounts });
    for (const units of [100, 40])
      await post(`/api/subscriptions/${subscription}/components/change-prepaid-units`, { metric_id, units });
    expect(await creditsOf(customer_id)).toEqual([credited]);
    await cancel(subscription);
    const closing = await lastOf(customer_id);
    const rows = linesOf(closing).map(({ type, amount }) => `${type} ${amount}`);
    expect(rows).toEqual(['proration 100', ...lines]);
    expect(closing?.amount_due).toBe(due);
  });
});
