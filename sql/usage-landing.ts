import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client';
import type { Instant } from '../billing/instants.ts';
import { createRowBinaryWriter } from './row-binary.ts';

/** A usage event, as its message has it. */
type Event = {
  accountId: string;
  customerId: string;
  eventName: string;
  timeCreated: Instant;
  idempotencyId: string;
  numbers: Record<string, string>;
  strings: Record<string, string>;
  booleans: Record<string, boolean>;
  receivedAt: Instant;
};

/** What the stream gives an event: its fingerprint (32 hex digits) and its position. */
type Place = { fingerprint: string; position: bigint; epoch: number };

/** One landed event, as a row of `usage_events`. */
export type UsageEventRow = Event & Place;

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

/** Rows that follow one another in memory, as most do, are handed to the socket at once. */
function* chunks(rows: EncodedRow[]): Generator<Buffer> {
  let run: EncodedRow | undefined;
  for (const row of rows) {
    if (run?.bytes === row.bytes && run.end === row.start) {
      run.end = row.end;
      continue;
    }
    if (run) yield run.bytes.subarray(run.start, run.end);
    run = { ...row };
  }
  if (run) yield run.bytes.subarray(run.start, run.end);
}

/** A row as its insert sends it, in memory that it shares with its neighbours: made once, much smaller than the row. */
export type EncodedRow = { bytes: Buffer; start: number; end: number };

const writer = createRowBinaryWriter();

/** Encodes events with their places, in the order of the columns of the insert. */
export function encodeUsageEventRows<E extends Event>(
  events: readonly E[],
  placeOf: (event: E, i: number) => Place,
): EncodedRow[] {
  const rows = events.map((event, i) => {
    const start = writer.size();
    writeRow(event, placeOf(event, i));
    return { start, end: writer.size() };
  });
  const bytes = writer.take();
  return rows.map(({ start, end }) => ({ bytes, start, end }));
}

function writeRow(e: Event, { fingerprint, position, epoch }: Place) {
  writer.text(e.accountId);
  writer.text(e.customerId);
  writer.text(e.eventName);
  writer.int64(e.timeCreated);
  writer.text(e.idempotencyId);
  writer.map(e.numbers, writer.decimal38);
  writer.map(e.strings, writer.text);
  writer.map(e.booleans, writer.bool);
  writer.uint128(fingerprint);
  writer.uint64(position);
  writer.uint32(epoch);
  writer.int64(e.receivedAt);
}
