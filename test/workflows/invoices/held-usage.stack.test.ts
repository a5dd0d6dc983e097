import { beforeEach, describe, expect, test } from 'vitest';
import { newAccount, type TestAccount, withPostgres } from '../../stack/accounts.ts';
import { type Api, itemsOf, type Json } from '../../stack/api.ts';
import { billOf, draftOf, linesOf, rowsOf, trackCalls } from '../../stack/bills.ts';
import { checkParity } from '../../stack/check-parity.ts';
import { eventually, invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { landed, makeMetric } from '../../stack/resources.ts';
import { advance } from '../in-process-clock.ts';

/** What billed periods held for want of a price is billed when a row comes (spec/price-books#additions). */
let account: TestAccount;
let api: Api;
let clock: string;
let metric_id: string;

beforeEach(async () => {
  account = await newAccount();
  api = account.api;
  clock = await makeClock(api, '2027-02-01T00:00:00Z');
  metric_id = String((await makeMetric(api, { metric_name: 'Tokens' })).metric_id);
});

const A = { when: { model: 'a' }, overage_price: 0.1 };
const NEW = { when: { model: 'new' }, overage_price: 0.2 };
const MONTHS = { recurring_fee: 0, billing_calendar: 'calendar' };

const planOf = (more: object = {}, component: object = {}) =>
  makePlan(api, { ...MONTHS, components: [{ metric_id, group_by: ['model'], prices: [A], ...component }], ...more });

const customerOf = (id: string, more: object = {}) => makeCustomer(api, id, { test_clock_id: clock, ...more });

async function addPrice(plan_id: string, row: object): Promise<string> {
  const made = await api.post(`/api/plans/${plan_id}/prices`, { metric_id, ...row });
  expect(made.status, made.text).toBe(201);
  return String(made.body.price_id);
}

const last = async (customer_id: string) => (await invoicesOf(api, `customer_id=${customer_id}`)).at(-1);
const heldOf = (bill: Json | undefined) =>
  itemsOf(bill?.held).map(({ group, quantity }) => ({ ...(group as Json), quantity }));

/** Moves to an instant, and gives the last invoice of the customer, which is what the draft before has said. */
async function billedAt(customer_id: string, to: string): Promise<Json | undefined> {
  await landed(api);
  const draft = await draftOf(api, customer_id);
  await advance(api, clock, to);
  const invoice = await last(customer_id);
  expect(billOf(draft)).toEqual(billOf(invoice));
  expect(itemsOf(draft.held)).toEqual(itemsOf(invoice?.held));
  return invoice;
}

async function expectExplained(invoice: Json | undefined): Promise<void> {
  for (const line of linesOf(invoice).filter(({ amount }) => String(amount) !== '0')) {
    const proof = await api.get(`/api/invoices/${invoice?.invoice_id}/lines/${line.line_id}/explain`);
    expect([proof.status, proof.exact.total, proof.text]).toEqual([200, line.amount, proof.text]);
  }
}

test.each(['alone', 'child'])('what a cancel leaves for the next invoice is held on that: %s', async (customer_id) => {
  const payer = await customerOf('payer');
  await customerOf(customer_id, customer_id === 'child' ? { billed_to: payer } : {});
  const subscription = await subscribe(api, { customer_id, plan_id: await planOf() });
  await trackCalls(api, customer_id, '2027-02-05T00:00:00Z', 10, { model: 'a' });
  await trackCalls(api, customer_id, '2027-02-06T00:00:00Z', 5, { model: 'new' });
  await landed(api);
  await advance(api, clock, '2027-02-11T00:00:00Z');
  expect((await api.post(`/api/subscriptions/${subscription}/cancel`)).status).toBe(200);
  await advance(api, clock, '2027-03-02T00:00:00Z');
  const [closing] = await invoicesOf(api, '');
  expect(linesOf(closing).map(({ type, amount }) => `${type} ${amount}`)).toEqual(['usage 1']);
  expect(heldOf(closing)).toEqual([{ model: 'new', quantity: '5' }]);
});

describe('a cancel of which nothing is due leaves what has no price', () => {
  /** 5 of `new`, canceled on day 10 of February; `kept`: the plan of another subscription. */
  async function canceled(customer_id: string, kept: string | null, how: object = {}): Promise<string> {
    const plan_id = await planOf();
    const subscription = await subscribe(api, { customer_id, plan_id });
    if (kept !== null) await subscribe(api, { customer_id, plan_id: kept });
    await trackCalls(api, customer_id, '2027-02-06T00:00:00Z', 5, { model: 'new' });
    await landed(api);
    await advance(api, clock, '2027-02-11T00:00:00Z');
    expect((await api.post(`/api/subscriptions/${subscription}/cancel`, how)).status).toBe(200);
    return plan_id;
  }
  const feeOf7 = () => makePlan(api, { ...MONTHS, name: 'fee', recurring_fee: 7 });
  const heldNow = async () => itemsOf((await api.get('/api/held-usage')).body.results).map(({ quantity }) => quantity);
  /** Told within seconds of its landing. */
  const told = async () => {
    const events = `SELECT 1 FROM outbox_events WHERE account_id = $1 AND type = 'price.missing'`;
    const asked = () => withPostgres((postgres) => postgres.query(events, [account.accountId]));
    return (await eventually(asked, ({ rowCount }) => rowCount !== 0)).rowCount;
  };

  test.each(['alone', 'child'])('to the invoice of another subscription, which holds it: %s', async (customer_id) => {
    await customerOf('payer');
    await customerOf(customer_id, customer_id === 'child' ? { billed_to: 'payer' } : {});
    await canceled(customer_id, await feeOf7());
    const invoice = await billedAt(customer_id === 'child' ? 'payer' : customer_id, '2027-03-01T00:00:00Z');
    expect(rowsOf(invoice)).toEqual(['recurring_fee 7 from 2027-02-01', 'usage x0 0 from 2027-02-01']);
    expect(heldOf(invoice)).toEqual([{ model: 'new', quantity: '5' }]);
    expect([await heldNow(), await told()]).toEqual([[5], 1]);
    await expectExplained(invoice);
  });

  test('to that, which bills it where a row has come by then, and holds nothing', async () => {
    const customer_id = await customerOf('priced');
    const plan_id = await canceled(customer_id, await feeOf7());
    await advance(api, clock, '2027-02-15T00:00:00Z');
    await addPrice(plan_id, NEW);
    const invoice = await billedAt(customer_id, '2027-03-01T00:00:00Z');
    const late = 'late_usage x5 1 from 2027-02-01';
    expect(rowsOf(invoice).filter((row) => !row.includes('x0'))).toEqual(['recurring_fee 7 from 2027-02-01', late]);
    expect([heldOf(invoice), await heldNow()]).toEqual([[], []]);
    expect(rowsOf(await billedAt(customer_id, '2027-04-01T00:00:00Z'))).toEqual(['recurring_fee 7 from 2027-03-01']);
  });

  // spec/price-books#unmatched: 5 of the 6th, 2 of the 8th, a row from the 8th on: 2 * 0.20 = 0.40, and 5 go on being held.
  test.each(['alone', 'child'])('to that, which holds what a row from a date on leaves: %s', async (customer_id) => {
    await customerOf('payer');
    await customerOf(customer_id, customer_id === 'child' ? { billed_to: 'payer' } : {});
    await trackCalls(api, customer_id, '2027-02-08T00:00:00Z', 2, { model: 'new' });
    const plan_id = await canceled(customer_id, await feeOf7());
    await advance(api, clock, '2027-02-15T00:00:00Z');
    await addPrice(plan_id, { ...NEW, from: '2027-02-08' });
    const listed = itemsOf((await api.get('/api/held-usage')).body.results);
    const invoice = await billedAt(customer_id === 'child' ? 'payer' : customer_id, '2027-03-01T00:00:00Z');
    const late = 'late_usage x2 0.4 from 2027-02-08';
    expect(rowsOf(invoice).filter((row) => !row.includes('x0'))).toEqual(['recurring_fee 7 from 2027-02-01', late]);
    expect(itemsOf(invoice?.held)).toEqual([
      expect.objectContaining({ quantity: '5', events_count: '5', period_end: '2027-02-08T00:00:00.000Z' }),
    ]);
    expect(listed).toHaveLength(1);
    expect(listed[0]).toMatchObject({ quantity: 5, period_end: '2027-02-08T00:00:00.000Z' });
    expect(await heldNow()).toEqual([5]);
  });

  test.each([
    ['add_to_next_invoice', 1],
    ['invoice_now', 0],
  ])('where there is none, to the list alone, until a later one bills it: %s', async (invoicing_behavior, zeros) => {
    const customer_id = await customerOf('ended');
    const plan_id = await canceled(customer_id, null, { invoicing_behavior });
    await advance(api, clock, '2027-03-05T00:00:00Z');
    expect(await invoicesOf(api, '')).toEqual([]);
    expect([await heldNow(), await told()]).toEqual([[5], 1]);
    await addPrice(plan_id, NEW);
    expect(await heldNow()).toEqual([]);
    await subscribe(api, { customer_id, plan_id: await feeOf7(), start_date: '2027-03-05' });
    const invoice = await billedAt(customer_id, '2027-04-01T00:00:00Z');
    expect(rowsOf(invoice).filter((row) => row.includes('x0'))).toHaveLength(zeros);
    expect(rowsOf(invoice).filter((row) => row.includes('x5'))).toEqual(['late_usage x5 1 from 2027-02-01']);
    expect(heldOf(invoice)).toEqual([]);
    expect(rowsOf(await billedAt(customer_id, '2027-05-01T00:00:00Z'))).toEqual(['recurring_fee 7 from 2027-04-01']);
  });
});

test('what February held is on the invoice of March, once, and what rows priced keeps its price until April', async () => {
  await api.patch('/api/account', { late_usage: 'ignore' });
  const customer_id = await customerOf('acme', { tax_rate: 20 });
  const plan_id = await planOf();
  await subscribe(api, { customer_id, plan_id });
  await trackCalls(api, customer_id, '2027-02-05T00:00:00Z', 10, { model: 'a' });
  await trackCalls(api, customer_id, '2027-02-06T00:00:00Z', 5, { model: 'new' });
  const february = await billedAt(customer_id, '2027-03-01T00:00:00Z');
  expect(rowsOf(february)).toEqual(['usage x10 1 from 2027-02-01']);
  expect(heldOf(february)).toEqual([{ model: 'new', quantity: '5' }]);

  await trackCalls(api, customer_id, '2027-03-05T00:00:00Z', 10, { model: 'a' });
  await trackCalls(api, customer_id, '2027-03-05T00:00:00Z', 3, { model: 'new' });
  await advance(api, clock, '2027-03-10T00:00:00Z');
  const price_id = await addPrice(plan_id, NEW);
  await addPrice(plan_id, { ...A, from: '2027-02-20', overage_price: 0.08 });
  // The account ignores what comes late, which this did not.
  await trackCalls(api, customer_id, '2027-02-07T00:00:00Z', 2, { model: 'a' });
  const march = await billedAt(customer_id, '2027-04-01T00:00:00Z');
  expect(rowsOf(march)).toEqual([
    'usage x10 1 from 2027-03-01',
    'usage x3 0.6 from 2027-03-01',
    'late_usage x5 1 from 2027-02-01',
  ]);
  expect(linesOf(march)[2]).toMatchObject({ price_id, group: { model: 'new' }, metric_id, events_count: '5' });
  expect(march).toMatchObject({ subtotal: '2.6', tax_amount: '0.52', held: [] });
  await expectExplained(march);

  await trackCalls(api, customer_id, '2027-04-05T00:00:00Z', 10, { model: 'a' });
  const april = await billedAt(customer_id, '2027-05-01T00:00:00Z');
  expect(rowsOf(april)).toEqual(['usage x10 0.8 from 2027-04-01']);
  await expectExplained(april);
  const costs = await api.get(`/api/customers/${customer_id}/cost_analysis/?start_date=2027-02-01&end_date=2027-05-31`);
  expect([costs.status, costs.exact.total_revenue], costs.text).toEqual([200, '4.4']);
});

test('limits, usage months, subscriptions that have ended, and a payer', async () => {
  await api.patch('/api/account', { late_usage: 'ignore' });
  const plans = {
    plain: await planOf(),
    least: await planOf({ name: 'least' }, { minimum_amount: 3 }),
    most: await planOf({ name: 'most', maximum_amount: 1.5 }),
    months: await planOf({ name: 'months', billing_period: 'quarterly', usage_period: 'monthly' }),
  };
  const fee = await makePlan(api, { ...MONTHS, name: 'fee', recurring_fee: 7 });
  const subscribed: Record<string, string> = {};
  const begin = async (id: string, plan_id: string, more: object = {}) => {
    const customer_id = await customerOf(id, more);
    subscribed[id] = await subscribe(api, { customer_id, plan_id });
    await trackCalls(api, customer_id, '2027-02-05T00:00:00Z', 10, { model: 'a' });
    await trackCalls(api, customer_id, '2027-02-06T00:00:00Z', 5, { model: 'new' });
  };
  await customerOf('payer');
  await begin('least', plans.least);
  await begin('most', plans.most);
  await begin('months', plans.months);
  await begin('child', plans.plain, { billed_to: 'payer' });
  for (const id of ['ended', 'leaving', 'gone']) await begin(id, plans.plain);
  for (const id of ['ended', 'leaving']) await subscribe(api, { customer_id: id, plan_id: fee });
  await landed(api);
  await advance(api, clock, '2027-03-05T00:00:00Z');
  for (const id of ['ended', 'gone']) {
    await trackCalls(api, id, '2027-03-02T00:00:00Z', 3, { model: 'new' });
    const canceled = await api.post(`/api/subscriptions/${subscribed[id]}/cancel`, {});
    expect(canceled.status, canceled.text).toBe(200);
  }
  await advance(api, clock, '2027-03-10T00:00:00Z');
  for (const plan_id of Object.values(plans)) await addPrice(plan_id, NEW);
  await trackCalls(api, 'leaving', '2027-03-02T00:00:00Z', 3, { model: 'new' });
  const leaving = { invoicing_behavior: 'add_to_next_invoice' };
  const left = await api.post(`/api/subscriptions/${subscribed.leaving}/cancel`, leaving);
  expect(left.status, left.text).toBe(200);

  await landed(api);
  const ids = ['least', 'most', 'months', 'payer', 'ended', 'leaving'];
  const drafts = await Promise.all(ids.map((id) => draftOf(api, id)));
  await advance(api, clock, '2027-04-01T00:00:00Z');
  const bills = await Promise.all(ids.map(last));
  expect(drafts.map(billOf)).toEqual(bills.map(billOf));
  const feb = 'from 2027-02-01';
  const mar = 'from 2027-03-01';
  expect(Object.fromEntries(ids.map((id, i) => [id, rowsOf(bills[i]).filter((row) => !row.includes('x0 0'))]))).toEqual(
    {
      least: [`late_usage x5 1 ${feb}`, `true_up xnull 3 ${mar}`, `true_up xnull -1 ${feb}`],
      most: [`late_usage x5 1 ${feb}`, `true_up -0.5 ${feb}`],
      months: [`late_usage x5 1 ${feb}`],
      payer: [`late_usage x5 1 ${feb}`],
      ended: [`recurring_fee 7 ${mar}`, `late_usage x5 1 ${feb}`, `late_usage x3 0.6 ${mar}`],
      leaving: [`recurring_fee 7 ${mar}`, `usage x3 0.6 ${mar}`, `late_usage x5 1 ${feb}`],
    },
  );
  for (const bill of bills) await expectExplained(bill);
  expect((await checkParity(account.accountId)).differences).toBe(0);
  // Nothing is left: later drafts bill none of it, and one that has ended waits for an invoice of its customer.
  for (const id of ids) {
    expect(rowsOf(await draftOf(api, id)).filter((row) => row.startsWith('late_usage'))).toEqual([]);
  }
  await subscribe(api, { customer_id: 'gone', plan_id: fee });
  const gone = await billedAt('gone', '2027-05-01T00:00:00Z');
  expect(rowsOf(gone)).toEqual([
    'recurring_fee 7 from 2027-04-01',
    `usage x0 0 ${mar}`,
    `late_usage x5 1 ${feb}`,
    `late_usage x3 0.6 ${mar}`,
  ]);
});

test('texts of any length are told apart: each is billed once, by the row that prices all', async () => {
  const customer_id = await customerOf('wordy');
  const plan_id = await planOf();
  await subscribe(api, { customer_id, plan_id });
  const long = (end: string) => 'm'.repeat(3_000) + end;
  await trackCalls(api, customer_id, '2027-02-05T00:00:00Z', 2, { model: long('x') });
  await trackCalls(api, customer_id, '2027-02-06T00:00:00Z', 3, { model: long('y') });
  const february = await billedAt(customer_id, '2027-03-01T00:00:00Z');
  expect(new Set(heldOf(february))).toEqual(
    new Set([
      { model: long('x'), quantity: '2' },
      { model: long('y'), quantity: '3' },
    ]),
  );
  await addPrice(plan_id, { when: {}, overage_price: 0.2 });
  const march = await billedAt(customer_id, '2027-04-01T00:00:00Z');
  expect(rowsOf(march).toSorted()).toEqual([
    'late_usage x2 0.4 from 2027-02-01',
    'late_usage x3 0.6 from 2027-02-01',
    'usage x0 0 from 2027-03-01',
  ]);
  const april = await billedAt(customer_id, '2027-05-01T00:00:00Z');
  expect(rowsOf(april)).toEqual(['usage x0 0 from 2027-04-01']);
});
