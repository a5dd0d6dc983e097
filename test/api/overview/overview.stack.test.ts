import { beforeAll, describe, expect, test } from 'vitest';
import { newAccount, type TestAccount } from '../../stack/accounts.ts';
import type { Json } from '../../stack/api.ts';
import { invoicesOf, makeClock } from '../../stack/clocks.ts';
import { landed, makeCustomer, makePlan, posted, track } from '../../stack/resources.ts';
import { waitUntil } from '../../stack/wait-until.ts';
import { advance } from '../../workflows/in-process-clock.ts';

let account: TestAccount;
beforeAll(async () => {
  account = await newAccount();
});

async function overviewOf({ api }: TestAccount, query = ''): Promise<Json> {
  const answer = await api.get(`/api/overview${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.exact;
}

function currenciesOf(overview: Json): Json[] {
  return overview.currencies as unknown as Json[];
}

const today = () => new Date().toISOString().slice(0, 10);
const daysFrom = (days: number, date = today()) =>
  new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);

test('MRR: 29 monthly with 2 add-ons of 3, 90 quarterly, 1,200 annual are 165.00', async () => {
  const { api } = account;
  const planId = async (fields: object) => String((await makePlan(api, fields)).plan_id);
  const subscribed = async (fields: object, more: object = {}) => {
    const { customer_id } = await makeCustomer(api);
    const body = { customer_id, plan_id: await planId(fields), ...more };
    return `/api/subscriptions/${(await posted(api, '/api/subscriptions', body)).body.subscription_id}`;
  };
  const monthly = await subscribed({ recurring_fee: 29 });
  await subscribed({ recurring_fee: 90, billing_period: 'quarterly' });
  await subscribed({ recurring_fee: 1200, billing_period: 'annual' });
  const addon = async (fields: object) => String((await posted(api, '/api/addons', fields)).body.addon_id);
  const seats = { addon_id: await addon({ name: 'Seats', kind: 'quantity', price: 3 }), quantity: 2 };
  await posted(api, `${monthly}/addons/attach`, seats);
  // None of these counts.
  await posted(api, `${monthly}/addons/attach`, {
    addon_id: await addon({ name: 'Setup', kind: 'one_time', price: 99 }),
  });
  const taken = { addon_id: await addon({ name: 'Gone', kind: 'recurring', price: 7 }) };
  await posted(api, `${monthly}/addons/attach`, taken);
  await posted(api, `${monthly}/addons/cancel`, taken);
  await posted(api, `${await subscribed({ recurring_fee: 50 })}/pause`);
  await posted(api, `${await subscribed({ recurring_fee: 60 })}/cancel`);
  await subscribed({ recurring_fee: 70 }, { start_date: daysFrom(40) });

  const overview = await overviewOf(account);
  const [dollars, ...others] = currenciesOf(overview);
  expect([dollars, others]).toMatchObject([{ mrr: '165', currency: { code: 'USD' } }, []]);
  expect([overview.customers, overview.subscriptions]).toEqual(['6', { pending: '1', active: '3', paused: '1' }]);
});

describe('money', () => {
  const net14 = { net_terms_days: 14 };

  test('invoiced by day and currency, owed by age, paid and failed', async () => {
    const own = await newAccount();
    await own.api.patch('/api/account', net14);
    const plans = new Map<string, string>();
    for (const currency of ['usd', 'eur']) {
      const fields = { recurring_fee: 30, charge_timing: 'in_advance', currency };
      plans.set(currency, String((await makePlan(own.api, fields)).plan_id));
    }
    /** A customer whose first invoice is of 2030-01-01 and due on the 15th, `at` a moment of its clock. */
    const billed = async (at: string, currency = 'usd', more: object = {}) => {
      const clock = await makeClock(own.api, '2030-01-01T12:00:00Z');
      const made = await makeCustomer(own.api, { default_currency_code: currency, test_clock_id: clock, ...more });
      const { customer_id } = made;
      await posted(own.api, '/api/subscriptions', { customer_id, plan_id: plans.get(currency), auto_renew: false });
      if (!at.startsWith('2030-01-01')) await advance(own.api, clock, at);
      const [opening] = await waitUntil(
        () => invoicesOf(own.api, `customer_id=${customer_id}&kind=opening`),
        ({ length }) => length > 0,
      );
      return opening;
    };
    await billed('2030-01-15T12:00:00Z');
    await billed('2030-01-16T00:00:00Z');
    await billed('2030-02-14T00:00:00Z', 'eur', { tax_rate: 20 });
    const paid = await billed('2030-01-01T12:00:00Z');
    await posted(own.api, `/api/invoices/${paid?.invoice_id}/mark_paid`, { paid_at: '2030-01-05T00:00:00Z' });
    const voided = await billed('2030-01-01T12:00:00Z');
    await posted(own.api, `/api/invoices/${voided?.invoice_id}/void`);

    const overview = await overviewOf(own, '?start=2029-12-31&end=2030-01-03');
    const found = currenciesOf(overview).map(({ currency, ...amounts }) => ({
      code: (currency as unknown as Json).code,
      ...amounts,
    }));
    const perDay = (amount: string) =>
      ['2029-12-31', '2030-01-01', '2030-01-02'].map((date, i) => ({ date, amount: i === 1 ? amount : '0' }));
    const none = { not_due: '0', days_1_30: '0', days_31_60: '0', days_61_90: '0', days_over_90: '0' };
    expect(found).toEqual([
      {
        ...{ code: 'USD', mrr: expect.any(String), invoiced: '90', invoiced_per_day: perDay('90') },
        receivables: { ...none, not_due: '30', days_1_30: '30', total: '60', count: '2' },
      },
      {
        ...{ code: 'EUR', mrr: expect.any(String), invoiced: '30', invoiced_per_day: perDay('30') },
        receivables: { ...none, days_1_30: '36', total: '36', count: '1' },
      },
    ]);
    expect(overview.payments).toEqual({ succeeded: '0', failed: '0' });
    expect((await overviewOf(own, '?start=2030-01-05&end=2030-01-06')).payments).toEqual({
      succeeded: '1',
      failed: '0',
    });
  });

  test('what closes next, soonest first', async () => {
    const own = await newAccount();
    const plan_id = (await makePlan(own.api, { name: 'Basic' })).plan_id;
    const made: string[] = [];
    for (const start of [-3, -20, -10]) {
      const { customer_id } = await makeCustomer(own.api);
      const body = { customer_id, plan_id, start_date: daysFrom(start) };
      made.push(String((await posted(own.api, '/api/subscriptions', body)).body.subscription_id));
    }
    await posted(own.api, `/api/subscriptions/${made[0]}/cancel`, { cancel_at: daysFrom(2) });
    const overview = await overviewOf(own);
    const closings = overview.next_closings as unknown as Json[];
    expect(closings.map(({ subscription_id, at, plan_name }) => [subscription_id, at, plan_name])).toEqual([
      [made[0], `${daysFrom(2)}T00:00:00.000Z`, 'Basic'],
      [made[1], `${daysFrom(10)}T00:00:00.000Z`, 'Basic'],
      [made[2], `${daysFrom(20)}T00:00:00.000Z`, 'Basic'],
    ]);
  });
});

test('events by day, and what became of those of the last day', async () => {
  const own = await newAccount();
  const { customer_id } = await makeCustomer(own.api);
  const yesterday = daysFrom(-1);
  await track(own.api, { customer_id, time_created: `${yesterday}T23:59:59.999Z` });
  const idempotency_id = await track(own.api, { customer_id, time_created: `${today()}T00:00:00Z` });
  await track(own.api, { customer_id, time_created: `${today()}T00:00:00Z`, idempotency_id });
  await landed(own.api);
  const overview = await waitUntil(
    () => overviewOf(own),
    ({ ingestion }) => String((ingestion as unknown as Json).accepted) === '3',
  );
  const days = overview.events_per_day as unknown as Json[];
  expect(days).toHaveLength(30);
  expect(days.slice(-2)).toEqual([
    { date: yesterday, events: '1' },
    { date: today(), events: '1' },
  ]);
  const { lag_seconds: _, ...counts } = overview.ingestion as unknown as Json;
  expect(counts).toEqual({ accepted: '3', landed: '2', repeated: '1', missing: '0', dead_lettered: '0' });
});

describe('refusals', () => {
  test.each([
    ['start=2026-13-01', ['start']],
    ['end=tomorrow', ['end']],
    ['start=2026-02-01&end=2026-02-01', ['end']],
    ['start=2025-01-01&end=2026-01-03', ['end']],
    ['start=2299-01-01', ['start']],
  ])('%s is 422', async (query, fields) => {
    const answer = await account.api.get(`/api/overview?${query}`);
    expect([answer.status, Object.keys(answer.body)]).toEqual([422, fields]);
  });

  test('366 days are answered', async () => {
    const overview = await overviewOf(account, '?start=2025-01-01&end=2026-01-02');
    expect(overview.events_per_day).toHaveLength(366);
  });
});

test("nothing of another account's", async () => {
  const empty = await overviewOf(await newAccount());
  expect(empty).toMatchObject({
    customers: '0',
    subscriptions: { pending: '0', active: '0', paused: '0' },
    next_closings: [],
  });
  expect(currenciesOf(empty).map(({ mrr, invoiced }) => [mrr, invoiced])).toEqual([['0', '0']]);
});
