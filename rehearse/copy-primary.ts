import { execFile } from 'node:child_process';
import { chownSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';

/** What the primary keeps for its standby: all that it has written since the copy began and the standby has not had yet. */
export const SLOT = 'standby';

/** What belongs to the server that is copied from. Its log of writes comes by replication, from where the copy began. */
const NOT_COPIED = ['./pg_wal/*', './postmaster.pid', './postmaster.opts', './pg_replslot/*', './postgresql.auto.conf'];
/** Files went away or grew while they were read: what is missing of them is in the log of writes. */
const CHANGED_MEANWHILE = 1;

/**
 * Copies the data of a server that runs, by Postgres's own low-level way (the package of ours has no pg_basebackup), and makes it a
 * standby that starts with `settings`. `to` is replaced.
 */
export async function copyPrimary(url: string, from: string, to: string, settings: string[]): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = $1', [
      SLOT,
    ]);
    await client.query('SELECT pg_create_physical_replication_slot($1, true)', [SLOT]);
    await client.query('SELECT pg_backup_start($1, true)', [SLOT]);
    const owner = statSync(from);
    rmSync(to, { recursive: true, force: true });
    mkdirSync(to, { mode: 0o700 });
    await copyFiles(from, to);
    const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
    const files = {
      backup_label: rows[0]?.labelfile ?? '',
      'standby.signal': '',
      'postgresql.auto.conf': `${settings.join('\n')}\n`,
    };
    for (const [name, contents] of Object.entries(files)) writeFileSync(join(to, name), contents, { mode: 0o600 });
    for (const path of [to, ...Object.keys(files).map((name) => join(to, name))]) chownSync(path, owner.uid, owner.gid);
  } finally {
    await client.end();
  }
}

async function copyFiles(from: string, to: string): Promise<void> {
  const excluded = NOT_COPIED.map((path) => `--exclude=${path}`);
  const archive = `${to}.tar`;
  try {
    await promisify(execFile)('tar', ['-C', from, ...excluded, '-cf', archive, '.']).catch(
      (error: { code?: number }) => {
        if (error.code !== CHANGED_MEANWHILE) throw error;
      },
    );
    await promisify(execFile)('tar', ['-C', to, '-xpf', archive]);
  } finally {
    rmSync(archive, { force: true });
  }
}
