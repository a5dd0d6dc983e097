import type { ClickHouseClient } from '@clickhouse/client';
import { isoFromInstant } from '../core/instants.ts';
import { type Clock, systemClock } from '../runtime/clock.ts';
import { loadProcessConfig } from '../runtime/config.ts';
import { createLog } from '../runtime/log.ts';
import { createClickHouse } from '../sql/clickhouse/clickhouse.ts';
import { listUsageMigrations, listUsagePages, readUsagePage } from '../sql/clickhouse/usage/copy-usage.ts';
import { exportRecords } from '../sql/postgres/copy-records.ts';
import { createPool, type Pool } from '../sql/postgres/postgres.ts';
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
  DEAD_LETTERS_FILE,
  type Manifest,
  makeBackupFolder,
  recordsFile,
  usageFile,
  writeBackupFile,
  writeManifest,
} from './backup-folder.ts';
import { BadUsage } from './bad-usage.ts';
import { connectSoon } from './connect-soon.ts';
import { type StoreAddresses, withStores } from './with-stores.ts';

/** `npm run cli -- backup <folder>`: prints `{folder, taken_at, landed_to, files, bytes}`. */
export async function run([folder, ...rest]: string[]): Promise<number> {
  if (!folder || rest.length > 0)
    throw new BadUsage('The folder is missing: one that does not exist yet, or is empty.');
  const { taken_at, stream, files } = await withStores((stores) => takeBackup(stores, folder, systemClock));
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  console.log(JSON.stringify({ folder, taken_at, landed_to: stream.landed_to, files: files.length, bytes }));
  return 0;
}

/**
 * Copies everything that cannot be computed again into an empty folder, while the service runs: the records first, then the
 * usage that had landed by then, so that nothing billed lacks its events; what lands later is above the mark and stays in the
 * usage stream until a newer backup has it (architecture#the-edge-and-the-stream). Answers what the backup is.
 */
export async function takeBackup(stores: StoreAddresses, folder: string, clock: Clock): Promise<Manifest> {
  await makeBackupFolder(folder);
  const log = createLog('cli', 'silent');
  const postgres = createPool(stores.databaseUrl, 0);
  const clickhouse = createClickHouse(stores.clickhouseUrl, loadProcessConfig().clickhouseCluster);
  const connection = await connectSoon(stores.natsUrl, log);
  const files: BackupFile[] = [];
  const write = async (name: string, source: Parameters<typeof writeBackupFile>[2]) => {
    files.push(await writeBackupFile(folder, name, source));
  };
  try {
    const takenAt = isoFromInstant(clock.now());
    const schema = await exportRecords(postgres, (table, rows) => write(recordsFile(table), lines(rows)));
    const stream = await loadMark(connection, postgres, clickhouse, clock);
    const pages = await listUsagePages(clickhouse, endOfMessage(stream.landed_to));
    for (const [i, page] of pages.entries()) {
      await write(usageFile(i, page.table), await readUsagePage(clickhouse, page));
    }
    const usage = { migrations: await listUsageMigrations(clickhouse) };
    await write(DEAD_LETTERS_FILE, lines(deadLetters(connection)));
    const manifest: Manifest = { format: 1, taken_at: takenAt, books: schema, usage, stream, files };
    await writeManifest(folder, manifest);
    if (await findStream(connection.jsm, USAGE_STREAM)) await updateBackupMark(connection, stream.landed_to);
    return manifest;
  } finally {
    await Promise.all([postgres.end(), clickhouse.close(), connection.close()]);
  }
}

/** How far ClickHouse has what was accepted. Of a lost stream: all that was counted, for there is no more. */
async function loadMark(
  connection: StreamConnection,
  postgres: Pool,
  clickhouse: ClickHouseClient,
  clock: Clock,
): Promise<Manifest['stream']> {
  const stream = await findStream(connection.jsm, USAGE_STREAM);
  const countedTo = await loadCountedTo(postgres, clickhouse);
  if (!stream || stream.state.last_seq < countedTo) {
    return { epoch: 0, partitions: loadProcessConfig().usagePartitions, landed_to: countedTo };
  }
  const progress = await followProgress(connection, clock);
  try {
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

async function* lines(rows: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const row of rows) yield `${row}\n`;
}
