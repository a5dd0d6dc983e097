import { mkdtempSync } from 'node:fs';
import { chmod, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { prepareStack } from '../cli/prepare-stack.ts';
import { systemClock } from '../runtime/clock.ts';
import { type Load, startLoad, type Target } from '../soak/load.ts';
import { type SoakProcessor, startProcessor } from '../soak/processor.ts';
import { createPool } from '../sql/postgres/postgres.ts';
import { fallDue, loadClosings } from './closings.ts';
import { becomesReady, type Fault, failOver, kills, partition, upgrade } from './faults.ts';
import { type Release, THIS_RELEASE, unpackRelease } from './releases.ts';
import { backUp, restore, restoredBreaches } from './restore.ts';
import { OUR_PARTS, Shape } from './shape.ts';
import { type Finding, isBroken } from './verdict.ts';
import { startWaits, type Waits, WRITTEN } from './waits.ts';

/** What can be rehearsed, in the order in which it is. */
export const SCENES = ['upgrade', 'kill', 'partition', 'fail-over', 'restore'] as const;
export type Scene = (typeof SCENES)[number];

export type RehearsalOptions = {
  seed: number;
  eventsPerSecond: number;
  lives: number;
  scenes: readonly Scene[];
  /** The release from which `upgrade` begins; undefined: the one before this. */
  commit: string | undefined;
};

/** Seconds from when a period of a real clock is over, whatever is dead then, until its invoice is there. */
const CLOSING_BOUND_S = 90;
/** Load without any fault, for what is usual on this machine; and after each fault, for what comes back late. */
const USUAL_MS = 20_000;
const AFTER_MS = 3_000;

type Stage = {
  shape: Shape;
  target: Target;
  load: Load;
  waits: Waits;
  findings: Finding[];
  say: (line: string) => void;
};

/** Runs the scenes on the production shape, under load. Answers what was seen, each with its bound, and what does not hold in words. */
export async function rehearse(
  options: RehearsalOptions,
  say: (line: string) => void,
): Promise<{ findings: Finding[]; breaches: string[] }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'meterbook-rehearsal-'));
  await chmod(dataDir, 0o755); // Postgres runs as a user of its own
  const processor = await startProcessor();
  const environment = { ...process.env, ...processor.environment };
  const observer = { say, pidChanged: () => {} };
  const shape = await Shape.start({ dataDir, environment, observer });
  // What it started has groups of its own: it would outlive this process.
  const interrupt = () => void shape.stop().finally(() => process.exit(1));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupt);
  const findings: Finding[] = [];
  const breaches: string[] = [];
  try {
    const first = options.scenes.includes('upgrade')
      ? unpackRelease(join(dataDir, 'release'), options.commit)
      : THIS_RELEASE;
    const target = await startService(shape, first, dataDir, environment, say);
    breaches.push(...(await play(options, shape, target, processor, findings, say)));
  } catch (error) {
    breaches.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  } finally {
    await shape.stop();
    await processor.stop();
  }
  if (breaches.length === 0 && !findings.some(isBroken)) await rm(dataDir, { recursive: true, force: true });
  else say(`data and logs are kept in ${dataDir}`);
  return { findings, breaches };
}

/** Has `release` make the schema, the streams and the first account, and starts its processes. */
async function startService(
  shape: Shape,
  release: Release,
  dataDir: string,
  environment: NodeJS.ProcessEnv,
  say: (line: string) => void,
): Promise<Target> {
  const cli = (await import(join(release.root, 'cli/prepare-stack.ts'))) as { prepareStack: typeof prepareStack };
  const stores = { ...shape.stores, databaseUrl: shape.databaseUrlOf(release) };
  const account = await cli.prepareStack(stores, {
    dataDir,
    apiKey: undefined,
    clock: systemClock,
    environment: { ...environment, ...shape.environment },
  });
  say(`starting two of each process of ${release.name}`);
  await Promise.all(OUR_PARTS.map((part) => shape.run(part, release)));
  await Promise.all(OUR_PARTS.map((part) => becomesReady(shape, part)));
  const { databaseUrl: postgresUrl, clickhouseUrl } = shape.stores;
  return { baseUrl: shape.baseUrl, apiKey: account.api_key, accountId: account.account_id, postgresUrl, clickhouseUrl };
}

async function play(
  options: RehearsalOptions,
  shape: Shape,
  target: Target,
  processor: SoakProcessor,
  findings: Finding[],
  say: (line: string) => void,
): Promise<string[]> {
  const load = await startLoad(target, options, processor, say);
  try {
    const waits = await startWaits(target, load);
    const stage = { shape, target, load, waits, findings, say };
    const due = fallDue(load).catch((error: unknown) => void load.found.push(`closings: ${error}`));
    say(`the usual, for ${USUAL_MS / 1000} s`);
    await sleep(USUAL_MS, undefined, { signal: load.signal }).catch(() => undefined);
    await playScenes(stage, options.scenes);
    say('the load ends; everything comes to rest');
    const written = waits.writes.done;
    await load.rest();
    await due;
    await closingsHeld(stage, written);
    say(JSON.stringify(await load.summary()));
    if (options.scenes.includes('restore') && load.found.length === 0) await playRestore(stage);
    return load.found;
  } finally {
    await load.close();
  }
}

async function playScenes(stage: Stage, scenes: readonly Scene[]): Promise<void> {
  const { shape, load, findings, waits, say } = stage;
  findings.push(...waitsOf('no fault', waits, { events: 10, writes: 10 }));
  const happening: Record<Scene, () => Fault[]> = {
    upgrade: () => [upgrade(shape)],
    kill: () => kills(shape),
    partition: () => [partition(shape)],
    'fail-over': () => failOver(shape),
    restore: () => [
      { name: 'backup', bound: { events: 10, writes: 10 }, happen: () => backUp(shape, backupFolder(shape)) },
    ],
  };
  for (const fault of scenes.flatMap((scene) => happening[scene]())) {
    if (load.signal.aborted) return;
    const begun = performance.now();
    await fault.happen();
    await sleep(AFTER_MS);
    await untilServed(waits, load.signal);
    const seen = waitsOf(fault.name, waits, fault.bound);
    findings.push(...seen);
    const waited = seen.map((one) => `${one.what.slice(fault.name.length + 2)} ${one.seen.toFixed(1)} s`).join(', ');
    say(
      `${fault.name} (${((performance.now() - begun) / 1000).toFixed(1)} s): ${waited}; load ${loadavg()[0]?.toFixed(0)}`,
    );
  }
}

function waitsOf(name: string, { events, writes }: Waits, bound: Fault['bound']): Finding[] {
  return [
    { what: `${name}: an event waited`, seen: events.takeWorst() / 1000, bound: bound.events, unit: 's' },
    { what: `${name}: a write waited`, seen: writes.takeWorst() / 1000, bound: bound.writes, unit: 's' },
  ];
}

/** Until both have been answered again: a wait that goes on belongs to what caused it. */
async function untilServed({ events, writes }: Waits, signal: AbortSignal): Promise<void> {
  const [event, write] = [events.done, writes.done];
  while (!signal.aborted && (events.done === event || writes.done === write)) await sleep(50);
}

/** One invoice for each period that fell due by the real clock, over what was accepted, in time; and the last answered write is there. */
async function closingsHeld({ target, findings, load, say }: Stage, written: number): Promise<void> {
  const postgres = createPool(target.postgresUrl);
  try {
    const { due, late, notOnce, wrong } = await loadClosings(postgres);
    const { rows } = await postgres.query<{ name: string }>(
      'SELECT customer_name AS name FROM customers WHERE customer_id = $1',
      [WRITTEN],
    );
    say(`${due} periods ended by the real clock`);
    findings.push(
      { what: 'the latest closing by the real clock', seen: late, bound: CLOSING_BOUND_S, unit: 's' },
      { what: 'periods without exactly one invoice', seen: notOnce, bound: 0, unit: '' },
      { what: 'invoices over other usage than was accepted', seen: wrong, bound: 0, unit: '' },
      { what: 'answered writes that are lost', seen: Math.max(0, written - Number(rows[0]?.name)), bound: 0, unit: '' },
      {
        what: 'other breaches of the records, the usage, webhooks and charges',
        seen: load.found.length,
        bound: 0,
        unit: '',
      },
    );
  } finally {
    await postgres.end();
  }
}

async function playRestore({ shape, target, load, findings, say }: Stage): Promise<void> {
  say('the records and ClickHouse are lost; restoring the backup that was taken under load');
  const begun = performance.now();
  await restore(shape, backupFolder(shape), say);
  const breaches = await restoredBreaches(target, load);
  load.found.push(...breaches.map((one) => `after the restore: ${one}`));
  findings.push(
    { what: 'restore: until all is at rest', seen: (performance.now() - begun) / 1000, bound: 300, unit: 's' },
    { what: 'restore: breaches of the records and the usage', seen: breaches.length, bound: 0, unit: '' },
  );
}

function backupFolder(shape: Shape): string {
  return join(shape.dataDir, 'backup');
}
