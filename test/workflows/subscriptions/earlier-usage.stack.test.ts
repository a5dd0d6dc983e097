import { expect, test } from 'vitest';
import { newAccount } from '../../stack/accounts.ts';
import type { Api } from '../../stack/api.ts';
import { eventually, invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../../stack/clocks.ts';
import { makeMetric, track } from '../../stack/resources.ts';
import { advance } from '../in-process-clock.ts';

const MORNING = '2026-03-10T09:00:00Z';

/** A customer with five events in the morning of the day on which it subscribes twice, at 1.00 each. */
async function customerOfTheMorning() {
  const { api } = await newAccount();
  const metric = String((await makeMetric(api, { aggregation_type: 'count', event_name: 'call' })).metric_id);
  const components = [{ metric_id: metric, overage_price: 1 }];
  const clock = await makeClock(api, '2026-03-10T00:00:00Z');
  const customer = await makeCustomer(api, 'acme', { test_clock_id: clock });
  const [first, second] = [
    await makePlan(api, { name: 'First', recurring_fee: 0, components }),
    await makePlan(api, { name: 'Second', recurring_fee: 0, components }),
  ];
  const events = async () => {
    for (let i = 0; i < 5; i++) {
      await track(api, { event_name: 'call', customer_id: customer, idempotency_id: `e-${i}`, time_created: MORNING });
    }
  };
  return { api, metric, clock, customer, first, second, events };
}

async function usedOf(api: Api, customer: string): Promise<string[]> {
  const invoices = await invoicesOf(api, `customer_id=${customer}`);
  return invoices.map(({ total }) => String(total)).filter((total) => total !== '0');
}

test('canceled at noon and subscribed again the same day, the morning is billed once', async () => {
  const { api, metric, clock, customer, first, events } = await customerOfTheMorning();
  const old = await subscribe(api, { customer_id: customer, plan_id: first });
  await events();
  await advance(api, clock, '2026-03-10T12:00:00Z');
  const canceled = await api.post(`/api/subscriptions/${old}/cancel`, { invoicing_behavior: 'invoice_now' });
  expect(canceled.status, canceled.text).toBe(200);
  await advance(api, clock, '2026-03-10T15:00:00Z');
  await subscribe(api, { customer_id: customer, plan_id: first });
  const access = await api.get(`/api/metric-access?customer_id=${customer}&metric_id=${metric}`);
  expect(String(access.body.usage)).toBe('0');
  const draft = await api.get(`/api/customers/${customer}/draft_invoice/`);
  expect(String(draft.body.total)).toBe('0');
  await advance(api, clock, '2026-04-10T00:00:00Z');
  expect(await usedOf(api, customer)).toEqual(['5']);
});

test('a subscription that is made before the other one is canceled bills no usage from before', async () => {
  const { api, clock, customer, first, second, events } = await customerOfTheMorning();
  const old = await subscribe(api, { customer_id: customer, plan_id: first });
  await events();
  await advance(api, clock, '2026-03-10T12:00:00Z');
  await subscribe(api, { customer_id: customer, plan_id: second });
  await api.post(`/api/subscriptions/${old}/cancel`, { invoicing_behavior: 'invoice_now' });
  await advance(api, clock, '2026-04-10T00:00:00Z');
  expect(await usedOf(api, customer)).toEqual(['5']);
});

test('a start before the end of an earlier subscription to the plan is 409 with the earliest date', async () => {
  const { api, clock, customer, first } = await customerOfTheMorning();
  const old = await subscribe(api, { customer_id: customer, plan_id: first });
  await advance(api, clock, '2026-03-12T12:00:00Z');
  await api.post(`/api/subscriptions/${old}/cancel`, { invoicing_behavior: 'invoice_now' });
  const body = { customer_id: customer, plan_id: first };
  const refused = await api.post('/api/subscriptions', { ...body, start_date: '2026-03-11' });
  expect(refused.status, refused.text).toBe(409);
  expect(refused.text).toContain('2026-03-12');
  await eventually(
    () => api.post('/api/subscriptions', { ...body, start_date: '2026-03-12' }),
    ({ status }) => status === 201,
  );
});
