import { parseArgs } from 'node:util';
import { newWebhookSecret } from '../outbound/webhook-signature.ts';
import type { SecretCipher } from '../runtime/cipher.ts';
import { type Clock, systemClock } from '../runtime/clock.ts';
import { loadProcessConfig } from '../runtime/config.ts';
import type { Log } from '../runtime/log.ts';
import { createClickHouseDatabase } from '../sql/clickhouse/clickhouse.ts';
import { countUsageRows } from '../sql/clickhouse/usage/copy-usage.ts';
import { loadLandedPosition, loadRecordsPosition } from '../sql/clickhouse/usage/counted-positions.ts';
import { migrate } from '../sql/migrate.ts';
import { areRecordsEmpty, importRecords } from '../sql/postgres/copy-records.ts';
import type { Transaction } from '../sql/postgres/postgres.ts';
import { insertRestore } from '../sql/postgres/restores.ts';
import { checkLines, replaceSecrets, SEALED_TABLES, type SealedRow } from '../sql/postgres/secrets/sealed-secrets.ts';
import type { StreamConnection } from '../stream/connection.ts';
import { countDeadLetters, type DeadLetter, publishDeadLetter } from '../stream/dead-letters.ts';
import { sequenceOf } from '../stream/positions.ts';
import { type BackupStep, checkBackup, DEAD_LETTERS_FILE, readBackupLines, recordsFile } from './backup-folder.ts';
import { BadUsage } from './bad-usage.ts';
import { commandCipher } from './command-cipher.ts';
import { withOpenStores } from './open-stores.ts';
import { eraseDeleted, importUsage, newestOf, restoreUsage, startStream } from './restore-usage.ts';
import { type StoreAddresses, withStores } from './with-stores.ts';

/**
 * `npm run cli -- restore <folder> [--without-secrets | --only-usage]`: prints `{taken_at, epoch, landed_to, to_replay, missing, rows,
 * secrets_replaced}`. `to_replay`: messages above the mark that the usage stream still has; `missing`: how many it had no more;
 * `secrets_replaced`: the rows whose secrets could not be decrypted.
 */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      'without-secrets': { type: 'boolean', default: false },
      'only-usage': { type: 'boolean', default: false },
    },
  });
  const [folder, ...rest] = positionals;
  if (!folder || rest.length > 0) throw new BadUsage('The folder of the backup is missing.');
  const restored = await withStores<object>((stores) => {
    if (values['only-usage']) return restoreUsage(stores, folder);
    const secrets = { cipher: commandCipher(), withoutSecrets: values['without-secrets'], clock: systemClock };
    return restoreBackup(stores, folder, secrets);
  });
  console.log(JSON.stringify(restored));
  return 0;
}

/** The table of restores, which backups of the first releases do not have. */
const RESTORES = 'restores';

/** How the secrets of a backup are treated: those that `cipher` can't open end the restore, or are replaced where that is wanted. */
export type SecretsPolicy = { cipher: SecretCipher; withoutSecrets: boolean; clock: Clock };

/**
 * Brings a backup into empty stores, and the usage stream into a new epoch: of one that survived, what lies above the
 * backup's mark lands (again) once the service starts. Throws where anything is there already, or is not as it was written, or
 * where its secrets can't be decrypted; nothing has been written then.
 */
export async function restoreBackup(stores: StoreAddresses, folder: string, secrets: SecretsPolicy) {
  const config = loadProcessConfig();
  const steps = await checkBackup(folder);
  const newest = newestOf(steps);
  const { manifest } = newest;
  const unreadable = await findUnreadable(folder, newest, secrets);
  await createClickHouseDatabase(stores.clickhouseUrl, config.clickhouseCluster);
  return withOpenStores(stores, async ({ postgres, clickhouse, connection, log }) => {
    if (!(await areRecordsEmpty(postgres)))
      throw new Error('The records are not empty: a backup is restored into empty stores.');
    await importUsage({ postgres, clickhouse }, steps, config);
    let started: Awaited<ReturnType<typeof startStream>> | undefined;
    const load = (table: string) => readBackupLines(newest.folder, recordsFile(table));
    const { tables } = manifest.books;
    const keepRestore = (records: Pick<Transaction, 'query'>) =>
      insertRestore(records, secrets.clock.now(), manifest.taken_at);
    // The records are the last to be there: a restore that was cut off is seen by their being empty, and once they are there they know of it.
    await importRecords(postgres, tables, load, async (tx) => {
      await replaceSecrets(tx, unreadable, secrets.cipher, newWebhookSecret);
      const [counted, landed] = [await loadRecordsPosition(tx), (await loadLandedPosition(clickhouse)).position];
      const knownTo = Math.max(sequenceOf(counted), sequenceOf(landed), manifest.stream.landed_to);
      started = await startStream(connection, config, manifest, knownTo, log);
      await restoreDeadLetters(connection, newest.folder, log);
      if (tables.includes(RESTORES)) await keepRestore(tx);
    });
    await migrate(postgres, clickhouse, config.clickhouseCluster);
    if (!tables.includes(RESTORES)) await keepRestore(postgres);
    await eraseDeleted(postgres, clickhouse);
    const { taken_at, stream } = manifest;
    const rows = await countUsageRows(clickhouse);
    return {
      taken_at,
      landed_to: stream.landed_to,
      ...started,
      rows,
      secrets_replaced: unreadable.map(({ name }) => name),
    };
  });
}

/** The rows of the backup whose secrets nobody can open here. Throws where that was not expected. */
async function findUnreadable(folder: string, newest: BackupStep, policy: SecretsPolicy): Promise<SealedRow[]> {
  const { cipher, withoutSecrets, clock } = policy;
  const tables = SEALED_TABLES.filter((table) => newest.manifest.books.tables.includes(table));
  const checks = await Promise.all(
    tables.map((table) => checkLines(table, readBackupLines(newest.folder, recordsFile(table)), cipher, clock.now())),
  );
  const unreadable = checks.flatMap((check) => check.unreadable);
  if (unreadable.length === 0) return [];
  if (withoutSecrets && cipher.keyId !== null) return unreadable;
  const rows = checks.reduce((sum, check) => sum + check.rows, 0);
  throw new Error(refusalOf(folder, unreadable, rows, cipher.keyId));
}

function refusalOf(folder: string, unreadable: readonly SealedRow[], rows: number, keyId: string | null): string {
  const keys = [...new Set(unreadable.flatMap(({ secrets }) => secrets.map((one) => one.keyId)))];
  const of = (table: string) => unreadable.filter((row) => row.table === table).length;
  const given = keyId === null ? 'no keys were given' : 'the given keys do not open them';
  return [
    `${unreadable.length} of the ${rows} rows with secrets in this backup can't be decrypted (${given}). They are encrypted under: ${keys.join(', ')}.`,
    `With the file of those keys:  ENCRYPTION_KEYS_FILE=<file> npm run cli -- restore ${folder}`,
    `Where they are lost for ever:  ENCRYPTION_KEYS_FILE=<file of new keys> npm run cli -- restore ${folder} --without-secrets`,
    `  ${of('webhook_endpoints')} webhook endpoints then get new secrets, which their owners must roll to learn them, and ` +
      `${of('processor_connections')} accounts must connect their payment processor again.`,
    'Nothing has been restored.',
  ].join('\n');
}

async function restoreDeadLetters(connection: StreamConnection, folder: string, log: Log): Promise<void> {
  if ((await countDeadLetters(connection)) > 0) return;
  for await (const line of readBackupLines(folder, DEAD_LETTERS_FILE)) {
    const letter = JSON.parse(line) as Omit<DeadLetter, 'data'> & { data: string };
    await publishDeadLetter(connection, { ...letter, data: Buffer.from(letter.data, 'base64') }, log);
  }
}
