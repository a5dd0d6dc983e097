import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client';

/** In the order in which a row has them (stream/usage-row.ts). */
export const ROW_COLUMNS = `
    (account_id, customer_id, event_name, time_created, idempotency_id, numbers, strings, booleans,
     received_at, fingerprint, position, epoch)`;

/**
 * One synchronous insert of one block, so that its token covers all of it: what is in already stays as it is, what is
 * missing (a month, the ids) is added (architecture#the-aggregator). Until `usage_events` is repartitioned the many months of one batch must not be
 * refused as too many parts.
 */
const INSERT_SETTINGS: ClickHouseSettings = {
  async_insert: 0,
  wait_end_of_query: 1,
  insert_deduplicate: 1,
  deduplicate_blocks_in_dependent_materialized_views: 1,
  input_format_parallel_parsing: 0,
  max_insert_threads: '1',
  max_insert_block_size: '1000000',
  min_insert_block_size_rows: '0',
  min_insert_block_size_bytes: '0',
  max_partitions_per_insert_block: '0',
};

/**
 * Inserts a batch and its ids; when it returns they are on disk. Repeating it with the same token changes nothing, also
 * when the first try is still running or its answer was lost. `rows`: as RowBinary, in pieces that end with a row.
 * `onSent` is called when the last of them is on its way.
 */
export async function insertUsageBatch(
  client: ClickHouseClient,
  rows: readonly Uint8Array[],
  token: string,
  { table = 'usage_events', onSent }: { table?: 'usage_events' | 'raw_events'; onSent?: () => void } = {},
): Promise<void> {
  const body = Readable.from(rows, { objectMode: false });
  if (onSent) body.once('end', onSent);
  const answer = await client.exec({
    query: `INSERT INTO ${table} ${ROW_COLUMNS} FORMAT RowBinary`,
    values: body,
    clickhouse_settings: { ...INSERT_SETTINGS, insert_deduplication_token: token },
  });
  await text(answer.stream);
}
