import { realpathSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Instant, isoFromInstant } from '../../core/instants.ts';
import { holdName } from '../../local/name-lock.ts';
import type { Clock } from '../../runtime/clock.ts';
import { loadRecordsPosition } from '../../sql/clickhouse/usage/counted-positions.ts';
import { createPool, type Pool } from '../../sql/postgres/postgres.ts';
import { loadWalPlace } from '../../sql/postgres/wal-place.ts';
import { sequenceOf } from '../../stream/positions.ts';
import { writeBackupFile } from '../backup-folder.ts';
import {
  addPosition,
  baseFile,
  lifeFolder,
  listBases,
  listSegments,
  pruneArchive,
  unbrokenRun,
  walFolder,
  writeBaseManifest,
} from './archive-folder.ts';
import { type Lsn, lsnToText, segmentName, segmentStart, startOfSegment } from './lsn.ts';
import {
  copyBase,
  ensureSlot,
  identifySystem,
  isWalGone,
  openReplication,
  type PostgresSystem,
  streamWal,
} from './replication.ts';
import { OtherLog, SegmentWriter } from './segment-writer.ts';

export type ArchiveOptions = {
  /** Where the records are now; `replicationUrl`: the same server, for a role with the attribute REPLICATION. */
  find(): Promise<{ databaseUrl: string; replicationUrl: string }>;
  clock: Clock;
  /** A new copy of the data directory is begun when the newest is so old. */
  baseEveryMs: number;
  /** Copies stay so long, the newest in any case. */
  keepMs: number;
  /** How often it is noted which position of the usage stream the records have counted up to. */
  positionEveryMs?: number;
  /** A line for a person. */
  say(line: string): void;
  signal: AbortSignal;
};

/** After an error, and between two positions. */
const PAUSE_MS = 1_000;
const POSITION_EVERY_MS = 5_000;
const POSITION_LIMIT_MS = 30_000;
/** After a copy that failed: it reads all that the server has. */
const COPY_AGAIN_MS = 60_000;

/**
 * Keeps an archive of the records in `folder` until `signal`: streams the write-ahead log as it is written, and copies the data
 * directory now and then. Goes on where it was, and whatever fails is tried again. Throws where somebody else keeps this archive, and
 * {@link OtherLog} where the server's log is not the one that the archive has.
 */
export async function archiveRecords(folder: string, options: ArchiveOptions): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const lock = await holdName(`archive/${realpathSync(folder)}`);
  if (!lock) throw new Error(`The archive ${folder} is being kept already.`);
  let hasGap = false;
  try {
    while (!options.signal.aborted) {
      try {
        await archiveOnce(folder, options, hasGap);
      } catch (error) {
        if (error instanceof OtherLog) throw error;
        hasGap = isWalGone(error);
        options.say(`the archive waits: ${error instanceof Error ? error.message : error}`);
      }
      await sleep(PAUSE_MS, undefined, { signal: options.signal }).catch(() => undefined);
    }
  } finally {
    lock.release();
  }
}

/** One session, until it breaks or is asked to end. `hasGap`: the server has no more of what follows the archive's last segment. */
async function archiveOnce(archive: string, options: ArchiveOptions, hasGap: boolean): Promise<void> {
  const { databaseUrl, replicationUrl } = await options.find();
  const client = await openReplication(replicationUrl);
  const postgres = createPool(databaseUrl, POSITION_LIMIT_MS, 1);
  const ended = new AbortController();
  try {
    const system = await identifySystem(client);
    const life = lifeFolder(archive, system);
    await mkdir(walFolder(life), { recursive: true, mode: 0o700 });
    const kept = await ensureSlot(client);
    const keptFrom = segmentStart(kept, system.segmentBytes);
    const next = hasGap ? undefined : await findNext(life, system);
    // From the earlier of both: a server that was put back keeps from before where the archive ends, and is told by what they both have.
    const from = next !== undefined && next < keptFrom ? next : keptFrom;
    const stream = streamWal(client, system.timeline, from, options.clock);
    const state = { flushedTo: from };
    options.say(`the archive goes on at ${lsnToText(from)} of timeline ${system.timeline}`);
    const signal = AbortSignal.any([options.signal, ended.signal]);
    const rounds = keepRounds({ archive, life, system, state, postgres, replicationUrl, options, from, signal });
    // Whichever of the two fails ends the other; what it says is thrown.
    rounds.catch((error) => stream.stop(error));
    signal.addEventListener('abort', () => stream.stop(), { once: true });
    const writer = new SegmentWriter(walFolder(life), system);
    try {
      for await (const runs of stream.batches()) {
        state.flushedTo = await writer.write(runs);
        stream.confirm(state.flushedTo);
      }
    } finally {
      await writer.close();
      ended.abort();
      await rounds.catch(() => undefined);
    }
  } finally {
    await Promise.all([postgres.end(), client.end().catch(() => undefined)]);
  }
}

/** Where the archive's log goes on: at the segment that is not whole yet. Undefined where it has none. */
async function findNext(life: string, { segmentBytes }: PostgresSystem): Promise<Lsn | undefined> {
  const last = (await listSegments(life)).at(-1);
  if (!last) return undefined;
  return startOfSegment(last.name, segmentBytes) + (last.isWhole ? BigInt(segmentBytes) : 0n);
}

type Rounds = {
  archive: string;
  life: string;
  system: PostgresSystem;
  /** How far the log is on the archive's disk. */
  state: { flushedTo: Lsn };
  postgres: Pool;
  replicationUrl: string;
  options: ArchiveOptions;
  /** Where this session's log begins: a copy from before it may lack some. */
  from: Lsn;
  signal: AbortSignal;
};

/** Beside the log: positions, and copies when they are due. */
async function keepRounds(rounds: Rounds): Promise<void> {
  const { life, postgres, options, signal } = rounds;
  let copyAgainAt = Number.NEGATIVE_INFINITY;
  while (!signal.aborted) {
    const before = await loadWalPlace(postgres);
    if (options.clock.now() >= copyAgainAt) copyAgainAt = await copyWhereDue(rounds);
    await sleep(options.positionEveryMs ?? POSITION_EVERY_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    // What the log had some seconds ago is visible by now, so this many positions at most were counted there.
    const countedTo = sequenceOf(await loadRecordsPosition(postgres));
    const at = isoFromInstant(options.clock.now());
    await addPosition(life, { at, lsn: before, counted_to: countedTo });
  }
}

/** Answers from when on a copy may be begun again: the log goes on beside one that fails. */
async function copyWhereDue(rounds: Rounds): Promise<Instant> {
  const { archive, options, signal } = rounds;
  try {
    if (await isCopyDue(rounds)) {
      await takeBase(rounds);
      await pruneArchive(archive, options.clock.now() - options.keepMs);
    }
    return options.clock.now();
  } catch (error) {
    if (signal.aborted) throw error;
    options.say(`the archive has no new copy of the records: ${error instanceof Error ? error.message : error}`);
    return options.clock.now() + COPY_AGAIN_MS;
  }
}

/** Whether the newest copy is too old, or lacks some of the log behind it. */
async function isCopyDue({ archive, life, from, system, options }: Rounds): Promise<boolean> {
  const newest = (await listBases(archive)).findLast(({ folder }) => folder === life);
  if (!newest || options.clock.now() - Date.parse(newest.manifest.taken_at) >= options.baseEveryMs) return true;
  const { segmentBytes } = system;
  const { run } = unbrokenRun(await listSegments(life), newest.segment, segmentBytes);
  return from > startOfSegment(newest.segment, segmentBytes) + BigInt(run.length * segmentBytes);
}

/** Copies the data directory; it counts once the log has come to its end. */
async function takeBase({ life, system, state, replicationUrl, options, signal }: Rounds): Promise<void> {
  const client = await openReplication(replicationUrl);
  const draft = 'base.draft';
  // A server that has gone silent would be waited for.
  const giveUp = () => void client.end().catch(() => undefined);
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    signal.throwIfAborted();
    const copy = copyBase(client);
    let unpacked = 0;
    async function* counted() {
      for await (const part of copy.tar()) {
        unpacked += part.length;
        yield part;
      }
    }
    const { sha256, bytes } = await writeBackupFile(life, draft, counted());
    const { start, end } = copy.bounds();
    const takenAt = isoFromInstant(options.clock.now());
    while (state.flushedTo < end) await sleep(100, undefined, { signal });
    const segment = segmentName(system.timeline, start, system.segmentBytes);
    await rename(join(life, draft), join(life, baseFile(segment)));
    await writeBaseManifest(life, segment, {
      format: 1,
      taken_at: takenAt,
      start: lsnToText(start),
      end: lsnToText(end),
      segment_bytes: system.segmentBytes,
      unpacked_bytes: unpacked,
      sha256,
    });
    options.say(`the archive has a copy of the records: ${baseFile(segment)}, ${bytes} bytes`);
  } finally {
    signal.removeEventListener('abort', giveUp);
    await rm(join(life, draft), { force: true });
    await client.end().catch(() => undefined);
  }
}
