import { realpathSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { ClickHouseClient } from '@clickhouse/client';
import { isoFromInstant } from '../core/instants.ts';
import { holdName } from '../local/name-lock.ts';
import { type Clock, systemClock } from '../runtime/clock.ts';
import { loadProcessConfig } from '../runtime/config.ts';
import {
  countPage,
  listAuditPages,
  listUsageMigrations,
  listUsagePages,
  readUsagePage,
  type UsagePage,
} from '../sql/clickhouse/usage/copy-usage.ts';
import { loadLastAudited } from '../sql/clickhouse/usage/usage-audit.ts';
import { exportRecords } from '../sql/postgres/copy-records.ts';
import type { Pool } from '../sql/postgres/postgres.ts';
import type { StreamConnection } from '../stream/connection.ts';
import { listDeadLetters, type StoredDeadLetter } from '../stream/dead-letters.ts';
import { endOfMessage, sequenceOf } from '../stream/positions.ts';
import { followProgress } from '../stream/progress.ts';
import { updateBackupMark } from '../stream/purge.ts';
import { findStream, loadUsageStream } from '../stream/streams.ts';
import { DEAD_LETTERS_STREAM, USAGE_STREAM } from '../stream/subjects.ts';
import { loadCountedTo } from '../workflows/counted-to.ts';
import {
  type BackupFile,
  type BackupStep,
  clearCutOff,
  DEAD_LETTERS_FILE,
  type Manifest,
  makeBackupFolder,
  makeIncrementFolder,
  readSteps,
  recordsFile,
  usageFile,
  writeBackupFile,
  writeManifest,
} from './backup-folder.ts';
import { BadUsage } from './bad-usage.ts';
import { withOpenStores } from './open-stores.ts';
import { type StoreAddresses, withStores } from './with-stores.ts';

/**
 * `npm run cli -- backup <folder> [--incremental]`: prints `{folder, taken_at, landed_to, files, bytes}`; of an increment, its own
 * folder, files and bytes.
 */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { incremental: { type: 'boolean', default: false } },
  });
  const [folder, ...rest] = positionals;
  if (!folder || rest.length > 0)
    throw new BadUsage(
      'The folder is missing: a new or an empty one; with --incremental also one that has a backup, to which it is added.',
    );
  const take = values.incremental ? takeIncrement : takeBackup;
  const { at, manifest } = await withStores((stores) => take(stores, folder, systemClock));
  const { taken_at, stream, files } = manifest;
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  console.log(JSON.stringify({ folder: at, taken_at, landed_to: stream.landed_to, files: files.length, bytes }));
  return 0;
}

/** What was taken, and the folder that it is in. */
export type TakenBackup = { at: string; manifest: Manifest };

/**
 * Copies everything that cannot be computed again into an empty folder, while the service runs: the records first, then the
 * usage that had landed by then, so that nothing billed lacks its events; what lands later is above the mark and stays in the
 * usage stream until a newer backup has it (architecture#the-edge-and-the-stream). Answers what the backup is.
 */
export async function takeBackup(stores: StoreAddresses, folder: string, clock: Clock): Promise<TakenBackup> {
  await makeBackupFolder(folder);
  return { at: folder, manifest: await fillFolder(stores, folder, clock) };
}

/**
 * Adds an increment to the backup in `folder`: the records again, and of the usage what has landed above the mark of the one before.
 * In an empty folder, or one in which that was cut off, it takes a whole backup. Where the stream has begun a new epoch since, none fits: then it
 * does the same in `<folder>-epoch-<epoch>`. Throws where the stream is lost, or an older copy of itself.
 */
export async function takeIncrement(stores: StoreAddresses, folder: string, clock: Clock): Promise<TakenBackup> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const lock = await holdName(`backup/${realpathSync(folder)}`);
  if (!lock) throw new Error(`Another backup into ${folder} is being taken.`);
  try {
    await clearCutOff(folder);
    const steps = await readSteps(folder);
    const last = steps.at(-1);
    if (!last) return await takeBackup(stores, folder, clock);
    const epoch = await withOpenStores(stores, ({ connection }) => findEpoch(connection));
    if (epoch > last.manifest.stream.epoch)
      return await takeIncrement(stores, `${resolve(folder)}-epoch-${epoch}`, clock);
    const at = await makeIncrementFolder(folder, steps);
    return { at, manifest: await fillFolder(stores, at, clock, last) };
  } finally {
    lock.release();
  }
}

async function fillFolder(stores: StoreAddresses, folder: string, clock: Clock, last?: BackupStep): Promise<Manifest> {
  const files: BackupFile[] = [];
  return withOpenStores(stores, async ({ postgres, clickhouse, connection }) => {
    const takenAt = isoFromInstant(clock.now());
    const schema = await exportRecords(postgres, async (table, rows) => {
      files.push(await writeLines(folder, recordsFile(table), rows));
    });
    // The audit before the mark: it has counted nothing above it then, and the restore counts what it had not come to.
    const audit = await listAuditPages(clickhouse);
    for (const [i, page] of audit.entries())
      files.push(await writePage(clickhouse, folder, usageFile(i, page.table), page));
    const stream = await loadMark(connection, postgres, clickhouse, clock);
    if (last) assertGoesOn(last, stream);
    const above = last ? endOfMessage(last.manifest.stream.landed_to) : undefined;
    const pages = await listUsagePages(clickhouse, endOfMessage(stream.landed_to), above);
    for (const [i, page] of pages.entries())
      files.push(await writePage(clickhouse, folder, usageFile(audit.length + i, page.table), page));
    const usage = { migrations: await listUsageMigrations(clickhouse) };
    files.push(await writeLines(folder, DEAD_LETTERS_FILE, deadLetters(connection)));
    const kind = last ? { format: 2 as const, follows: { sha256: last.sha256 } } : { format: 1 as const };
    const manifest: Manifest = { ...kind, taken_at: takenAt, books: schema, usage, stream, files };
    await writeManifest(folder, manifest);
    if (await findStream(connection.jsm, USAGE_STREAM)) await updateBackupMark(connection, stream.landed_to);
    return manifest;
  });
}

/** Of the usage stream; 0 where there is none. */
async function findEpoch({ jsm }: StreamConnection): Promise<number> {
  return (await findStream(jsm, USAGE_STREAM)) ? (await loadUsageStream(jsm)).epoch : 0;
}

/** In another epoch a position may be that of another event. */
function assertGoesOn({ name, manifest }: BackupStep, stream: Manifest['stream']): void {
  const before = manifest.stream;
  if (before.epoch === stream.epoch && before.partitions === stream.partitions && before.landed_to <= stream.landed_to)
    return;
  throw new Error(
    `No increment fits ${name}: the usage stream has begun a new epoch since (${before.epoch}, it is ${stream.epoch}). Take a whole backup, into a new folder.`,
  );
}

async function writeLines(folder: string, name: string, source: AsyncIterable<string>): Promise<BackupFile> {
  let rows = 0;
  async function* lines() {
    for await (const row of source) {
      rows++;
      yield `${row}\n`;
    }
  }
  return { ...(await writeBackupFile(folder, name, lines())), rows };
}

/** A page of events says how many it has: it is read again where some were erased meanwhile. Those of the audit grow all the time. */
async function writePage(client: ClickHouseClient, folder: string, name: string, page: UsagePage): Promise<BackupFile> {
  const write = async () => writeBackupFile(folder, name, await readUsagePage(client, page));
  if (page.table !== 'usage_events') return write();
  for (;;) {
    const rows = await countPage(client, page);
    const file = await write();
    if ((await countPage(client, page)) === rows) return { ...file, rows };
  }
}

/** Where nothing lands, as on the data of a stopped stack, its audit may have counted more than the backup has. */
const LANDING_LIMIT_MS = 60_000;

/** How far ClickHouse has what was accepted, which is at least as far as its audit. Of a lost stream: all that was counted, for there is no more. */
async function loadMark(
  connection: StreamConnection,
  postgres: Pool,
  clickhouse: ClickHouseClient,
  clock: Clock,
): Promise<Manifest['stream']> {
  // In this order: of a stream that is whole nothing is counted above what it has by then, however much comes in meanwhile.
  const countedTo = await loadCountedTo(postgres, clickhouse);
  const stream = await findStream(connection.jsm, USAGE_STREAM);
  if (!stream || stream.state.last_seq < countedTo) {
    return { epoch: 0, partitions: loadProcessConfig().usagePartitions, landed_to: countedTo };
  }
  const progress = await followProgress(connection, clock);
  try {
    // A partition may have been audited further than another one has landed.
    await progress.waitUntilLanded(endOfMessage(await loadLastAudited(clickhouse)), LANDING_LIMIT_MS);
    const landed_to = sequenceOf(await progress.landedPosition());
    return { ...(await loadUsageStream(connection.jsm)), landed_to };
  } finally {
    progress.close();
  }
}

async function* deadLetters(connection: StreamConnection): AsyncGenerator<string> {
  if (!(await findStream(connection.jsm, DEAD_LETTERS_STREAM))) return;
  for await (const letter of listDeadLetters(connection)) yield deadLetterToLine(letter);
}

function deadLetterToLine({ data, storedSequence: _, storedAt: __, ...letter }: StoredDeadLetter): string {
  return JSON.stringify({ ...letter, data: Buffer.from(data).toString('base64') });
}
