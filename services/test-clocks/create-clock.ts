import { newId } from '../../core/ids.ts';
import type { Instant } from '../../core/instants.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { insertTestClock } from '../../sql/postgres/subscriptions/test-clocks.ts';
import { type TestClockCreate, type TestClockWire, testClockToWire } from '../../wire/test-clocks.ts';
import { type Audited, created } from '../audit/audited.ts';

/** Makes a test clock, on which customers can live. */
export async function createClock(
  tx: Transaction,
  accountId: string,
  { name, frozen_time: frozenTime }: TestClockCreate,
  now: Instant,
): Promise<Audited<TestClockWire>> {
  const clock = { testClockId: newId('clock'), name, frozenTime };
  await insertTestClock(tx, accountId, clock, now);
  return created(testClockToWire({ ...clock, status: 'ready' }));
}
