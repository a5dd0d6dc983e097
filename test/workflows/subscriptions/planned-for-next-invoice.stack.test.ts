import { beforeEach, describe, expect, test } from 'vitest';
import { newAccount, type TestAccount } from '../../stack/accounts.ts';
import { itemsOf, type Json } from '../../stack/api.ts';
import { draftOf, linesOf } from '../../stack/bills.ts';
import { invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { posted } from '../../stack/resources.ts';
import { advance } from '../in-process-clock.ts';

/**
 * What a planned upgrade or cancel leaves for the customer's next invoice (`add_to_next_invoice`) is drafted where and when it is invoiced
 * (spec/invoices#draft). Periods of 30 days from 2026-03-01, and of another subscription from 2026-02-19, to 03-21.
 */
let account: TestAccount;
let clock: string;

beforeEach(async () => {
  account = await newAccount();
  clock = await makeClock(account.api, '2026-02-19T00:00:00Z');
});

const planOf = (recurring_fee: number, more: object = {}) =>
  makePlan(account.api, { name: `of ${recurring_fee}`, recurring_fee, ...more });
const call = (path: string, body: object) => posted(account.api, path, body);

/** A customer with a subscription of 30 from 03-01, and another of 7 from 02-19 where that is wanted; it is 03-05. */
async function fixture({ more = {}, plan = {}, isOne = false }: { more?: object; plan?: object; isOne?: boolean }) {
  const { api } = account;
  const customer_id = await makeCustomer(api, 'acme', { test_clock_id: clock, ...more });
  const other = isOne ? null : await subscribe(api, { customer_id, plan_id: await planOf(7) });
  await advance(api, clock, '2026-03-01T00:00:00Z');
  const subscription = await subscribe(api, { customer_id, plan_id: await planOf(30, plan) });
  await advance(api, clock, '2026-03-05T00:00:00Z');
  return { customer_id, subscription, other };
}

async function switchTo(subscription: string, fee: number, effective_date: string, plan: object = {}): Promise<void> {
  const new_plan_id = await planOf(fee, plan);
  await call(`/api/subscriptions/${subscription}/switch_plan`, { new_plan_id, effective_date });
}

/** The day of issue, and the lines. */
const shown = (invoice: Json) => {
  const charges = linesOf(invoice).map(({ type, amount }) => `${type} ${amount}`);
  return `${invoice.issue_date}: ${charges.join(', ')}`;
};
const drafted = async (customer_id: string) => itemsOf((await draftOf(account.api, customer_id)).invoices).map(shown);
async function issued(customer_id: string, to: string): Promise<string[]> {
  const { length } = await invoicesOf(account.api, `customer_id=${customer_id}`);
  await advance(account.api, clock, `${to}T00:00:00Z`);
  return (await invoicesOf(account.api, `customer_id=${customer_id}`)).slice(length).map(shown);
}

describe('an upgrade', () => {
  // From 30 to 60 on day 10 of 30: 30 * 20 / 30 = 20.
  test.each(['acme', 'payer'])('is on the invoice that another subscription makes first: %s', async (payer) => {
    const isOther = payer === 'payer';
    if (isOther) await makeCustomer(account.api, payer, { test_clock_id: clock });
    const { subscription } = await fixture({ more: isOther ? { billed_to: payer } : {} });
    await switchTo(subscription, 60, '2026-03-11');
    const draft = await drafted(payer);
    expect(draft).toEqual(['2026-03-21: recurring_fee 7, proration 20', '2026-03-31: recurring_fee 30']);
    const days = 'start_date=2026-02-19&end_date=2026-03-31';
    const costs = await account.api.get(`/api/customers/acme/cost_analysis/?${days}`);
    expect(costs.exact.total_revenue).toBe('57');
    expect(await issued(payer, '2026-03-31')).toEqual(draft);
  });

  test('is on the pending invoice of its own subscription, where that is made first', async () => {
    await account.api.patch('/api/account', { invoice_grace_seconds: 15 * 86_400 });
    const { customer_id, subscription } = await fixture({ isOne: true });
    await advance(account.api, clock, '2026-04-05T00:00:00Z');
    await switchTo(subscription, 60, '2026-04-10');
    const draft = await drafted(customer_id);
    expect(draft).toEqual(['2026-04-15: recurring_fee 30, proration 20', '2026-05-15: recurring_fee 30']);
    expect(await issued(customer_id, '2026-05-16')).toEqual(draft);
  });

  test('is on its own subscription where no other comes between, and on the first of two', async () => {
    const { customer_id, subscription, other } = await fixture({});
    await switchTo(subscription, 60, '2026-03-26');
    await switchTo(String(other), 37, '2026-03-06');
    const draft = await drafted(customer_id);
    expect(draft).toEqual(['2026-03-21: recurring_fee 7, proration 15', '2026-03-31: recurring_fee 30, proration 5']);
    expect(await issued(customer_id, '2026-03-31')).toEqual(draft);
  });

  // Canceled on day 25: in arrears 30 * 25 / 30 of the fee, and 30 * 5 / 30 back of the 20; in advance 60 * 5 / 30 back of both.
  test.each([
    ['in_arrears', 'recurring_fee 25, proration -5'],
    ['in_advance', null],
  ])('that another invoice has charged is given back by a cancel behind it: %s', async (charge_timing, closing) => {
    const { customer_id, subscription } = await fixture({ plan: { charge_timing } });
    await switchTo(subscription, 60, '2026-03-11', { charge_timing });
    const cancel = { cancel_at: '2026-03-26', invoicing_behavior: 'invoice_now' };
    await call(`/api/subscriptions/${subscription}/cancel`, cancel);
    const draft = await drafted(customer_id);
    const rows = closing === null ? [] : [`2026-03-26: ${closing}`];
    expect(draft).toEqual(['2026-03-21: recurring_fee 7, proration 20', ...rows]);
    expect(await issued(customer_id, '2026-03-31')).toEqual(draft);
  });
});

describe('a cancel', () => {
  /** 4, which may be used until the 25th. */
  const giveCredit = (customer_id: string) =>
    call('/api/credits', { customer_id, amount: 4, expires_at: '2026-03-25' });

  // On day 10 of 30: 10 of the fee.
  test('has the date of its period’s end where no other invoice takes it', async () => {
    const { customer_id, subscription } = await fixture({ isOne: true });
    await giveCredit(customer_id);
    await call(`/api/subscriptions/${subscription}/cancel`, { cancel_at: '2026-03-11' });
    const draft = await drafted(customer_id);
    expect(draft).toEqual(['2026-03-31: recurring_fee 10']);
    expect(await issued(customer_id, '2026-04-02')).toEqual(draft);
  });

  test.each(['acme', 'payer'])('is on the invoice that takes it: %s', async (payer) => {
    const isOther = payer === 'payer';
    if (isOther) await makeCustomer(account.api, payer, { test_clock_id: clock });
    const { subscription } = await fixture({ more: isOther ? { billed_to: payer } : {} });
    await giveCredit(payer);
    await call(`/api/subscriptions/${subscription}/cancel`, { cancel_at: '2026-03-11' });
    const draft = await draftOf(account.api, payer);
    const together = '2026-03-21: recurring_fee 7, recurring_fee 10, credit -4';
    expect(itemsOf(draft.invoices).map(shown)).toEqual([together]);
    expect(draft).toMatchObject({ total: '17', amount_due: '13', issue_date: '2026-03-21' });
    const [invoice] = await issued(payer, '2026-03-31');
    expect(invoice).toBe(together);
  });

  // The other's invoice of 03-21 is made before the cancel of day 25; its next, of 04-20, is not drafted yet.
  test('waits for another subscription beyond its period’s end', async () => {
    const { customer_id, subscription } = await fixture({ plan: { billing_period: 'monthly' } });
    await advance(account.api, clock, '2026-03-22T00:00:00Z');
    await giveCredit(customer_id);
    await call(`/api/subscriptions/${subscription}/cancel`, { cancel_at: '2026-03-24' });
    const draft = await drafted(customer_id);
    expect(draft).toEqual(['2026-04-20: recurring_fee 7, recurring_fee 23']);
    expect(await issued(customer_id, '2026-04-20')).toEqual(draft);
  });
});
