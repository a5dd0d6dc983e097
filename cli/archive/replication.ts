import pg from 'pg';
import type { Clock } from '../../runtime/clock.ts';
import { serversOf } from '../../sql/postgres/primary-client.ts';
import { ARCHIVE_SLOT } from '../../sql/postgres/wal-place.ts';
import { CopyQuery } from './copy-query.ts';
import { type Lsn, lsnFromText, lsnToText } from './lsn.ts';

/** A connection that speaks Postgres' replication protocol; its role has the attribute REPLICATION. */
export type Replication = pg.Client;

/** Which database cluster this is, and which of its lives: a restore or a promoted standby begins a new timeline. */
export type PostgresSystem = { systemId: string; timeline: number; segmentBytes: number };

/** What the server answers where WAL is asked for that it has dropped. */
const UNDEFINED_FILE = '58P01';
const UNITS: Record<string, number> = { kB: 2 ** 10, MB: 2 ** 20, GB: 2 ** 30 };
/** Between the epochs of Postgres and of Unix. */
const POSTGRES_EPOCH_MS = Date.UTC(2000, 0, 1);

/** Opens a session with that of the URL's servers which takes writes. Throws where none does, or it refuses. */
export async function openReplication(url: string): Promise<Replication> {
  let reason: unknown = new Error('None of the servers of REPLICATION_URL takes writes.');
  for (const server of serversOf(url)) {
    try {
      const client = await connect(server);
      const { rows } = await client.query<{ in_hot_standby: string }>('SHOW in_hot_standby');
      if (rows[0]?.in_hot_standby === 'off') return client;
      await client.end();
    } catch (error) {
      reason = error;
    }
  }
  throw reason;
}

async function connect(server: string): Promise<Replication> {
  const address = new URL(server);
  address.searchParams.set('replication', 'true');
  const client = new pg.Client({ connectionString: address.href, connectionTimeoutMillis: 5_000 });
  // Whatever is under way fails with it.
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** What the server says of itself. */
export async function identifySystem(client: Replication): Promise<PostgresSystem> {
  const { rows } = await client.query<{ systemid: string; timeline: number }>('IDENTIFY_SYSTEM');
  const shown = await client.query<{ wal_segment_size: string }>('SHOW wal_segment_size');
  const [, count, unit] = /^(\d+)([A-Za-z]+)$/.exec(shown.rows[0]?.wal_segment_size ?? '') ?? [];
  const [row] = rows;
  if (!row || !unit) throw new Error('Postgres has not said what it is.');
  return { systemId: row.systemid, timeline: Number(row.timeline), segmentBytes: Number(count) * (UNITS[unit] ?? 0) };
}

/** Makes the archive's slot where there is none, or its own has been invalidated. Answers from where the server keeps WAL for it. */
export async function ensureSlot(client: Replication): Promise<Lsn> {
  const found = await findSlot(client);
  if (found) return found;
  // One that has fallen too far behind (max_slot_wal_keep_size) is there, and keeps nothing.
  await client.query(`DROP_REPLICATION_SLOT ${ARCHIVE_SLOT}`).catch(() => undefined);
  await client.query(`CREATE_REPLICATION_SLOT ${ARCHIVE_SLOT} PHYSICAL (RESERVE_WAL true)`);
  const made = await findSlot(client);
  if (!made) throw new Error(`Postgres keeps no WAL for the slot ${ARCHIVE_SLOT}.`);
  return made;
}

async function findSlot(client: Replication): Promise<Lsn | undefined> {
  const { rows } = await client.query<{ restart_lsn: string | null }>(`READ_REPLICATION_SLOT ${ARCHIVE_SLOT}`);
  const place = rows[0]?.restart_lsn;
  return place ? lsnFromText(place) : undefined;
}

/** Whether this error says that the server has no more of what was asked for. */
export function isWalGone(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === UNDEFINED_FILE;
}

/** A run of the log, from `at` on. */
export type WalRun = { at: Lsn; data: Buffer };

/** A stream of the log as it is written. */
export type WalStream = {
  /** What has come since the last time; the server has flushed it to its own disk. Throws where the stream breaks. */
  batches(): AsyncGenerator<WalRun[]>;
  /** Says up to where all is on our disk: the server may drop it. */
  confirm(flushedTo: Lsn): void;
  /** Ends the batches; with an error, by throwing it. */
  stop(error?: Error): void;
};

/** A server without anything to send says so every 30 s. */
const SILENCE_MS = 90_000;

/** Begins to stream from `from`, the start of a segment. The session can do nothing else then. */
export function streamWal(client: Replication, timeline: number, from: Lsn, clock: Clock): WalStream {
  const query = client.query(
    new CopyQuery(`START_REPLICATION SLOT ${ARCHIVE_SLOT} PHYSICAL ${lsnToText(from)} TIMELINE ${timeline}`),
  );
  let flushed = from;
  const confirm = (flushedTo: Lsn) => {
    flushed = flushedTo;
    query.send(standbyStatus(flushed, clock.now()));
  };
  async function* batches() {
    const silence = setTimeout(() => query.stop(new Error('Postgres has gone silent.')), SILENCE_MS);
    try {
      for await (const batch of query.batches()) {
        silence.refresh();
        const runs = batch.flatMap((message) => runOf(message) ?? []);
        if (batch.some(wantsReply)) confirm(flushed);
        if (runs.length > 0) yield runs;
      }
    } finally {
      clearTimeout(silence);
    }
  }
  return { batches, confirm, stop: (error) => query.stop(error) };
}

/** `w`: where it begins (8 bytes), where the server's log ends, the time; then the log itself. */
function runOf(message: Buffer): WalRun | undefined {
  return message[0] === 0x77 ? { at: message.readBigUInt64BE(1), data: message.subarray(25) } : undefined;
}

/** `k`: where the server's log ends, the time, and 1 where it wants to hear from us soon. */
function wantsReply(message: Buffer): boolean {
  return message[0] === 0x6b && message[17] === 1;
}

/** What we have: written, flushed, applied. */
function standbyStatus(flushed: Lsn, nowMs: number): Buffer {
  const message = Buffer.alloc(34, 'r');
  for (const at of [1, 9, 17]) message.writeBigUInt64BE(flushed, at);
  message.writeBigInt64BE(BigInt(nowMs - POSTGRES_EPOCH_MS) * 1_000n, 25);
  message[33] = 0;
  return message;
}

/** A copy of the server's data directory while it runs: needs the log from `start` to `end` to be whole. */
export type BaseCopy = {
  /** The directory as a tar. */
  tar(): AsyncGenerator<Buffer>;
  /** Once all of it has been read. */
  bounds(): { start: Lsn; end: Lsn };
};

/** Begins to copy. Throws, while it is read, where the server has further tablespaces. */
export function copyBase(client: Replication): BaseCopy {
  // Without waiting for an archive of the server's own, and without a list of checksums: whoever keeps the tar keeps one of it.
  const query = client.query(
    new CopyQuery(`BASE_BACKUP (LABEL 'meterbook', CHECKPOINT 'fast', WAIT false, MANIFEST 'no')`),
  );
  async function* tar() {
    let archives = 0;
    for await (const batch of query.batches()) {
      for (const message of batch) {
        if (message[0] === 0x6e && ++archives > 1)
          throw new Error('Postgres has tablespaces of its own: copy it with pg_basebackup.');
        if (message[0] === 0x64) yield message.subarray(1);
      }
    }
  }
  const bounds = () => {
    const [start, end] = [query.rows.at(0)?.[0], query.rows.at(-1)?.[0]];
    if (!start || !end || query.rows.length < 3) throw new Error('Postgres has not ended its copy.');
    return { start: lsnFromText(start), end: lsnFromText(end) };
  };
  return { tar, bounds };
}
