import type { LocalDate } from '../../core/instants.ts';
import type { Period } from '../periods/periods.ts';
import type { Phase } from './agreement.ts';
import { planInstant } from './cancel.ts';
import type { PlanVersion, Subscription } from './subscription.ts';

/** The plan version that bills a period of a subscription. */
export function versionIn({ planId, version }: PlanVersion, period: Pick<Period, 'version'>): PlanVersion {
  return { planId, version: period.version ?? version };
}

/** Phases of the plan that a subscription is on, until the first of another one. */
export function ownPhases({ planId, phases }: Pick<Subscription, 'planId' | 'phases'>): readonly Phase[] {
  const other = phases.findIndex((phase) => phase.planId !== planId);
  return other < 0 ? phases : phases.slice(0, other);
}

/** The phase by which a billing period bills that begins on a date, where it is not that of now: the last one to begin by then. */
export function phaseBegunBy(
  subscription: Pick<Subscription, 'planId' | 'phases'>,
  date: LocalDate,
): Phase | undefined {
  return ownPhases(subscription).findLast(({ startDate }) => startDate <= date);
}

/** The phases that are still to come behind one. */
export function phasesAfter(phases: readonly Phase[], { startDate }: Phase): readonly Phase[] {
  return phases.filter((phase) => phase.startDate > startDate);
}

/** The phases that a cancel on a date leaves. */
export function phasesBefore(phases: readonly Phase[], date: LocalDate): readonly Phase[] {
  return phases.filter(({ startDate }) => startDate < date);
}

/**
 * The subscription, whose next phase is planned as a switch where that is of another plan and begins within the current billing
 * period, or with the next one (spec/subscriptions#phases). `timeZone` is the customer's of now.
 */
export function withPhasePlanned(subscription: Subscription, timeZone: string): Subscription {
  const { phases, plannedSwitch, plannedCancel, planId, currentPeriod } = subscription;
  const [next] = phases;
  if (!next || plannedSwitch || next.planId === planId || next.startDate > currentPeriod.billing.endDate) {
    return subscription;
  }
  const at = planInstant(next.startDate, currentPeriod, timeZone);
  if (plannedCancel !== null && plannedCancel.at <= at) return subscription;
  const { version, sent } = next;
  return {
    ...subscription,
    phases: phasesAfter(phases, next),
    plannedSwitch: {
      at,
      newPlanId: next.planId,
      effectiveDate: next.startDate,
      invoicingBehavior: 'add_to_next_invoice',
      usageBehavior: 'transfer_to_new_subscription',
      ...(version !== null && { agreed: { version, overrides: sent.overrides } }),
      phase: sent,
    },
  };
}

/** All that is agreed on for later, also what is planned as a switch already. */
export function phasesToCome({ plannedSwitch, phases }: Pick<Subscription, 'plannedSwitch' | 'phases'>) {
  const planned = plannedSwitch?.phase ? [{ startDate: plannedSwitch.effectiveDate, sent: plannedSwitch.phase }] : [];
  return [...planned, ...phases];
}
