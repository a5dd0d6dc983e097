import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { natsServer } from '../../local/binaries.ts';
import { findBinary } from '../../local/find-binary.ts';
import { commandOf } from '../../local/leftovers.ts';
import { type StackFile, stackFilePath } from '../../local/stack-file.ts';
import { loadLauncherConfig } from '../../runtime/config.ts';
import { createClickHouse } from '../../sql/clickhouse/clickhouse.ts';
import { migrate } from '../../sql/migrate.ts';
import { createPool } from '../../sql/postgres/postgres.ts';
import { NpmStart } from '../cli/npm-start.ts';
import { type Api, api } from '../stack/api.ts';
import { billOf, linesOf, trackCalls } from '../stack/bills.ts';
import { advance, invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../stack/clocks.ts';
import { makeDataFolder } from '../stack/data-folder.ts';
import { killChild } from '../stack/kill-child.ts';
import { landed, makeMetric } from '../stack/resources.ts';
import { verifyChainOf } from '../stack/verify-chain.ts';
import { waitUntil } from '../stack/wait-until.ts';
import { temporalBefore } from './temporal-before.ts';

/** The previous release on this one's schema, then this release on what it has left (architecture#temporal). */
const ROOT = join(import.meta.dirname, '../..');
const START_MS = 180_000;

let folder = '';
let dataDir = '';
let old: ChildProcess | undefined;
let now: NpmStart | undefined;

beforeAll(async () => {
  folder = await makeDataFolder('meterbook-upgrade-');
  await chmod(folder, 0o755);
  dataDir = join(folder, 'data');
  const release = await unpackedRelease();
  const env = { ...process.env, ...(await oldBinaries()), DATA_DIR: dataDir, PORT: '0' };
  old = spawn(process.execPath, [join(release, 'cli/main.ts'), 'start'], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}, START_MS);

afterAll(async () => {
  await stopOld();
  await now?.end();
  await rm(folder, { recursive: true, force: true });
});

/**
 * Unpacks the previous release once for all runs of this clone, and links it to the packages of the clone: Node keeps what it compiles of it by
 * where it lies. Its `node_modules` has a cache of its own: in a common one the bundles of workflows of two releases would take the place of one another.
 */
async function unpackedRelease(): Promise<string> {
  const packed = join(import.meta.dirname, 'previous-release.tar.gz');
  const installed = await readFile(join(ROOT, 'node_modules/.package-lock.json'));
  const key = createHash('sha256')
    .update(installed)
    .update(await readFile(packed))
    .digest('hex')
    .slice(0, 16);
  // Below `node_modules`, Node runs no TypeScript.
  const kept = join(ROOT, '.cache/previous-release');
  const release = join(kept, key);
  if (existsSync(release)) return release;
  await rm(kept, { recursive: true, force: true });
  const draft = `${release}.${process.pid}`;
  const modules = join(draft, 'node_modules');
  await mkdir(modules, { recursive: true });
  execFileSync('tar', ['-xzf', packed, '-C', draft]);
  const names = await readdir(join(ROOT, 'node_modules'));
  const linked = names.filter((name) => name !== '.cache');
  await Promise.all(linked.map((name) => symlink(join(ROOT, 'node_modules', name), join(modules, name))));
  await rename(draft, release);
  return release;
}

/** The servers that the previous release wants: its Temporal, and a nats-server as it takes any. */
async function oldBinaries() {
  const { cacheDir, natsServerBin, environment } = loadLauncherConfig();
  const find = { cacheDir, environment, say: console.log };
  return {
    NATS_SERVER_BIN: await findBinary(natsServer, natsServerBin, find),
    TEMPORAL_BIN: await findBinary(temporalBefore, undefined, find),
  };
}

async function stopOld() {
  if (old) await killChild(old, 'SIGTERM');
}

async function oldStack(): Promise<StackFile> {
  const read = async () => {
    if (old?.exitCode !== null) throw new Error('The previous release did not start.');
    return readFile(stackFilePath(dataDir), 'utf8').catch(() => '');
  };
  return JSON.parse(await waitUntil(read, (text) => text !== '', START_MS)) as StackFile;
}

async function migrateTo({ postgres_url, clickhouse_url }: StackFile) {
  const [postgres, clickhouse] = [createPool(postgres_url), createClickHouse(clickhouse_url)];
  try {
    await migrate(postgres, clickhouse);
  } finally {
    await Promise.all([postgres.end(), clickhouse.close()]);
  }
}

async function partitionKey(stack: StackFile): Promise<string | undefined> {
  const clickhouse = createClickHouse(stack.clickhouse_url);
  const query = "SELECT partition_key FROM system.tables WHERE database = currentDatabase() AND name = 'usage_events'";
  const answer = await clickhouse.query({ query, format: 'JSONEachRow' });
  const [table] = await answer.json<{ partition_key: string }>();
  await clickhouse.close();
  return table?.partition_key;
}

const calls = (to: Api, day: string, count: number) => trackCalls(to, 'acme', `${day}T10:00:00Z`, count);
const invoicesAt = (to: Api) => invoicesOf(to, 'customer_id=acme');

test(
  'the previous release works on the new schema; this one goes on where it stopped',
  async () => {
    const previous = await oldStack();
    const before = api(previous.api_key, previous.base_url, { isOldRelease: true });
    const clock = await makeClock(before, '2026-03-02T00:00:00Z');
    await makeCustomer(before, 'acme', { test_clock_id: clock });
    const { metric_id } = await makeMetric(before);
    const plan_id = await makePlan(before, { components: [{ metric_id, overage_price: 0.5 }] });
    const subscription = await subscribe(before, { customer_id: 'acme', plan_id });
    await calls(before, '2026-03-10', 3);
    await landed(before);
    await advance(before, clock, '2026-04-02T00:00:00Z');

    // As in an upgrade: one new process migrates while the old ones work.
    await migrateTo(previous);
    await calls(before, '2026-04-10', 4);
    await landed(before);
    expect((await before.post(`/api/subscriptions/${subscription}/pause`)).status).toBe(200);
    expect((await before.post(`/api/subscriptions/${subscription}/resume`)).status).toBe(200);
    await makeCustomer(before, 'made-by-old');
    const live = await subscribe(before, { customer_id: 'made-by-old', plan_id });
    await advance(before, clock, '2026-05-02T00:00:00Z');
    const billed = await invoicesAt(before);
    expect(billed.map((invoice) => String(invoice.subtotal))).toEqual(['30.5', '31']);
    // Accepted by the old edge, and left in the stream for the new aggregator.
    process.kill(previous.pids.aggregator ?? 0, 'SIGSTOP');
    await calls(before, '2026-05-10', 5);
    const stopping = stopOld();
    // Its turn comes when the edge has gone; it does not hear, and is not waited for.
    await waitUntil(
      () => commandOf(previous.pids.ingest ?? 0),
      (command) => command === '',
      START_MS,
    );
    process.kill(previous.pids.aggregator ?? 0, 'SIGKILL');
    await stopping;

    now = new NpmStart(dataDir, { PORT: '0' });
    const stack = await now.ready();
    expect(now.output).toContain("upgrading the file of Temporal's workflows");
    expect(stack.account_id).toBe(previous.account_id);
    const after = api(previous.api_key, stack.base_url);
    const kept = await invoicesAt(after);
    expect(kept).toMatchObject(billed.map((invoice) => ({ invoice_id: invoice.invoice_id, ...billOf(invoice) })));
    // What the old release charged is recorded.
    const reversed = async () => (await invoicesAt(after)).flatMap(linesOf).map((line) => String(line.reversed_amount));
    await waitUntil(reversed, (amounts) => amounts.every((amount) => amount === '0'), START_MS);
    await landed(after);
    // What the old release wrote is chained, before its schema was migrated and after.
    const records = 'SELECT (SELECT count(*) FROM invoices) + (SELECT count(*) FROM ledger_transactions) AS count';
    const postgres = createPool(stack.postgres_url);
    expect((await postgres.query<{ count: string }>(records)).rows).toEqual([{ count: '4' }]);
    const chain = () => verifyChainOf(postgres, stack.account_id);
    await waitUntil(chain, ({ entries, bent }) => entries === 4 && bent === null, START_MS);
    await postgres.end();
    // The usage of these months is brought to its new partitions meanwhile, and counts the same from there.
    await waitUntil(
      () => partitionKey(stack),
      (key) => key === 'toYYYYMM(received_at)',
      START_MS,
    );
    // Both subscriptions' workflows began in the old release: their histories replay.
    await advance(after, clock, '2026-06-02T00:00:00Z');
    expect((await invoicesAt(after)).map((invoice) => String(invoice.subtotal))).toEqual(['30.5', '31', '31.5']);
    expect((await after.post(`/api/subscriptions/${live}/pause`)).status).toBe(200);
    expect((await after.post(`/api/subscriptions/${live}/resume`)).status).toBe(200);
    // Told by nobody: npm is gone.
    await now.stopBy((pid) => process.kill(pid, 'SIGKILL'), stack);
  },
  START_MS,
);
