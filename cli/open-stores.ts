import type { ClickHouseClient } from '@clickhouse/client';
import { loadProcessConfig } from '../runtime/config.ts';
import { createLog, type Log } from '../runtime/log.ts';
import { createClickHouse } from '../sql/clickhouse/clickhouse.ts';
import { createPool, type Pool } from '../sql/postgres/postgres.ts';
import type { StreamConnection } from '../stream/connection.ts';
import { connectSoon } from './connect-soon.ts';
import type { StoreAddresses } from './with-stores.ts';

/** All stores, open. `log`: for what says more than a person at a command wants to hear, so it is silent. */
export type OpenStores = { postgres: Pool; clickhouse: ClickHouseClient; connection: StreamConnection; log: Log };

/** Does `work` on the stores at these addresses; statements take as long as they take. Throws where the usage stream does not answer soon. */
export async function withOpenStores<T>(
  { databaseUrl, clickhouseUrl, natsUrl }: StoreAddresses,
  work: (open: OpenStores) => Promise<T>,
): Promise<T> {
  const log = createLog('cli', 'silent');
  const connection = await connectSoon(natsUrl, log);
  const postgres = createPool(databaseUrl, 0);
  const clickhouse = createClickHouse(clickhouseUrl, loadProcessConfig().clickhouseCluster);
  try {
    return await work({ postgres, clickhouse, connection, log });
  } finally {
    await Promise.all([postgres.end(), clickhouse.close(), connection.close()]);
  }
}
