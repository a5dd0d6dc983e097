import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { encryptionKeysFile } from '../../local/encryption-keys.ts';
import { reservePorts } from '../../local/free-ports.ts';
import { OUR_PROGRAMS, ourProcess } from '../../local/our-processes.ts';
import type { StackFile } from '../../local/stack-file.ts';
import { loadLauncherConfig } from '../../runtime/config.ts';
import { stack } from '../stack/api.ts';

const READY_MS = 60_000;
const STOP_MS = 2_000;

/**
 * A gateway and an API over the engines and workers of the stack that all tests share, kept alive as by the launcher: the API may be
 * killed, which nobody else asks anything. `heapMb`: megabytes of its heap, if not as many as the launcher gives it.
 */
export async function startOwnGateway({ heapMb }: { heapMb?: number } = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), 'meterbook-gateway-'));
  const { ports, release } = await reservePorts(dataDir, 2);
  const [gatewayPort = 0, apiPort = 0] = ports;
  const { postgres_url, nats_url, clickhouse_url, temporal_address } = stack();
  const shared = {
    DATABASE_URL: postgres_url,
    NATS_URL: nats_url,
    CLICKHOUSE_URL: clickhouse_url,
    TEMPORAL_ADDRESS: temporal_address,
    ENCRYPTION_KEYS_FILE: encryptionKeysFile(inject('dataDir')),
    API_URL: `http://127.0.0.1:${apiPort}`,
  };
  const observer = { say: () => {}, pidChanged: () => {} };
  const context = { dataDir, environment: loadLauncherConfig().environment, observer };
  const heap = heapMb === undefined ? undefined : [`--max-old-space-size=${heapMb}`];
  const api = ourProcess('api', OUR_PROGRAMS.api, apiPort, { ...shared, TRUSTED_PROXIES: '127.0.0.1' }, context, heap);
  const gateway = ourProcess('ingest', OUR_PROGRAMS.ingest, gatewayPort, shared, context);
  const stop = async () => {
    await gateway.stop(STOP_MS);
    await api.stop(STOP_MS);
    release();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    for (const child of [api, gateway]) await child.start();
    await Promise.all([api.ready(READY_MS), gateway.ready(READY_MS)]);
  } catch (error) {
    await stop();
    throw error;
  }
  const file: StackFile = { ...stack(), base_url: `http://127.0.0.1:${gatewayPort}` };
  const killApi = () => {
    // Between its death and its next start there is none.
    if (api.pid !== null) process.kill(api.pid, 'SIGKILL');
  };
  return { file, killApi, stop, apiPid: () => api.pid };
}
