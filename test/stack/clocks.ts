import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { type Api, itemsOf, type Json } from './api.ts';

/** Records that live on a test clock, made through HTTP; each checks that it was made. */

export async function makeClock(api: Api, frozenTime: string): Promise<string> {
  const made = await api.post('/api/test-clocks', { frozen_time: frozenTime });
  expect(made.status).toBe(201);
  return String(made.body.test_clock_id);
}

export async function makeCustomer(api: Api, customerId: string, more: Record<string, unknown> = {}): Promise<string> {
  const made = await api.post('/api/customers/', { customer_id: customerId, email: 'billing@example.test', ...more });
  expect(made.status, made.text).toBe(201);
  return customerId;
}

/** A monthly plan with a fee of 29 and nothing else, unless `more` says otherwise. */
export async function makePlan(api: Api, more: Record<string, unknown> = {}): Promise<string> {
  const made = await api.post('/api/plans', { name: 'Pro', recurring_fee: 29, billing_period: 'monthly', ...more });
  expect(made.status, made.text).toBe(201);
  return String(made.body.plan_id);
}

export async function subscribe(api: Api, body: Record<string, unknown>): Promise<string> {
  const made = await api.post('/api/subscriptions', body);
  expect(made.status, made.text).toBe(201);
  return String(made.body.subscription_id);
}

/** Advances the clock and waits until it does not advance any more; returns it, ready or failed. */
export async function advance(api: Api, clockId: string, to: string): Promise<Json> {
  const begun = await api.post(`/api/test-clocks/${clockId}/advance`, { frozen_time: to });
  expect(begun.status, begun.text).toBe(200);
  expect(begun.body.status).toBe('advancing');
  return clockAtRest(api, clockId);
}

/** None takes under 0.1 s, half of them under 0.3 s: asked every few milliseconds, a third of all calls were these. */
export async function clockAtRest(api: Api, clockId: string): Promise<Json> {
  for (let pauseMs = 120; ; pauseMs *= 1.3) {
    await sleep(Math.min(pauseMs, 300));
    const { body } = await api.get(`/api/test-clocks/${clockId}`);
    if (String(body.status) !== 'advancing') return body;
  }
}

/** The invoices that match, oldest first; numbers as their digits. */
export async function invoicesOf(api: Api, query: string): Promise<Json[]> {
  const page = await api.get(`/api/invoices?page_size=200&${query}`);
  expect(page.status).toBe(200);
  return itemsOf(page.exact.results).toReversed();
}

/** Asks again until `holds`; vitest's own time limit ends a wait in vain. */
export async function eventually<T>(ask: () => Promise<T>, holds: (answer: T) => boolean): Promise<T> {
  for (let pauseMs = 40; ; pauseMs = Math.min(pauseMs * 1.3, 500)) {
    const answer = await ask();
    if (holds(answer)) return answer;
    await sleep(pauseMs);
  }
}
