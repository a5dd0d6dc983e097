import { conflict, notFound } from '../../core/domain-error.ts';
import type { Instant } from '../../core/instants.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { deleteTestClock, hasLiveSubscription, lockTestClock } from '../../sql/postgres/subscriptions/test-clocks.ts';
import { testClockToWire } from '../../wire/test-clocks.ts';
import { type Audited, deleted } from '../audit/audited.ts';
import type { TestClockRef } from '../references.ts';

/**
 * Deletes a test clock; its customers stay in its last time.
 * @throws DomainError `not_found`; `conflict` while it advances or a customer on it has a live subscription.
 */
export async function deleteClock(
  tx: Transaction,
  { accountId, testClockId }: TestClockRef,
  now: Instant,
): Promise<Audited<void>> {
  const clock = await lockTestClock(tx, accountId, testClockId);
  if (!clock) throw notFound(`test clock ${testClockId}`);
  if (clock.status === 'advancing') throw conflict(`The test clock is ${clock.status}.`);
  if (await hasLiveSubscription(tx, accountId, testClockId)) {
    throw conflict(`The test clock is ${clock.status} and has a live subscription; cancel it first.`);
  }
  await deleteTestClock(tx, accountId, testClockId, now);
  return deleted(testClockToWire(clock));
}
