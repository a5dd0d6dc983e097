import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { howMany } from '../how-many.ts';
import { exactly, FENCE_LOST, startUsageFixture, type UsageFixture, untilStopped } from './usage-fixture.ts';

/** Full batches (50,000 rows), so that the next one is decided while one lands; a third of the events repeat one so far before. */
const EVENTS = howMany(175_000, 220_000);
const REPEATED_AFTER = 25_000;
const PER_MESSAGE = 500;

let fixture: UsageFixture;

beforeAll(async () => {
  fixture = await startUsageFixture();
});
afterEach(() => fixture.endLanding());
afterAll(() => fixture.stop());

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

test('each event once, at its first place: writers are killed, and stopped and woken, with the next batch decided', async () => {
  const ids = Array.from({ length: EVENTS }, (_, i) => {
    return String(i >= REPEATED_AFTER && i % 3 === 0 ? i - REPEATED_AFTER : i);
  });
  await fixture.publish(ids, PER_MESSAGE);
  const killed = fixture.startLanding({ at: 'decided', nth: '2' });
  expect(await killed.ended).toBe('SIGKILL');
  const stopped = fixture.startLanding({ at: 'decided', nth: '2', signal: 'SIGSTOP' });
  await untilStopped(stopped.child.pid);
  fixture.startLanding();
  await fixture.waitUntilAllLanded();
  stopped.kill('SIGCONT');
  expect(await stopped.ended).toBe(FENCE_LOST);
  // Sent before, so not one of them may land again.
  await fixture.publish(['0', '1', String(EVENTS - 2)]);
  await fixture.waitUntilAllLanded();
  const totals = await fixture.totals();
  expect(totals).toEqual(exactly(totals.expected));
  expect(await countMisplaced()).toBe(0);
  // They happened in 30 months: a sender chooses that, and not how many parts there are.
  expect(await listPartitions()).toEqual(['202611']);
});
