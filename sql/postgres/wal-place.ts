import type { Instant } from '../../core/instants.ts';
import { firstRow, type Transaction } from './postgres.ts';

/** Keeps the server from dropping log that the archive does not have yet. */
export const ARCHIVE_SLOT = 'meterbook_archive';

/** Where the write-ahead log ends now, as Postgres writes it (`16/B374D848`). */
export async function loadWalPlace(records: Pick<Transaction, 'query'>): Promise<string> {
  const answer = await records.query<{ place: string }>('SELECT pg_current_wal_insert_lsn()::text AS place');
  return firstRow(answer)?.place ?? '';
}

/** How many bytes of the log the archive of the records does not have yet; undefined where none is kept. */
export async function loadArchiveLag(records: Pick<Transaction, 'query'>): Promise<number | undefined> {
  const answer = await records.query<{ bytes: string | null }>(
    `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn) AS bytes FROM pg_replication_slots WHERE slot_name = $1`,
    [ARCHIVE_SLOT],
  );
  const row = firstRow(answer);
  // A slot that was invalidated has lost its place: its archive has a gap until it begins anew.
  return row && (row.bytes === null ? Number.POSITIVE_INFINITY : Number(row.bytes));
}

/** Whether Postgres still brings back what was restored: it changes nothing until then. */
export async function isRecovering(records: Pick<Transaction, 'query'>): Promise<boolean> {
  const answer = await records.query<{ recovering: boolean }>('SELECT pg_is_in_recovery() AS recovering');
  return firstRow(answer)?.recovering === true;
}

/** When the last change was made that a recovery has brought back; null where it brought none. */
export async function loadReplayedAt(records: Pick<Transaction, 'query'>): Promise<Instant | null> {
  const answer = await records.query<{ at: Instant | null }>('SELECT pg_last_xact_replay_timestamp() AS at');
  return firstRow(answer)?.at ?? null;
}

/** Forgets what a recovery was told: these settings, of ours, are words of SQL. */
export async function resetSettings(records: Pick<Transaction, 'query'>, names: readonly string[]): Promise<void> {
  for (const name of names) await records.query(`ALTER SYSTEM RESET ${name}`);
}
