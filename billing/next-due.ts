import type { Instant } from '../core/instants.ts';
import { inOrderOfDue, type LifePosition, type NextStep, nextBoundary } from './periods/schedule.ts';
import type { CustomerState } from './state/customer-state.ts';
import { isLive } from './subscriptions/states.ts';
import type { Subscription } from './subscriptions/subscription.ts';

/** The part of a customer's state that decides when something is due. */
export type DueState = Pick<CustomerState, 'subscriptions' | 'billedLater' | 'pendingInvoices'>;

/**
 * Returns the step of a customer that time makes due next, by `until`; null if nothing is due by then. Steps of one instant are ordered by
 * kind, then by subscription (spec/periods#order-at-one-instant).
 */
export function nextDue(state: DueState, until: Instant): NextStep | null {
  const next = stepsToCome(state).toSorted(inOrderOfDue)[0];
  return next && next.dueAt <= until ? next : null;
}

/** Returns the next step of each subscription that has one, in no order. */
export function stepsToCome(state: DueState): NextStep[] {
  const { subscriptions, billedLater, pendingInvoices } = state;
  const known = [...subscriptions, ...billedLater, ...pendingInvoices.map(({ owner }) => owner)];
  const byId = new Map(known.map((one) => [one.subscriptionId, one]));
  return [...byId.values()].flatMap((subscription) => {
    const { subscriptionId } = subscription;
    const next = nextBoundary(positionOf(subscription, state));
    return next ? [{ ...next, subscriptionId }] : [];
  });
}

/** Returns where a subscription is in its life. The period of one that has ended is closed. */
function positionOf(subscription: Subscription, { pendingInvoices }: DueState): LifePosition {
  const { subscriptionId, status, currentPeriod, plannedCancel, plannedSwitch, paused, billsAt } = subscription;
  const [pending] = pendingInvoices
    .filter(({ owner }) => owner.subscriptionId === subscriptionId)
    .toSorted((a, b) => a.period.index - b.period.index);
  return {
    ...{ status, plannedCancel, plannedSwitch, billsAt },
    openPeriod: isLive(status) ? currentPeriod : null,
    pendingInvoice: pending ? { periodIndex: pending.period.index, dueAt: pending.dueAt } : null,
    resumesAt: paused?.resumesAt ?? null,
  };
}
