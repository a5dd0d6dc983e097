import { beforeAll, describe, expect, test } from 'vitest';
import { newAccount, type TestAccount } from '../../stack/accounts.ts';
import { itemsOf, type Json } from '../../stack/api.ts';
import { draftOf } from '../../stack/bills.ts';
import { invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { advance } from '../in-process-clock.ts';

/** Periods of months through a life (spec/periods#calendars). */
let account: TestAccount;
beforeAll(async () => {
  account = await newAccount();
});

/** A test may be tried twice. */
let made = 0;

type Life = { clock: string; customerId: string; subscription: string };

async function begin(name: string, from: string, plan: Record<string, unknown>, zone = 'UTC'): Promise<Life> {
  const { api } = account;
  const clock = await makeClock(api, from);
  const customerId = await makeCustomer(api, `${name} ${++made}`, { test_clock_id: clock, timezone: zone });
  const plan_id = await makePlan(api, { name, recurring_fee: 31, ...plan });
  return { clock, customerId, subscription: await subscribe(api, { customer_id: customerId, plan_id }) };
}

const endsOf = (invoices: readonly Json[]) => invoices.map(({ period_end }) => String(period_end).slice(0, 10));
const totalsOf = (invoices: readonly Json[]) => invoices.map(({ total }) => String(total));
const issuedFor = ({ customerId }: Life) => invoicesOf(account.api, `customer_id=${customerId}`);

async function act({ subscription }: Life, path: string, body: object): Promise<Json> {
  const answer = await account.api.post(`/api/subscriptions/${subscription}/${path}`, body);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}

describe('by anniversary', () => {
  test('of 31 January: the 31st comes back, each period costs the fee', async () => {
    const life = await begin('anniversary', '2027-01-31T09:00:00Z', { billing_calendar: 'anniversary' });
    await advance(account.api, life.clock, '2027-05-31T00:00:00Z');
    const issued = await issuedFor(life);
    expect(endsOf(issued)).toEqual(['2027-02-28', '2027-03-31', '2027-04-30', '2027-05-31']);
    expect(totalsOf(issued)).toEqual(['31', '31', '31', '31']);
  });

  test.each([
    ['2027-02-10', '50.93'],
    ['2027-02-28', '31'],
  ])('a switch to its like on %s keeps the anchor', async (effective_date, total) => {
    const { api } = account;
    const life = await begin(`switch ${effective_date}`, '2027-01-31T09:00:00Z', { billing_calendar: 'anniversary' });
    const new_plan_id = await makePlan(api, { recurring_fee: 62, billing_calendar: 'anniversary' });
    await advance(api, life.clock, '2027-02-10T12:00:00Z');
    await act(life, 'switch_plan', { new_plan_id, effective_date });
    await advance(api, life.clock, '2027-05-01T00:00:00Z');
    const issued = await issuedFor(life);
    expect(endsOf(issued)).toEqual(['2027-02-28', '2027-03-31', '2027-04-30']);
    // 28 days from 31 January: of the difference of 31, 18 of 28 remain on 10 February.
    expect(totalsOf(issued)).toEqual([total, '62', '62']);
  });

  test('a pause over a month’s end bills its days, and what is drafted is invoiced', async () => {
    const { api } = account;
    const life = await begin('paused', '2027-01-31T09:00:00Z', { billing_calendar: 'anniversary' });
    await advance(api, life.clock, '2027-02-14T12:00:00Z');
    await act(life, 'pause', { resumes_at: '2027-03-10' });
    await advance(api, life.clock, '2027-03-20T12:00:00Z');
    const draft = itemsOf((await draftOf(api, life.customerId)).invoices);
    await advance(api, life.clock, '2027-03-31T12:00:00Z');
    const issued = await issuedFor(life);
    // 14 of 28 days until the pause; 21 of 31 from the resume on.
    expect(totalsOf(issued)).toEqual(['15.5', '21']);
    expect(draft.map(({ total }) => String(total))).toEqual(['21']);
  });

  test('where midnight does not exist a period begins with the first instant of its day', async () => {
    const plan = { billing_calendar: 'anniversary' };
    const life = await begin('cairo', '2026-03-24T12:00:00Z', plan, 'Africa/Cairo');
    await advance(account.api, life.clock, '2026-05-01T00:00:00Z');
    expect((await issuedFor(life)).map(({ period_end }) => period_end)).toEqual(['2026-04-23T22:00:00.000Z']);
  });
});

describe('by the calendar', () => {
  const CALENDAR = { billing_calendar: 'calendar' };

  test('the first period is a part of its month: 12.00, then the fee', async () => {
    const { api } = account;
    const life = await begin('calendar', '2027-01-20T09:00:00Z', CALENDAR);
    expect((await draftOf(api, life.customerId)).total).toEqual('12');
    await advance(api, life.clock, '2027-04-01T00:00:00Z');
    const issued = await issuedFor(life);
    expect(endsOf(issued)).toEqual(['2027-02-01', '2027-03-01', '2027-04-01']);
    expect(totalsOf(issued)).toEqual(['12', '31', '31']);
    expect(JSON.stringify(issued[0]?.lines)).toContain('12 of 31 days');
  });

  test('canceled on 25 January: 5.00 in arrears; in advance 12.00, of which 7.00 goes back', async () => {
    const { api } = account;
    const arrears = await begin('canceled', '2027-01-20T09:00:00Z', CALENDAR);
    const advance_ = await begin('canceled ahead', '2027-01-20T09:00:00Z', {
      ...CALENDAR,
      charge_timing: 'in_advance',
    });
    for (const life of [arrears, advance_]) {
      await advance(api, life.clock, '2027-01-25T12:00:00Z');
      await act(life, 'cancel', { invoicing_behavior: 'invoice_now' });
    }
    expect(totalsOf(await issuedFor(arrears))).toEqual(['5']);
    expect(totalsOf(await issuedFor(advance_))).toEqual(['12']);
    const credits = itemsOf((await api.get(`/api/credits?customer_id=${advance_.customerId}`)).exact.results);
    expect(credits.map(({ amount }) => String(amount))).toEqual(['7']);
  });

  test('switches, pauses and refunds in the first period are parts of the whole one', async () => {
    const { api } = account;
    const dearer = await makePlan(api, { recurring_fee: 62, ...CALENDAR });
    const cheaper = await makePlan(api, { recurring_fee: 0, charge_timing: 'in_advance', ...CALENDAR });
    const inAdvance = { ...CALENDAR, charge_timing: 'in_advance' };
    const from = '2027-01-20T09:00:00Z';
    const switched = await begin('switched', from, CALENDAR);
    const lowered = await begin('lowered', from, inAdvance);
    const paused = await begin('paused in part', from, CALENDAR);
    const refunded = await begin('refunded', from, inAdvance);
    for (const life of [switched, lowered, paused, refunded]) await advance(api, life.clock, '2027-01-25T12:00:00Z');
    const days = { days_remaining: 7, days_in_period: 31 };
    const up = await act(switched, 'switch_plan', { new_plan_id: dearer });
    expect(up.proration).toEqual({ ...days, amount: 7, direction: 'charge' });
    const down = await act(lowered, 'switch_plan', { new_plan_id: cheaper });
    expect(down.proration).toEqual({ ...days, amount: 7, direction: 'credit' });
    await act(paused, 'pause', { resumes_at: '2027-01-29' });
    await act(refunded, 'cancel', { flat_fee_behavior: 'refund', invoicing_behavior: 'invoice_now' });
    for (const life of [switched, paused]) await advance(api, life.clock, '2027-02-01T12:00:00Z');
    // 12.00 and 7.00; 8 of the 12 days.
    expect(totalsOf(await issuedFor(switched))).toEqual(['19']);
    expect(totalsOf(await issuedFor(paused))).toEqual(['8']);
    const credits = itemsOf((await api.get(`/api/credits?customer_id=${refunded.customerId}`)).exact.results);
    expect(credits.map(({ amount }) => String(amount))).toEqual(['12']);
  });

  test('a plan is calculated for a whole period', async () => {
    const plan = { name: 'Pro', recurring_fee: 31, billing_period: 'monthly', ...CALENDAR, anchor_day: 31 };
    expect((await account.api.post('/api/plans/preview', plan)).body).toMatchObject({ subtotal: 31 });
  });

  test('a switch to another anchor day closes the period and begins one', async () => {
    const { api } = account;
    const life = await begin('other anchor', '2027-01-01T09:00:00Z', CALENDAR);
    const new_plan_id = await makePlan(api, { recurring_fee: 28, ...CALENDAR, anchor_day: 15 });
    await advance(api, life.clock, '2027-02-01T12:00:00Z');
    const switched = await act(life, 'switch_plan', { new_plan_id });
    expect(switched).toMatchObject({ proration: null, current_period_end: '2027-02-15T00:00:00.000Z' });
    await advance(api, life.clock, '2027-03-15T00:00:00Z');
    // January whole; none of February by the old plan; from 1 to 15 February 14 of the 31 days from 15 January; a month.
    expect(totalsOf(await issuedFor(life))).toEqual(['31', '12.65', '28']);
  });

  test('annual on 29 February, and quarters', async () => {
    const { api } = account;
    const yearly = { ...CALENDAR, billing_period: 'annual' };
    const life = await begin('annual', '2027-12-01T00:00:00Z', yearly);
    const quarters = await begin('quarters', '2027-02-10T00:00:00Z', { ...CALENDAR, billing_period: 'quarterly' });
    await advance(api, life.clock, '2028-01-01T00:00:00Z');
    await advance(api, quarters.clock, '2027-07-01T00:00:00Z');
    // 31 of 365 days; 50 of 90.
    expect(totalsOf(await issuedFor(life))).toEqual(['2.63']);
    expect(totalsOf(await issuedFor(quarters))).toEqual(['17.22', '31']);
  });
});

describe('bad input', () => {
  const PLAN = { name: 'Pro', recurring_fee: 29, billing_period: 'monthly' };
  const only = 'Is only for billing_calendar calendar.';
  const range = 'Must be from 1 to 31.';

  test.each([
    [{ billing_calendar: 'lunar' }, { billing_calendar: ['Must be one of fixed_days, anniversary, calendar.'] }],
    [{ anchor_day: 1 }, { anchor_day: [only] }],
    [{ billing_calendar: 'anniversary', anchor_day: 1 }, { anchor_day: [only] }],
    [{ billing_calendar: 'calendar', anchor_day: 0 }, { anchor_day: [range] }],
    [{ billing_calendar: 'calendar', anchor_day: 32 }, { anchor_day: [range] }],
    [{ billing_calendar: 'calendar', anchor_day: 1.5 }, { anchor_day: ['Must be an integer.'] }],
  ])('%j', async (fields, errors) => {
    const answer = await account.api.post('/api/plans', { ...PLAN, ...fields });
    expect([answer.status, answer.body]).toEqual([422, errors]);
  });

  test('what is sent is read back; neither is changed by a version', async () => {
    const { api } = account;
    const plan = await api.post('/api/plans', { ...PLAN, billing_calendar: 'calendar', anchor_day: 31 });
    expect(plan.body).toMatchObject({ billing_calendar: 'calendar', anchor_day: 31 });
    expect((await api.post('/api/plans', PLAN)).body).toMatchObject({
      billing_calendar: 'fixed_days',
      anchor_day: null,
    });
    const path = `/api/plans/${plan.body.plan_id}`;
    for (const fields of [{ billing_calendar: 'anniversary' }, { anchor_day: 1 }, { billing_calendar: 'calendar' }]) {
      expect((await api.patch(path, fields)).status).toBe(422);
    }
    expect((await api.patch(path, { recurring_fee: 1 })).body).toMatchObject({ anchor_day: 31, version: 2 });
  });

  test('a start is one billing period in the past at most', async () => {
    const { api } = account;
    const clock = await makeClock(api, '2027-03-31T12:00:00Z');
    const customer_id = await makeCustomer(api, `past ${++made}`, { test_clock_id: clock });
    const plan_id = await makePlan(api, { billing_calendar: 'anniversary' });
    const of = (start_date: string) => api.post('/api/subscriptions', { customer_id, plan_id, start_date });
    expect((await of('2027-02-27')).status).toBe(422);
    expect((await of('2027-02-28')).status).toBe(201);
  });
});
