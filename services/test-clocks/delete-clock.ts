import { conflict, notFound } from '../../core/domain-error.ts';
import type { Instant } from '../../core/instants.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import {
  deleteTestClock,
  hasLiveSubscription,
  isStopping,
  lockTestClock,
  updateClockStopping,
} from '../../sql/postgres/subscriptions/test-clocks.ts';
import { type TestClockWire, testClockToWire } from '../../wire/test-clocks.ts';
import { type Audited, changed, deleted } from '../audit/audited.ts';
import { saveChanges } from '../billing/save-changes.ts';
import type { TestClockRef } from '../references.ts';

/**
 * Deletes a test clock; its customers stay in its last time. A clock that advances is stopped instead, and answered: it ends after
 * the step under way (spec/test-clocks#stop).
 * @throws DomainError `not_found`; `conflict` while it is being stopped or a customer on it has a live subscription.
 */
export async function deleteClock(
  tx: Transaction,
  { accountId, testClockId }: TestClockRef,
  now: Instant,
): Promise<Audited<TestClockWire | undefined>> {
  const clock = await lockTestClock(tx, accountId, testClockId);
  if (!clock) throw notFound(`test clock ${testClockId}`);
  if (isStopping(clock)) throw conflict('The test clock is advancing, and stops after the step under way.');
  if (clock.status === 'advancing') {
    const stopping = (await updateClockStopping(tx, accountId, testClockId)) ?? clock;
    return { ...changed(testClockToWire(clock), testClockToWire(stopping)), action: 'test_clock.stopped' };
  }
  if (await hasLiveSubscription(tx, accountId, testClockId)) {
    throw conflict(`The test clock is ${clock.status} and has a live subscription; cancel it first.`);
  }
  await deleteTestClock(tx, accountId, testClockId, now);
  await saveChanges(tx, accountId, { clocksEmptied: [testClockId] });
  return { ...deleted(testClockToWire(clock)), answer: undefined };
}
