import { join } from 'node:path';
import type { Clock } from '../../runtime/clock.ts';
import { loadLauncherConfig } from '../../runtime/config.ts';
import type { DrillFinding } from '../../sql/postgres/backup-drills.ts';
import { createPool } from '../../sql/postgres/postgres.ts';
import { planRecovery } from '../archive/plan-recovery.ts';
import { bringBackBeside, untilRecovered } from '../archive/restore-records.ts';
import type { StoreAddresses } from '../with-stores.ts';
import { compareRecords } from './compare-totals.ts';
import { inDrillFolder } from './drill-folder.ts';

/**
 * Brings the records of an archive back to their newest state, in a Postgres of its own, and compares them with those that run. Where
 * DRILL_RECORDS_URL names a Postgres that was brought up from the archive, that one is compared. Throws where they can't be brought back.
 */
export async function drillArchive(archive: string, running: StoreAddresses, clock: Clock): Promise<DrillFinding[]> {
  const config = loadLauncherConfig();
  const recovery = await planRecovery(archive, 'newest');
  const findings: DrillFinding[] = [];
  const look = async (databaseUrl: string) => void findings.push(...(await compare(databaseUrl, running.databaseUrl)));
  if (config.drillRecordsUrl) await look(config.drillRecordsUrl);
  else await inDrillFolder(config, (folder) => bringBackBeside(recovery, config, join(folder, 'records'), clock, look));
  return findings.map((one) => ({ ...one, what: `the archive: ${one.what}` }));
}

async function compare(restoredUrl: string, runningUrl: string): Promise<DrillFinding[]> {
  const [restored, running] = [createPool(restoredUrl, 0, 2), createPool(runningUrl, 0, 2)];
  try {
    await untilRecovered(restored);
    return await compareRecords({ postgres: restored }, { postgres: running });
  } finally {
    await Promise.all([restored.end(), running.end()]);
  }
}
