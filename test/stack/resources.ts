import { expect } from 'vitest';
import { newId } from '../../core/ids.ts';
import type { Answer, Api, Json } from './api.ts';
import { waitUntil } from './wait-until.ts';

/** Makes a customer; fails the test where it can't. */
export function makeCustomer(api: Api, fields: object = {}): Promise<Json> {
  return make(api, '/api/customers/', { customer_id: newId('req'), email: 'billing@acme.example', ...fields });
}

/** Makes a metric: by default one that counts events called `call`. */
export function makeMetric(api: Api, fields: object = {}): Promise<Json> {
  return make(api, '/api/metrics', { metric_name: 'Calls', aggregation_type: 'count', event_name: 'call', ...fields });
}

/** Makes a plan: by default a monthly one of 29. */
export function makePlan(api: Api, fields: object = {}): Promise<Json> {
  return make(api, '/api/plans', { name: 'Pro', recurring_fee: 29, billing_period: 'monthly', ...fields });
}

type TrackedFields = {
  customer_id: unknown;
  time_created: string;
  event_name?: string;
  idempotency_id?: string;
  properties?: object;
};

/** Sends a usage event; gives its idempotency id. */
export async function track(api: Api, fields: TrackedFields): Promise<string> {
  const event = { event_name: 'call', idempotency_id: newId('req'), ...fields };
  const answer = await api.post('/api/track', event);
  expect(answer.text).toBe(`{"success":"all","idempotency_id":"${event.idempotency_id}","status":"queued"}`);
  return event.idempotency_id;
}

/** Waits until everything tracked so far can be queried: verify-events waits for that, for 5 s at a time. */
export async function landed(api: Api): Promise<void> {
  await waitUntil(
    () => api.post('/api/verify-events', { idempotency_ids: ['anything'] }),
    ({ status, text }) => {
      if (status !== 503) expect(status, text).toBe(200);
      return status === 200;
    },
  );
}

/** What a check of access answers once it counts `usage`: its values may be half a second old (spec/access#freshness). */
export async function accessWith(api: Api, customerId: string, metricId: string, usage: number): Promise<Json> {
  const ask = () => api.get(`/api/metric-access?customer_id=${customerId}&metric_id=${metricId}`);
  const { body } = await waitUntil(ask, (answer) => Number(answer.body.usage) === usage);
  return body;
}

/** Posts what is expected to be done, and gives the answer. */
export async function posted(api: Api, path: string, body: object = {}): Promise<Answer> {
  const answer = await api.post(path, body);
  expect([200, 201], answer.text).toContain(answer.status);
  return answer;
}

async function make(api: Api, path: string, body: object): Promise<Json> {
  const answer = await api.post(path, body);
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}
