import { type ClickHouseClient, ClickHouseLogLevel, type ClickHouseSettings, createClient } from '@clickhouse/client';
import { onCluster } from './on-cluster.ts';

export const CLICKHOUSE_DATABASE = 'meterbook';

/** A request to ClickHouse that takes longer than this has failed: the caller retries or answers 503. */
const REQUEST_TIMEOUT_MS = 60_000;

/**
 * On a cluster a claim, a probe for known ids and a usage cutoff rely on reading what has been inserted, whichever server answers: an
 * insert is done when most replicas have it, and a query that meets one which lacks it fails, to be repeated. ClickHouse
 * offers that only where inserts into a table take turns: the one that comes meanwhile fails and is repeated.
 */
const ONE_TRUTH: ClickHouseSettings = {
  insert_quorum: 'auto',
  insert_quorum_parallel: 0,
  select_sequential_consistency: '1',
  // The server must give up before the client does: then nothing is under way when the insert is repeated.
  insert_quorum_timeout: REQUEST_TIMEOUT_MS / 2,
};

/**
 * A client of ClickHouse. `cluster`: the store is replicated (CLICKHOUSE_CLUSTER), `url` leads to any of its servers.
 * `requestTimeoutMs`: less than {@link REQUEST_TIMEOUT_MS} for one that never inserts.
 */
export function createClickHouse(
  url: string,
  cluster?: string,
  requestTimeoutMs = REQUEST_TIMEOUT_MS,
): ClickHouseClient {
  return createClient({
    url,
    database: CLICKHOUSE_DATABASE,
    request_timeout: requestTimeoutMs,
    keep_alive: { enabled: true, eagerly_destroy_stale_sockets: true },
    // What it would log it also throws, and whoever catches that logs it.
    log: { level: ClickHouseLogLevel.OFF },
    clickhouse_settings: {
      output_format_json_quote_64bit_integers: 1,
      output_format_json_quote_decimals: 1,
      ...(cluster && ONE_TRUTH),
    },
  });
}

/** Makes the database where it is missing; run before the first use of {@link createClickHouse}. */
export async function createClickHouseDatabase(url: string, cluster?: string): Promise<void> {
  const client = createClient({ url, database: 'default' });
  try {
    const query = `CREATE DATABASE IF NOT EXISTS ${CLICKHOUSE_DATABASE}`;
    await client.command({ query: cluster ? onCluster(query, cluster) : query });
  } finally {
    await client.close();
  }
}

/** Resolves when ClickHouse answers a query, rejects when it does not. */
export async function pingClickHouse(client: ClickHouseClient): Promise<void> {
  const ping = await client.ping({ select: true });
  if (!ping.success) throw ping.error;
}
