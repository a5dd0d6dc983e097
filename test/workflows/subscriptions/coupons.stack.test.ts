import { beforeAll, describe, expect, test } from 'vitest';
import { newAccount, type TestAccount } from '../../stack/accounts.ts';
import { type Api, itemsOf, type Json } from '../../stack/api.ts';
import { billOf, draftOf, linesOf, trackCalls } from '../../stack/bills.ts';
import { invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { landed, makeMetric } from '../../stack/resources.ts';
import { advance } from '../in-process-clock.ts';

/** Coupons and discounts through lives (spec/discounts). Periods from 2026-03-01: to 03-31, 04-30, 05-30. */
let account: TestAccount;
let api: Api;
beforeAll(async () => {
  account = await newAccount();
  api = account.api;
});

/** A test may be tried twice. */
let made = 0;

async function makeCoupon(fields: object): Promise<string> {
  const answer = await api.post('/api/coupons', { name: 'Offer', duration: 'forever', ...fields });
  expect(answer.status, answer.text).toBe(201);
  return String(answer.body.coupon_id);
}

type Life = { clock: string; customer_id: string; subscription: string };

async function begin(plan: Record<string, unknown>, discounts: object[] = [], customer: object = {}): Promise<Life> {
  const clock = await makeClock(api, '2026-03-01T00:00:00Z');
  const customer_id = await makeCustomer(api, `coupons ${++made}`, { test_clock_id: clock, ...customer });
  const plan_id = await makePlan(api, plan);
  return { clock, customer_id, subscription: await subscribe(api, { customer_id, plan_id, discounts }) };
}

const redeem = ({ subscription }: Pick<Life, 'subscription'>, body: object) =>
  api.post(`/api/subscriptions/${subscription}/discounts`, body);
const rows = (bill: Json | undefined) => linesOf(bill).map(({ type, amount }) => `${type} ${amount}`);
const issuedFor = ({ customer_id }: Life) => invoicesOf(api, `customer_id=${customer_id}`);
const discountsOf = async (id: string) => itemsOf((await api.get(`/api/subscriptions/${id}/discounts`)).body.results);
const creditsOf = async ({ customer_id }: Life) =>
  itemsOf((await api.get(`/api/credits?customer_id=${customer_id}`)).exact.results).map(({ amount }) => amount);

async function act(subscription: string, path: string, body: object): Promise<Json> {
  const answer = await api.post(`/api/subscriptions/${subscription}/${path}`, body);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}

test('the order of an invoice: limits, discount, tax, credit; the draft and each explanation say the same', async () => {
  const { metric_id } = await makeMetric(api);
  const components = [{ metric_id, overage_price: 0.5, minimum_amount: 40 }];
  const coupon_id = await makeCoupon({ percent_off: 15 });
  const plan = { recurring_fee: 100, maximum_amount: 130, components };
  const life = await begin(plan, [{ coupon_id }], { tax_rate: 19 });
  const { customer_id, clock } = life;
  expect((await api.post('/api/credits', { customer_id, amount: 50 })).status).toBe(201);
  await trackCalls(api, customer_id, '2026-03-05T00:00:00Z', 67);
  await landed(api);
  const draft = await draftOf(api, customer_id);
  const query = new URLSearchParams({ subscription_id: life.subscription, type: 'discount' });
  const drafted = await api.get(`/api/customers/${customer_id}/draft_invoice/explain?${query}`);
  expect(drafted.exact).toMatchObject({ total: '-19.5', discount: { amount: '130' } });
  await advance(api, clock, '2026-04-01T00:00:00Z');
  const [march] = await issuedFor(life);
  const lines = ['recurring_fee 100', 'usage 33.5', 'true_up 6.5', 'true_up -10', 'discount -19.5', 'credit -50'];
  expect(rows(march)).toEqual(lines);
  const amounts = { subtotal: '110.5', discount_amount: '19.5', tax_amount: '21', total: '131.5', amount_due: '81.5' };
  expect(march).toMatchObject(amounts);
  expect(draft).toMatchObject(amounts);
  expect(billOf(draft)).toEqual(billOf(march));
  for (const { line_id, type, amount } of linesOf(march)) {
    const told = await api.get(`/api/invoices/${march?.invoice_id}/lines/${line_id}/explain`);
    expect(told.exact.total).toBe(amount);
    if (String(type) === 'discount') {
      expect(told.exact.discount).toMatchObject({ percent_off: '15', amount_off: null, amount: '130' });
    }
  }
  expect(await discountsOf(life.subscription)).toMatchObject([{ status: 'active', periods_used: 1 }]);
  const days = 'start_date=2026-03-01&end_date=2026-03-30';
  const costs = await api.get(`/api/customers/${customer_id}/cost_analysis?${days}`);
  expect(costs.exact.total_revenue).toBe('110.5');
});

test('a period each: opening, then the next; the last one ends it, and a void gives one back', async () => {
  const coupon_id = await makeCoupon({ amount_off: 5, currency: 'usd', duration: 'repeating', duration_in_periods: 2 });
  const life = await begin({ recurring_fee: 30, charge_timing: 'in_advance' }, [{ coupon_id }]);
  expect(await discountsOf(life.subscription)).toMatchObject([{ periods_used: 1, periods_remaining: 1 }]);
  await advance(api, life.clock, '2026-05-01T00:00:00Z');
  const [opening, march, april] = await issuedFor(life);
  expect([opening, march, april].map((one) => one?.subtotal)).toEqual(['25', '25', '30']);
  const ended = [{ status: 'ended', periods_used: 2, periods_remaining: 0 }];
  expect(await discountsOf(life.subscription)).toMatchObject(ended);
  expect((await api.post(`/api/invoices/${march?.invoice_id}/void`)).status).toBe(200);
  expect(await discountsOf(life.subscription)).toMatchObject([{ status: 'active', periods_remaining: 1 }]);
  await advance(api, life.clock, '2026-06-01T00:00:00Z');
  expect((await issuedFor(life)).at(-1)?.subtotal).toBe('25');
  expect(await discountsOf(life.subscription)).toMatchObject(ended);
});

test('who is billed to another has its own discounts, on the section that they are of', async () => {
  const clock = await makeClock(api, '2026-03-01T00:00:00Z');
  const payer = await makeCustomer(api, `payer ${++made}`, { test_clock_id: clock, tax_rate: 10 });
  const child = await makeCustomer(api, `child ${made}`, { test_clock_id: clock, billed_to: payer });
  const plan_id = await makePlan(api, { recurring_fee: 100 });
  await subscribe(api, { customer_id: payer, plan_id });
  const coupon_id = await makeCoupon({ percent_off: 15, duration: 'once' });
  const subscription = await subscribe(api, { customer_id: child, plan_id, discounts: [{ coupon_id }] });
  const draft = await draftOf(api, payer);
  await advance(api, clock, '2026-05-01T00:00:00Z');
  const [march, april] = await invoicesOf(api, `customer_id=${payer}`);
  expect(rows(march)).toEqual(['recurring_fee 100', 'recurring_fee 100', 'discount -15']);
  expect(march).toMatchObject({ subtotal: '185', discount_amount: '15', tax_amount: '18.5' });
  expect(linesOf(march).map(({ customer_id }) => customer_id)).toEqual([payer, child, child]);
  const [drafted] = itemsOf(draft.invoices);
  expect(billOf(drafted)).toEqual(billOf(march));
  expect(april?.subtotal).toBe('200');
  expect(await discountsOf(subscription)).toMatchObject([{ status: 'ended', periods_used: 1 }]);
  expect((await api.post(`/api/invoices/${march?.invoice_id}/void`)).status).toBe(200);
  expect(await discountsOf(subscription)).toMatchObject([{ status: 'active', periods_used: 0 }]);
});

describe('what goes back is less what was off', () => {
  test('a fee in advance: 25.50, of which 17.00 is left on day 10', async () => {
    const coupon_id = await makeCoupon({ percent_off: 15 });
    const life = await begin({ recurring_fee: 30, charge_timing: 'in_advance' }, [{ coupon_id }]);
    const [opening] = await issuedFor(life);
    expect(opening?.total).toBe('25.5');
    expect((await api.post(`/api/invoices/${opening?.invoice_id}/mark_paid`)).status).toBe(200);
    await advance(api, life.clock, '2026-03-11T00:00:00Z');
    await act(life.subscription, 'cancel', { invoicing_behavior: 'invoice_now' });
    expect(await creditsOf(life)).toEqual(['17']);
    expect((await redeem(life, { coupon_id })).status).toBe(409);
  });

  test('a downgrade: 20.00 less 15 % is 17.00; the discount goes along with its count', async () => {
    const coupon_id = await makeCoupon({ percent_off: 15, duration: 'repeating', duration_in_periods: 3 });
    const terms = { charge_timing: 'in_advance' };
    const life = await begin({ recurring_fee: 60, ...terms }, [{ coupon_id }]);
    const new_plan_id = await makePlan(api, { recurring_fee: 30, ...terms });
    await advance(api, life.clock, '2026-03-11T00:00:00Z');
    await act(life.subscription, 'switch_plan', { new_plan_id, effective_date: '2026-03-12' });
    const draft = await draftOf(api, life.customer_id);
    await act(life.subscription, 'switch_plan', { effective_date: null });
    const switched = await act(life.subscription, 'switch_plan', { new_plan_id });
    expect(await creditsOf(life)).toEqual(['17']);
    // Drafted for a day later: 30 * 19 / 30 = 19.00, less 15 %.
    expect(draft.credits_applied).toBe('16.15');
    expect(await discountsOf(life.subscription)).toEqual([]);
    expect(await discountsOf(String(switched.subscription_id))).toMatchObject([
      { periods_used: 1, periods_remaining: 2 },
    ]);
    await advance(api, life.clock, '2026-04-01T00:00:00Z');
    expect((await issuedFor(life)).at(-1)?.subtotal).toBe('25.5');
  });

  // To 60 on day 10: 40 wait. To 30 on day 20: 10 of them are credited. Of 40 + 30 an amount of 100 leaves these 10.
  test('an amount leaves what was credited of a charge that waited', async () => {
    const coupon_id = await makeCoupon({ amount_off: 100, currency: 'usd' });
    const planOf = (recurring_fee: number) => makePlan(api, { recurring_fee, charge_timing: 'in_advance' });
    const life = await begin({ recurring_fee: 0, charge_timing: 'in_advance' }, [{ coupon_id }]);
    const { clock, customer_id } = life;
    let id = life.subscription;
    for (const [date, fee] of [
      ['2026-03-11', 60],
      ['2026-03-21', 30],
    ] as const) {
      await advance(api, clock, `${date}T00:00:00Z`);
      id = String((await act(id, 'switch_plan', { new_plan_id: await planOf(fee) })).subscription_id);
    }
    expect(await creditsOf(life)).toEqual(['10']);
    const draft = await draftOf(api, customer_id);
    await advance(api, clock, '2026-04-01T00:00:00Z');
    const march = (await issuedFor(life)).at(-1);
    expect(rows(march)).toEqual(['recurring_fee 30', 'proration 40', 'discount -60', 'credit -10']);
    expect(march).toMatchObject({ subtotal: '10', amount_due: '0' });
    expect(billOf(draft)).toEqual(billOf(march));
    const off = linesOf(march).find(({ type }) => String(type) === 'discount');
    const told = await api.get(`/api/invoices/${march?.invoice_id}/lines/${off?.line_id}/explain`);
    expect(told.exact).toMatchObject({ total: '-60', discount: { amount: '60' } });
  });

  // To 30 on day 10: 20 are credited of the fee of 60. An amount of 50 leaves these 20.
  test('an amount leaves what was credited of a fee in arrears', async () => {
    const coupon_id = await makeCoupon({ amount_off: 50, currency: 'usd' });
    const life = await begin({ recurring_fee: 60 }, [{ coupon_id }]);
    await advance(api, life.clock, '2026-03-11T00:00:00Z');
    await act(life.subscription, 'switch_plan', { new_plan_id: await makePlan(api, { recurring_fee: 30 }) });
    const draft = await draftOf(api, life.customer_id);
    await advance(api, life.clock, '2026-04-01T00:00:00Z');
    const march = (await issuedFor(life)).at(-1);
    expect(rows(march)).toEqual(['recurring_fee 60', 'discount -40', 'credit -20']);
    expect(march).toMatchObject({ subtotal: '20', amount_due: '0' });
    expect(billOf(draft)).toEqual(billOf(march));
  });

  test('an upgrade in arrears: the proration is 15 % less, and so is what a cancel takes back of it', async () => {
    const coupon_id = await makeCoupon({ percent_off: 15 });
    const life = await begin({ recurring_fee: 10 }, [{ coupon_id }]);
    const new_plan_id = await makePlan(api, { recurring_fee: 100 });
    const body = { new_plan_id, invoicing_behavior: 'invoice_now' };
    const switched = await act(life.subscription, 'switch_plan', body);
    const [proration] = await issuedFor(life);
    expect(rows(proration)).toEqual(['proration 90', 'discount -13.5']);
    expect((await api.post(`/api/invoices/${proration?.invoice_id}/mark_paid`)).status).toBe(200);
    const id = String(switched.subscription_id);
    expect(await discountsOf(id)).toMatchObject([{ periods_used: 0 }]);
    await advance(api, life.clock, '2026-03-11T00:00:00Z');
    await act(id, 'cancel', { invoicing_behavior: 'invoice_now' });
    // 10 * 10 / 30 less 15 % is 2.83; of 76.50, 20 of 30 days: 51.
    expect(rows((await issuedFor(life)).at(-1))).toEqual(['recurring_fee 3.33', 'proration -51', 'discount -0.5']);
  });
});

test('a planned cancel behind a switch that is invoiced by itself is drafted as it is invoiced, less the discount', async () => {
  const coupon_id = await makeCoupon({ percent_off: 15 });
  const { metric_id } = await makeMetric(api);
  const sold = { charge_timing: 'in_advance', components: [{ metric_id, overage_price: 1 }] };
  const life = await begin({ recurring_fee: 30, ...sold }, [{ coupon_id }]);
  const { customer_id, clock, subscription } = life;
  const [opening] = await issuedFor(life);
  expect((await api.post(`/api/invoices/${opening?.invoice_id}/mark_paid`)).status).toBe(200);
  const new_plan_id = await makePlan(api, { recurring_fee: 60, ...sold });
  await act(subscription, 'cancel', { cancel_at: '2026-03-12' });
  const switched = { new_plan_id, effective_date: '2026-03-11', invoicing_behavior: 'invoice_now' };
  await act(subscription, 'switch_plan', switched);
  await trackCalls(api, customer_id, '2026-03-05T00:00:00Z', 30);
  await landed(api);
  const drafted = itemsOf((await draftOf(api, customer_id)).invoices);
  // 60 * 19 / 30 less 15 % is 32.30: the 17.00 of the switch, which are not paid, and 15.30 of the opening 25.50.
  const closing = ['usage 30', 'discount -4.5', 'credit -15.3'];
  expect(drafted.map(rows)).toEqual([['proration 20', 'discount -3'], closing]);
  await advance(api, clock, '2026-04-01T00:00:00Z');
  const issued = await issuedFor(life);
  expect(rows(issued.at(-1))).toEqual(closing);
  expect(await creditsOf(life)).toEqual(['15.3', '17']);
});

describe('redemption', () => {
  test('what is refused', async () => {
    const life = await begin({ recurring_fee: 10 });
    const other = await makePlan(api);
    const refused: [object, number][] = [
      [{ percent_off: 5, redeem_by: '2026-02-28' }, 409],
      [{ percent_off: 5, redeem_by: '2026-03-01' }, 201],
      [{ percent_off: 5, applies_to: { plan_ids: [other] } }, 409],
      [{ amount_off: 5, currency: 'eur' }, 400],
    ];
    for (const [fields, status] of refused) {
      expect((await redeem(life, { coupon_id: await makeCoupon(fields) })).status).toBe(status);
    }
    const coupon_id = await makeCoupon({ percent_off: 5, code: `Once-${made}` });
    expect((await redeem(life, { code: `oNCE-${made}` })).status).toBe(201);
    expect((await redeem(life, { coupon_id })).status).toBe(409);
    const [discount] = await discountsOf(life.subscription);
    const path = `/api/subscriptions/${life.subscription}/discounts/${discount?.discount_id}`;
    expect((await api.delete(path)).status).toBe(204);
    expect((await api.delete(path)).status).toBe(409);
    expect((await redeem(life, { coupon_id })).status).toBe(201);
    expect((await api.get(`/api/coupons/${coupon_id}`)).body).toMatchObject({ times_redeemed: 2, status: 'active' });
    expect(
      (await api.post('/api/coupons', { name: 'x', percent_off: 1, duration: 'once', code: `ONCE-${made}` })).status,
    ).toBe(409);
    expect((await api.post(`/api/coupons/${coupon_id}/archive`)).status).toBe(200);
    expect((await redeem(life, { code: `once-${made}` })).status).toBe(404);
    expect((await redeem(life, { coupon_id: 'coupon_none' })).status).toBe(404);
    for (const body of [{}, { coupon_id, code: 'x' }]) expect((await redeem(life, body)).status).toBe(422);
  });

  test('of a coupon for three, twenty calls at once redeem three', async () => {
    const coupon_id = await makeCoupon({ percent_off: 5, max_redemptions: 3 });
    const lives = await Promise.all(Array.from({ length: 20 }, () => begin({ recurring_fee: 10 })));
    const answers = await Promise.all(lives.map((life) => redeem(life, { coupon_id })));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(3).fill(201), ...Array(17).fill(409)]);
    expect((await api.get(`/api/coupons/${coupon_id}`)).body.times_redeemed).toBe(3);
  });

  test('a subscription whose coupon is refused is not made', async () => {
    const coupon_id = await makeCoupon({ percent_off: 5, redeem_by: '2026-02-28' });
    const { customer_id } = await begin({ recurring_fee: 10 });
    const plan_id = await makePlan(api);
    const body = { customer_id, plan_id, discounts: [{ coupon_id }] };
    expect((await api.post('/api/subscriptions', body)).status).toBe(409);
    expect((await api.get(`/api/subscriptions?customer_id=${customer_id}`)).body.count).toBe(1);
  });
});

test.each([
  [{}, { percent_off: ['Send either percent_off, or amount_off with currency.'], duration: ['Required.'] }],
  [{ percent_off: 0, duration: 'once' }, { percent_off: ['Must be above 0, to 100.'] }],
  [
    { percent_off: 100.01, duration: 'x' },
    { percent_off: expect.anything(), duration: expect.anything() },
  ],
  [{ amount_off: 5, duration: 'once' }, { currency: ['Is required with amount_off.'] }],
  [{ amount_off: 5.001, currency: 'usd', duration: 'once' }, { amount_off: ['Must have at most 2 decimals in USD.'] }],
  [{ percent_off: 5, currency: 'usd', duration: 'once' }, { currency: ['Is only for amount_off.'] }],
  [{ percent_off: 5, duration: 'repeating' }, { duration_in_periods: ['Is required for repeating.'] }],
  [{ percent_off: 5, duration: 'once', duration_in_periods: 2 }, { duration_in_periods: ['Is only for repeating.'] }],
  [
    { percent_off: 5, duration: 'once', code: 'a b', max_redemptions: 0 },
    { code: expect.anything(), max_redemptions: expect.anything() },
  ],
  [
    { percent_off: 5, duration: 'once', applies_to: { line_types: ['credit'] } },
    { 'applies_to.line_types.0': expect.anything() },
  ],
])('a coupon %j is 422', async (fields, errors) => {
  expect(await api.post('/api/coupons', { name: 'Offer', ...fields })).toMatchObject({ status: 422, body: errors });
});

test('what is sent is read back, and only what may change changes', async () => {
  const plan_id = await makePlan(api);
  const sent = {
    name: 'Launch',
    percent_off: 12.5,
    duration: 'repeating',
    duration_in_periods: 3,
    code: `L-${++made}`,
  };
  const lists = { applies_to: { plan_ids: [plan_id], line_types: ['usage', 'recurring_fee'] } };
  const coupon = await api.post('/api/coupons', { ...sent, ...lists, max_redemptions: 9, redeem_by: '2027-01-31' });
  expect(coupon.body).toMatchObject({ ...sent, max_redemptions: 9, redeem_by: '2027-01-31', times_redeemed: 0 });
  expect(coupon.body).toMatchObject({ status: 'active', amount_off: null, currency: null });
  const path = `/api/coupons/${coupon.body.coupon_id}`;
  expect((await api.get(path)).body).toEqual(coupon.body);
  const changes = { name: 'Spring', max_redemptions: null, redeem_by: '2027-02-01T10:00:00.000Z' };
  const changed = await api.patch(path, changes);
  expect(changed.body).toEqual({ ...coupon.body, ...changes });
  expect((await api.patch(path, { percent_off: 20 })).status).toBe(422);
  expect((await api.post(`${path}/archive`)).body).toEqual({ ...changed.body, status: 'archived' });
  expect((await api.post(`${path}/archive`)).status).toBe(409);
  expect((await api.get('/api/coupons?status=archived')).body.results).toContainEqual({
    ...changed.body,
    status: 'archived',
  });
});
