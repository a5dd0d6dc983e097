import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createRepeatComparison } from '../../aggregator/compare-repeats.ts';
import { createLog } from '../../runtime/log.ts';
import { deleteUsage } from '../../sql/clickhouse/usage/erase-usage.ts';
import { findEvent } from '../../sql/clickhouse/usage/usage-events.ts';
import { countRepeats } from '../../sql/clickhouse/usage/usage-repeats.ts';
import { migrateClickHouse } from '../../sql/migrate.ts';
import type { Claim } from '../../stream/claims.ts';
import { fingerprintOf, fingerprintToDecimal } from '../../stream/fingerprint.ts';
import { readClaims } from '../../stream/read-claims.ts';
import { partitionOf, usageSubject } from '../../stream/subjects.ts';
import type { UsageEvent } from '../../stream/usage-event.ts';
import { encodeUsageMessage } from '../../stream/usage-message.ts';
import { encodeUsageEvent } from '../../stream/usage-row.ts';
import { ACCOUNT, eventOf, startUsageFixture, type UsageFixture } from './usage-fixture.ts';

const PARTITIONS = 2;
/** ClickHouse's schema of the release before, which kept no hash of a repeat's content. */
const BEFORE = [
  ...['0001_usage.sql', '0002_usage_audit.sql', '0003_usage_rollups.sql', '0004_merges_by_column.sql'],
  ...['0005_partition_by_receipt.sql', '0008_rolled_spans.sql', '0009_usage_repeats.sql', '0010_usage_texts.sql'],
  '0011_book_rollups.sql',
];

let fixture: UsageFixture;
beforeAll(async () => {
  fixture = await startUsageFixture(PARTITIONS, undefined, BEFORE);
});
afterEach(() => fixture.endLanding());
afterAll(() => fixture.stop());

const FIRST = {
  numbers: { bytes: '1', tokens: '20' },
  strings: { region: 'eu', model: 'large' },
  booleans: { isNew: true },
};
const event = (id: string, more: Partial<UsageEvent> = {}): UsageEvent => {
  return { ...eventOf(id), ...FIRST, receivedAt: Date.now(), ...more };
};
/** The same content in another order, with another spelling of numbers, received later. */
const sameAs = (id: string): UsageEvent =>
  event(id, {
    numbers: { tokens: '20.000', bytes: '1.0' },
    strings: { model: 'large', region: 'eu' },
    receivedAt: Date.now() + 1,
  });
const differsFrom = (id: string): UsageEvent => event(id, { numbers: { bytes: '2', tokens: '20' } });

/** Sends events as one message for each partition that they are of. */
async function send(...events: UsageEvent[]) {
  for (let partition = 0; partition < PARTITIONS; partition++) {
    const own = events.filter(
      ({ idempotencyId }) => partitionOf(fingerprintOf(ACCOUNT, idempotencyId), PARTITIONS) === partition,
    );
    const message = encodeUsageMessage(own.map(encodeUsageEvent));
    if (own.length > 0) await fixture.connection.js.publish(usageSubject(partition), message);
  }
}

async function countsOf(id: string) {
  const fingerprint = fingerprintToDecimal(fingerprintOf(ACCOUNT, id));
  const first = await findEvent(fixture.clickhouse, ACCOUNT, { id, fingerprint });
  return countRepeats(fixture.clickhouse, { fingerprint, since: 0, content: first?.content });
}

/** All claims of the test's stream, as the process that landed them has seen them. */
async function listClaims(): Promise<Claim[]> {
  const all = await Promise.all([0, 1].map((partition) => readClaims(fixture.connection, partition, 1)));
  return all.flat().map(({ claim }) => claim);
}

/** What the metric counts of these claims; `mostRepeats`: in one query. */
async function comparedOf(claims: readonly Claim[], mostRepeats = 50_000): Promise<number> {
  let differing = 0;
  const comparison = createRepeatComparison({
    ...{ clickhouse: fixture.clickhouse, partitions: PARTITIONS, log: createLog('test', 'silent'), mostRepeats },
    onDiffering: (repeats) => {
      differing += repeats;
    },
  });
  for (const claim of claims) comparison.add(claim);
  while (comparison.isWaiting()) await comparison.runOnce();
  return differing;
}

// First: it brings the schema to that of this release.
test('repeats kept by the release before count as repeats, and none of them as differing', async () => {
  const keptBefore = (id: string, position: number) => {
    const fingerprint = fingerprintToDecimal(fingerprintOf(ACCOUNT, id));
    return fixture.clickhouse.command({
      query: `INSERT INTO usage_repeats (received_at, fingerprint, position, epoch)
        SELECT now64(3), toUInt128('${fingerprint}'), ${position}, 1`,
    });
  };
  await keptBefore('upgraded', 1);
  await migrateClickHouse(fixture.clickhouse);
  // It may still run beside this one.
  await keptBefore('upgraded', 2);
  fixture.startLanding();
  await send(event('upgraded'), differsFrom('upgraded'));
  await fixture.waitUntilAllLanded();
  expect(await countsOf('upgraded')).toEqual({ repeats: 3, differing: 1 });
  expect(await comparedOf(await listClaims())).toBe(1);
});

test('repeats are compared with the first event in the same batch, in a later one, and after a restart', async () => {
  const before = (await listClaims()).length;
  const ids = Array.from({ length: 8 }, (_, i) => `compared-${i}`);
  const landing = fixture.startLanding();
  await send(...ids.flatMap((id) => [event(id), sameAs(id), differsFrom(id)]));
  await fixture.waitUntilAllLanded();
  await send(...ids.flatMap((id) => [differsFrom(id), sameAs(id)]));
  await fixture.waitUntilAllLanded();
  landing.kill();
  await landing.ended;
  await send(...ids.flatMap((id) => [sameAs(id), event(id, { customerId: 'another' })]));
  fixture.startLanding();
  await fixture.waitUntilAllLanded();
  for (const id of ids) expect(await countsOf(id), id).toEqual({ repeats: 6, differing: 3 });

  const claims = await listClaims();
  expect(claims.length).toBeGreaterThan(before);
  const differing = 1 + 3 * ids.length;
  expect(await comparedOf(claims)).toBe(differing);
  expect(await comparedOf(claims, 1)).toBe(differing);
  expect(await comparedOf([])).toBe(0);
});

test('a batch that lands again after kill -9 counts its repeats once', async () => {
  for (const at of ['claimed', 'inserted']) {
    const id = `killed-${at}`;
    const broken = fixture.startLanding({ at });
    await send(event(id), sameAs(id), differsFrom(id));
    expect(await broken.ended).toBe('SIGKILL');
    const landing = fixture.startLanding();
    await fixture.waitUntilAllLanded();
    expect(await countsOf(id)).toEqual({ repeats: 2, differing: 1 });
    const ofId = partitionOf(fingerprintOf(ACCOUNT, id), PARTITIONS);
    const last = (await listClaims()).filter(({ partition }) => partition === ofId).slice(-1);
    expect(await comparedOf(last)).toBe(1);
    landing.kill();
    await landing.ended;
  }
});

test('repeats of an event that was erased with its customer do not count as differing', async () => {
  fixture.startLanding();
  await send(event('erased', { customerId: 'leaving' }), differsFrom('erased'));
  await fixture.waitUntilAllLanded();
  expect(await countsOf('erased')).toEqual({ repeats: 1, differing: 1 });
  await deleteUsage(fixture.clickhouse, { accountId: ACCOUNT, customerId: 'leaving' });
  expect(await countsOf('erased')).toEqual({ repeats: 1, differing: 0 });
});
