import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createApi } from '../../api/api.ts';
import { createEdge } from '../../ingest/edge.ts';
import { createLog } from '../../runtime/log.ts';
import { newAccount } from '../stack/accounts.ts';
import { api } from '../stack/api.ts';
import { configOf, started } from '../stack/own-process.ts';
import { landed, makeCustomer, track } from '../stack/resources.ts';

const log = createLog('test', 'silent');

test('an API and an edge start, serve and stop inside of a test', async () => {
  const account = await newAccount();
  const apiShell = createApi(configOf(), { log });
  expect(() => apiShell.address).toThrow('does not serve yet');
  const apiUrl = await started(apiShell);
  const edge = createEdge(configOf({ API_URL: apiUrl }), { log });
  const edgeUrl = await started(edge);

  const client = api(account.key, edgeUrl);
  const { customer_id } = await makeCustomer(client);
  const event = { customer_id, time_created: new Date().toISOString() };
  const id = await track(client, event);
  await landed(client);
  const received = await api(account.key, apiUrl).post('/api/verify-events', { idempotency_ids: [id] });
  expect(received.body).toMatchObject({ ids_received: [id] });

  await edge.stop();
  await expect(fetch(`${edgeUrl}/livez`)).rejects.toThrow('fetch failed');
  expect((await fetch(`${apiUrl}/livez`)).status).toBe(200);
  await apiShell.stop();
  await expect(fetch(`${apiUrl}/livez`)).rejects.toThrow('fetch failed');
});

test('KEEP_ALIVE_SECONDS says how long an idle connection stays open, and the gateway never uses one that the API closes', async () => {
  const { key } = await newAccount();
  const headers = { 'X-API-KEY': key, 'Content-Type': 'application/json' };
  const apiUrl = await started(createApi(configOf({ KEEP_ALIVE_SECONDS: '2' }), { log }));
  const edgeUrl = await started(createEdge(configOf({ API_URL: apiUrl, KEEP_ALIVE_SECONDS: '120' }), { log }));
  const keptBy = async (url: string) => (await fetch(`${url}/livez`)).headers.get('keep-alive');
  expect([await keptBy(apiUrl), await keptBy(edgeUrl)]).toEqual(['timeout=2', 'timeout=120']);
  // A POST under which the API closed its connection would be 503: the gateway does not repeat it.
  for (const pauseMs of [0, 1_900, 1_990, 2_000, 2_010, 2_100]) {
    await sleep(pauseMs);
    const answer = await fetch(`${edgeUrl}/api/verify-events`, {
      method: 'POST',
      headers,
      body: '{"idempotency_ids":["a"]}',
    });
    expect([pauseMs, answer.status]).toEqual([pauseMs, 200]);
    await answer.arrayBuffer();
  }
});

test('an API that cannot listen stops what it had started', async () => {
  const port = new URL(await started(createApi(configOf(), { log }))).port;
  const second = createApi(configOf({ PORT: port }), { log });
  await expect(second.start()).rejects.toThrow('EADDRINUSE');
  await second.stop();
});
