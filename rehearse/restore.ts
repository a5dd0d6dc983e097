import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { type Load, settledBreaches, type Target } from '../soak/load.ts';
import { findBreaches } from '../soak/record-checks.ts';
import { auditBreaches, storedBreaches, totalsBreaches } from '../soak/usage-checks.ts';
import { createClickHouse } from '../sql/clickhouse/clickhouse.ts';
import { createPool, type Pool } from '../sql/postgres/postgres.ts';
import { becomesReady } from './faults.ts';
import { THIS_RELEASE } from './releases.ts';
import { OUR_PARTS, type Shape } from './shape.ts';

const CLI = join(THIS_RELEASE.root, 'cli/main.ts');
/** After a restore everything that the stream kept has landed, and all that was due has been done, within this. */
const SETTLE_MS = 180_000;

/** `npm run cli -- backup <folder>` on the shape, which goes on meanwhile. */
export async function backUp(shape: Shape, folder: string): Promise<void> {
  await command(shape, 'backup', folder);
}

/**
 * Loses Postgres's records and ClickHouse, restores `folder` beside the usage stream and Temporal, which survived, and starts the
 * service. Our processes stand still meanwhile.
 */
export async function restore(shape: Shape, folder: string, say: (line: string) => void): Promise<void> {
  await Promise.all(OUR_PARTS.map((part) => shape.halt(part)));
  const database = new URL(shape.engines.postgres.primary().url);
  const name = database.pathname.slice(1);
  database.pathname = '/postgres';
  const client = new Client({ connectionString: database.href });
  await client.connect();
  await client.query(`DROP DATABASE ${name} WITH (FORCE)`);
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  await shape.emptyClickHouse();
  say(`restored: ${await command(shape, 'restore', folder)}`);
  await Promise.all(OUR_PARTS.map((part) => shape.run(part, THIS_RELEASE)));
  await Promise.all(OUR_PARTS.map((part) => becomesReady(shape, part)));
}

async function command(shape: Shape, ...args: string[]): Promise<string> {
  const env = { ...process.env, ...shape.environment };
  const { stdout } = await promisify(execFile)(process.execPath, [CLI, ...args], { env });
  return stdout.trim();
}

/**
 * What a restored service lacks of what was accepted before, during and after its backup, and what of its records does not hold; waits
 * until all has come to rest. Customers that were deleted since the backup are deleted again, as operations/backup.md says.
 */
export async function restoredBreaches(target: Target, load: Load): Promise<string[]> {
  const postgres = createPool(target.postgresUrl);
  const clickhouse = createClickHouse(target.clickhouseUrl);
  const deleted = new Set(load.lives.filter(({ isDeleted }) => isDeleted).map(({ customerId }) => customerId));
  try {
    for (const customerId of await liveOf(postgres, deleted)) {
      await load.call('POST', `/api/customers/${customerId}/delete/`, {});
    }
    const breaches = await settledBreaches(
      async () => [
        ...(await findBreaches(postgres, true)),
        ...(await auditBreaches(load.call)),
        ...(await storedBreaches(clickhouse, target.accountId, load.sent, deleted)),
      ],
      SETTLE_MS,
    );
    const kept = await liveOf(postgres, load.sent.customers());
    return [...breaches, ...(await totalsBreaches(load.call, load.catalog, load.sent, kept))];
  } finally {
    await Promise.all([postgres.end(), clickhouse.close()]);
  }
}

/** Which of these customers the records have, and have not deleted. */
async function liveOf(postgres: Pool, customerIds: Iterable<string>): Promise<string[]> {
  const sql = 'SELECT customer_id FROM customers WHERE customer_id = ANY($1) AND deleted_at IS NULL';
  const { rows } = await postgres.query<{ customer_id: string }>(sql, [[...customerIds]]);
  return rows.map((row) => row.customer_id);
}
