import { invalid } from '../../core/domain-error.ts';
import { type Instant, isoFromInstant, type LocalDate } from '../../core/instants.ts';
import type { Interval } from '../metering/buckets.ts';
import { nextSubscriptionStatus, type SubscriptionStatus } from '../subscriptions/states.ts';

/** A pause by instant and by date in the customer's zone; one that goes on has no end yet. */
export type Pause = {
  pausedAt: Instant;
  pausedOn: LocalDate;
  resumedAt: Instant | null;
  resumedOn: LocalDate | null;
};

/** Whether an instant lies in a pause. */
export function isPausedAt(pauses: readonly Pause[], at: Instant): boolean {
  return pauses.some(({ pausedAt, resumedAt }) => pausedAt <= at && (resumedAt === null || resumedAt > at));
}

/** The intervals whose usage is never billed, clipped to end at `until`. */
export function pausedIntervals(pauses: readonly Pause[], until: Instant): Interval[] {
  return pauses
    .map(({ pausedAt, resumedAt }) => ({ startsAt: pausedAt, endsAt: Math.min(resumedAt ?? until, until) }))
    .filter(({ startsAt, endsAt }) => startsAt < endsAt);
}

/** An interval of usage without what is never billed of it, as it is asked for. */
export function unpaused({ startsAt: start, endsAt: end }: Interval, pauses: readonly Pause[]) {
  return { start, end, excluded: pausedIntervals(pauses, end) };
}

/**
 * The status of a subscription that is paused at `at`, until `resumesAt` where that is given.
 * @throws DomainError `conflict` unless it is active; `invalid` for a resume that is not later.
 */
export function statusAfterPause(
  status: SubscriptionStatus,
  resumesAt: Instant | null,
  at: Instant,
): SubscriptionStatus {
  if (resumesAt !== null && resumesAt <= at) {
    throw invalid({ resumes_at: [`Must be in the future; it is ${isoFromInstant(at)}.`] });
  }
  return nextSubscriptionStatus(status, 'pause');
}

/** The pauses once the one that goes on has ended. */
export function resumedPauses(pauses: readonly Pause[], resumed: { at: Instant; on: LocalDate }): Pause[] {
  return pauses.map((pause) =>
    pause.resumedAt === null ? { ...pause, resumedAt: resumed.at, resumedOn: resumed.on } : pause,
  );
}
