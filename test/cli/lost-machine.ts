import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type KnownPosition, listBases, listPositions } from '../../cli/archive/archive-folder.ts';
import { archiveRecords } from '../../cli/archive/archive-records.ts';
import { lsnFromText } from '../../cli/archive/lsn.ts';
import { planRecovery, type RecoveryTarget } from '../../cli/archive/plan-recovery.ts';
import { type BroughtBack, bringBack, bringBackBeside } from '../../cli/archive/restore-records.ts';
import { takeBackup } from '../../cli/backup.ts';
import { drillArchive } from '../../cli/drill/drill-archive.ts';
import { restoreUsage } from '../../cli/restore-usage.ts';
import { systemClock } from '../../runtime/clock.ts';
import { loadLauncherConfig } from '../../runtime/config.ts';
import { createPool } from '../../sql/postgres/postgres.ts';
import { type Api, api } from '../stack/api.ts';
import { trackCalls } from '../stack/bills.ts';
import { advance, invoicesOf, makeClock, makeCustomer, makePlan, subscribe } from '../stack/clocks.ts';
import { makeDataFolder } from '../stack/data-folder.ts';
import { type On, startOwnStack } from '../stack/own-stack.ts';
import { landed, makeMetric } from '../stack/resources.ts';
import { waitUntil } from '../stack/wait-until.ts';

const CUSTOMER = 'acme';
const HOUR_MS = 3_600_000;
/** Between two customers: the archive hears once a second what Postgres has from it. */
const PAUSE_MS = 20;

/** `find`: asked once the stack has started, on which nobody has done anything yet. */
export function testLostMachines(find: () => On): void {
  let on: On;
  let folder = '';
  let archive = '';
  /** Stops what keeps the archive. */
  let stopArchive: () => Promise<void>;

  beforeAll(async () => {
    // Engines that are started beside say so there.
    vi.spyOn(console, 'error').mockImplementation(() => {});
    on = find();
    folder = await makeDataFolder('meterbook-lost-');
    archive = join(folder, 'archive');
    const stopping = new AbortController();
    const addresses = async () => ({
      databaseUrl: on.stack.file().postgres_url,
      replicationUrl: on.stack.file().postgres_url,
    });
    const kept = { find: addresses, clock: systemClock, baseEveryMs: HOUR_MS, keepMs: HOUR_MS, positionEveryMs: 200 };
    const done = archiveRecords(archive, { ...kept, say: () => {}, signal: stopping.signal });
    stopArchive = async () => {
      stopping.abort();
      await done;
    };
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    vi.mocked(console.error).mockRestore();
    await stopArchive();
    await rm(folder, { recursive: true, force: true });
  });

  const us = (): Api => api(on.stack.file().api_key, on.stack.file().base_url);
  const stores = () => {
    const { postgres_url: databaseUrl, clickhouse_url: clickhouseUrl, nats_url: natsUrl } = on.stack.file();
    return { databaseUrl, clickhouseUrl, natsUrl };
  };

  /** The engines are killed, everything else stops, and their folders are gone. */
  async function loseEngines(...names: ('postgres' | 'clickhouse')[]): Promise<void> {
    for (const name of names) process.kill(on.stack.file().pids[name] ?? 0, 'SIGKILL');
    await on.stack.halt();
    for (const name of names) await rm(join(on.stack.dataDir, name), { recursive: true });
  }

  /**
   * Customers made one after another until the service is away: `made` are those that were answered, `archived` those of which the archive
   * had said by then that it has them.
   */
  function makeCustomersUntilAway() {
    const [made, archived] = [new Map<string, bigint>(), new Set<string>()];
    const postgres = createPool(on.stack.file().postgres_url, 0, 1);
    const sql = `SELECT pg_current_wal_insert_lsn()::text AS place, restart_lsn::text AS kept FROM pg_replication_slots`;
    async function make(): Promise<void> {
      for (let i = 0; ; i++) {
        const answer = await us().post('/api/customers/', { customer_id: `made-${i}`, email: 'billing@acme.example' });
        if (answer.status !== 201) return;
        const [row] = (await postgres.query<{ place: string; kept: string }>(sql)).rows;
        if (!row) return;
        made.set(`made-${i}`, lsnFromText(row.place));
        for (const [id, place] of made) if (place <= lsnFromText(row.kept)) archived.add(id);
        await sleep(PAUSE_MS);
      }
    }
    const ended = make()
      .catch(() => undefined)
      .finally(() => postgres.end());
    return { archived, ended };
  }

  /** Brings the records back to a target in a folder of its own beside, and asks them. */
  async function recordsAt(target: RecoveryTarget): Promise<BroughtBack & { invoices: number; customers: string[] }> {
    const beside = await mkdtemp(join(folder, 'beside-'));
    const found = { invoices: 0, customers: [] as string[] };
    const recovery = await planRecovery(archive, target);
    const back = await bringBackBeside(
      recovery,
      { ...config(), dataDir: on.stack.dataDir },
      beside,
      systemClock,
      async (url) => {
        const postgres = createPool(url, 0, 1);
        const asked = (sql: string) => postgres.query<{ id: string }>(sql).then(({ rows }) => rows.map(({ id }) => id));
        found.invoices = (await asked('SELECT invoice_id AS id FROM invoices')).length;
        found.customers = await asked('SELECT customer_id AS id FROM customers');
        await postgres.end();
      },
    );
    return { ...back, ...found };
  }
  const config = () => loadLauncherConfig();

  async function eventsOf(customer: string): Promise<number> {
    await landed(us());
    return Number((await us().get(`/api/events?customer_id=${customer}&page_size=1`)).body.count);
  }

  /** One invoice of each period, all of the usage that was sent in it. */
  async function expectBilled(...quantities: number[]): Promise<void> {
    const invoices = await invoicesOf(us(), `customer_id=${CUSTOMER}`);
    expect(invoices.map(({ total }) => String(total))).toEqual(quantities.map(String));
  }

  test('the machines of engines are lost: of records only what the archive did not have yet is gone, no event, and each period is billed once', {
    timeout: 600_000,
  }, async () => {
    const clock = await makeClock(us(), '2026-03-01T00:00:00.000Z');
    await makeCustomer(us(), CUSTOMER, { test_clock_id: clock });
    const { metric_id } = await makeMetric(us());
    const components = [{ metric_id, overage_price: 1 }];
    const plan_id = await makePlan(us(), { recurring_fee: 0, components });
    await subscribe(us(), { customer_id: CUSTOMER, plan_id });
    await waitUntil(
      () => listBases(archive),
      (bases) => bases.length === 1,
    );
    const backup = join(folder, 'backup');
    await trackCalls(us(), CUSTOMER, '2026-03-10T10:00:00Z', 20);
    await advance(us(), clock, '2026-04-02T00:00:00.000Z');
    await expectBilled(20);
    const { manifest } = await takeBackup(stores(), backup, systemClock);
    vi.stubEnv('DATA_DIR', on.stack.dataDir);
    // Beside what a drill has left that was killed.
    await mkdir(join(on.stack.dataDir, 'drill/records/postgres'), { recursive: true });
    expect(await drillArchive(archive, stores(), systemClock)).toEqual([]);
    expect(await readdir(on.stack.dataDir)).not.toContain('drill');
    const [life] = await listBases(archive);
    const known = () => listPositions(life?.folder ?? '');
    const billedAt = Date.now();
    const notedSince = (all: KnownPosition[]) => all.filter((one) => Date.parse(one.at) > billedAt).length >= 2;
    const afterFirst = (await waitUntil(known, notedSince)).at(-1)?.counted_to ?? 0;
    expect(afterFirst).toBeGreaterThan(0);
    const between = Date.now();
    await trackCalls(us(), CUSTOMER, '2026-04-10T10:00:00Z', 30);
    await advance(us(), clock, '2026-05-02T00:00:00.000Z');
    await waitUntil(known, (all) => (all.at(-1)?.counted_to ?? 0) > afterFirst);

    // Both at once, each of which is brought back by itself: one start of everything shows what came of it.
    await trackCalls(us(), CUSTOMER, '2026-05-10T10:00:00Z', 5);
    await landed(us());
    const making = makeCustomersUntilAway();
    await waitUntil(
      async () => making.archived.size,
      (count) => count > 10,
    );
    await loseEngines('postgres', 'clickhouse');
    await making.ended;
    await stopArchive();
    // As left by one that was killed.
    await mkdir(join(on.stack.dataDir, 'postgres.restored/postgres'), { recursive: true });
    await bringBack(await planRecovery(archive, 'newest'), { ...config(), dataDir: on.stack.dataDir }, systemClock);
    expect(await readdir(on.stack.dataDir)).not.toContain('postgres.restored');
    const starting = startOwnStack(
      on.environment,
      async (addresses) => {
        // What landed since the backup lands again, each event at its own position.
        const restored = await restoreUsage(addresses, backup);
        expect(restored).toMatchObject({ landed_to: manifest.stream.landed_to, missing: 0 });
        expect(restored.to_replay).toBeGreaterThan(0);
      },
      on.stack.dataDir,
    );
    // A point in time, and a position of the stream: the second period was not billed there yet.
    const [stack, at, atPosition] = await Promise.all([
      starting,
      recordsAt({ at: between }),
      recordsAt({ countedTo: afterFirst }),
    ]);
    on.stack = stack;
    expect(at).toMatchObject({ invoices: 1, customers: [CUSTOMER] });
    expect(Date.parse(at.restored_to)).toBeLessThanOrEqual(between);
    expect(atPosition).toMatchObject({ invoices: 1, counted_to: afterFirst });
    await expect(planRecovery(archive, { at: 0 })).rejects.toThrow('it has nothing from before');

    await expectBilled(20, 30);
    // What the archive had said that it has is there; the rest of the last moment may be.
    const there = await Promise.all([...making.archived].map((id) => us().get(`/api/customers/${id}`)));
    expect(there.map(({ status }) => status)).toEqual(there.map(() => 200));
    expect(await eventsOf(CUSTOMER)).toBe(55);

    await trackCalls(us(), CUSTOMER, '2026-05-11T10:00:00Z', 2);
    expect(await eventsOf(CUSTOMER)).toBe(57);
    await advance(us(), clock, '2026-06-02T00:00:00.000Z');
    await expectBilled(20, 30, 7);
  });
}
