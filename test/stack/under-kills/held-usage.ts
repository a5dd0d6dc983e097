import { expect } from 'vitest';
import type { Stack } from '../../../local/start-stack.ts';
import { newAccount } from '../accounts.ts';
import { type Api, api, itemsOf, type Json } from '../api.ts';
import { sendEvents } from '../event-sender.ts';
import { clockReady, patiently } from '../kills.ts';

/** Events of a month, most of them without a price, and whose they are; more of them where somebody measures. */
type Sold = { events: number; customers: number };
/** Of these the first has a price from the start. */
const MODELS = ['m0', 'm1', 'm2', 'm3'];

/**
 * Customers that use what has no price: their month is closed, the rows come, and the next two months are closed. Counts events, what
 * was held, billed, and billed late, and the combinations of a customer that were billed more or less than they were used. `left`: what is held
 * in the end.
 */
export async function openHeldUsage(stack: Stack, sold: Sold) {
  const { base_url: baseUrl } = stack.file();
  const { key: apiKey } = await newAccount({ at: stack.file() });
  const call = api(apiKey, baseUrl);
  const { clockId, plan_id, metric_id } = await sellByModel(call, sold);
  const customerOf = (n: number) => `held-${n % sold.customers}`;
  const eventsFrom = (month: string) =>
    Array.from({ length: sold.events }, (_, n) => ({
      ...{ event_name: 'call', customer_id: customerOf(n), idempotency_id: `${month}-${n}` },
      time_created: `${month}-05T00:00:00Z`,
      properties: { model: MODELS[Math.floor(n / sold.customers) % MODELS.length], kind: n % 3 === 0 ? 'in' : 'out' },
    }));
  const [february, march] = [eventsFrom('2027-02'), eventsFrom('2027-03')];
  await sendEvents({ baseUrl, apiKey }, february);
  let held: Json[] = [];

  async function advance(to: string): Promise<void> {
    await patiently(() => call.post(`/api/test-clocks/${clockId}/advance`, { frozen_time: to }));
    await clockReady(stack, call, clockId);
  }

  return {
    /** Closes the month whose usage has no price, and uses as much in the next one. */
    async hold(): Promise<void> {
      await advance('2027-03-01T00:00:00Z');
      held = await invoicesOf(call);
      await sendEvents({ baseUrl, apiKey }, march);
    },
    async addRows(): Promise<void> {
      for (const model of MODELS.slice(1)) {
        const row = { metric_id, when: { model }, overage_price: 0.01 };
        const headers = { 'Idempotency-Key': `row-${model}` };
        const added = await patiently(() => call.post(`/api/plans/${plan_id}/prices`, row, headers));
        expect(added.status, added.text).toBe(201);
      }
    },
    bill: () => advance('2027-04-01T00:00:00Z'),
    async found() {
      await advance('2027-05-01T00:00:00Z');
      const issued = await invoicesOf(call);
      const quantity = sumOf(held.flatMap((invoice) => itemsOf(invoice.held)));
      const counts = { ...countBilled(issued, [...february, ...march]), held: quantity };
      const left = (await patiently(() => call.get('/api/held-usage'))).body.count;
      return { counts, left };
    },
  };
}

type Used = { customer_id: string; properties: { model: string | undefined; kind: string } };

function countBilled(issued: Json[], used: Used[]) {
  const billed = new Map<string, number>();
  for (const { customer_id, lines } of issued) {
    for (const { group, quantity } of itemsOf(lines)) {
      const { model, kind } = (group ?? {}) as Json;
      const key = `${customer_id} ${model} ${kind}`;
      if (group !== null) billed.set(key, (billed.get(key) ?? 0) + Number(quantity));
    }
  }
  const sent = Map.groupBy(used, ({ customer_id, properties: { model, kind } }) => `${customer_id} ${model} ${kind}`);
  const late = issued.flatMap(({ lines }) => itemsOf(lines)).filter(({ type }) => String(type) === 'late_usage');
  return {
    events: used.length,
    billed: [...billed.values()].reduce((sum, count) => sum + count, 0),
    late: sumOf(late),
    twice: [...billed].filter(([key, count]) => count > (sent.get(key)?.length ?? 0)).length,
    never: [...sent].filter(([key, events]) => events.length > (billed.get(key) ?? 0)).length,
  };
}

async function sellByModel(call: Api, sold: Sold) {
  const clock = await patiently(() => call.post('/api/test-clocks', { frozen_time: '2027-02-01T00:00:00Z' }));
  const clockId = String(clock.body.test_clock_id);
  const metric = { metric_name: 'Tokens', aggregation_type: 'count', event_name: 'call' };
  const { metric_id } = (await patiently(() => call.post('/api/metrics', metric))).body;
  const prices = [{ when: { model: MODELS[0] }, overage_price: 0.01 }];
  const components = [{ metric_id, group_by: ['model', 'kind'], prices }];
  const plan = { name: 'Tokens', billing_period: 'monthly', billing_calendar: 'calendar', components };
  const { plan_id } = (await patiently(() => call.post('/api/plans', plan))).body;
  const subscribing = Array.from({ length: sold.customers }, async (_, n) => {
    const customer = { customer_id: `held-${n}`, email: 'a@acme.test', test_clock_id: clockId };
    await patiently(() => call.post('/api/customers/', customer));
    await patiently(() => call.post('/api/subscriptions', { customer_id: customer.customer_id, plan_id }));
  });
  await Promise.all(subscribing);
  return { clockId, plan_id, metric_id };
}

async function invoicesOf(call: Api): Promise<Json[]> {
  return itemsOf((await patiently(() => call.get('/api/invoices?page_size=200'))).body.results);
}

const sumOf = (all: readonly Json[]) => all.reduce((sum, { quantity }) => sum + Number(quantity), 0);
