import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Stack } from '../../local/start-stack.ts';
import { createPool } from '../../sql/postgres.ts';
import { api } from '../stack/api.ts';
import { eventually, invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../stack/clocks.ts';
import { startOwnStack } from '../stack/own-stack.ts';
import { waitUntil } from '../stack/wait-until.ts';
import { deliveriesOf, eventOf, makeEndpoint, startReceiver } from '../stack/webhook-receiver.ts';

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

test('the worker killed between sending a webhook and saving it: sent again under the same id, and nothing is lost', {
  timeout: 120_000,
}, async () => {
  // Answers what is under way, and from then on everything.
  const answering = Promise.withResolvers<void>();
  const hooks = await startReceiver((_, response) => void answering.promise.then(() => response.writeHead(204).end()));
  const { base_url, api_key, postgres_url } = stack.file();
  const call = api(api_key, base_url);
  const { id } = await makeEndpoint(call, hooks.url);
  const customer_id = await makeCustomer(call, 'told');
  const credit = async (amount: number) => {
    const made = await call.post('/api/credits', { customer_id, amount });
    expect(made.status, made.text).toBe(201);
    return String(made.body.credit_id);
  };
  const credits = [await credit(1), await credit(2)];
  await waitUntil(
    async () => hooks.received,
    ({ length }) => length === 1,
  );

  const worker = stack.file().pids.worker;
  if (!worker) throw new Error('no worker');
  process.kill(worker, 'SIGKILL');
  answering.resolve();
  credits.push(await credit(3));
  // What the dead worker had under way is claimed again when its lease has run out: it does now.
  const books = createPool(postgres_url);
  await books.query('UPDATE webhook_deliveries SET claimed_until = now()');
  await books.end();

  const isOver = (all: { status?: unknown }[]) =>
    all.length === 3 && all.every(({ status }) => String(status) === 'succeeded');
  const deliveries = await waitUntil(() => deliveriesOf(call, id), isOver, 100_000);
  const sent = hooks.received.map(({ body }) => String(eventOf(body).data.credit_id));
  expect(sent).toEqual([credits[0], ...credits]);
  const [first, again] = hooks.received.map(({ headers }) => headers['webhook-id']);
  expect(again).toBe(first);
  expect(deliveries.map((delivery) => Object(delivery.attempts).length)).toEqual([1, 1, 1]);
  await hooks.close();
});
