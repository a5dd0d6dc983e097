import { spawn } from 'node:child_process';
import { reservePorts } from '../../local/free-ports.ts';
import { OUR_PROGRAMS } from '../../local/our-processes.ts';
import type { StackFile } from '../../local/stack-file.ts';
import { newEncryptionKeyText } from '../../runtime/cipher.ts';
import { api } from '../stack/api.ts';
import { killChild } from '../stack/kill-child.ts';
import { waitUntil } from '../stack/wait-until.ts';

/** What a worker says of itself that was given other keys than the ones the secrets of this stack were stored under. */
export async function heardOfWorkerWithOtherKeys({
  postgres_url,
  nats_url,
  clickhouse_url,
  temporal_address,
}: StackFile) {
  const { ports, release } = await reservePorts('worker with other keys', 1);
  const env = {
    ...{ PATH: process.env.PATH, PORT: String(ports[0]), LOG_LEVEL: 'silent', ENCRYPTION_KEYS: newEncryptionKeyText() },
    ...{ DATABASE_URL: postgres_url, NATS_URL: nats_url, CLICKHOUSE_URL: clickhouse_url },
    TEMPORAL_ADDRESS: temporal_address,
    // Else it compiles all that it loads.
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
  };
  const worker = spawn(process.execPath, [OUR_PROGRAMS.worker], { env, stdio: 'ignore' });
  const at = `http://127.0.0.1:${ports[0]}`;
  try {
    const told = await waitUntil(
      async () => ({
        missing: (
          await api(null, at, { isPatient: false })
            .get('/readyz')
            .catch(() => undefined)
        )?.body.missing,
        metrics: await fetch(`${at}/metrics`).then(
          (answer) => answer.text(),
          () => '',
        ),
      }),
      ({ missing, metrics }) => missing !== undefined && /^meterbook_unreadable_secrets \d/m.test(metrics),
    );
    return told;
  } finally {
    await killChild(worker);
    release();
  }
}
