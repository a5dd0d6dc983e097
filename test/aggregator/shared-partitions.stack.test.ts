import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { loadKnownIds } from '../../aggregator/known-ids.ts';
import { listUsageIds } from '../../sql/clickhouse/usage/usage-ids.ts';
import { loadPartitionState } from '../../stream/landings.ts';
import { howMany } from '../how-many.ts';
import { waitUntil } from '../stack/wait-until.ts';
import { exactly, startUsageFixture, type UsageFixture } from './usage-fixture.ts';

const PARTITIONS = 4;
const SHARES = ['0,2', '1,3'];

let fixture: UsageFixture;

beforeAll(async () => {
  fixture = await startUsageFixture(PARTITIONS);
});
afterEach(() => fixture.endLanding());
afterAll(() => fixture.stop());

const ids = (tag: string, count: number) => Array.from({ length: count }, (_, i) => `${tag}-${i}`);

async function expectExactTotals() {
  const totals = await fixture.totals();
  expect(totals).toEqual(exactly(totals.expected));
}

/** The writer of the newest claim of each partition. */
async function writers(): Promise<(string | undefined)[]> {
  const all = Array.from({ length: PARTITIONS }, (_, partition) => loadPartitionState(fixture.connection, partition));
  return (await Promise.all(all)).map(({ claim }) => claim?.writer);
}

/** Nothing else waits there: all that there is before a first claim is in it. */
async function untilAllClaimedLanded(partition: number) {
  const of = () => loadPartitionState(fixture.connection, partition);
  await waitUntil(of, ({ claim, landing }) => landing !== undefined && landing.to === claim?.to);
}

test('two aggregators side by side, each with its own partitions: all land, each event once', async () => {
  const landings = SHARES.map((partitions) => fixture.startLanding({ partitions }));
  for (let i = 0; i < 10; i++) {
    await fixture.publish([...ids('side', 100 + i * 20), ...ids(`new-${i}`, 20)]);
    await sleep(40);
  }
  await fixture.waitUntilAllLanded();
  await expectExactTotals();
  expect(landings.map(({ child }) => child.exitCode)).toEqual([null, null]);
  const [w0, w1, w2, w3] = await writers();
  expect([w2, w3]).toEqual([w0, w1]);
  expect(w0).not.toBe(w1);
});

test('one of them alone lands its own partitions, and what is accepted for the others is not said to have landed', async () => {
  const [earlier, , other] = await writers();
  await fixture.publish(ids('alone', 400));
  const accepted = await fixture.progress.lastAcceptedPosition();
  const before = Date.now();
  fixture.startLanding({ partitions: '0,2' });
  await waitUntil(writers, ([first, , third]) => first !== earlier && third !== other);
  for (const partition of [0, 2]) await untilAllClaimedLanded(partition);
  expect(await fixture.progress.waitUntilLanded(accepted, 300)).toBe(false);
  expect(await fixture.progress.asOf()).toBeLessThan(before);
  fixture.startLanding({ partitions: '1,3' });
  await fixture.waitUntilAllLanded();
  expect(await fixture.progress.asOf()).toBeGreaterThan(before);
  await expectExactTotals();
  // Both have started anew: every id they landed before is recognised by the one that lands its partition.
  await fixture.publish([...ids('alone', 400), ...ids('side', 480)]);
  await fixture.waitUntilAllLanded();
  await expectExactTotals();
});

test('a share of the ids is what its partitions landed, and the shares are all of them', async () => {
  const { ids: landed } = await fixture.totals();
  const shares = [[0, 2], [1], [3]].map((own) =>
    loadKnownIds(fixture.clickhouse, Number.POSITIVE_INFINITY, { partitions: PARTITIONS, own }),
  );
  const sizes = (await Promise.all(shares)).map((known) => known.size().ids);
  expect(sizes.reduce((sum, size) => sum + size)).toBe(landed);
  expect(Math.min(...sizes)).toBeGreaterThan(landed / 8);
  for await (const page of listUsageIds(fixture.clickhouse, { partitions: PARTITIONS, own: [3] })) {
    for (let at = 0; at < page.length; at += 16) expect(page.readUInt32LE(at + 12) % PARTITIONS).toBe(3);
  }
});

test('a partition that the stream does not have is refused at once', async () => {
  expect(await fixture.startLanding({ partitions: '3,4' }).ended).toBe(3);
});

// Last: the ids are of no events.
test('the filter keeps to its budget, and knows every id all the same', async () => {
  const budget = 2_000_000;
  const count = howMany(1_000_001, 2_000_000);
  const made = `SELECT reinterpret(MD5(toString(number)), 'UInt128'), number, now64(3) FROM numbers(${count})`;
  await fixture.clickhouse.command({ query: `INSERT INTO usage_ids ${made}` });
  const known = await loadKnownIds(fixture.clickhouse, budget);
  expect(known.size().ids).toBeGreaterThan(count);
  expect(known.size().bytes).toBeLessThanOrEqual(budget);
  const answer = await fixture.clickhouse.exec({
    query: 'SELECT fingerprint FROM usage_ids WHERE position % 1000 = 0 FORMAT RowBinary',
  });
  const old = await buffer(answer.stream);
  const words = new Uint32Array(new Uint8Array(old).buffer);
  expect(words.length).toBeGreaterThanOrEqual(4 * 1_000);
  expect(await known.findLanded(words)).not.toContain(false);
  const others = new Uint32Array([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(await known.findLanded(others)).toEqual([false, false]);
});
