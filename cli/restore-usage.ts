import type { ClickHouseClient } from '@clickhouse/client';
import type { ProcessConfig } from '../runtime/config.ts';
import { loadProcessConfig } from '../runtime/config.ts';
import type { Log } from '../runtime/log.ts';
import { createClickHouseDatabase } from '../sql/clickhouse/clickhouse.ts';
import { inParts } from '../sql/clickhouse/query-parameters.ts';
import { type CopiedTable, countUsageRows, insertUsagePage } from '../sql/clickhouse/usage/copy-usage.ts';
import { loadRecordsPosition } from '../sql/clickhouse/usage/counted-positions.ts';
import {
  type CustomerRef,
  deleteUsage,
  findCustomersWithUsage,
  listDeletedCustomersAfter,
} from '../sql/clickhouse/usage/erase-usage.ts';
import { insertUnaudited } from '../sql/clickhouse/usage/usage-audit.ts';
import { migrate } from '../sql/migrate.ts';
import { areRecordsEmpty } from '../sql/postgres/copy-records.ts';
import type { Pool } from '../sql/postgres/postgres.ts';
import type { StreamConnection } from '../stream/connection.ts';
import { startEpoch } from '../stream/epochs.ts';
import { INDEXES_PER_MESSAGE, sequenceOf } from '../stream/positions.ts';
import { updateBackupMark } from '../stream/purge.ts';
import { loadFirstSequence, loadLastSequence } from '../stream/streams.ts';
import { type BackupStep, checkBackup, type Manifest, readBackupFile } from './backup-folder.ts';
import { withOpenStores } from './open-stores.ts';
import type { StoreAddresses } from './with-stores.ts';

/** Deleted customers looked at together, and those whose usage one statement erases. */
const CUSTOMERS_AT_ONCE = 1_000;
const ERASED_AT_ONCE = 20;

/**
 * Brings the usage of a backup into an empty ClickHouse under records that have survived, and the usage stream into a new epoch:
 * what lies above the backup's mark lands again once the service starts, each event at its own position. Usage of customers who were
 * deleted since is erased again. Throws where ClickHouse is not empty, there are no records, or the backup is not whole.
 */
export async function restoreUsage(stores: StoreAddresses, folder: string) {
  const config = loadProcessConfig();
  const steps = await checkBackup(folder);
  const { manifest } = newestOf(steps);
  await createClickHouseDatabase(stores.clickhouseUrl, config.clickhouseCluster);
  return withOpenStores(stores, async ({ postgres, clickhouse, connection, log }) => {
    if (await areRecordsEmpty(postgres))
      throw new Error('There are no records: restore them as well, without --only-usage.');
    await importUsage({ postgres, clickhouse }, steps, config);
    await migrate(postgres, clickhouse, config.clickhouseCluster);
    await eraseDeleted(postgres, clickhouse);
    const knownTo = Math.max(sequenceOf(await loadRecordsPosition(postgres)), manifest.stream.landed_to);
    const started = await startStream(connection, config, manifest, knownTo, log);
    const { taken_at, stream } = manifest;
    return { taken_at, landed_to: stream.landed_to, ...started, rows: await countUsageRows(clickhouse) };
  });
}

/** The last of the steps, whose records and mark are the backup's. */
export function newestOf(steps: readonly BackupStep[]): BackupStep {
  const newest = steps.at(-1);
  if (!newest) throw new Error('A backup has at least one step.');
  return newest;
}

/**
 * Fills an empty ClickHouse from all steps, each under the schema of the release that took it; the audit comes whole with the newest, and
 * is brought to its mark.
 * Throws where ClickHouse is not empty, and where a page has not as many events as were written.
 */
export async function importUsage(
  { postgres, clickhouse }: { postgres: Pool; clickhouse: ClickHouseClient },
  steps: readonly BackupStep[],
  { clickhouseCluster }: Pick<ProcessConfig, 'clickhouseCluster'>,
): Promise<void> {
  const newest = newestOf(steps);
  const records = newest.manifest.books.migrations;
  const [first = newest] = steps;
  await migrate(postgres, clickhouse, clickhouseCluster, {
    postgres: records,
    clickhouse: first.manifest.usage.migrations,
  });
  const before = await countUsageRows(clickhouse);
  if (Object.values(before).some((rows) => rows > 0)) {
    throw new Error('ClickHouse is not empty: drop its database, a backup is restored into empty stores.');
  }
  let events = 0;
  for (const step of steps) {
    const { files, usage } = step.manifest;
    await migrate(postgres, clickhouse, clickhouseCluster, { postgres: records, clickhouse: usage.migrations });
    for (const { name, rows } of files) {
      const table = /^usage\/\d+-(\w+)\./.exec(name)?.[1] as CopiedTable | undefined;
      if (table === undefined || (table === 'usage_audit' && step !== newest)) continue;
      await insertUsagePage(clickhouse, table, readBackupFile(step.folder, name));
      if (table !== 'usage_events' || rows === undefined) continue;
      events += rows;
      const found = (await countUsageRows(clickhouse)).usage_events;
      if (found !== events)
        throw new Error(`${name} of ${step.name} has ${found - events + rows} events instead of ${rows}.`);
    }
  }
  const { epoch, partitions, landed_to: landedTo } = newest.manifest.stream;
  await insertUnaudited(clickhouse, { epoch, partitions, landedTo }, INDEXES_PER_MESSAGE);
}

/** Erases again what a backup still held of customers whom the records know as deleted. */
export async function eraseDeleted(postgres: Pool, clickhouse: ClickHouseClient): Promise<void> {
  let after: CustomerRef | undefined = { accountId: '', customerId: '' };
  while (after) {
    const page = await listDeletedCustomersAfter(postgres, after, CUSTOMERS_AT_ONCE);
    const left = page.length === 0 ? [] : await findCustomersWithUsage(clickhouse, page);
    for (const some of inParts(left, ERASED_AT_ONCE)) await deleteUsage(clickhouse, ...some);
    after = page.at(-1);
  }
}

/**
 * Begins a new epoch that has landed up to the backup's mark. `to_replay`: messages above it that the stream still has; `missing`: how
 * many it had no more.
 */
export async function startStream(
  connection: StreamConnection,
  settings: Parameters<typeof startEpoch>[1],
  { stream }: Manifest,
  knownTo: number,
  log: Log,
) {
  const known = { landedTo: stream.landed_to, knownTo, epoch: stream.epoch };
  const own = { ...settings, usagePartitions: stream.partitions };
  const { epoch } = await startEpoch(connection, own, known, log);
  await updateBackupMark(connection, stream.landed_to);
  const [first, last] = [await loadFirstSequence(connection.jsm), await loadLastSequence(connection.jsm)];
  const missing = Math.max(0, first - 1 - stream.landed_to);
  return { epoch, to_replay: Math.max(0, last - Math.max(stream.landed_to, first - 1)), missing };
}
