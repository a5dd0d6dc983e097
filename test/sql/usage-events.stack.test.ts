import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { PropertyValue } from '../../billing/catalog/metrics.ts';
import { decimal, toPlain } from '../../core/decimal.ts';
import { newId } from '../../core/ids.ts';
import { findReceivedIds, listUsageEvents, type StoredUsageEvent } from '../../sql/clickhouse/usage/usage-events.ts';
import { insertUsageBatch } from '../../sql/clickhouse/usage/usage-landing.ts';
import { fingerprintOf, fingerprintToDecimal } from '../../stream/fingerprint.ts';
import { ownClickHouse } from '../stack/own-database.ts';
import { placedRows } from './placed-rows.ts';
import { event, propertyMaps } from './usage-fixtures.ts';

const clickhouse = ownClickHouse();

const START = Date.UTC(2026, 10, 1);
const PAGE = { limit: 50, offset: 0 };

async function land(accountId: string, events: readonly StoredUsageEvent[]) {
  const rows = events.map((stored, i) => ({
    ...{ accountId, customerId: stored.customerId, eventName: stored.eventName, timeCreated: stored.timeCreated },
    ...{ idempotencyId: stored.idempotencyId, receivedAt: stored.receivedAt, position: BigInt(i + 1), epoch: 1 },
    ...propertyMaps(stored.properties),
    fingerprint: fingerprintOf(accountId, stored.idempotencyId),
  }));
  const encoded = placedRows(rows);
  await insertUsageBatch(clickhouse, encoded, newId('evt'));
}

const decimalFingerprint = (accountId: string, id: string) => fingerprintToDecimal(fingerprintOf(accountId, id));

const storedEvent = (n: number, over: Partial<StoredUsageEvent> = {}): StoredUsageEvent => ({
  ...{ idempotencyId: `id-${n}`, eventName: 'call', customerId: 'c', properties: {} },
  ...{ timeCreated: START + n * 1000, receivedAt: START + 500 + n },
  ...over,
});
const ids = (page: { results: StoredUsageEvent[] }) => page.results.map((stored) => stored.idempotencyId);

describe('a list of events', () => {
  const accountId = newId('acct');
  const other = newId('acct');
  const list = (filter: Parameters<typeof listUsageEvents>[2], window = PAGE) =>
    listUsageEvents(clickhouse, accountId, filter, window);

  beforeAll(async () => {
    await land(accountId, [
      storedEvent(3),
      storedEvent(1, { customerId: "c'2" }),
      storedEvent(2, { eventName: 'other' }),
      storedEvent(4, { timeCreated: START + 3000 }),
    ]);
    await land(other, [storedEvent(1, { customerId: 'elsewhere' })]);
  });

  test('newest first, of the same instant the one received last first, page by page', async () => {
    const all = await list({});
    expect(ids(all)).toEqual(['id-4', 'id-3', 'id-2', 'id-1']);
    expect(all.count).toBe(4);
    expect(all.results[0]).toEqual(storedEvent(4, { timeCreated: START + 3000 }));
    const second = await list({}, { limit: 2, offset: 2 });
    expect([ids(second), second.count]).toEqual([['id-2', 'id-1'], 4]);
  });

  test('sorted from either end, also a page behind the first', async () => {
    const by = (descending: boolean) => ({ sort: { field: 'time_created', descending } }) as const;
    const [up, down] = [await list(by(false)), await list(by(true))];
    expect(ids(up)).toEqual(['id-1', 'id-2', 'id-3', 'id-4']);
    expect(ids(down)).toEqual(ids(up).toReversed());
    expect(ids(await list(by(false), { limit: 2, offset: 2 }))).toEqual(['id-3', 'id-4']);
  });

  test('each filter, and all together', async () => {
    const idempotency = { id: 'id-1', fingerprint: decimalFingerprint(accountId, 'id-1') };
    expect(ids(await list({ customerId: "c'2" }))).toEqual(['id-1']);
    expect(ids(await list({ eventName: 'other' }))).toEqual(['id-2']);
    expect(ids(await list({ idempotency }))).toEqual(['id-1']);
    expect(ids(await list({ start: START + 2000 }))).toEqual(['id-4', 'id-3', 'id-2']);
    expect(ids(await list({ end: START + 3000 }))).toEqual(['id-2', 'id-1']);
    const all = { customerId: "c'2", eventName: 'call', idempotency, start: START, end: START + 5000 };
    expect(ids(await list(all))).toEqual(['id-1']);
    expect(await list({ ...all, customerId: 'c' })).toEqual({
      results: [],
      places: [],
      count: 0,
      isCapped: false,
      hasNext: false,
    });
  });

  test.each([Date.UTC(2000, 0, 1), Date.UTC(2299, 11, 31, 23, 59, 59, 999)])(
    'at either end of time: %i',
    async (at) => {
      const account = newId('acct');
      await land(account, [storedEvent(1, { timeCreated: at })]);
      expect((await listUsageEvents(clickhouse, account, {}, PAGE)).results).toEqual([
        storedEvent(1, { timeCreated: at }),
      ]);
    },
  );

  test('another account’s events are not there', async () => {
    const idempotency = { id: 'id-1', fingerprint: decimalFingerprint(other, 'id-1') };
    expect(ids(await list({ idempotency }))).toEqual([]);
    expect(await list({ customerId: 'elsewhere' })).toEqual({
      results: [],
      places: [],
      count: 0,
      isCapped: false,
      hasNext: false,
    });
  });
});

test('properties come back as they were sent, each with its kind', async () => {
  const plain = (properties: Readonly<Record<string, PropertyValue>>) =>
    Object.entries(properties)
      .map(([name, { kind, value }]) => [name, kind, kind === 'number' ? toPlain(decimal(value)) : value])
      .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 40, size: 'max' }), async (events) => {
      const accountId = newId('acct');
      const stored = events.map(({ distance: _, ...rest }, i) => storedEvent(events.length - i, rest));
      await land(accountId, stored);
      const { results } = await listUsageEvents(clickhouse, accountId, {}, PAGE);
      expect(results.map((one) => plain(one.properties))).toEqual(stored.map((one) => plain(one.properties)));
      expect(results.map(({ customerId }) => customerId)).toEqual(stored.map(({ customerId }) => customerId));
    }),
    { numRuns: 15 },
  );
});

describe('which ids were received', () => {
  test('by the time of receipt, of a thousand ids', async () => {
    const accountId = newId('acct');
    await land(accountId, [
      storedEvent(1, { receivedAt: START - 1 }),
      storedEvent(2, { receivedAt: START }),
      storedEvent(3),
    ]);
    const fingerprints = Array.from({ length: 1_000 }, (_, i) => decimalFingerprint(accountId, `id-${i}`));
    const since = (instant: number) => findReceivedIds(clickhouse, { fingerprints, since: instant });
    expect(await since(START)).toEqual(new Set([2, 3].map((n) => fingerprints[n])));
    expect((await since(START - 1)).size).toBe(3);
  });

  test('none of none, and not those of another account', async () => {
    await land(newId('acct'), [storedEvent(1)]);
    const fingerprints = [decimalFingerprint(newId('acct'), 'id-1')];
    expect(await findReceivedIds(clickhouse, { fingerprints, since: 0 })).toEqual(new Set());
    expect(await findReceivedIds(clickhouse, { fingerprints: [], since: 0 })).toEqual(new Set());
  });
});
