import { expect, inject, onTestFinished, test } from 'vitest';
import { createApi } from '../../api/api.ts';
import { createEdge } from '../../ingest/edge.ts';
import { encryptionKeysFile } from '../../local/encryption-keys.ts';
import { loadProcessConfig } from '../../runtime/config.ts';
import type { Shell } from '../../runtime/lifecycle.ts';
import { createLog } from '../../runtime/log.ts';
import { newAccount } from '../stack/accounts.ts';
import { api, stack } from '../stack/api.ts';
import { landed, makeCustomer, track } from '../stack/resources.ts';

const log = createLog('test', 'silent');

/** The configuration of a process beside those of the stack. */
function configOf(others: Record<string, string> = {}) {
  const { postgres_url, nats_url, clickhouse_url, temporal_address } = stack();
  return loadProcessConfig({
    PORT: '0',
    DATABASE_URL: postgres_url,
    NATS_URL: nats_url,
    CLICKHOUSE_URL: clickhouse_url,
    TEMPORAL_ADDRESS: temporal_address,
    ENCRYPTION_KEYS_FILE: encryptionKeysFile(inject('dataDir')),
    ...others,
  });
}

async function started(shell: Shell): Promise<string> {
  onTestFinished(() => shell.stop());
  await shell.start();
  return shell.address;
}

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

test('an API that cannot listen stops what it had started', async () => {
  const port = new URL(await started(createApi(configOf(), { log }))).port;
  const second = createApi(configOf({ PORT: port }), { log });
  await expect(second.start()).rejects.toThrow('EADDRINUSE');
  await second.stop();
});
