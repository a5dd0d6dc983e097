import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Batch, bytesOfRows } from '../../aggregator/batch.ts';
import { acceptedByClaim } from '../../aggregator/decide.ts';
import { readClaimedBatch } from '../../aggregator/read-claimed-batch.ts';
import { newId } from '../../core/ids.ts';
import { createLog } from '../../runtime/log.ts';
import { insertUsageBatch } from '../../sql/clickhouse/usage/usage-landing.ts';
import { tokenOf } from '../../stream/claims.ts';
import { loadPartitionState } from '../../stream/landings.ts';
import { exactly, startUsageFixture, type UsageFixture } from './usage-fixture.ts';

let fixture: UsageFixture;

beforeAll(async () => {
  fixture = await startUsageFixture();
});
afterEach(() => fixture.endLanding());
afterAll(() => fixture.stop());

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

test.each(WRECKS)(
  'the last claim after a crash that left %s',
  async (_what, wreck) => {
    const tag = newId('evt');
    await fixture.publish(ids(tag, 400));
    const broken = fixture.startLanding({ at: 'claimed' });
    expect(await broken.ended).toBe('SIGKILL');
    await wreck(await claimedBatch());
    fixture.startLanding();
    await fixture.publish(ids(tag, 500));
    await fixture.waitUntilAllLanded();
    const totals = await fixture.totals();
    expect(totals).toEqual(exactly(totals.expected));
  },
  180_000,
);
