import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAudit } from '../../aggregator/audit.ts';
import { newId } from '../../core/ids.ts';
import { systemClock } from '../../runtime/clock.ts';
import { createLog } from '../../runtime/log.ts';
import { insertUnaudited, loadAudit, loadAuditedTo } from '../../sql/clickhouse/usage/usage-audit.ts';
import { publishDeadLetter, replayDeadLetters } from '../../stream/dead-letters.ts';
import { startEpoch } from '../../stream/epochs.ts';
import { loadPartitionState, publishClaim, publishLanding } from '../../stream/landings.ts';
import { INDEXES_PER_MESSAGE } from '../../stream/positions.ts';
import { followProgress } from '../../stream/progress.ts';
import { loadLastSequence } from '../../stream/streams.ts';
import { usageSubject } from '../../stream/subjects.ts';
import { encodeMessageV1 } from '../stream/messages-v1.ts';
import { ACCOUNT, eventOf, type LandingProcess, startUsageFixture, type UsageFixture } from './usage-fixture.ts';

const log = createLog('test', 'silent');
const ALWAYS = { start: 0, end: Date.UTC(2100, 0, 1) };
/** New ones, of a test's one try. */
function ids(count: number): string[] {
  const tag = newId('evt');
  return Array.from({ length: count }, (_, i) => `${tag}-${i}`);
}

let fixture: UsageFixture;
let landing: LandingProcess;
let missing: number[] = [];

beforeAll(async () => {
  fixture = await startUsageFixture(2);
  landing = fixture.startLanding();
});
afterAll(() => fixture.stop());

const auditor = () =>
  createAudit({ ...fixture, log, onAudited: () => {}, onMissing: (total) => void missing.push(total) });

async function auditAll(audit = auditor()) {
  await fixture.waitUntilAllLanded();
  missing = [];
  while (await audit.runOnce());
}

const counts = () => loadAudit(fixture.clickhouse, ACCOUNT, ALWAYS);
type Counts = Awaited<ReturnType<typeof counts>>;

/** All that there is to count has been counted: what they are then. */
async function auditedCounts(): Promise<Counts> {
  await auditAll();
  return counts();
}

const plus = (before: Counts, more: Partial<Counts>): Counts => ({
  accepted: before.accepted + (more.accepted ?? 0),
  landed: before.landed + (more.landed ?? 0),
  repeated: before.repeated + (more.repeated ?? 0),
  deadLettered: before.deadLettered + (more.deadLettered ?? 0),
  missing: before.missing + (more.missing ?? 0),
});

test('accepted is landed and repeated, counted once whoever counts and however often', async () => {
  const before = await auditedCounts();
  const own = ids(500);
  await fixture.publish([...own, ...own.slice(0, 100)]);
  const audit = auditor();
  await auditAll(audit);
  const first = plus(before, { accepted: 600, landed: 500, repeated: 100 });
  expect(await counts()).toEqual(first);
  expect(missing).toEqual([0]);
  expect(await loadAuditedTo(fixture.clickhouse, 1, 2)).toEqual(fixture.progress.landedSequences().sequences);

  await auditAll(auditor());
  expect(await counts()).toEqual(first);
  await fixture.publish([...own.slice(0, 50), ...ids(50)]);
  await fixture.waitUntilAllLanded();
  await Promise.all([auditAll(auditor()), auditAll(audit)]);
  expect(await counts()).toEqual(plus(first, { accepted: 100, landed: 50, repeated: 50 }));
});

test('a restored copy counts what had landed up to its mark and its audit had not come to, once', async () => {
  const before = await auditedCounts();
  const { epoch } = fixture.progress.landedSequences();
  const restore = (landedTo: number) =>
    insertUnaudited(fixture.clickhouse, { epoch, partitions: 2, landedTo }, INDEXES_PER_MESSAGE);
  const last = () => loadLastSequence(fixture.connection.jsm);
  await restore(await last());
  expect(await counts()).toEqual(before);
  await fixture.publish(ids(100));
  const mark = await last();
  await fixture.publish(ids(60));
  await fixture.waitUntilAllLanded();
  await restore(mark);
  const restored = plus(before, { accepted: 100, landed: 100 });
  expect(await counts()).toEqual(restored);
  // What its rows say is behind the mark is not counted again, though no run of its partition is.
  await restore(mark);
  expect(await counts()).toEqual(restored);
});

test('by hour of receipt', async () => {
  const hour = Date.UTC(2026, 10, 20);
  const { accepted } = await auditedCounts();
  expect(accepted).toBeGreaterThan(0);
  expect(await loadAudit(fixture.clickhouse, ACCOUNT, { start: hour, end: hour + 1 })).toMatchObject({ accepted });
  for (const start of [hour - 3_600_000, hour + 3_600_000]) {
    const none = await loadAudit(fixture.clickhouse, ACCOUNT, { start, end: start + 3_600_000 });
    expect(none).toEqual({ accepted: 0, landed: 0, repeated: 0, deadLettered: 0, missing: 0 });
  }
  expect(await loadAudit(fixture.clickhouse, 'acct_other', ALWAYS)).toMatchObject({ accepted: 0 });
});

test('erasing landed events is no loss', async () => {
  const own = ids(20);
  await fixture.publish(own);
  const before = await auditedCounts();
  await fixture.clickhouse.command({ query: 'DELETE FROM usage_events WHERE toYYYYMM(time_created) = 202401' });
  await fixture.publish(own);
  expect(await auditedCounts()).toEqual(plus(before, { accepted: 20, repeated: 20 }));
});

/** The message of `count` new events, as an edge of an earlier release would send it. */
function messageOf(count: number): string {
  return encodeMessageV1(ids(count).map((id) => eventOf(id))).toString();
}

test('dead letters are accounted for, and land when they are replayed', async () => {
  const good = messageOf(7);
  const before = await auditedCounts();
  await fixture.connection.js.publish('usage.0', good.replace('"v":1', '"v":99'));
  const { seq } = await fixture.connection.js.publish('usage.0', 'nonsense');
  expect(await auditedCounts()).toEqual(plus(before, { accepted: 7, deadLettered: 7 }));

  // As if a release that knows version 99 replayed it.
  await fixture.connection.jsm.streams.purge('DEAD_LETTERS');
  const letter = { partition: 0, epoch: 1, sequence: seq + 1_000, reason: 'unknown_version', detail: '' } as const;
  await publishDeadLetter(fixture.connection, { ...letter, data: Buffer.from(good) }, log);
  expect(await replayDeadLetters(fixture.connection, log)).toEqual({ replayed: 1, returned: 0 });
  expect(await auditedCounts()).toEqual(plus(before, { accepted: 7, landed: 7 }));
});

test('events that are claimed by nobody are missing, and are said to be', async () => {
  const lost = messageOf(9);
  landing.kill();
  await landing.ended;
  const { seq } = await fixture.connection.js.publish(usageSubject(1), lost);
  const { claim, ...state } = await loadPartitionState(fixture.connection, 1);
  if (!claim) throw new Error('Nothing is claimed.');
  const empty = { ...claim, from: seq, to: seq, events: 0, accepted: '', dead: [], counts: [], writer: 'faulty' };
  await publishClaim(fixture.connection, empty, state.claimSequence, log);
  const { v, epoch, partition, received_at } = claim;
  const landed = { v, epoch, partition, received_at, to: seq, writer: 'faulty' };
  await publishLanding(fixture.connection, landed, state.landingSequence, log);
  const before = await counts();
  const after = plus(before, { accepted: 9, missing: 9 });
  expect(await auditedCounts()).toEqual(after);
  expect(missing).toEqual([after.missing]);
});

test('what lands after an auditor has found a new epoch with nothing in it is counted', async () => {
  const { connection, clickhouse } = fixture;
  landing.kill();
  await landing.ended;
  const knownTo = await loadLastSequence(connection.jsm);
  const settings = { usagePartitions: 2, usageStreamMaxBytes: 2 ** 28, streamReplicas: 1 };
  await startEpoch(connection, settings, { landedTo: knownTo, knownTo, epoch: 1 }, log);
  const progress = await followProgress(connection, systemClock);
  const audit = createAudit({ ...fixture, progress, log, onAudited: () => {}, onMissing: () => {} });
  try {
    const before = await counts();
    while (await audit.runOnce());
    landing = fixture.startLanding();
    await fixture.publish(ids(30));
    expect(await progress.waitUntilLanded(await progress.lastAcceptedPosition(), 60_000)).toBe(true);
    while (await audit.runOnce());
    expect(await counts()).toEqual(plus(before, { accepted: 30, landed: 30 }));
    expect(await loadAuditedTo(clickhouse, 2, 2)).toEqual(progress.landedSequences().sequences);
  } finally {
    progress.close();
  }
});
