import type { Instant } from '../../core/instants.ts';
import type { ChangeSet } from '../change-set.ts';
import { statusAfterPause } from '../periods/pauses.ts';
import { dateIn } from '../periods/periods.ts';
import { plannedAfterPause } from '../subscriptions/phases.ts';
import { nextSubscriptionStatus } from '../subscriptions/states.ts';
import type { Subscription } from '../subscriptions/subscription.ts';

/** A subscription after a pause has begun or ended, and what that changes. */
type PauseDecision = { subscription: Subscription; changes: ChangeSet };

/**
 * Decides a pause at `at` (spec/subscriptions#pause), until `resumesAt` if that is not null.
 * @throws DomainError `conflict` unless the subscription is active; `invalid` for a resume that is not later
 */
export function decidePause(
  before: Subscription,
  { at, resumesAt, reason }: { at: Instant; resumesAt: Instant | null; reason: string | null },
): PauseDecision {
  const { subscriptionId, currentPeriod } = before;
  const status = statusAfterPause(before.status, resumesAt, at);
  const subscription: Subscription = { ...before, status, paused: { at, resumesAt } };
  const pause = { subscriptionId, pausedAt: at, pausedOn: dateIn(currentPeriod, at), reason };
  return { subscription, changes: { pausesBegun: [pause], subscriptionsChanged: [subscription] } };
}

/**
 * Decides a resume at `at`. A switch or phase that fell due in the pause is planned again (spec/subscriptions#phases).
 * @throws DomainError `conflict` unless the subscription is paused
 */
export function decideResume(before: Subscription, at: Instant): PauseDecision {
  const { subscriptionId, currentPeriod } = before;
  const status = nextSubscriptionStatus(before.status, 'resume');
  const moment = { at, on: dateIn(currentPeriod, at) };
  const subscription: Subscription = { ...before, status, paused: null, ...plannedAfterPause(before, moment) };
  return {
    subscription,
    changes: { pausesEnded: [{ subscriptionId, ...moment }], subscriptionsChanged: [subscription] },
  };
}
