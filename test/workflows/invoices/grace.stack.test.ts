import { beforeAll, describe, expect, test } from 'vitest';
import { newAccount, type TestAccount, withPostgres } from '../../stack/accounts.ts';
import { itemsOf, type Json } from '../../stack/api.ts';
import { billOf, draftOf, linesOf, rowsOf, trackCalls } from '../../stack/bills.ts';
import { invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { landed, makeMetric } from '../../stack/resources.ts';
import { advance } from '../in-process-clock.ts';

// The rules of spec/invoices#grace. Periods end on 03-31 and 04-30, the grace is 15 days: the first invoice is due on 04-15.
const GRACE_SECONDS = 15 * 86_400;
const DUE = '2026-04-15T00:00:00.000Z';

let account: TestAccount;
let metric_id: string;

beforeAll(async () => {
  account = await newAccount();
  metric_id = String((await makeMetric(account.api)).metric_id);
  await setGrace(GRACE_SECONDS);
});

async function setGrace(seconds: number) {
  const answer = await account.api.patch('/api/account', { invoice_grace_seconds: seconds });
  expect(answer.status, answer.text).toBe(200);
}

/** A subscription from 2026-03-01 at 30 a month and 1 per call, with 3 calls in March; the clock stands at 2026-04-10. */
async function fixture(customer_id: string, plan: object = {}) {
  const { api } = account;
  const clock = await makeClock(api, '2026-03-01T00:00:00Z');
  await makeCustomer(api, customer_id, { test_clock_id: clock });
  const components = [{ metric_id, overage_price: 1 }];
  const plan_id = await makePlan(api, { recurring_fee: 30, components, ...plan });
  const subscription = await subscribe(api, { customer_id, plan_id });
  await trackCalls(api, customer_id, '2026-03-20T00:00:00Z', 3);
  await landed(api);
  await advance(api, clock, '2026-04-10T00:00:00Z');
  return { clock, customer_id, subscription };
}

const ask = async (subscription: string, action: string, body: object = {}): Promise<Json> => {
  const answer = await account.api.post(`/api/subscriptions/${subscription}/${action}`, body);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
};

/** Kind and rows of each invoice, oldest first. */
async function invoicesAt(customer_id: string) {
  const all = await invoicesOf(account.api, `customer_id=${customer_id}`);
  return all.map((invoice) => [invoice.kind, ...rowsOf(invoice)]);
}

async function pendingSteps(subscription: string): Promise<Json[]> {
  const { body } = await account.api.get(`/api/subscriptions/${subscription}/timeline`);
  return itemsOf(body.results).filter(({ due_at }) => due_at !== null);
}

test('the next period begins at once, and the pending invoice takes what lands until it is due', async () => {
  const { api } = account;
  const { clock, customer_id, subscription } = await fixture('begins');
  const record = (await api.get(`/api/subscriptions/${subscription}`)).body;
  expect(record).toMatchObject({
    current_period_start: '2026-03-31T00:00:00.000Z',
    current_period_end: '2026-04-30T00:00:00.000Z',
  });
  expect(await invoicesAt(customer_id)).toEqual([]);
  expect(await pendingSteps(subscription)).toMatchObject([
    { kind: 'invoiced', status: 'planned', at: DUE, due_at: DUE, invoice_id: null },
  ]);
  await trackCalls(api, customer_id, '2026-03-30T23:59:59Z', 2);
  await trackCalls(api, customer_id, '2026-04-05T00:00:00Z', 4);
  await landed(api);
  const draft = await draftOf(api, customer_id);
  const [first, second] = itemsOf(draft.invoices);
  await advance(api, clock, DUE);
  const [invoice] = await invoicesOf(api, `customer_id=${customer_id}`);
  expect(rowsOf(invoice)).toEqual(['recurring_fee 30 from 2026-03-01', 'usage x5 5 from 2026-03-01']);
  expect(invoice).toMatchObject({ kind: 'period', issue_date: '2026-04-15', created_at: DUE });
  expect(billOf(first)).toEqual(billOf(invoice));
  expect(rowsOf(second)).toEqual(['recurring_fee 30 from 2026-03-31', 'usage x4 4 from 2026-03-31']);
  expect(await pendingSteps(subscription)).toEqual([]);
});

describe('a cancel meanwhile acts on the new period', () => {
  test('in arrears: both invoices, each with its own usage', async () => {
    const { api } = account;
    const { clock, customer_id, subscription } = await fixture('arrears');
    await trackCalls(api, customer_id, '2026-04-05T00:00:00Z', 4);
    await ask(subscription, 'cancel', { invoicing_behavior: 'invoice_now' });
    const closing = ['closing', 'recurring_fee 10 from 2026-03-31', 'usage x4 4 from 2026-03-31'];
    expect(await invoicesAt(customer_id)).toEqual([closing]);
    expect(await pendingSteps(subscription)).toMatchObject([{ due_at: DUE }]);
    const drafted = itemsOf((await draftOf(api, customer_id)).invoices);
    await trackCalls(api, customer_id, '2026-03-21T00:00:00Z', 1);
    await advance(api, clock, '2026-06-30T00:00:00Z');
    const period = ['period', 'recurring_fee 30 from 2026-03-01', 'usage x4 4 from 2026-03-01'];
    expect(await invoicesAt(customer_id)).toEqual([closing, period]);
    expect(drafted.map(rowsOf)).toEqual([['recurring_fee 30 from 2026-03-01', 'usage x3 3 from 2026-03-01']]);
  });

  test.each([
    ['charge_prorated', ['recurring_fee 10 from 2026-03-31']],
    ['charge_full', ['recurring_fee 30 from 2026-03-31']],
    ['refund', []],
  ])('in advance the fee of the new period is billed by its own terms: %s', async (flat_fee_behavior, fee) => {
    const { api } = account;
    const { clock, customer_id, subscription } = await fixture(`advance-${flat_fee_behavior}`, {
      charge_timing: 'in_advance',
    });
    const opening = ['opening', 'recurring_fee 30 from 2026-03-01'];
    await trackCalls(api, customer_id, '2026-04-05T00:00:00Z', 4);
    await landed(api);
    const drafted = itemsOf((await draftOf(api, customer_id)).invoices);
    expect(drafted.map(rowsOf)).toEqual([
      ['recurring_fee 30 from 2026-03-31', 'usage x3 3 from 2026-03-01'],
      ['recurring_fee 30 from 2026-04-30', 'usage x4 4 from 2026-03-31'],
    ]);
    await ask(subscription, 'cancel', { invoicing_behavior: 'invoice_now', flat_fee_behavior });
    await advance(api, clock, '2026-06-30T00:00:00Z');
    expect(await invoicesAt(customer_id)).toEqual([
      opening,
      ['closing', ...fee, 'usage x4 4 from 2026-03-31'],
      ['period', 'usage x3 3 from 2026-03-01'],
    ]);
    expect((await api.get(`/api/credits?customer_id=${customer_id}`)).body.results).toEqual([]);
  });

  test.each([
    ['before the grace is over', '2026-04-12', ['recurring_fee 12 from 2026-03-31', 'usage x0 0 from 2026-03-31'], []],
    ['after it', '2026-04-20', null, ['recurring_fee 30 from 2026-03-31']],
  ])('planned in advance for a day %s: the draft is what will be invoiced', async (when, cancel_at, closing, fee) => {
    const { api } = account;
    const { clock, customer_id, subscription } = await fixture(`planned ${when}`, { charge_timing: 'in_advance' });
    await ask(subscription, 'cancel', { cancel_at, invoicing_behavior: 'invoice_now' });
    const drafted = itemsOf((await draftOf(api, customer_id)).invoices);
    const period = [...fee, 'usage x3 3 from 2026-03-01'];
    // A cancel with nothing to bill makes no invoice; what it gives back of the fee pays for the invoice that is open.
    const expected = closing === null ? [period] : [closing, period];
    expect(drafted.map(rowsOf)).toEqual(expected);
    await advance(api, clock, '2026-06-30T00:00:00Z');
    const issued = (await invoicesOf(api, `customer_id=${customer_id}`)).slice(1).map(rowsOf);
    expect(issued).toEqual(expected);
  });

  test('at the end of its period: the closing invoice is pending', async () => {
    const { api } = account;
    const { clock, customer_id, subscription } = await fixture('at-end');
    await ask(subscription, 'cancel', { cancel_at: 'end_of_period' });
    await advance(api, clock, '2026-04-30T00:00:00Z');
    expect((await api.get(`/api/subscriptions/${subscription}`)).body).toMatchObject({ status: 'canceled' });
    expect(await invoicesAt(customer_id)).toHaveLength(1);
    expect(await pendingSteps(subscription)).toMatchObject([{ due_at: '2026-05-15T00:00:00.000Z' }]);
    await advance(api, clock, '2026-05-15T00:00:00Z');
    expect((await invoicesAt(customer_id))[1]).toEqual([
      'closing',
      'recurring_fee 30 from 2026-03-31',
      'usage x0 0 from 2026-03-31',
    ]);
  });
});

describe('a switch', () => {
  test('at the end of a period begins the new subscription at once; the pending invoice has both', async () => {
    const { api } = account;
    const { clock, customer_id, subscription } = await fixture('switch-at-end', { charge_timing: 'in_advance' });
    const new_plan_id = await makePlan(api, { recurring_fee: 60, charge_timing: 'in_advance' });
    await advance(api, clock, '2026-04-20T00:00:00Z');
    await ask(subscription, 'switch_plan/', { new_plan_id, effective_date: '2026-04-30' });
    await advance(api, clock, '2026-05-10T00:00:00Z');
    const record = (await api.get(`/api/subscriptions/${subscription}`)).body;
    expect(record).toMatchObject({ status: 'canceled', cancel_reason: 'switched' });
    const drafted = itemsOf((await draftOf(api, customer_id)).invoices);
    await advance(api, clock, '2026-05-15T00:00:00Z');
    const [, , invoice] = await invoicesOf(api, `customer_id=${customer_id}`);
    expect(rowsOf(invoice)).toEqual(['recurring_fee 60 from 2026-04-30', 'usage x0 0 from 2026-03-31']);
    expect(billOf(drafted[0])).toEqual(billOf(invoice));
  });

  test('to a cheaper plan credits of the fee that is not charged yet; a cancel then takes that into account', async () => {
    const { api } = account;
    const { clock, customer_id, subscription } = await fixture('cheaper', { charge_timing: 'in_advance' });
    const new_plan_id = await makePlan(api, { recurring_fee: 15, charge_timing: 'in_advance' });
    const switched = await ask(subscription, 'switch_plan/', { new_plan_id });
    // 15 less for 20 of 30 days.
    const credits = (await api.get(`/api/credits?customer_id=${customer_id}`)).exact.results;
    expect(credits).toMatchObject([{ amount: '10' }]);
    await advance(api, clock, '2026-04-13T00:00:00Z');
    await ask(String(switched.subscription_id), 'cancel', { invoicing_behavior: 'invoice_now' });
    await advance(api, clock, '2026-06-30T00:00:00Z');
    // 10 days at 30 and 3 at 15 are 11.50; of the credit of 10, for 20 days, 17 days' worth is charged again.
    expect((await invoicesAt(customer_id)).slice(1)).toEqual([
      [
        'closing',
        'recurring_fee 13 from 2026-03-31',
        'usage x0 0 from 2026-03-31',
        'proration 8.5 from 2026-04-10',
        'credit -10',
      ],
      ['period', 'usage x3 3 from 2026-03-01'],
    ]);
  });

  // On day 10 of April's 30 from 60 to 30: 20.00, which an amount of 50 leaves of the fee that is still to be charged.
  test('to a cheaper plan: an amount off leaves what was credited of that fee', async () => {
    const { api } = account;
    const plan = { recurring_fee: 60, charge_timing: 'in_advance' };
    const { clock, customer_id, subscription } = await fixture('cheaper-off', plan);
    const off = { name: 'Offer', amount_off: 50, currency: 'usd', duration: 'forever' };
    const { coupon_id } = (await api.post('/api/coupons', off)).body;
    expect((await api.post(`/api/subscriptions/${subscription}/discounts`, { coupon_id })).status).toBe(201);
    await ask(subscription, 'switch_plan/', { new_plan_id: await makePlan(api, { ...plan, recurring_fee: 30 }) });
    const [drafted] = itemsOf((await draftOf(api, customer_id)).invoices);
    await advance(api, clock, DUE);
    const invoice = (await invoicesOf(api, `customer_id=${customer_id}`)).at(-1);
    const rows = linesOf(invoice).map(({ type, amount }) => `${type} ${amount}`);
    expect(rows).toEqual(['recurring_fee 60', 'usage 3', 'discount -43', 'credit -20']);
    expect(billOf(drafted)).toEqual(billOf(invoice));
  });
});

test('what is attached meanwhile is of the new period, what was canceled meanwhile is still charged', async () => {
  const { api } = account;
  const clock = await makeClock(api, '2026-03-01T00:00:00Z');
  const customer_id = await makeCustomer(api, 'addons', { test_clock_id: clock });
  const addonOf = async (name: string) => {
    const made = await api.post('/api/addons', { name, kind: 'recurring', price: 5 });
    expect(made.status, made.text).toBe(201);
    return String(made.body.addon_id);
  };
  const [first, second] = [await addonOf('First'), await addonOf('Second')];
  const subscription = await subscribe(api, { customer_id, plan_id: await makePlan(api, { recurring_fee: 30 }) });
  const path = `/api/subscriptions/${subscription}/addons`;
  const attach = async (addon_id: string) => expect((await api.post(`${path}/attach`, { addon_id })).status).toBe(200);
  await attach(first);
  await advance(api, clock, '2026-04-10T00:00:00Z');
  await attach(second);
  expect((await api.post(`${path}/cancel`, { addon_id: first })).status).toBe(200);
  await advance(api, clock, '2026-05-15T00:00:00Z');
  const [march, april] = await invoicesAt(customer_id);
  expect(march).toEqual(['period', 'recurring_fee 30 from 2026-03-01', 'addon 5 from 2026-03-01']);
  expect(april).toEqual([
    'period',
    'recurring_fee 30 from 2026-03-31',
    'addon 5 from 2026-03-31',
    'addon 5 from 2026-03-31',
  ]);
});

test('a change of the grace leaves what is pending where it is', async () => {
  const { api } = account;
  const { clock, customer_id, subscription } = await fixture('changed');
  await setGrace(0);
  expect(await pendingSteps(subscription)).toMatchObject([{ due_at: DUE }]);
  await advance(api, clock, '2026-04-14T23:59:59Z');
  expect(await invoicesAt(customer_id)).toEqual([]);
  await advance(api, clock, '2026-04-30T00:00:00Z');
  const dates = (await invoicesOf(api, `customer_id=${customer_id}`)).map(({ issue_date }) => issue_date);
  expect(dates).toEqual(['2026-04-15', '2026-04-30']);
  await setGrace(GRACE_SECONDS);
});

test('nothing pending is invoiced once the customer is deleted', async () => {
  const { api, accountId } = account;
  const { clock, customer_id } = await fixture('deleted');
  expect((await api.post(`/api/customers/${customer_id}/delete/`)).status).toBe(204);
  await advance(api, clock, '2026-06-30T00:00:00Z');
  const { rows } = await withPostgres((postgres) =>
    postgres.query('SELECT 1 FROM invoices WHERE account_id = $1 AND customer_id = $2', [accountId, customer_id]),
  );
  expect(rows).toEqual([]);
});
