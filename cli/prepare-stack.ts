import { existsSync } from 'node:fs';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '../core/ids.ts';
import { SCOPES } from '../core/scopes.ts';
import { roomOf } from '../local/watch-disk.ts';
import type { Clock } from '../runtime/clock.ts';
import { loadProcessConfig } from '../runtime/config.ts';
import { hashKey, newApiKey, traceOfKey } from '../runtime/http/api-key.ts';
import { createLog } from '../runtime/log.ts';
import { createClickHouse, createClickHouseDatabase } from '../sql/clickhouse/clickhouse.ts';
import { migrate } from '../sql/migrate.ts';
import { findFirstAccountId } from '../sql/postgres/accounts/accounts.ts';
import { apiKeySource, insertApiKey, isDeadKey } from '../sql/postgres/accounts/api-keys.ts';
import { createPool, inTransaction, type Pool } from '../sql/postgres/postgres.ts';
import { establishStreams, type StreamSettings } from '../stream/streams.ts';
import { loadCountedTo } from '../workflows/counted-to.ts';
import { connectSoon } from './connect-soon.ts';
import { createAccount } from './create-account.ts';

/** Where the key of the first account is kept between starts: the database has only its hash. */
const KEY_FILE = 'api-key';

/**
 * Brings a local stack's databases to the newest schema, makes its streams and sees to its first account, which is in test mode with
 * currency USD (spec/service#local-stack). `apiKey` given by the environment becomes a key of it; else one is made once and kept.
 */
export async function prepareStack(
  stores: { databaseUrl: string; clickhouseUrl: string; natsUrl: string },
  options: {
    dataDir: string;
    apiKey: string | undefined;
    clock: Clock;
    clickhouseCluster?: string | undefined;
    /** What the stack's processes inherit, where it is not this process's: how they want the streams. */
    environment?: Record<string, string | undefined>;
  },
): Promise<{ api_key: string; account_id: string }> {
  await createClickHouseDatabase(stores.clickhouseUrl, options.clickhouseCluster);
  const postgres = createPool(stores.databaseUrl);
  const clickhouse = createClickHouse(stores.clickhouseUrl, options.clickhouseCluster);
  try {
    await migrate(postgres, clickhouse, options.clickhouseCluster);
    const countedTo = await loadCountedTo(postgres, clickhouse);
    await prepareStreams(stores.natsUrl, loadProcessConfig(options.environment), countedTo, options.dataDir);
    const key = options.apiKey ?? (await keptKey(options.dataDir, postgres));
    return { api_key: key, account_id: await firstAccount(postgres, options.clock, key) };
  } finally {
    await Promise.all([postgres.end(), clickhouse.close()]);
  }
}

/** NATS refuses a stream that may become larger than three quarters of the free disk. */
const NO_STORAGE = /insufficient storage resources/;
const STREAM_PART = 0.75;
/** Of the usage stream's size, with the dead letters beside it, and some room. */
const WITH_THE_OTHERS = 1.3;

function tooLittleDisk(dataDir: string, wantedBytes: number): Error {
  const { free, size } = roomOf(dataDir);
  const megabytes = (bytes: number) => `${Math.floor(bytes / 2 ** 20)} MB`;
  const fitting = Math.floor((free * STREAM_PART) / WITH_THE_OTHERS);
  return new Error(
    `The disk of ${dataDir} has too little room: ${megabytes(free)} of ${megabytes(size)} are free, and the usage stream may take ` +
      `${megabytes(wantedBytes)} (USAGE_STREAM_MAX_BYTES). Free some room, set DATA_DIR to another disk, or set ` +
      `USAGE_STREAM_MAX_BYTES to at most ${fitting}.`,
  );
}

/** As the worker would: a lost stream is better said here, before anything waits for it. */
async function prepareStreams(natsUrl: string, settings: StreamSettings, countedTo: number, dataDir: string) {
  const connection = await connectSoon(natsUrl, createLog('cli', 'silent'));
  try {
    await establishStreams(connection.jsm, settings, countedTo).catch((error) => {
      throw NO_STORAGE.test(String(error)) && existsSync(join(dataDir, 'nats'))
        ? tooLittleDisk(dataDir, settings.usageStreamMaxBytes)
        : error;
    });
  } finally {
    await connection.close();
  }
}

async function firstAccount(postgres: Pool, clock: Clock, key: string): Promise<string> {
  const accountId = await findFirstAccountId(postgres);
  if (!accountId)
    return (await createAccount(postgres, clock, { name: 'Local', currency: 'usd', mode: 'test', key })).account_id;
  const [known] = await apiKeySource(postgres).findLiveKeys([hashKey(key)]);
  if (known) return known.accountId;
  if (await isDeadKey(postgres, hashKey(key)))
    throw new Error('API_KEY has been revoked or has expired: choose another.');
  const stored = { keyId: newId('key'), name: 'local', ...traceOfKey(key), scopes: SCOPES };
  await inTransaction(postgres, accountId, (tx) => insertApiKey(tx, accountId, stored, clock.now()));
  return accountId;
}

/** The key kept from the last start; a new one where there is none, or where it has been revoked or has expired. */
async function keptKey(dataDir: string, postgres: Pool): Promise<string> {
  const file = join(dataDir, KEY_FILE);
  const kept = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (kept !== '' && !(await isDeadKey(postgres, hashKey(kept)))) return kept;
  const key = newApiKey('test');
  await writeFile(file, `${key}\n`, { mode: 0o600 });
  await chmod(file, 0o600);
  return key;
}
