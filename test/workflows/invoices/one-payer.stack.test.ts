import { beforeEach, describe, expect, test } from 'vitest';
import { closePeriod } from '../../../services/invoices/close-period.ts';
import { howMany } from '../../how-many.ts';
import { newAccount, type TestAccount, withPostgres } from '../../stack/accounts.ts';
import { type Api, itemsOf, type Json } from '../../stack/api.ts';
import { billOf, draftOf, rowsOf, trackCalls } from '../../stack/bills.ts';
import { eventually, invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { landed, makeMetric, posted } from '../../stack/resources.ts';
import { verifyChainOf } from '../../stack/verify-chain.ts';
import { connectActivities, setClock } from '../activity-fixture.ts';
import { advance } from '../in-process-clock.ts';

/** Customers that are billed to another (spec/customers#one-payer, spec/invoices#sections); periods from 2026-03-01, of 30 days. */

const APRIL = '2026-03-31T00:00:00Z';
/** Customers that fall due together in real time: several times as many as are closed beside each other. */
const CHILDREN = howMany(12, 30);

let account: TestAccount;
let api: Api;
let clock: string;

beforeEach(async () => {
  account = await newAccount();
  api = account.api;
  clock = await makeClock(api, '2026-03-01T00:00:00Z');
  await makeCustomer(api, 'acme', { test_clock_id: clock, tax_rate: 19 });
});

const childOf = (id: string, more: object = {}) =>
  makeCustomer(api, id, { test_clock_id: clock, billed_to: 'acme', ...more });
const sectionsOf = (invoice: Json | undefined) =>
  itemsOf(invoice?.sections).map((one) => `${one.customer_id} ${one.kind} ${one.subtotal}`);
const issued = () => invoicesOf(api, '');

describe('what falls due at an instant', () => {
  test('is one invoice of the payer, with its tax and credits; drafted so, and explained', async () => {
    const { metric_id } = await makeMetric(api, {});
    const fee = await makePlan(api, { recurring_fee: 0.12 });
    const metered = await makePlan(api, { recurring_fee: 0, components: [{ metric_id, overage_price: 0.06 }] });
    await subscribe(api, { customer_id: await childOf('berlin'), plan_id: metered });
    const own = await subscribe(api, { customer_id: 'acme', plan_id: fee });
    const paris = await subscribe(api, { customer_id: await childOf('paris'), plan_id: fee, auto_renew: false });
    await posted(api, '/api/credits', { customer_id: 'acme', amount: 0.1 });
    await trackCalls(api, 'berlin', '2026-03-10T00:00:00Z', 2);
    await landed(api);
    const drafted = await draftOf(api, 'acme');
    expect(billOf(await draftOf(api, 'paris'))).toMatchObject({ subtotal: '0.12', tax_amount: '0.02' });
    await advance(api, clock, APRIL);

    const all = await issued();
    expect(all).toHaveLength(1);
    const [invoice] = all;
    expect(sectionsOf(invoice)).toEqual(['acme period 0.12', 'berlin period 0.12', 'paris closing 0.12']);
    expect(invoice).toMatchObject({
      customer_id: 'acme',
      subscription_id: null,
      kind: 'period',
      invoice_number: 'INV-000001',
    });
    expect(invoice).toMatchObject({ subtotal: '0.36', tax_amount: '0.07', credits_applied: '0.1', amount_due: '0.33' });
    expect(itemsOf(invoice?.lines).map(({ customer_id, type }) => `${customer_id} ${type}`)).toEqual([
      'acme recurring_fee',
      'berlin usage',
      'paris recurring_fee',
      'acme credit',
    ]);
    const [draft] = itemsOf(drafted.invoices);
    expect([billOf(draft), sectionsOf(draft)]).toEqual([billOf(invoice), sectionsOf(invoice)]);
    expect(drafted).toMatchObject({ subtotal: '0.36', tax_amount: '0.07', amount_due: '0.33' });

    const usage = itemsOf(invoice?.lines).find(({ type }) => String(type) === 'usage');
    const path = `/api/invoices/${invoice?.invoice_id}/lines/${usage?.line_id}/explain`;
    expect((await api.get(path)).body.events).toMatchObject({ count: 2, results: [{}, {}] });
    const costs = await api.get('/api/customers/berlin/cost_analysis/?start_date=2026-03-01&end_date=2026-03-30');
    expect(costs.body.total_revenue).toBe(0.12);
    const timeline = itemsOf((await api.get(`/api/subscriptions/${paris}/timeline`)).body.results);
    expect(timeline.filter(({ kind }) => String(kind) === 'invoiced').map(({ invoice_id }) => invoice_id)).toEqual([
      invoice?.invoice_id,
    ]);
    expect((await api.get(`/api/subscriptions/${own}`)).body.status).toBe('active');
    expect(itemsOf((await api.get('/api/customers/?billed_to=acme')).body.results)).toHaveLength(2);
  });

  test('also of planned cancels, switches and starts; calls and other instants make invoices of their own, to the payer', async () => {
    const plan_id = await makePlan(api, { recurring_fee: 30 });
    const dearer = await makePlan(api, { recurring_fee: 60 });
    const ahead = await makePlan(api, { recurring_fee: 15, charge_timing: 'in_advance' });
    const [a, b, c] = [await childOf('a'), await childOf('b'), await childOf('c')];
    const canceled = await subscribe(api, { customer_id: a, plan_id });
    const switched = await subscribe(api, { customer_id: b, plan_id });
    await subscribe(api, { customer_id: c, plan_id: ahead, start_date: '2026-03-11' });
    const now = { invoicing_behavior: 'invoice_now' };
    await posted(api, `/api/subscriptions/${canceled}/cancel`, { ...now, cancel_at: '2026-03-11' });
    await posted(api, `/api/subscriptions/${switched}/switch_plan`, {
      ...now,
      new_plan_id: dearer,
      effective_date: '2026-03-11',
    });
    await advance(api, clock, '2026-03-12T00:00:00Z');
    const [first] = await issued();
    expect(sectionsOf(first)).toEqual(['a closing 10', 'b proration 20', 'c opening 15']);

    const late = await subscribe(api, { customer_id: a, plan_id: ahead });
    expect((await issued())[1]).toMatchObject({
      customer_id: 'acme',
      subscription_id: late,
      kind: 'opening',
      total: '17.85',
    });
    await posted(api, `/api/subscriptions/${late}/cancel`, { flat_fee_behavior: 'refund' });
    const [credit] = itemsOf((await api.get('/api/credits')).exact.results);
    expect(credit).toMatchObject({ customer_id: 'acme', amount: '17.85' });
  });

  test('is drafted meanwhile, where a part of it is billed already and waits for the others', async () => {
    const { dependencies, close } = await connectActivities();
    const plan_id = await makePlan(api, { recurring_fee: 10 });
    await subscribe(api, { customer_id: 'acme', plan_id });
    const subscriptionId = await subscribe(api, { customer_id: await childOf('berlin'), plan_id });
    const { accountId } = account;
    await setClock(dependencies, accountId, clock, Date.parse(APRIL));
    await closePeriod(dependencies, { accountId, subscriptionId, periodIndex: 0 }, new AbortController().signal);
    await close();
    const [drafted, next] = itemsOf((await draftOf(api, 'acme')).invoices);
    expect([drafted, next].map(sectionsOf)).toEqual([['acme period 10', 'berlin period 10'], ['berlin period 10']]);
    const ofChild = itemsOf((await draftOf(api, 'berlin')).invoices);
    expect(ofChild.map((one) => [one.subscription_id, one.subtotal, one.tax_amount])).toEqual([
      [subscriptionId, '10', '1.9'],
      [subscriptionId, '10', '1.9'],
    ]);
    await advance(api, clock, '2026-04-01T00:00:00Z');
    const invoices = await issued();
    expect(invoices.map(billOf)).toEqual([drafted].map(billOf));
  });

  test('a customer that leaves is invoiced itself, and one that joins on the next of the payer', async () => {
    const plan_id = await makePlan(api, { recurring_fee: 10 });
    const [stays, leaves] = [await childOf('stays'), await childOf('leaves')];
    const joins = await makeCustomer(api, 'joins', { test_clock_id: clock });
    for (const customer_id of [stays, leaves, joins]) await subscribe(api, { customer_id, plan_id });
    await api.patch(`/api/customers/${leaves}/`, { billed_to: null });
    await api.patch(`/api/customers/${joins}/`, { billed_to: 'acme' });
    await advance(api, clock, APRIL);
    const all = await issued();
    expect(all.map(({ customer_id, subscription_id }) => [customer_id, subscription_id === null]).toSorted()).toEqual([
      ['acme', true],
      ['leaves', false],
    ]);
    expect(all.flatMap(sectionsOf).toSorted()).toEqual(['joins period 10', 'stays period 10']);
  });

  test('in real time, after a grace, whatever runs beside', async () => {
    const plan_id = await makePlan(api, { recurring_fee: 10 });
    await makeCustomer(api, 'payer');
    const midnight = Date.now() - (Date.now() % 86_400_000);
    const dueInSeconds = Math.ceil((Date.now() - midnight) / 1000) + 5;
    await api.patch('/api/account', { invoice_grace_seconds: dueInSeconds });
    const start_date = new Date(midnight - 30 * 86_400_000).toISOString().slice(0, 10);
    const ids = Array.from({ length: CHILDREN }, (_, i) => `child-${String(i).padStart(2, '0')}`);
    await Promise.all(
      ids.map(async (id) => {
        await makeCustomer(api, id, { billed_to: 'payer' });
        await subscribe(api, { customer_id: id, plan_id, start_date });
      }),
    );
    const [invoice, ...others] = await eventually(issued, (all) => all.length > 0);
    expect(others).toEqual([]);
    expect(invoice).toMatchObject({ customer_id: 'payer', subtotal: String(10 * CHILDREN) });
    expect(sectionsOf(invoice)).toEqual(ids.map((id) => `${id} period 10`));
    expect(rowsOf(invoice)).toHaveLength(CHILDREN);
  });
});

describe('what is given back', () => {
  const arrears = { recurring_fee: 60, charge_timing: 'in_arrears' };
  const ahead = { recurring_fee: 60, charge_timing: 'in_advance' };
  const creditsOf = async (customer_id: string) =>
    itemsOf((await api.get(`/api/credits?customer_id=${customer_id}`)).exact.results).map(({ amount }) => amount);

  // 60 less 30 for 20 of 30 days, with the tax of 19 %.
  test('goes to who was billed, though the customer has left', async () => {
    const plan_id = await makePlan(api, ahead);
    const new_plan_id = await makePlan(api, { ...ahead, recurring_fee: 30 });
    const id = await subscribe(api, { customer_id: await childOf('child'), plan_id });
    await advance(api, clock, '2026-03-06T00:00:00Z');
    await api.patch('/api/customers/child/', { billed_to: null });
    await advance(api, clock, '2026-03-11T00:00:00Z');
    await posted(api, `/api/subscriptions/${id}/switch_plan`, { new_plan_id });
    expect([await creditsOf('acme'), await creditsOf('child')]).toEqual([['23.8'], []]);
  });

  test('of what is on no invoice yet with the tax of who is billed now; drafted so', async () => {
    const plan_id = await makePlan(api, arrears);
    const new_plan_id = await makePlan(api, { ...arrears, recurring_fee: 30 });
    const id = await subscribe(api, { customer_id: await childOf('child', { tax_rate: 0 }), plan_id });
    await posted(api, `/api/subscriptions/${id}/switch_plan`, { new_plan_id, effective_date: '2026-03-11' });
    const sums = ({ total, credits_applied, amount_due }: Json) => `${total} - ${credits_applied} = ${amount_due}`;
    const drafted = itemsOf((await draftOf(api, 'acme')).invoices).map(sums);
    await advance(api, clock, '2026-03-12T00:00:00Z');
    expect(await creditsOf('acme')).toEqual(['23.8']);
    await advance(api, clock, APRIL);
    expect([drafted, (await issued()).map(sums)]).toEqual([['71.4 - 23.8 = 47.6'], ['71.4 - 23.8 = 47.6']]);
  });

  test('of fewer prepaid units as well', async () => {
    const { metric_id } = await makeMetric(api, {});
    const components = [{ metric_id, overage_price: 1, prepaid_units: 100 }];
    const plan_id = await makePlan(api, { recurring_fee: 0, components });
    const id = await subscribe(api, { customer_id: await childOf('child', { tax_rate: 0 }), plan_id });
    await api.patch('/api/customers/child/', { billed_to: null });
    await posted(api, `/api/subscriptions/${id}/components/change-prepaid-units`, { metric_id, units: 40 });
    expect([await creditsOf('acme'), await creditsOf('child')]).toEqual([['71.4'], []]);
  });
});

describe('what is given back of a charge that a customer had before it got a payer', () => {
  const bentOf = async () => withPostgres(async (postgres) => (await verifyChainOf(postgres, account.accountId)).bent);
  const creditsOf = async (id: string) =>
    itemsOf((await api.get(`/api/credits?customer_id=${id}`)).exact.results).map(
      ({ amount_remaining }) => amount_remaining,
    );
  /** Of 20 % tax, with a first invoice that is not paid; on day 10 it has a payer. */
  async function withPayer(plan: object, then = async (_id: string): Promise<string> => _id) {
    await makeCustomer(api, 'berlin', { test_clock_id: clock, tax_rate: 20 });
    const id = await then(await subscribe(api, { customer_id: 'berlin', plan_id: await makePlan(api, { ...plan }) }));
    await advance(api, clock, '2026-03-11T00:00:00Z');
    await api.patch('/api/customers/berlin', { billed_to: 'acme' });
    const [invoice] = await issued();
    expect(invoice).toMatchObject({ customer_id: 'berlin' });
    return { id, invoice };
  }

  test('by a downgrade goes to whom it was billed to, and goes with it where it is voided', async () => {
    const advanced = { charge_timing: 'in_advance' };
    const { id, invoice } = await withPayer({ ...advanced, recurring_fee: 60 });
    const new_plan_id = await makePlan(api, { ...advanced, recurring_fee: 30 });
    await posted(api, `/api/subscriptions/${id}/switch_plan`, { new_plan_id });
    expect([await creditsOf('berlin'), await creditsOf('acme')]).toEqual([['24'], []]);
    await posted(api, `/api/invoices/${invoice?.invoice_id}/void`);
    expect([await creditsOf('berlin'), await bentOf()]).toEqual([['0'], null]);
  });

  test('by an invoice of the payer is a credit of that one, which goes with what is voided', async () => {
    const dear = await makePlan(api, { recurring_fee: 100 });
    const { id, invoice } = await withPayer({ recurring_fee: 10 }, async (cheap) => {
      const now = { new_plan_id: dear, invoicing_behavior: 'invoice_now' };
      return String((await posted(api, `/api/subscriptions/${cheap}/switch_plan`, now)).body.subscription_id);
    });
    await posted(api, `/api/subscriptions/${id}/cancel`, { invoicing_behavior: 'invoice_now' });
    expect([await creditsOf('berlin'), await creditsOf('acme')]).toEqual([[], ['68']]);
    await posted(api, `/api/invoices/${invoice?.invoice_id}/void`);
    expect([await creditsOf('acme'), await bentOf()]).toEqual([['0'], null]);
  });
});

describe('bad input', () => {
  test.each([
    ['nobody', {}, 404],
    ['child', {}, 422],
    ['euro', {}, 400],
    ['elsewhere', {}, 400],
    ['real', {}, 400],
    ['other-child', {}, 409],
  ])('billed to %s', async (billed_to, more, status) => {
    await makeCustomer(api, 'euro', { test_clock_id: clock, default_currency_code: 'eur' });
    await makeCustomer(api, 'elsewhere', { test_clock_id: clock, timezone: 'Europe/Paris' });
    await makeCustomer(api, 'real');
    await childOf('other-child');
    const body = { customer_id: 'child', email: 'a@b.test', test_clock_id: clock, billed_to, ...more };
    const answer = await api.post('/api/customers/', body);
    expect([answer.status, (await api.get('/api/customers/child/')).status]).toEqual([status, 404]);
  });

  test('of two that would pay for each other at once one does, and neither waits for the other', async () => {
    for (let n = 0; n < 4; n++) {
      const pair = [await makeCustomer(api, `a-${n}`), await makeCustomer(api, `b-${n}`)] as const;
      const patch = (of: string, billed_to: string) => api.patch(`/api/customers/${of}/`, { billed_to });
      const answers = await Promise.all([patch(pair[0], pair[1]), patch(pair[1], pair[0])]);
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    }
  });

  test('what they have in common stays, a payer with others is not deleted, a child gets no credits', async () => {
    const child = await childOf('child');
    const statusOf = async (id: string, body: object) => (await api.patch(`/api/customers/${id}/`, body)).status;
    for (const id of ['acme', child]) {
      expect(await statusOf(id, { timezone: 'Europe/Paris' })).toBe(409);
      expect(await statusOf(id, { default_currency_code: 'eur' })).toBe(409);
      expect(await statusOf(id, { test_clock_id: null })).toBe(409);
    }
    await makeCustomer(api, 'top', { test_clock_id: clock });
    expect(await statusOf('acme', { billed_to: 'top' })).toBe(409);
    expect((await api.post('/api/customers/acme/delete/')).status).toBe(409);
    expect((await api.post('/api/credits', { customer_id: child, amount: 1 })).status).toBe(409);
    expect(await statusOf(child, { billed_to: null })).toBe(200);
    expect((await api.post('/api/customers/acme/delete/')).status).toBe(204);
  });
});
