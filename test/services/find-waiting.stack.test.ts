import { afterAll, beforeAll, expect, test } from 'vitest';
import { batchOf, bytesOfRepeats, readGroup } from '../../aggregator/batch.ts';
import { waitingEvents } from '../../services/usage/find-waiting.ts';
import { countRepeats, insertRepeats } from '../../sql/clickhouse/usage/usage-repeats.ts';
import { fingerprintOf, fingerprintToDecimal } from '../../stream/fingerprint.ts';
import { usageSubject } from '../../stream/subjects.ts';
import { encodeUsageMessage } from '../../stream/usage-message.ts';
import { encodeUsageEvent } from '../../stream/usage-row.ts';
import { ACCOUNT, eventOf, startUsageFixture, type UsageFixture } from '../aggregator/usage-fixture.ts';

let fixture: UsageFixture;
beforeAll(async () => {
  fixture = await startUsageFixture(2);
});
afterAll(() => fixture.stop());

test('what has not landed is queued, what cannot be decoded is a dead letter, all else is neither', async () => {
  const find = waitingEvents(fixture.connection, fixture.progress);
  const statusOf = (id: string, accountId = ACCOUNT) => find()({ accountId, id });
  const ids = Array.from({ length: 120 }, (_, i) => `waiting-${i}`);
  await fixture.publish(ids);
  expect(await Promise.all(['waiting-0', 'waiting-119', 'waiting-120'].map((id) => statusOf(id)))).toEqual([
    'queued',
    'queued',
    undefined,
  ]);
  expect(await statusOf('waiting-0', 'acct_other')).toBeUndefined();

  const findAsBefore = find();
  await fixture.connection.js.publish(usageSubject(0), JSON.stringify({ v: 99, account: ACCOUNT, id: 'unreadable' }));
  fixture.startLanding();
  await fixture.waitUntilAllLanded();
  expect(await statusOf('waiting-0')).toBeUndefined();
  expect(await findAsBefore({ accountId: ACCOUNT, id: 'waiting-0' })).toBe('queued');
  expect(await statusOf('unreadable')).toBe('dead_lettered');
  expect(await statusOf('unreadable', 'acct_other')).toBeUndefined();
  expect(await statusOf('unread')).toBeUndefined();
});

test('the repeats of a batch that lands again are kept once, for 30 days', async () => {
  const now = Date.now();
  const day = 86_400_000;
  const sent = [
    { id: 'first', receivedAt: now },
    { id: 'twice', receivedAt: now },
    { id: 'twice', receivedAt: now },
    { id: 'old', receivedAt: now - 31 * day },
  ];
  const events = sent.map(({ id, receivedAt }) => ({ ...eventOf(id), receivedAt }));
  const batch = batchOf([readGroup({ sequence: 7, data: encodeUsageMessage(events.map(encodeUsageEvent)) }, 1)]);
  const rows = bytesOfRepeats(batch, [true, false, false, false]);
  for (let i = 0; i < 2; i++) await insertRepeats(fixture.clickhouse, rows);
  const repeats = async (id: string) => {
    const fingerprint = fingerprintToDecimal(fingerprintOf(ACCOUNT, id));
    return countRepeats(fixture.clickhouse, { fingerprint, since: now - 30 * day, content: undefined });
  };
  const counted = [await repeats('first'), await repeats('twice'), await repeats('old')];
  expect(counted).toEqual([0, 2, 0].map((count) => ({ repeats: count, differing: 0 })));
  expect(bytesOfRepeats(batch, [true, true, true, true])).toEqual([]);
});
