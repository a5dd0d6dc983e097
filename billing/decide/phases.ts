import type { ChangeSet } from '../change-set.ts';
import { withPhasePlanned } from '../subscriptions/phases.ts';
import type { Subscription } from '../subscriptions/subscription.ts';

/**
 * Decides the phases of a subscription that are still to come. The next one is planned as a switch if it begins within reach of the
 * current billing period (spec/subscriptions#phases). Returns the subscription with that switch.
 */
export function decidePhases(
  subscription: Subscription,
  timeZone: string,
): { subscription: Subscription; changes: ChangeSet } {
  const planned = withPhasePlanned(subscription, timeZone);
  const { subscriptionId, phases } = planned;
  return {
    subscription: planned,
    changes: {
      phasesReplaced: [{ subscriptionId, phases }],
      subscriptionsChanged: planned.plannedSwitch === subscription.plannedSwitch ? [] : [planned],
    },
  };
}
