import type { Decimal } from '../../core/decimal.ts';
import type { Instant } from '../../core/instants.ts';
import type { ChangeSet } from '../change-set.ts';
import type { SwitchedPeriod } from '../periods/usage-windows.ts';
import type { Inheritance } from '../subscriptions/inheritance.ts';
import { withPhasePlanned } from '../subscriptions/phases.ts';
import type { Subscription } from '../subscriptions/subscription.ts';
import { replacedBy } from '../subscriptions/switch.ts';

/** A subscription that begins, with what is stored for it. */
export type Beginning = { subscription: Subscription; changes: ChangeSet };

/** What a new subscription prepays by its own choice, and what earlier subscriptions left of the usage of its first period. */
type NewTerms = {
  timeZone: string;
  prepaid: readonly { metricId: string; units: Decimal }[];
  usageLeft: SwitchedPeriod | null;
};

/** Decides a new subscription with its first period, its phases and its prepaid units. */
export function decideNewSubscription(made: Subscription, { timeZone, prepaid, usageLeft }: NewTerms): Beginning {
  const { subscription, changes } = begin(made, timeZone);
  const { subscriptionId } = subscription;
  return {
    subscription,
    changes: {
      ...changes,
      prepaidUnitsAdded: prepaid.map((units) => ({ subscriptionId, ...units })),
      periodsSwitched: usageLeft ? [{ subscriptionId, switched: usageLeft }] : [],
    },
  };
}

/** Decides that a subscription takes the place of another, whose phases go on with it or are dropped (spec/subscriptions#phases). */
export function decideReplacement(
  old: Subscription,
  successor: Subscription,
  at: Instant,
  timeZone: string,
): Beginning {
  const { subscription, changes } = begin(successor, timeZone);
  const { phasesReplaced = [] } = changes;
  const dropped = { subscriptionId: old.subscriptionId, phases: [] };
  return {
    subscription,
    changes: {
      ...changes,
      subscriptionsChanged: [replacedBy(old, successor.subscriptionId, at)],
      phasesReplaced: old.phases.length > 0 ? [dropped, ...phasesReplaced] : phasesReplaced,
    },
  };
}

/** Decides what goes along to the subscription that a switch begins (spec/subscriptions#switch). */
export function decideInheritance(
  { from, to, hasDiscounts }: { from: string; to: string; hasDiscounts: boolean },
  { periodIndex, billingIndex, units, switched }: Inheritance,
): ChangeSet {
  const copiesPauses = switched !== null;
  return {
    successions: [{ from, to, periodIndex, billingIndex, units, hasDiscounts, copiesPauses }],
    periodsSwitched: switched ? [{ subscriptionId: to, switched }] : [],
  };
}

function begin(made: Subscription, timeZone: string): Beginning {
  const subscription = withPhasePlanned(made, timeZone);
  const { subscriptionId, currentPeriod, phases } = subscription;
  return {
    subscription,
    changes: {
      subscriptionsAdded: [subscription],
      periodsAdded: [{ ...currentPeriod, subscriptionId }],
      phasesReplaced: phases.length > 0 ? [{ subscriptionId, phases }] : [],
    },
  };
}
