import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Stack } from '../../local/start-stack.ts';
import { api } from '../stack/api.ts';
import { eventually, invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../stack/clocks.ts';
import { startOwnStack } from '../stack/own-stack.ts';

let stack: Stack;

beforeAll(async () => {
  stack = await startOwnStack();
});
afterAll(() => stack.stop());

async function activeSubscription(customer_id: string) {
  const { base_url, api_key } = stack.file();
  const call = api(api_key, base_url);
  const test_clock_id = await makeClock(call, '2026-03-11T12:00:00Z');
  await makeCustomer(call, customer_id, { test_clock_id });
  const plan_id = await makePlan(call, { recurring_fee: 30 });
  const id = await subscribe(call, { customer_id, plan_id, start_date: '2026-03-01' });
  return { call, path: `/api/subscriptions/${id}`, invoices: () => invoicesOf(call, `subscription_id=${id}`) };
}

/** Contract 7: 10 of 30 days used, 30 * 10 / 30 = 10. */
const NOW = { invoicing_behavior: 'invoice_now' };

test('Temporal away: reads work, an action is 503 within 5 s, its repeat finds what happened, once', async () => {
  const { call, path, invoices } = await activeSubscription('away');
  const key = { 'Idempotency-Key': 'k-1' };
  const temporal = stack.file().pids.temporal;
  if (!temporal) throw new Error('no Temporal');
  process.kill(temporal, 'SIGSTOP');
  const begun = performance.now();
  const away = await call.post(`${path}/cancel`, NOW, key);
  const took = performance.now() - begun;
  const read = await call.get(path);
  process.kill(temporal, 'SIGCONT');
  expect([away.status, away.headers.has('retry-after')]).toEqual([503, true]);
  expect(took).toBeLessThan(5_000);
  expect(read.body).toMatchObject({ status: 'active' });

  const done = await eventually(
    () => call.post(`${path}/cancel`, NOW, key),
    ({ status }) => status !== 503,
  );
  expect([done.status, done.text]).toEqual([200, expect.stringContaining('"status":"canceled"')]);
  expect(await invoices()).toMatchObject([{ kind: 'closing', total: '10' }]);
});

test('the worker killed while it acts: one cancel, one invoice', async () => {
  const { call, path, invoices } = await activeSubscription('killed');
  const key = { 'Idempotency-Key': 'k-2' };
  const first = call.post(`${path}/cancel`, NOW, key);
  const worker = stack.file().pids.worker;
  if (worker) process.kill(worker, 'SIGKILL');
  expect([200, 503]).toContain((await first).status);
  const done = await eventually(
    () => call.post(`${path}/cancel`, NOW, key),
    ({ status }) => status !== 503,
  );
  expect(done.status, done.text).toBe(200);
  expect(await invoices()).toMatchObject([{ kind: 'closing', total: '10' }]);
});
