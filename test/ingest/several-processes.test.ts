import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Registry } from '@prometheus-io/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addGateway } from '../../ingest/gateway.ts';
import { createHttpApp } from '../../runtime/http/app.ts';
import { createLog } from '../../runtime/log.ts';

/** What one of several aggregators says of itself: it is ready or not, and its metrics. */
type Said = { missing: string[]; landed: number; lag: number };

let first: { url: string; said: Said; server: Server };
let second: typeof first;

beforeAll(async () => {
  [first, second] = await Promise.all([startStandIn(), startStandIn()]);
});
afterAll(() => {
  for (const { server } of [first, second]) server.close();
});

async function startStandIn() {
  const said: Said = { missing: [], landed: 0, lag: 0 };
  const server = createServer((incoming, outgoing) => {
    if (incoming.url === '/metrics.json') return outgoing.end(JSON.stringify(metricsOf(said)));
    outgoing.writeHead(said.missing.length === 0 ? 200 : 503).end(JSON.stringify({ missing: said.missing }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, said, server };
}

const metricsOf = ({ landed, lag }: Said) => [
  { name: 'landed_total', help: 'l', type: 'counter', aggregator: 'sum', values: [{ value: landed, labels: {} }] },
  { name: 'lag_seconds', help: 'l', type: 'gauge', aggregator: 'max', values: [{ value: lag, labels: {} }] },
];

function gateway() {
  const log = createLog('test', 'silent');
  const app = createHttpApp(log);
  const urls = { apiUrl: first.url, aggregatorUrl: `${first.url}, ${second.url}`, workerUrl: first.url };
  addGateway(app, urls, [], new Registry());
  return app;
}

test('ready only when each of several aggregators is', async () => {
  expect((await gateway().request('/readyz/aggregator')).status).toBe(200);
  second.said.missing = ['landing'];
  const answer = await gateway().request('/readyz');
  expect([answer.status, await answer.json()]).toEqual([
    503,
    {
      detail: 'Not ready: aggregator, landing.',
      code: 'unavailable',
      request_id: expect.stringMatching(/^req_/),
      missing: ['aggregator', 'landing'],
    },
  ]);
  expect((await gateway().request('/readyz/worker')).status).toBe(200);
});

test('metrics of several aggregators: counters add up, the lag is the largest', async () => {
  Object.assign(second.said, { landed: 5, lag: 7 });
  const text = await (await gateway().request('/metrics')).text();
  expect(text).toContain('landed_total 5');
  expect(text).toContain('lag_seconds 7');
});
