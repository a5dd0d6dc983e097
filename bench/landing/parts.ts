import { availableParallelism } from 'node:os';
import { type Batch, batchOf, bytesOfRows, readGroup } from '../../aggregator/batch.ts';
import { claimOf, decideBatch } from '../../aggregator/decide.ts';
import { loadKnownIds } from '../../aggregator/known-ids.ts';
import { createLog } from '../../runtime/log.ts';
import { insertUsageBatch } from '../../sql/clickhouse/usage/usage-landing.ts';
import { loadPartitionState, publishClaim, publishLanding } from '../../stream/landings.ts';
import { loadFirstSequence } from '../../stream/streams.ts';
import { USAGE_STREAM, usageSubject } from '../../stream/subjects.ts';
import { readUsageGroups, type UsageGroup } from '../../stream/usage-groups.ts';
import { placeUsageRows } from '../../stream/usage-row.ts';
import { startUsageFixture, type UsageFixture } from '../../test/aggregator/usage-fixture.ts';
import { benchMessages, GROUP } from '../bench-events.ts';
import { report, rounded } from '../figures.ts';
import { cpuMs } from '../process-usage.ts';
import { PUBLISHED_AT_ONCE, ROWS_PER_INSERT, STREAM_BYTES, untilIdle } from './drain.ts';

const ROUNDS = 5;
/** The aggregator's own (aggregator/batch-reader.ts). */
const READ_BYTES = 4 * 2 ** 20;
const MESSAGES_PER_INSERT = ROWS_PER_INSERT / GROUP;
const EPOCH = 1;
const log = createLog('bench', 'warn');

/** Seconds, and milliseconds of processor time of this process, as which the aggregator's code runs, of NATS and of ClickHouse. */
type Cost = { seconds: number; own: number; nats: number; clickhouse: number };
type Costs = Record<string, Cost>;

/**
 * What each part of landing costs, one after another: nothing overlaps, so that processor time can be told apart. The sum is what
 * draining cannot be below on that many cores, however well it keeps them busy; beside it the raw INSERT of the same rows, which waits.
 */
export async function benchLandingParts(events: number): Promise<void> {
  const fixture = await startUsageFixture(1, STREAM_BYTES);
  try {
    await fixture.clickhouse.command({ query: 'CREATE TABLE raw_events AS usage_events' });
    const rounds: Costs[] = [];
    // The first is to warm up.
    for (let round = 0; round <= ROUNDS; round++) {
      const costs = await partsOf(fixture, benchMessages(`r${round}`, events));
      if (round > 0) rounds.push(costs);
      await fixture.connection.jsm.streams.purge(USAGE_STREAM);
    }
    reportParts(rounds, events);
  } finally {
    await fixture.stop();
  }
}

async function partsOf(fixture: UsageFixture, messages: readonly Uint8Array[]): Promise<Costs> {
  const { clickhouse, connection } = fixture;
  await publish(fixture, messages);
  await untilIdle(clickhouse);
  const costs: Costs = {};
  const part = async <T>(name: string, work: () => T | Promise<T>): Promise<T> => {
    const [others, own, started] = [cpuOfEngines(fixture), ownMs(), performance.now()];
    const made = await work();
    const cost = { seconds: (performance.now() - started) / 1000, own: ownMs() - own };
    const after = cpuOfEngines(fixture);
    const all = { ...cost, nats: after.nats - others.nats, clickhouse: after.clickhouse - others.clickhouse };
    costs[name] = added(costs[name], all);
    return made;
  };
  const known = await loadKnownIds(clickhouse, Number.POSITIVE_INFINITY);
  const decided: { batch: Batch; accepted: boolean[]; rows: Uint8Array[] }[] = [];
  let next = await loadFirstSequence(connection.jsm);
  for (let left = messages.length; left > 0; left -= MESSAGES_PER_INSERT) {
    const stored = await part('read from NATS', () => readSome(fixture, next, Math.min(left, MESSAGES_PER_INSERT)));
    next = (stored.at(-1)?.sequence ?? 0) + 1;
    const groups = await part('decode, fingerprint, place', () => stored.map((one) => readGroup(one, EPOCH)));
    await part('of which fingerprint and place', () => {
      for (const { rows, sequence } of groups) placeUsageRows(rows, sequence, EPOCH);
    });
    const batch = batchOf(groups);
    const accepted = await part('dedup', async () => {
      const decision = decideBatch(batch, await known.findLanded(batch.fingerprints));
      known.add(batch.fingerprints, decision.accepted);
      return decision.accepted;
    });
    decided.push({ batch, accepted, rows: await part('encode', () => bytesOfRows(batch, accepted)) });
  }
  const writer = { epoch: EPOCH, partition: 0, id: 'bench' };
  const state = await loadPartitionState(connection, 0);
  const claims = decided.map(({ batch, accepted }) => claimOf(batch, accepted, writer));
  await part('claim', async () => {
    let after = state.claimSequence;
    for (const claim of claims) after = await publishClaim(connection, claim, after, log);
  });
  for (const table of ['raw_events', 'usage_events'] as const) {
    await part(`insert into ${table}`, async () => {
      for (const { batch, rows } of decided) await insertUsageBatch(clickhouse, rows, `${batch.to}`, { table });
    });
    await part(`merges of ${table}`, () => untilIdle(clickhouse));
  }
  await part('landing', async () => {
    let after = state.landingSequence;
    for (const { to, received_at } of claims) {
      const landing = { v: 1, epoch: EPOCH, partition: 0, to, received_at, writer: writer.id } as const;
      after = await publishLanding(connection, landing, after, log);
    }
  });
  return costs;
}

async function publish({ connection }: UsageFixture, messages: readonly Uint8Array[]): Promise<void> {
  for (let i = 0; i < messages.length; i += PUBLISHED_AT_ONCE) {
    const some = messages.slice(i, i + PUBLISHED_AT_ONCE);
    await Promise.all(some.map((message) => connection.js.publish(usageSubject(0), message)));
  }
}

/** So many messages from sequence `from` on. */
async function readSome({ connection }: UsageFixture, from: number, messages: number): Promise<UsageGroup[]> {
  const stored: UsageGroup[] = [];
  for (let next = from; stored.length < messages; next = (stored.at(-1)?.sequence ?? 0) + 1) {
    const maxMessages = messages - stored.length;
    stored.push(...(await readUsageGroups(connection, 0, next, { maxMessages, maxBytes: READ_BYTES })));
  }
  return stored;
}

/** Milliseconds of this process so far. */
function ownMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function cpuOfEngines({ engines }: UsageFixture) {
  const of = (pid: number | null) => (pid === null ? Number.NaN : cpuMs(pid));
  return { nats: of(engines.natsPid()), clickhouse: of(engines.clickhousePid()) };
}

function added(one: Cost | undefined, other: Cost): Cost {
  if (one === undefined) return other;
  return {
    seconds: one.seconds + other.seconds,
    own: one.own + other.own,
    nats: one.nats + other.nats,
    clickhouse: one.clickhouse + other.clickhouse,
  };
}

/** Parts that are measured beside others, or again: not in the sum. */
const BESIDE = ['of which fingerprint and place', 'insert into raw_events', 'merges of raw_events'];

function reportParts(rounds: readonly Costs[], events: number) {
  // What else runs makes a part cost more, never less. Merges come in some rounds for all.
  const of = (values: number[], name: string) => {
    return name.startsWith('merges')
      ? values.reduce((sum, value) => sum + value, 0) / values.length
      : Math.min(...values);
  };
  const each = (name: string, what: keyof Cost, unit: number) =>
    rounded(
      (of(
        rounds.map((costs) => costs[name]?.[what] ?? Number.NaN),
        name,
      ) *
        unit) /
        events,
    );
  const names = Object.keys(rounds[0] ?? {});
  const rows = names.map((part) => {
    // While it waits for the merges of ClickHouse this process only looks at them.
    const own = part.startsWith('merges') ? 0 : each(part, 'own', 1_000);
    const [nats, clickhouse] = [each(part, 'nats', 1_000), each(part, 'clickhouse', 1_000)];
    return {
      part,
      'aggregator us': own,
      'NATS us': nats,
      'ClickHouse us': clickhouse,
      'all us': own + nats + clickhouse,
    };
  });
  const sum = rows.reduce((us, row) => us + (BESIDE.includes(row.part) ? 0 : row['all us']), 0);
  const cores = availableParallelism();
  const most = (cores * 1e6) / sum;
  const raw = 1 / (each('insert into raw_events', 'seconds', 1e6) / 1e6);
  report(
    'parts',
    rows.map((row) => ({ ...row, 'all us': rounded(row['all us']) })),
    {
      ...{ events, rounds: ROUNDS, cores, 'sum us': rounded(sum) },
      ...{ 'at most/s': Math.round(most), 'raw INSERT/s': Math.round(raw), ratio: rounded(most / raw) },
    },
  );
}
