import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../runtime/clock.ts';
import { hashKey, SCOPES } from '../runtime/http/api-key.ts';
import { newId } from '../runtime/ids.ts';
import { findFirstAccountId } from '../sql/accounts.ts';
import { apiKeySource, insertApiKey } from '../sql/api-keys.ts';
import { createClickHouse, createClickHouseDatabase } from '../sql/clickhouse.ts';
import { migrate } from '../sql/migrate.ts';
import { createPool, inTransaction, type Pool } from '../sql/postgres.ts';
import { createAccount, newApiKey } from './create-account.ts';

/** Where the key of the first account is kept between starts: the database has only its hash. */
const KEY_FILE = 'api-key';

/**
 * Brings a local stack's databases to the newest schema and sees to its first account, which is in test mode with
 * currency USD (contract 16). `apiKey` given by the environment becomes a key of it; else one is made once and kept.
 */
export async function prepareStack(
  stores: { databaseUrl: string; clickhouseUrl: string },
  options: { dataDir: string; apiKey: string | undefined; clock: Clock; clickhouseCluster?: string | undefined },
): Promise<{ api_key: string; account_id: string }> {
  await createClickHouseDatabase(stores.clickhouseUrl, options.clickhouseCluster);
  const postgres = createPool(stores.databaseUrl);
  const clickhouse = createClickHouse(stores.clickhouseUrl, options.clickhouseCluster);
  try {
    await migrate(postgres, clickhouse, options.clickhouseCluster);
    const key = options.apiKey ?? (await keptKey(options.dataDir));
    return { api_key: key, account_id: await firstAccount(postgres, options.clock, key) };
  } finally {
    await Promise.all([postgres.end(), clickhouse.close()]);
  }
}

async function firstAccount(postgres: Pool, clock: Clock, key: string): Promise<string> {
  const accountId = await findFirstAccountId(postgres);
  if (!accountId)
    return (await createAccount(postgres, clock, { name: 'Local', currency: 'usd', mode: 'test', key })).account_id;
  const known = await apiKeySource(postgres).findLiveKey(hashKey(key));
  if (known) return known.accountId;
  const stored = { accountId, keyId: newId('key'), name: 'local', prefix: key.slice(0, 12), keyHash: hashKey(key) };
  await inTransaction(postgres, accountId, (tx) => insertApiKey(tx, { ...stored, scopes: SCOPES }, clock.now()));
  return accountId;
}

async function keptKey(dataDir: string): Promise<string> {
  const file = join(dataDir, KEY_FILE);
  const kept = await readFile(file, 'utf8').catch(() => '');
  if (kept.trim() !== '') return kept.trim();
  const key = newApiKey('test');
  await writeFile(file, `${key}\n`, { mode: 0o600 });
  await chmod(file, 0o600);
  return key;
}
