import { inject, onTestFinished } from 'vitest';
import { encryptionKeysFile } from '../../local/encryption-keys.ts';
import { loadProcessConfig } from '../../runtime/config.ts';
import type { Shell } from '../../runtime/lifecycle.ts';
import { stack } from './api.ts';

/** The configuration of a process that a test runs within itself, beside those of the stack. */
export function configOf(others: Record<string, string> = {}) {
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

/** Starts a process within the test, which ends it; answers where it serves. */
export async function started(shell: Shell): Promise<string> {
  onTestFinished(() => shell.stop());
  await shell.start();
  return shell.address;
}
