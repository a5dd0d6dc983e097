import { beforeEach, describe, expect, test } from 'vitest';
import { inTransaction } from '../../../sql/postgres/postgres.ts';
import { insertUsageCutoffs } from '../../../sql/postgres/subscriptions/usage-cutoffs.ts';
import { newAccount, type TestAccount, withPostgres } from '../../stack/accounts.ts';
import { itemsOf, type Json } from '../../stack/api.ts';
import { advance, eventually, invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';

let account: TestAccount;

beforeEach(async () => {
  account = await newAccount();
});

describe('renewal', () => {
  test('a year in Berlin: one invoice per 30 local days, dated by the boundary, told once', async () => {
    const { api } = account;
    const clock = await makeClock(api, '2026-01-10T09:00:00Z');
    const customer_id = await makeCustomer(api, 'berlin', { test_clock_id: clock, timezone: 'Europe/Berlin' });
    const subscription = await subscribe(api, { customer_id, plan_id: await makePlan(api) });
    await advance(api, clock, '2027-01-10T09:00:00Z');

    const invoices = await invoicesOf(api, `subscription_id=${subscription}`);
    // 2026-01-10 + k * 30 days, at midnight in Berlin: UTC+1, and UTC+2 from 2026-03-29 to 2026-10-25
    const ends = [
      ...['2026-02-08T23', '2026-03-10T23', '2026-04-09T22', '2026-05-09T22', '2026-06-08T22', '2026-07-08T22'],
      ...['2026-08-07T22', '2026-09-06T22', '2026-10-06T22', '2026-11-05T23', '2026-12-05T23', '2027-01-04T23'],
    ].map((hour) => `${hour}:00:00.000Z`);
    expect(invoices.map((invoice) => invoice.period_end)).toEqual(ends);
    expect(invoices.map((invoice) => invoice.created_at)).toEqual(ends);
    expect(invoices.map((invoice) => invoice.period_start)).toEqual(['2026-01-09T23:00:00.000Z', ...ends.slice(0, -1)]);
    expect(invoices[2]).toMatchObject({ kind: 'period', issue_date: '2026-04-10', total: '29', status: 'open' });
    expect(await told(`subscription/${subscription}`)).toEqual([
      'subscription.created',
      ...ends.map(() => 'subscription.renewed'),
    ]);
    for (const invoice of invoices) {
      expect(await told(`invoice/${invoice.invoice_id}`)).toEqual(['invoice.created', 'invoice.past_due']);
    }
    const renewed = await api.get(`/api/subscriptions/${subscription}`);
    expect(renewed.body).toMatchObject({ status: 'active', current_period_start: ends.at(-1) });
  });

  test('without auto_renew it expires at the end of its period, with the closing invoice', async () => {
    const { api } = account;
    const clock = await makeClock(api, '2026-01-10T09:00:00Z');
    const customer_id = await makeCustomer(api, 'once', { test_clock_id: clock });
    const subscription = await subscribe(api, { customer_id, plan_id: await makePlan(api), auto_renew: false });
    await advance(api, clock, '2026-06-01T00:00:00Z');
    expect((await api.get(`/api/subscriptions/${subscription}`)).body).toMatchObject({
      status: 'expired',
      cancel_reason: 'expired',
      canceled_at: '2026-02-09T00:00:00.000Z',
    });
    const invoices = await invoicesOf(api, `subscription_id=${subscription}`);
    expect(invoices).toMatchObject([{ kind: 'closing', issue_date: '2026-02-09', total: '29' }]);
    expect(await told(`subscription/${subscription}`)).toEqual(['subscription.created', 'subscription.canceled']);
  });

  test('a period that had ended at the start is closed at once, clock or no clock', async () => {
    const { api } = account;
    const clock = await makeClock(api, '2026-03-31T12:00:00Z');
    const customer_id = await makeCustomer(api, 'belated', { test_clock_id: clock });
    const subscription = await subscribe(api, { customer_id, plan_id: await makePlan(api), start_date: '2026-03-01' });
    const [invoice] = await eventually(
      () => invoicesOf(api, `subscription_id=${subscription}`),
      (invoices) => invoices.length > 0,
    );
    expect(invoice).toMatchObject({ period_end: '2026-03-31T00:00:00.000Z', issue_date: '2026-03-31' });
  });

  test('closes in the order of the due instants over all customers, then by subscription', async () => {
    const { api } = await newAccount();
    const clock = await makeClock(api, '2026-01-01T12:00:00Z');
    const plan_id = await makePlan(api);
    const zones = {
      pacific: 'America/Los_Angeles',
      tokyo: 'Asia/Tokyo',
      london: 'Europe/London',
      lisbon: 'Europe/Lisbon',
    };
    const subscriptions: Record<string, string> = {};
    for (const [customer_id, timezone] of Object.entries(zones)) {
      await makeCustomer(api, customer_id, { test_clock_id: clock, timezone });
      subscriptions[customer_id] = await subscribe(api, { customer_id, plan_id, start_date: '2026-01-01' });
    }
    await advance(api, clock, '2026-02-15T00:00:00Z');
    const [first, second] = [subscriptions.london, subscriptions.lisbon].toSorted();
    const order = [subscriptions.tokyo, first, second, subscriptions.pacific];
    const invoices = await invoicesOf(api, '');
    expect(invoices.map((invoice) => invoice.subscription_id)).toEqual(order);
  });
});

describe('activation', () => {
  test('at the local midnight of the start date, not a millisecond before', async () => {
    const { api } = account;
    const clock = await makeClock(api, '2026-01-10T09:00:00Z');
    const customer_id = await makeCustomer(api, 'tokyo', { test_clock_id: clock, timezone: 'Asia/Tokyo' });
    const subscription = await subscribe(api, { customer_id, plan_id: await makePlan(api), start_date: '2026-01-20' });
    const status = async () => (await api.get(`/api/subscriptions/${subscription}`)).body.status;
    expect(await status()).toBe('pending');
    await advance(api, clock, '2026-01-19T14:59:59.999Z');
    expect(await status()).toBe('pending');
    await advance(api, clock, '2026-01-19T15:00:00.000Z');
    expect(await status()).toBe('active');
    expect(await told(`subscription/${subscription}`)).toEqual(['subscription.created', 'subscription.activated']);
  });
});

describe('closing', () => {
  test('waits for the grace of the account, in clock time', async () => {
    const { api, accountId } = await newAccount();
    const hour = 'UPDATE accounts SET invoice_grace_seconds = 3600 WHERE account_id = $1';
    await withPostgres((postgres) => postgres.query(hour, [accountId]));
    const clock = await makeClock(api, '2026-03-01T00:00:00Z');
    const customer_id = await makeCustomer(api, 'graceful', { test_clock_id: clock });
    await subscribe(api, { customer_id, plan_id: await makePlan(api) });
    await advance(api, clock, '2026-03-31T00:59:59.999Z');
    expect(await invoicesOf(api, '')).toEqual([]);
    await advance(api, clock, '2026-03-31T01:00:00.000Z');
    expect(await invoicesOf(api, '')).toMatchObject([{ created_at: '2026-03-31T01:00:00.000Z' }]);
  });

  test('counts everything answered before the advance, and up to the usage cutoff that was kept first', async () => {
    const { api, accountId } = await newAccount();
    const clock = await makeClock(api, '2026-03-01T00:00:00Z');
    const metric = await api.post('/api/metrics', { metric_name: 'calls', aggregation_type: 'count' });
    const components = [{ metric_id: metric.body.metric_id, overage_price: 1 }];
    const plan_id = await makePlan(api, { components });
    for (const customer_id of ['counted', 'cut']) await makeCustomer(api, customer_id, { test_clock_id: clock });
    const counted = await subscribe(api, { customer_id: 'counted', plan_id });
    const cut = await subscribe(api, { customer_id: 'cut', plan_id });
    // A usage cutoff below every event of this test, as an earlier try of the closing would have kept it.
    const cutoff = { position: 0n, fixedAt: Date.parse('2026-03-31T00:00:00Z') };
    const period = { subscriptionId: cut, periodIndex: 0 };
    await withPostgres((postgres) =>
      inTransaction(postgres, accountId, (tx) => insertUsageCutoffs(tx, accountId, [period], cutoff)),
    );

    const sent = ['counted', 'cut'].flatMap((customer_id) =>
      Array.from({ length: 40 }, (_, n) =>
        api.post('/api/track', {
          event_name: 'call',
          customer_id,
          idempotency_id: `${customer_id}-${n}`,
          time_created: '2026-03-05T00:00:00Z',
        }),
      ),
    );
    for (const answer of await Promise.all(sent)) expect(answer.status).toBe(200);
    await advance(api, clock, '2026-04-01T00:00:00Z');
    expect(usageOf(await invoicesOf(api, `subscription_id=${counted}`))).toEqual(['40']);
    expect(usageOf(await invoicesOf(api, `subscription_id=${cut}`))).toEqual(['0']);
  });
});

/** Types of the events told about a subject, in order. */
async function told(subject: string): Promise<string[]> {
  const sql = 'SELECT type FROM outbox_events WHERE subject = $1 ORDER BY seq';
  const { rows } = await withPostgres((postgres) => postgres.query<{ type: string }>(sql, [subject]));
  return rows.map((row) => row.type);
}

function usageOf(invoices: Json[]) {
  const lines = invoices.flatMap((invoice) => itemsOf(invoice.lines));
  return lines.filter((line) => String(line.type) === 'usage').map((line) => line.quantity);
}
