import type { StreamConfig } from '@nats-io/jetstream';
import type { Instant } from '../core/instants.ts';
import type { StreamConnection } from './connection.ts';
import { claimSubject, LANDINGS_STREAM, landedSubject, USAGE_STREAM, usageSubject } from './subjects.ts';

/**
 * How full the usage stream is, in bytes; `backedUpTo`: the sequence up to which the newest backup holds what landed, null
 * where none was taken.
 */
export type StreamFill = { bytes: number; maxBytes: number; backedUpTo: number | null };

/** Where the usage stream's metadata say {@link StreamFill.backedUpTo}. */
const BACKUP_MARK = 'backup_mark';

/** Above this part of its size the usage stream keeps landed messages no longer than it must. */
export const PRESSED_AT = 0.7;

/** What it is brought down to then, so that not every round has to purge. */
const PRESSED_TO = 0.6;

/** How full the usage stream is. Throws when it is away. */
export async function loadStreamFill(connection: StreamConnection): Promise<StreamFill> {
  const { state, config } = await connection.jsm.streams.info(USAGE_STREAM);
  return { bytes: state.bytes, maxBytes: config.max_bytes, backedUpTo: backupMark(config) };
}

/** Says up to which sequence a backup holds what landed: what lies above is kept for its restore (architecture#the-edge-and-the-stream). */
export async function updateBackupMark({ jsm }: StreamConnection, sequence: number): Promise<void> {
  const { config } = await jsm.streams.info(USAGE_STREAM);
  const metadata = { ...config.metadata, [BACKUP_MARK]: String(sequence) };
  await jsm.streams.update(USAGE_STREAM, { ...config, metadata });
}

function backupMark({ metadata }: StreamConfig): number | null {
  const mark = metadata?.[BACKUP_MARK];
  return mark === undefined ? null : Number(mark);
}

/** The part of the usage stream that is full: 0 to 1, 0 where it has no limit. */
export function partFull({ bytes, maxBytes }: Pick<StreamFill, 'bytes' | 'maxBytes'>): number {
  return maxBytes > 0 ? bytes / maxBytes : 0;
}

/**
 * Frees space in the usage stream (architecture#the-edge-and-the-stream): drops messages stored before `before`, and above {@link PRESSED_AT} the oldest
 * ones whatever their age; never one above what `doneTo` says of its partition (index: partition; a stream sequence), never
 * the last done one, so that the stream is never empty, and none above the newest backup's mark unless `ignoreBackup`. Answers
 * how many messages went. Throws when the stream is away.
 */
export async function purgeUsage(
  connection: StreamConnection,
  doneTo: readonly number[],
  before: Instant,
  ignoreBackup = false,
): Promise<number> {
  const { state, config } = await connection.jsm.streams.info(USAGE_STREAM);
  const done = await allDoneTo(connection, doneTo, state.last_seq);
  const old = Date.parse(state.first_ts) < before ? await firstSince(connection, before, state) : state.first_seq;
  const pressed = state.bytes > config.max_bytes * PRESSED_AT ? sequenceToFree(state, config.max_bytes) : 0;
  const backedUpTo = ignoreBackup ? null : backupMark(config);
  const seq = Math.min(done, Math.max(old, pressed), (backedUpTo ?? Number.POSITIVE_INFINITY) + 1);
  if (state.messages === 0 || seq <= state.first_seq) return 0;
  return (await connection.jsm.streams.purge(USAGE_STREAM, { seq })).purged;
}

/** Drops claims and landings of a partition with places below `place` in the landings stream; the newest ones must not be. */
export async function purgeLandings(connection: StreamConnection, partition: number, place: number): Promise<void> {
  for (const filter of [claimSubject(partition), landedSubject(partition)]) {
    await connection.jsm.streams.purge(LANDINGS_STREAM, { filter, seq: place });
  }
}

/** The sequence at or below which every partition is done; a partition without a later message does not hold it up. */
async function allDoneTo(connection: StreamConnection, doneTo: readonly number[], last: number): Promise<number> {
  const bounds = doneTo.map(async (done, partition) => {
    if (done >= last) return last;
    const newest = await connection.jsm.streams.getMessage(USAGE_STREAM, { last_by_subj: usageSubject(partition) });
    return done >= (newest?.seq ?? 0) ? last : done;
  });
  return Math.min(last, ...(await Promise.all(bounds)));
}

type Span = { first_seq: number; last_seq: number; last_ts: string; bytes: number; messages: number };

/** The sequence of the first message stored at or after `since`. */
async function firstSince(connection: StreamConnection, since: Instant, { first_seq, last_seq, last_ts }: Span) {
  if (Date.parse(last_ts) < since) return last_seq + 1;
  const message = await connection.jsm.direct.getMessage(USAGE_STREAM, { start_time: new Date(since) });
  return message?.seq ?? first_seq;
}

/** The sequence below which to purge for the wanted size, by the mean size of a message: the next round does the rest. */
function sequenceToFree({ first_seq, bytes, messages }: Span, maxBytes: number): number {
  return first_seq + Math.ceil((messages * (bytes - maxBytes * PRESSED_TO)) / bytes);
}
