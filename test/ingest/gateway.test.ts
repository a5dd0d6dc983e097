import { type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { trustedProxiesFromText } from '../../runtime/http/connecting-address.ts';
import { postChunked, startEdge } from './edge-fixture.ts';

/** Nobody listens here: the gateway must do its part without the stream. */
const NOWHERE = 'nats://127.0.0.1:9';

const LIMITS = { usagePartitions: 1, usageStreamMaxBytes: 2 ** 22, streamReplicas: 1 };

let edge: Awaited<ReturnType<typeof startEdge>>;

beforeAll(async () => {
  edge = await startEdge(NOWHERE, LIMITS);
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

const FORWARDED = {
  'X-Forwarded-Host': 'billing.example, b',
  'X-Forwarded-Proto': 'HTTPS,http',
  'X-Forwarded-Port': '8443',
};
const forwarded = () => {
  const { 'x-forwarded-host': host, 'x-forwarded-proto': proto, 'x-forwarded-port': port } = lastAsked()?.headers ?? {};
  return [host, proto, port];
};

test('the origin that a caller claims is replaced by the one that it asked', async () => {
  await fetch(`${edge.url}/api/plans`, { headers: FORWARDED });
  expect(forwarded()).toEqual([new URL(edge.url).host, 'http', undefined]);
});

test('the origin that a trusted proxy reports goes on, as one value of each header', async () => {
  const behindProxy = await startEdge(NOWHERE, LIMITS, undefined, trustedProxiesFromText('127.0.0.1'));
  try {
    await fetch(`${behindProxy.url}/api/plans`, { headers: FORWARDED });
    expect(behindProxy.api.asked.at(-1)?.headers).toMatchObject({
      'x-forwarded-host': 'billing.example:8443',
      'x-forwarded-proto': 'https',
    });
    expect(behindProxy.api.asked.at(-1)?.headers).not.toHaveProperty('x-forwarded-port');
  } finally {
    await behindProxy.stop();
  }
});

test('who asks is told by the connection, whatever the caller writes there', async () => {
  await fetch(`${edge.url}/api/plans`, { headers: { 'X-Forwarded-For': '203.0.113.7' } });
  expect(lastAsked()?.headers['x-forwarded-for']).toBe('127.0.0.1');
});

test('a redirect is the caller’s to follow', async () => {
  const answer = await fetch(`${edge.url}/redirect`, { redirect: 'manual' });
  expect([answer.status, answer.headers.get('location')]).toEqual([302, 'https://example.com/']);
});

test('a body in chunks goes on in chunks; none is none; headers of the connection stay here', async () => {
  expect(await postChunked(`${edge.url}/api/plans`, Buffer.from('x'.repeat(300_000)), 'k')).toBe(201);
  expect(lastAsked()).toMatchObject({ body: 'x'.repeat(300_000), headers: { 'transfer-encoding': 'chunked' } });
  await fetch(`${edge.url}/api/plans`, { method: 'POST', headers: { TE: 'trailers', 'Proxy-Authorization': 'p' } });
  expect(lastAsked()).toMatchObject({ body: '', headers: { 'content-length': '0', connection: 'keep-alive' } });
  expect(Object.keys(lastAsked()?.headers ?? {})).not.toEqual(expect.arrayContaining(['te']));
  expect(lastAsked()?.headers).not.toHaveProperty('proxy-authorization');
});

test('HEAD has no body, TRACE is 405, and paths under an own one are the API’s', async () => {
  const head = await fetch(`${edge.url}/api/plans`, { method: 'HEAD' });
  expect([head.status, await head.text(), lastAsked()?.method]).toEqual([201, '', 'HEAD']);
  const traced = await new Promise<IncomingMessage>((resolve) => {
    request(`${edge.url}/api/plans`, { method: 'TRACE' }, resolve).end();
  });
  traced.resume();
  expect([traced.statusCode, traced.headers.allow]).toEqual([405, 'GET, POST, PATCH, DELETE']);
  for (const [method, path, status] of [
    ['POST', '/metrics', 201],
    ['GET', '/metrics/m_1', 201],
    ['GET', '/readyz/nobody', 201],
    ['GET', '/%6civez/?x', 200],
    ['HEAD', '/livez', 200],
    ['DELETE', '/livez', 405],
  ] as const) {
    expect([path, (await fetch(`${edge.url}${path}`, { method })).status]).toEqual([path, status]);
  }
});

test('what the processes tell each other is not shown outside, however its path is written', async () => {
  const before = edge.api.asked.length;
  for (const path of ['/metrics.json', '/metrics.json/', '/metrics%2ejson', '/metric%73.json?x', '/./metrics.json']) {
    for (const method of ['GET', 'HEAD', 'POST']) {
      expect([path, (await fetch(`${edge.url}${path}`, { method })).status]).toEqual([path, 404]);
    }
  }
  expect(edge.api.asked.length).toBe(before);
});

test('a caller that goes away takes its request along', async () => {
  const gone = new AbortController();
  const asking = fetch(`${edge.url}/hang`, { signal: gone.signal });
  while (edge.api.hanging.size === 0) await sleep(5);
  gone.abort();
  await expect(asking).rejects.toThrow();
  while (edge.api.hanging.size > 0) await sleep(5);
});

test('an answer that breaks off breaks off for the caller too', async () => {
  const answer = await fetch(`${edge.url}/break-off`);
  await expect(answer.text()).rejects.toThrow();
});

test('a kept connection that the API closes as it is used: a GET is repeated, a POST is 503', async () => {
  // To its end: only then is the connection free to be used again.
  const keepOne = async () => (await fetch(`${edge.url}/api/plans`)).text();
  await keepOne();
  expect((await fetch(`${edge.url}/closed-when-reused`)).status).toBe(201);
  await keepOne();
  expect((await fetch(`${edge.url}/closed-when-reused`, { method: 'POST', body: '{}' })).status).toBe(503);
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
