import type { Instant } from '../../core/instants.ts';
import type { ChangeSet } from '../change-set.ts';
import { datePlanned } from '../subscriptions/cancel.ts';
import { phasesBefore } from '../subscriptions/phases.ts';
import { nextSubscriptionStatus } from '../subscriptions/states.ts';
import type { PlannedCancel, PlannedSwitch, Subscription } from '../subscriptions/subscription.ts';
import { withPlannedCancel } from '../subscriptions/switch.ts';

/** A subscription after a change of what is planned, or after its end, and what that changes. */
type EndDecision = { subscription: Subscription; changes: ChangeSet };

/** An end by a cancel, or because the subscription does not renew. `billsAt`: when what it left for a later invoice is invoiced. */
export type End = { trigger: 'cancel' | 'expire'; at: Instant; billsAt?: Instant | null };

/** Decides the end of a subscription's life (spec/subscriptions#cancel). */
export function decideEnd(before: Subscription, { trigger, at, billsAt = null }: End): EndDecision {
  const subscription: Subscription = {
    ...before,
    status: nextSubscriptionStatus(before.status, trigger),
    ended: { at, reason: trigger === 'cancel' ? 'canceled' : 'expired' },
    paused: null,
    billsAt,
    plannedSwitch: null,
    phases: [],
  };
  return { subscription, changes: withPhasesReplaced(before, subscription) };
}

/** Decides the end of all subscriptions of a customer that is deleted (spec/customers#deletion). Nothing of them falls due any more. */
export function decideEndOfAll(
  live: readonly Subscription[],
  at: Instant,
): { ended: Subscription[]; changes: ChangeSet } {
  const ended = live.map((before): Subscription => {
    const stopped = { paused: null, billsAt: null, plannedSwitch: null, phases: [] };
    const status = nextSubscriptionStatus(before.status, 'cancel');
    return { ...before, ...stopped, status, ended: { at, reason: 'canceled' } };
  });
  return {
    ended,
    changes: {
      periodsClosed: live.map(({ subscriptionId, currentPeriod: { index } }) => {
        return { subscriptionId, periodIndex: index, closedAt: at };
      }),
      subscriptionsChanged: ended,
      stepsDone: live.map(({ subscriptionId }) => ({ kind: 'subscription', subscriptionId })),
    },
  };
}

/**
 * Decides that nothing is left to invoice of a customer that is deleted (spec/customers#deletion). `subscriptionIds` are the subscriptions
 * that have left something.
 */
export function decideNothingLeft(customerId: string, subscriptionIds: readonly string[]): ChangeSet {
  return {
    leftToInvoiceDropped: [customerId],
    stepsDone: subscriptionIds.map((subscriptionId) => ({ kind: 'subscription', subscriptionId })),
  };
}

/** Decides a cancel for later, in the place of an earlier one; null withdraws it. Phases from its date on are dropped. */
export function decidePlannedCancel(
  before: Subscription,
  plannedCancel: PlannedCancel | null,
  timeZone: string,
): EndDecision {
  const { endDate, currentPeriod } = before;
  const endsOn = plannedCancel && datePlanned(plannedCancel.at, currentPeriod, timeZone);
  const phases = endsOn === null ? before.phases : phasesBefore(before.phases, endsOn);
  const ending = { ...before, phases, endDate: endDate === null ? null : endsOn };
  const subscription = withPlannedCancel(ending, plannedCancel);
  return { subscription, changes: withPhasesReplaced(before, subscription) };
}

/** Decides a switch for later, in the place of an earlier one and of phases; null withdraws it. */
export function decidePlannedSwitch(before: Subscription, plannedSwitch: PlannedSwitch | null): EndDecision {
  const subscription = { ...before, plannedSwitch, phases: [] };
  return { subscription, changes: withPhasesReplaced(before, subscription) };
}

/** Returns what changes of a subscription, with its phases if there are fewer. */
function withPhasesReplaced(before: Subscription, after: Subscription): ChangeSet {
  const { subscriptionId, phases } = after;
  return {
    subscriptionsChanged: [after],
    phasesReplaced: phases.length < before.phases.length ? [{ subscriptionId, phases }] : [],
  };
}
