import { afterAll, beforeAll, expect, test } from 'vitest';
import { startEdge } from './edge-scene.ts';

/** Nobody listens here: the door must do its part without the stream. */
const NOWHERE = 'nats://127.0.0.1:9';

let edge: Awaited<ReturnType<typeof startEdge>>;

beforeAll(async () => {
  edge = await startEdge(NOWHERE, { usagePartitions: 1, usageStreamMaxBytes: 2 ** 22, streamReplicas: 1 });
});
afterAll(() => edge.stop());

const lastAsked = () => edge.api.asked.at(-1);

test('every other path is passed on: method, query, headers, body, status', async () => {
  const body = JSON.stringify({ text: 'ünï'.repeat(100_000) });
  const headers = { 'Content-Type': 'application/json', 'X-API-KEY': 'k', 'X-Request-Id': 'mine-2', 'X-Other': 'x' };
  const answer = await fetch(`${edge.url}/api/customers/a%2Fb/?page=2`, { method: 'PATCH', body, headers });
  expect([answer.status, answer.headers.get('x-request-id'), await answer.text()]).toEqual([201, 'from-api', body]);
  expect(lastAsked()).toMatchObject({ method: 'PATCH', url: '/api/customers/a%2Fb/?page=2', body });
  const asked = lastAsked()?.headers;
  expect(asked).toMatchObject({
    'x-api-key': 'k',
    'x-request-id': 'mine-2',
    'x-other': 'x',
    'x-forwarded-proto': 'http',
  });
  expect(`http://${asked?.['x-forwarded-host']}`).toBe(edge.url);
});

test('a load balancer in front of the door knows better who was asked', async () => {
  await fetch(`${edge.url}/api/plans`, {
    headers: { 'X-Forwarded-Host': 'billing.example', 'X-Forwarded-Proto': 'https' },
  });
  expect(lastAsked()?.headers).toMatchObject({ 'x-forwarded-host': 'billing.example', 'x-forwarded-proto': 'https' });
});

test('a redirect is the caller’s to follow', async () => {
  const answer = await fetch(`${edge.url}/redirect`, { redirect: 'manual' });
  expect([answer.status, answer.headers.get('location')]).toEqual([302, 'https://example.com/']);
});

test('readiness names what is missing; the others are asked for theirs', async () => {
  const all = await fetch(`${edge.url}/readyz`);
  expect([all.status, (await all.json()) as object]).toMatchObject([503, { missing: ['usage stream'] }]);
  expect((await fetch(`${edge.url}/readyz/ingest`)).status).toBe(503);
  expect((await fetch(`${edge.url}/readyz/api`)).status).toBe(200);
  Object.assign(edge.api.readiness, { status: 503, body: { missing: ['postgres'] } });
  const api = await fetch(`${edge.url}/readyz/api`);
  expect([api.status, await api.json()]).toMatchObject([503, { missing: ['api', 'postgres'] }]);
  expect((await fetch(`${edge.url}/livez`)).status).toBe(200);
  expect((await fetch(`${edge.url}/metrics`)).status).toBe(200);
});

test('events are 503 while the stream has not been found', async () => {
  const headers = { 'Content-Type': 'application/json', 'X-API-KEY': 'key-of-a-live-account' };
  const body = JSON.stringify({
    event_name: 'e',
    customer_id: 'c',
    idempotency_id: 'i',
    time_created: '2026-01-01T00:00:00Z',
  });
  const answer = await fetch(`${edge.url}/api/track`, { method: 'POST', headers, body });
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
});

test('the API away: 503 with Retry-After and a detail, at once', async () => {
  edge.api.server.closeAllConnections();
  await new Promise((resolve) => edge.api.server.close(resolve));
  const answer = await fetch(`${edge.url}/api/customers/`);
  const body = (await answer.json()) as { detail: string };
  expect([answer.status, answer.headers.get('retry-after'), typeof body.detail]).toEqual([503, '1', 'string']);
  const ready = (await (await fetch(`${edge.url}/readyz`)).json()) as { missing: string[] };
  expect(ready.missing).toEqual(['usage stream', 'api', 'aggregator', 'worker']);
});
