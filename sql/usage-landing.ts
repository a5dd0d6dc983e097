import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client';
import type { Instant } from '../billing/instants.ts';
import { createRowBinaryWriter } from './row-binary.ts';

/** One landed event, as a row of `usage_events`. The fingerprint is 32 hex digits. */
export type UsageEventRow = {
  accountId: string;
  customerId: string;
  eventName: string;
  timeCreated: Instant;
  idempotencyId: string;
  numbers: Record<string, string>;
  strings: Record<string, string>;
  booleans: Record<string, boolean>;
  fingerprint: string;
  position: bigint;
  epoch: number;
  receivedAt: Instant;
};

const COLUMNS = `
    (account_id, customer_id, event_name, time_created, idempotency_id, numbers, strings, booleans,
     fingerprint, position, epoch, received_at)`;

/**
 * One synchronous insert of one block, so that its token covers all of it: what is in already stays as it is, what is
 * missing (a month, the ids) is added (design 5). The many months of one batch must not be refused as too many parts.
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

/** So many rows are handed to the socket at once. */
const ROWS_PER_CHUNK = 1_000;

/**
 * Inserts a batch and its ids; when it returns they are on disk. Repeating it with the same token changes nothing, also
 * when the first try is still running or its answer was lost.
 */
export async function insertUsageBatch(
  client: ClickHouseClient,
  rows: EncodedRow[],
  token: string,
  table: 'usage_events' | 'raw_events' = 'usage_events',
): Promise<void> {
  const answer = await client.exec({
    query: `INSERT INTO ${table} ${COLUMNS} FORMAT RowBinary`,
    values: Readable.from(chunks(rows), { objectMode: false }),
    clickhouse_settings: { ...INSERT_SETTINGS, insert_deduplication_token: token },
  });
  await text(answer.stream);
}

function* chunks(rows: EncodedRow[]): Generator<Buffer> {
  for (let i = 0; i < rows.length; i += ROWS_PER_CHUNK) {
    yield Buffer.concat(rows.slice(i, i + ROWS_PER_CHUNK));
  }
}

/** A row as its insert sends it: made once, and much smaller in memory than the row. */
export type EncodedRow = Buffer;

const writer = createRowBinaryWriter();

/** In the order of the columns of the insert. */
export function encodeUsageEventRow(r: UsageEventRow): EncodedRow {
  writer.text(r.accountId);
  writer.text(r.customerId);
  writer.text(r.eventName);
  writer.int64(r.timeCreated);
  writer.text(r.idempotencyId);
  writer.map(r.numbers, writer.decimal38);
  writer.map(r.strings, writer.text);
  writer.map(r.booleans, writer.bool);
  writer.uint128(r.fingerprint);
  writer.uint64(r.position);
  writer.uint32(r.epoch);
  writer.int64(r.receivedAt);
  return writer.take();
}
