import { conflict, invalid, notFound } from '../../core/domain-error.ts';
import type { Instant } from '../../core/instants.ts';
import type { AccountLimits } from '../../runtime/variables/limit-variables.ts';
import { CLOCK_ADVANCING, insertOutboxEvent } from '../../sql/postgres/outbox.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { lockTestClock, updateClockAdvancing } from '../../sql/postgres/subscriptions/test-clocks.ts';
import { type TestClockAdvance, type TestClockWire, testClockToWire } from '../../wire/test-clocks.ts';
import { type Audited, changed } from '../audit/audited.ts';
import type { TestClockRef } from '../references.ts';

/**
 * Begins to advance a test clock; a workflow has happen what falls due.
 * @throws DomainError `not_found`; `invalid` for a time that is not later, or too much later; `conflict` while it advances already.
 */
export async function advanceClock(
  tx: Transaction,
  { accountId, testClockId }: TestClockRef,
  { frozen_time: frozenTime }: TestClockAdvance,
  { advanceYears }: Pick<AccountLimits, 'advanceYears'>,
): Promise<Audited<TestClockWire>> {
  const clock = await lockTestClock(tx, accountId, testClockId);
  if (!clock) throw notFound(`test clock ${testClockId}`);
  if (frozenTime <= clock.frozenTime) throw invalid({ frozen_time: ["Must be after the clock's frozen_time."] });
  if (frozenTime > yearsAfter(clock.frozenTime, advanceYears)) {
    const span = advanceYears === 1 ? 'a year' : `${advanceYears} years`;
    throw invalid({
      frozen_time: [`Must be at most ${span} after the clock's frozen_time. Advance in several calls.`],
    });
  }
  if (clock.status === 'advancing') throw conflict(`The test clock is ${clock.status}.`);
  await updateClockAdvancing(tx, accountId, testClockId, frozenTime, { waits: true });
  const data = testClockToWire({ ...clock, status: 'advancing' });
  await insertOutboxEvent(tx, { accountId, type: CLOCK_ADVANCING, subject: `test_clock/${testClockId}`, data });
  return changed(testClockToWire(clock), data);
}

function yearsAfter(instant: Instant, years: number): Instant {
  const date = new Date(instant);
  return date.setUTCFullYear(date.getUTCFullYear() + years);
}
