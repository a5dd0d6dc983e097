import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client';

export const CLICKHOUSE_DATABASE = 'meterbook';

/** A request to ClickHouse that takes longer than this has failed: the caller retries or answers 503. */
const REQUEST_TIMEOUT_MS = 60_000;

/** A client of the usage store. */
export function createClickHouse(url: string): ClickHouseClient {
  return createClient({
    url,
    database: CLICKHOUSE_DATABASE,
    request_timeout: REQUEST_TIMEOUT_MS,
    keep_alive: { enabled: true },
    // What it would log it also throws, and whoever catches that logs it.
    log: { level: ClickHouseLogLevel.OFF },
    clickhouse_settings: { output_format_json_quote_64bit_integers: 1, output_format_json_quote_decimals: 1 },
  });
}

/** Makes the database where it is missing; run before the first use of {@link createClickHouse}. */
export async function createClickHouseDatabase(url: string): Promise<void> {
  const client = createClient({ url, database: 'default' });
  try {
    await client.command({ query: `CREATE DATABASE IF NOT EXISTS ${CLICKHOUSE_DATABASE}` });
  } finally {
    await client.close();
  }
}

/** Resolves when the usage store answers a query, rejects when it does not. */
export async function pingClickHouse(client: ClickHouseClient): Promise<void> {
  const ping = await client.ping({ select: true });
  if (!ping.success) throw ping.error;
}
