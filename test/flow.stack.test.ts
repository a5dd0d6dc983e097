import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { newAccount } from './stack/accounts.ts';
import { type Api, itemsOf, type Json } from './stack/api.ts';

const START = Date.UTC(2026, 2, 1);
const DAY_MS = 86_400_000;

/** From a tracked event to a paid invoice, through HTTP only. */
test('usage becomes a line on an invoice, a credit lowers it, the caller collects it', async () => {
  const { api } = await newAccount();
  const clock = (await api.post('/api/test-clocks', { frozen_time: new Date(START).toISOString() })).body;
  await api.post('/api/customers/', {
    customer_id: 'acme',
    email: 'billing@acme.test',
    customer_name: 'Acme',
    tax_rate: 20,
    test_clock_id: clock.test_clock_id,
  });
  const metrics = await makeMetrics(api);
  const plan = await api.post('/api/plans', {
    name: 'Pro',
    recurring_fee: 29,
    billing_period: 'monthly',
    components: [
      { metric_id: metrics.count, free_tier: 100, overage_price: 0.25 },
      { metric_id: metrics.sum, overage_price: 0.01 },
      { metric_id: metrics.max, overage_price: 1 },
      { metric_id: metrics.unique, overage_price: 2 },
    ],
  });
  expect(plan.status).toBe(201);
  const subscription = await api.post('/api/subscriptions', { customer_id: 'acme', plan_id: plan.body.plan_id });
  expect(subscription.body).toMatchObject({ status: 'active', current_period_start: '2026-03-01T00:00:00.000Z' });
  await api.post('/api/credits', { customer_id: 'acme', amount: 50, reason: 'goodwill_credit' });

  // 140 events, 7 of them sent twice; bytes 0.1 each: in floats their sum would not be 14.
  for (let n = 0; n < 140; n++) {
    for (let times = n % 20 === 0 ? 2 : 1; times > 0; times--) {
      const sent = await api.post('/api/track', usageEvent(n));
      expect(sent.body).toEqual({ success: 'all', idempotency_id: `e-${n}`, status: 'queued' });
    }
  }
  const verified = await api.post('/api/verify-events', { idempotency_ids: ['e-139', 'e-140'] });
  expect(verified.body).toEqual({ status: 'success', ids_received: ['e-139'], ids_not_found: ['e-140'] });

  // fee 29; (140 - 100) * 0.25 = 10; 14 * 0.01 = 0.14; max 139 * 1 = 139; 10 users * 2 = 20: 198.14
  // tax 20 %: 39.628 -> 39.63; total 237.77; credit 50; due 187.77
  const amounts = {
    subtotal: '198.14',
    tax_amount: '39.63',
    total: '237.77',
    credits_applied: '50',
    amount_due: '187.77',
  };
  const draft = await api.get('/api/customers/acme/draft_invoice/');
  expect(draft.exact).toMatchObject({ ...amounts, status: 'draft' });

  await advance(api, String(clock.test_clock_id), START + 30 * DAY_MS);
  const invoices = await api.get('/api/invoices?customer_id=acme');
  expect(invoices.body).toMatchObject({ count: 1, next: null, previous: null });
  const issued = itemsOf(invoices.exact.results)[0] as Json;
  expect(issued).toMatchObject({
    ...amounts,
    status: 'open',
    kind: 'period',
    invoice_number: 'INV-000001',
    issue_date: '2026-03-31',
    due_date: '2026-03-31',
    period_start: '2026-03-01T00:00:00.000Z',
    period_end: '2026-03-31T00:00:00.000Z',
    created_at: '2026-03-31T00:00:00.000Z',
  });
  const lines = itemsOf(issued.lines);
  expect(lines.map(({ type, quantity, amount, events_count }) => ({ type, quantity, amount, events_count }))).toEqual([
    { type: 'recurring_fee', quantity: '1', amount: '29', events_count: null },
    { type: 'usage', quantity: '140', amount: '10', events_count: '140' },
    { type: 'usage', quantity: '14', amount: '0.14', events_count: '140' },
    { type: 'usage', quantity: '139', amount: '139', events_count: '140' },
    { type: 'usage', quantity: '10', amount: '20', events_count: '140' },
    { type: 'credit', quantity: null, amount: '-50', events_count: null },
  ]);
  expect(withoutIds(lines)).toEqual(withoutIds(itemsOf(draft.exact.lines)));

  const renewed = await api.get(`/api/subscriptions/${subscription.body.subscription_id}`);
  expect(renewed.body).toMatchObject({ status: 'active', current_period_end: '2026-04-30T00:00:00.000Z' });
  expect((await api.get('/api/customers/acme/')).exact).toMatchObject({ total_amount_due: '187.77' });

  const paid = await api.post('/api/invoices/INV-000001/mark_paid', { reference: 'wire 42' });
  expect(paid.exact).toMatchObject({
    status: 'paid',
    amount_paid: '187.77',
    amount_due: '0',
    paid_at: issued.created_at,
  });
  expect((await api.get('/api/customers/acme/')).exact).toMatchObject({ total_amount_due: '0' });
  expect((await api.post('/api/invoices/INV-000001/mark_paid')).status).toBe(409);
});

async function makeMetrics(api: Api) {
  const make = async (aggregation_type: string, property_name?: string) => {
    const body = { metric_name: aggregation_type, aggregation_type, event_name: 'request', property_name };
    return (await api.post('/api/metrics', body)).body.metric_id;
  };
  return {
    count: await make('count'),
    sum: await make('sum', 'bytes'),
    max: await make('max', 'n'),
    unique: await make('unique', 'user'),
  };
}

function usageEvent(n: number) {
  return {
    event_name: 'request',
    customer_id: 'acme',
    idempotency_id: `e-${n}`,
    time_created: new Date(START + n * 3_600_000).toISOString(),
    properties: { bytes: 0.1, n, user: `u${n % 10}` },
  };
}

async function advance(api: Api, clockId: string, goal: number) {
  const begun = await api.post(`/api/test-clocks/${clockId}/advance`, { frozen_time: new Date(goal).toISOString() });
  expect(begun.body.status).toBe('advancing');
  for (;;) {
    const { status } = (await api.get(`/api/test-clocks/${clockId}`)).body;
    if (String(status) === 'ready') return;
    expect(status).toBe('advancing');
    await sleep(50);
  }
}

function withoutIds(lines: Json[]) {
  return lines.map(({ line_id: _lineId, reversed_amount: _reversed, ...line }) => line);
}
