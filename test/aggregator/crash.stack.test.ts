import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type Batch, bytesOfRows } from '../../aggregator/batch.ts';
import { acceptedByClaim } from '../../aggregator/decide.ts';
import { readClaimedBatch } from '../../aggregator/read-claimed-batch.ts';
import { newId } from '../../core/ids.ts';
import { createLog } from '../../runtime/log.ts';
import { insertUsageBatch } from '../../sql/clickhouse/usage/usage-landing.ts';
import { tokenOf } from '../../stream/claims.ts';
import { loadPartitionState } from '../../stream/landings.ts';
import { howMany } from '../how-many.ts';
import { startLateProxy } from './statement-proxy.ts';
import { exactly, FENCE_LOST, startUsageFixture, type UsageFixture, untilStopped } from './usage-fixture.ts';

let fixture: UsageFixture;

beforeAll(async () => {
  fixture = await startUsageFixture();
});
afterEach(() => fixture.endLanding());
afterAll(() => fixture.stop());

/**
 * Full batches (16 MiB, in a thorough run 50,000 rows), so that the next one is decided while one lands; a third of the events
 * repeat one so far before.
 */
const EVENTS = howMany(18_400, 220_000);
const FILLING = howMany(4_000, 0);
const REPEATED_AFTER = howMany(2_000, 25_000);
const PER_MESSAGE = howMany(100, 500);
/** In which a full batch is read and decided. */
const LATE_MS = 700;

/** Rows that are not at the place where their id, the number of an event, was sent first. */
async function countMisplaced(): Promise<number> {
  const place = `intDiv(k, ${PER_MESSAGE}) * 1024 + k % ${PER_MESSAGE}`;
  const answer = await fixture.clickhouse.query({
    query: `SELECT count() AS misplaced FROM (SELECT position, toUInt64(idempotency_id) AS k,
      (SELECT min(position) FROM usage_events) AS first FROM usage_events) WHERE position != first + ${place}`,
    format: 'JSONEachRow',
  });
  const [row] = await answer.json<{ misplaced: string }>();
  return Number(row?.misplaced);
}

async function listPartitions(): Promise<string[]> {
  const query = "SELECT DISTINCT partition FROM system.parts WHERE active AND table = 'usage_events'";
  const answer = await fixture.clickhouse.query({ query, format: 'JSONEachRow' });
  return (await answer.json<{ partition: string }>()).map(({ partition }) => partition);
}

// First: there is to be nothing else.
test('each event once, at its first place: writers are killed, and stopped and woken, with the next batch decided', async () => {
  const numbers = Array.from({ length: EVENTS }, (_, i) => {
    return String(i >= REPEATED_AFTER && i % 3 === 0 ? i - REPEATED_AFTER : i);
  });
  await fixture.publish(numbers, PER_MESSAGE, FILLING);
  const killed = fixture.startLanding({ at: 'decided', nth: '2' });
  expect(await killed.ended).toBe('SIGKILL');
  const stopped = fixture.startLanding({ at: 'decided', nth: '2', signal: 'SIGSTOP' });
  await untilStopped(stopped.child.pid);
  // What lands is not there yet when the next batch is decided.
  const late = await startLateProxy(fixture.engines.clickhouseUrl, LATE_MS);
  onTestFinished(late.stop);
  const landing = fixture.startLanding({ clickhouse: late.url });
  await fixture.waitUntilAllLanded();
  stopped.kill('SIGCONT');
  expect(await stopped.ended).toBe(FENCE_LOST);
  // Sent before, so not one of them may land again.
  await fixture.publish(['0', '1', String(EVENTS - 2)]);
  await fixture.waitUntilAllLanded();
  landing.kill();
  const totals = await fixture.totals();
  expect(totals).toEqual(exactly(totals.expected));
  expect(await countMisplaced()).toBe(0);
  // They happened in 30 months: a sender chooses that, and not how many parts there are.
  expect(await listPartitions()).toEqual(['202611']);
});

/** Ids of which every tenth is a repeat of an older one. */
const idsWithRepeats = (tag: string, from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => `${tag}-${i % 10 === 9 ? Math.floor((from + i) / 2) : from + i}`);

const STEPS = ['pulled', 'decided', 'claimed', 'inserted', 'landed'];

/** Who lands what one has left is the next to be killed: what was lost stays lost, and what is there twice stays so. */
test('kill -9 once a batch was pulled, decided, claimed, inserted, landed', async () => {
  for (const at of STEPS) {
    await fixture.publish(idsWithRepeats(at, 0, 400));
    const broken = fixture.startLanding({ at, nth: '2' });
    // A machine that is busy may have made two batches of these already.
    await Promise.race([fixture.waitUntilAllLanded(), broken.ended]);
    await fixture.publish(idsWithRepeats(at, 300, 800));
    expect([at, await broken.ended]).toEqual([at, 'SIGKILL']);
    await fixture.publish(idsWithRepeats(at, 700, 900));
  }
  fixture.startLanding();
  await fixture.waitUntilAllLanded();
  const totals = await fixture.totals();
  expect(totals).toEqual(exactly(totals.expected));
});

test('kill -9 at any moment, again and again, under load', async () => {
  const { progress } = fixture;
  const done = new AbortController();
  const load = (async () => {
    for (let i = 0; !done.signal.aborted; i++) {
      await fixture.publish(idsWithRepeats('any', i * 100, i * 100 + 150));
      await sleep(80);
    }
  })();
  const kills = (async () => {
    for (let i = 0; i < howMany(4, 20); i++) {
      const landing = fixture.startLanding();
      const before = await progress.landedPosition();
      // One that has not come to land anything shows nothing.
      while ((await progress.landedPosition()) === before) await sleep(30);
      await sleep(Math.floor((performance.now() * 7) % 400));
      landing.kill();
      await landing.ended;
    }
  })().finally(() => done.abort());
  await Promise.all([load, kills]);
  fixture.startLanding();
  await fixture.waitUntilAllLanded();
  const totals = await fixture.totals();
  expect(totals).toEqual(exactly(totals.expected));
});

const ids = (tag: string, count: number) => Array.from({ length: count }, (_, i) => `${tag}-${i}`);

/** The partition's last claim: all its events are accepted. */
async function claimedBatch(): Promise<Batch> {
  const { claim } = await loadPartitionState(fixture.connection, 0);
  if (!claim) throw new Error('Nothing is claimed.');
  const log = createLog('test', 'silent');
  const batch = await readClaimedBatch(fixture.connection, claim, log, new AbortController().signal);
  expect(acceptedByClaim(batch, claim)).not.toContain(false);
  return batch;
}

/** The month of event `i`: usage-fixture.ts puts the events of a group into one month after another. */
const monthOf = (i: number) => (i % 50) % 30;

/** What a power cut leaves of an insert: rows, but no memory of the token that they were inserted under. A kill: perhaps the token, but no rows. */
const WRECKS: [string, (batch: Batch) => Promise<void>][] = [
  ['all of it', (batch) => land(batch)],
  ['none of it', async () => {}],
  ['the token without the rows', landTokenAlone],
  ['some months of it', (batch) => land(batch, { isPart: (i) => monthOf(i) < 17 })],
  ['the events without their ids', (batch) => land(batch, { withIds: false })],
];

/** The rows of those events of the batch that are part of it. */
function rowsOf(batch: Batch, isPart: (i: number) => boolean): Uint8Array[] {
  return bytesOfRows(
    batch,
    batch.tallies.map((_, i) => isPart(i)),
  );
}

type Landed = { withIds?: boolean; isPart?: (i: number) => boolean };

async function land(batch: Batch, { withIds = true, isPart = () => true }: Landed = {}) {
  const before = (await fixture.totals()).ids;
  await insertUsageBatch(fixture.clickhouse, rowsOf(batch, isPart), `another token ${before}`);
  if (withIds) return;
  const query =
    'ALTER TABLE usage_ids DELETE WHERE fingerprint IN (SELECT fingerprint FROM usage_events WHERE position >= ';
  const { claim } = await loadPartitionState(fixture.connection, 0);
  await fixture.clickhouse.command({ query: `${query} ${claim?.from} * 1024) SETTINGS mutations_sync = 1` });
  expect((await fixture.totals()).ids).toBe(before);
}

/** One month's insert: its token stands, of its rows only the first is there (without any row it would be forgotten). */
async function landTokenAlone(batch: Batch) {
  const { claim } = await loadPartitionState(fixture.connection, 0);
  if (!claim) throw new Error('Nothing is claimed.');
  const first = rowsOf(batch, (i) => i === 0);
  await insertUsageBatch(fixture.clickhouse, first, tokenOf(claim));
}

/** Who lands what one has left is the next to be killed, at its second claim: the first is of what was sent meanwhile. */
test('after a crash the last claim lands as claimed, whatever is there of it', async () => {
  let broken = fixture.startLanding({ at: 'claimed' });
  for (const [what, wreck] of WRECKS) {
    const tag = newId('evt');
    await fixture.publish(ids(tag, 400));
    expect(await broken.ended).toBe('SIGKILL');
    await wreck(await claimedBatch());
    await fixture.publish(ids(tag, 500));
    broken = fixture.startLanding({ at: 'claimed', nth: '2' });
    await fixture.waitUntilAllLanded();
    const totals = await fixture.totals();
    expect(totals, what).toEqual(exactly(totals.expected));
  }
});
