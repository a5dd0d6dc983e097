import { conflict } from '../../core/domain-error.ts';
import { newId } from '../../core/ids.ts';
import type { Instant } from '../../core/instants.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { countTestClocks, insertTestClock } from '../../sql/postgres/subscriptions/test-clocks.ts';
import { type TestClockCreate, type TestClockWire, testClockToWire } from '../../wire/test-clocks.ts';
import { type Audited, created } from '../audit/audited.ts';

/**
 * Makes a test clock, on which customers can live.
 * @throws DomainError `conflict` if the account has as many clocks as it may have
 */
export async function createClock(
  tx: Transaction,
  accountId: string,
  { name, frozen_time: frozenTime }: TestClockCreate,
  { now, most }: { now: Instant; most: number },
): Promise<Audited<TestClockWire>> {
  if ((await countTestClocks(tx, accountId)) >= most) {
    throw conflict(
      `The account has ${most} test clocks, the most it may have. Delete one first.`,
      'too_many_test_clocks',
    );
  }
  const clock = { testClockId: newId('clock'), name, frozenTime };
  await insertTestClock(tx, accountId, clock, now);
  return created(testClockToWire({ ...clock, status: 'ready' }));
}
