import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PlacedEvent } from '../../aggregator/batch.ts';
import { acceptedEvents } from '../../aggregator/decide.ts';
import { readClaimedBatch } from '../../aggregator/read-claimed-batch.ts';
import { createLog } from '../../runtime/log.ts';
import { insertUsageBatch } from '../../sql/usage-landing.ts';
import { tokenOf } from '../../stream/claims.ts';
import { loadPartitionState } from '../../stream/landings.ts';
import { exactly, startUsageScene, type UsageScene } from './usage-scene.ts';

let scene: UsageScene;

beforeAll(async () => {
  scene = await startUsageScene();
});
afterAll(() => scene.stop());

const ids = (tag: string, count: number) => Array.from({ length: count }, (_, i) => `${tag}-${i}`);

/** The events of the partition's last claim, in order of position. */
async function claimedEvents(): Promise<PlacedEvent[]> {
  const { claim } = await loadPartitionState(scene.connection, 0);
  if (!claim) throw new Error('Nothing is claimed.');
  const log = createLog('test', 'silent');
  return acceptedEvents(await readClaimedBatch(scene.connection, claim, log, new AbortController().signal), claim);
}

/** What a power cut leaves of an insert: rows, but no memory of the token that they were inserted under. A kill: perhaps the token, but no rows. */
const WRECKS: [string, (events: PlacedEvent[]) => Promise<void>][] = [
  ['all of it', (events) => land(events)],
  ['none of it', async () => {}],
  ['the token without the rows', landTokenAlone],
  // usage-scene.ts puts the events of a group into one month after another.
  ['some months of it', (events) => land(events.filter((_, i) => (i % 50) % 30 < 17))],
  ['the events without their ids', (events) => land(events, { withIds: false })],
];

async function land(events: PlacedEvent[], { withIds } = { withIds: true }) {
  const before = (await scene.totals()).ids;
  const rows = events.map(({ row }) => row);
  await insertUsageBatch(scene.clickhouse, rows, `another token ${before}`);
  if (withIds) return;
  const query =
    'ALTER TABLE usage_ids DELETE WHERE fingerprint IN (SELECT fingerprint FROM usage_events WHERE position >= ';
  const { claim } = await loadPartitionState(scene.connection, 0);
  await scene.clickhouse.command({ query: `${query} ${claim?.from} * 1024) SETTINGS mutations_sync = 1` });
  expect((await scene.totals()).ids).toBe(before);
}

/** One month's insert: its token stands, of its rows only the first is there (without any row it would be forgotten). */
async function landTokenAlone(events: PlacedEvent[]) {
  const { claim } = await loadPartitionState(scene.connection, 0);
  if (!claim) throw new Error('Nothing is claimed.');
  await insertUsageBatch(
    scene.clickhouse,
    events.slice(0, 1).map(({ row }) => row),
    tokenOf(claim),
  );
}

test.each(WRECKS)(
  'the last claim after a crash that left %s',
  async (tag, wreck) => {
    await scene.publish(ids(tag, 400));
    const broken = scene.startLanding({ at: 'claimed' });
    expect(await broken.ended).toBe('SIGKILL');
    await wreck(await claimedEvents());
    const next = scene.startLanding();
    await scene.publish(ids(tag, 500));
    await scene.waitUntilAllLanded();
    const totals = await scene.totals();
    expect(totals).toEqual(exactly(totals.expected));
    next.kill();
    await next.ended;
  },
  180_000,
);
