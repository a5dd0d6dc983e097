import { type Instant, type LocalDate, startOfLocalDay } from '../../core/instants.ts';
import { type Period, periodAfter } from '../periods/periods.ts';
import type { Moment } from '../periods/segments.ts';
import type { Phase } from './agreement.ts';
import { planInstant } from './cancel.ts';
import type { PlannedSwitch, PlanVersion, Subscription } from './subscription.ts';

/** The plan version that bills a period of a subscription. */
export function versionIn({ planId, version }: PlanVersion, period: Pick<Period, 'version'>): PlanVersion {
  return { planId, version: period.version ?? version };
}

/** What says which phases a subscription is still to go through. */
type Phased = Pick<Subscription, 'planId' | 'phases' | 'plannedSwitch'>;

/** Phases of the plan that a subscription is on, until the first of another one, or the switch that is planned for that. */
export function ownPhases({ planId, phases, plannedSwitch }: Phased): readonly Phase[] {
  const switchesOn = plannedSwitch?.phase ? plannedSwitch.effectiveDate : null;
  const other = phases.findIndex(
    (phase) => phase.planId !== planId || (switchesOn !== null && phase.startDate > switchesOn),
  );
  return other < 0 ? phases : phases.slice(0, other);
}

/** The phase by which a billing period bills that begins on a date, where it is not that of now: the last one to begin by then. */
export function phaseBegunBy(subscription: Phased, date: LocalDate): Phase | undefined {
  return ownPhases(subscription).findLast(({ startDate }) => startDate <= date);
}

/** The phases that are still to come behind one. */
export function phasesAfter(phases: readonly Phase[], { startDate }: Pick<Phase, 'startDate'>): readonly Phase[] {
  return phases.filter((phase) => phase.startDate > startDate);
}

/** A phase with the instant and the date at which it takes effect. */
export type PhaseStart = { phase: Phase; at: Instant; on: LocalDate };

/**
 * Returns when the phases that are to come take effect (spec/subscriptions#phases), in order. One of the same plan does so with the first
 * billing period that starts on or after its date, and only if no later one does so with the same period. One of another plan is a
 * switch on its date. `timeZone` is the customer's of now.
 */
export function phaseStarts(subscription: Subscription, timeZone: string): PhaseStart[] {
  const own = ownPhases(subscription);
  let period = subscription.currentPeriod;
  const starts = own.map((phase): PhaseStart => {
    while (period.billing.startDate < phase.startDate) period = periodAfter({ ...subscription, timeZone }, period);
    return { phase, at: period.billing.startsAt, on: period.billing.startDate };
  });
  const effective = starts.filter(({ on }, i) => starts[i + 1]?.on !== on);
  const others = subscription.phases.filter((phase) => !own.includes(phase));
  const switches = others.map((phase) => ({
    phase,
    at: startOfLocalDay(phase.startDate, timeZone),
    on: phase.startDate,
  }));
  return [...effective, ...switches];
}

/** The phases that go on with what a switch at `at` begins: those behind it where it is one itself. */
export function phasesBehindSwitch({ plannedSwitch, phases }: Subscription, at: Instant): readonly Phase[] {
  if (!plannedSwitch?.phase || plannedSwitch.at !== at) return [];
  return phasesAfter(phases, { startDate: plannedSwitch.effectiveDate });
}

/** The phases that a cancel on a date leaves. */
export function phasesBefore(phases: readonly Phase[], date: LocalDate): readonly Phase[] {
  return phases.filter(({ startDate }) => startDate < date);
}

/**
 * The subscription, whose next phase of another plan is planned as a switch where that begins within the current billing period, or with
 * the next one (spec/subscriptions#phases). Phases of its own plan before it stay: it may be passed over. `timeZone` is the customer's of now.
 */
export function withPhasePlanned(subscription: Subscription, timeZone: string): Subscription {
  const { phases, plannedSwitch, plannedCancel, planId, currentPeriod } = subscription;
  const next = phases.find((phase) => phase.planId !== planId);
  if (!next || plannedSwitch || next.startDate > currentPeriod.billing.endDate) return subscription;
  const at = planInstant(next.startDate, currentPeriod, timeZone);
  if (plannedCancel !== null && plannedCancel.at <= at) return subscription;
  return { ...subscription, phases: phases.filter((phase) => phase !== next), plannedSwitch: switchOf(next, at) };
}

function switchOf({ planId, startDate, version, sent }: Phase, at: Instant): PlannedSwitch {
  return {
    at,
    newPlanId: planId,
    effectiveDate: startDate,
    invoicingBehavior: 'add_to_next_invoice',
    usageBehavior: 'transfer_to_new_subscription',
    ...(version !== null && { agreed: { version, overrides: sent.overrides } }),
    phase: sent,
  };
}

/**
 * Returns what is planned once a pause has ended at `at` (spec/subscriptions#phases). A switch that fell due in the pause happens with the
 * resume, in the period that is open then. Of several phases that fell due in it only the last is made; the others are passed over.
 * `today` is the date of the resume.
 */
export function plannedAfterPause(
  { planId, plannedSwitch, phases, currentPeriod }: Phased & Pick<Subscription, 'currentPeriod'>,
  { at, on: today }: Moment,
): Pick<Subscription, 'plannedSwitch' | 'phases'> {
  if (plannedSwitch === null || plannedSwitch.at > at) return { plannedSwitch, phases };
  const resumedAt = Math.min(at, currentPeriod.billing.endsAt);
  const last = phases.findLast(({ startDate }) => startDate <= today);
  if (!plannedSwitch.phase || last === undefined || last.startDate <= plannedSwitch.effectiveDate) {
    return { plannedSwitch: { ...plannedSwitch, at: resumedAt }, phases };
  }
  const after = phasesAfter(phases, last);
  // Back on the plan of now, nothing is switched: the phase begins with the next billing period.
  if (last.planId === planId) return { plannedSwitch: null, phases: [last, ...after] };
  return { plannedSwitch: switchOf(last, resumedAt), phases: after };
}

/** All that is agreed on for later, by date, also what is planned as a switch already. */
export function phasesToCome({ plannedSwitch, phases }: Pick<Subscription, 'plannedSwitch' | 'phases'>) {
  const planned = plannedSwitch?.phase ? [{ startDate: plannedSwitch.effectiveDate, sent: plannedSwitch.phase }] : [];
  return [...planned, ...phases].toSorted((a, b) => (a.startDate < b.startDate ? -1 : 1));
}
