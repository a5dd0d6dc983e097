import type { Instant } from '../../core/instants.ts';
import { type Pause, resumedPauses } from '../periods/pauses.ts';
import { dateIn, type Period } from '../periods/periods.ts';
import { pausesOf, waitingPeriodsOf } from '../state/billing-rules.ts';
import type { CustomerState } from '../state/customer-state.ts';
import { nextPeriod, plannedEnding } from './closing-boundaries.ts';
import { phaseBegunBy, phasesAfter, plannedAfterPause, withPhasePlanned } from './phases.ts';
import type { Subscription } from './subscription.ts';

/** How a pause ends. */
export type EndOfPause = {
  /** As it is then: active, or paused in the period in which, or with which, the subscription ends. */
  subscription: Subscription;
  /** The periods that end before the pause does, oldest first, each with its plan version. */
  ended: readonly Period[];
  /** Null if the subscription ends in the pause. */
  resumesAt: Instant | null;
};

/** The most periods that may end before the end of a pause that is drafted (spec/invoices#draft). */
const MOST_ENDED = 24;

/**
 * Returns how the pause of a subscription ends by what is planned; null if the subscription is not paused, if only a resume that somebody
 * asks for ends the pause, or if the end is too far away. `timeZone` is the customer's of now.
 */
export function plannedEndOfPause(paused: Subscription, timeZone: string): EndOfPause | null {
  const resumesAt = paused.paused?.resumesAt ?? Number.POSITIVE_INFINITY;
  const cancelAt = paused.plannedCancel?.at ?? Number.POSITIVE_INFINITY;
  const isPlanned = Math.min(resumesAt, cancelAt) < Number.POSITIVE_INFINITY || !paused.autoRenew;
  if (paused.status !== 'paused' || !isPlanned) return null;
  const ended: Period[] = [];
  let subscription = paused;
  while (ended.length <= MOST_ENDED) {
    const { currentPeriod, version } = subscription;
    const { endsAt } = currentPeriod;
    if (cancelAt < endsAt && cancelAt <= resumesAt) return { subscription, ended, resumesAt: null };
    if (resumesAt < endsAt) return { ...resumedAt(subscription, resumesAt, timeZone), ended };
    const next = nextPeriod(subscription, { timeZone }, plannedEnding(subscription));
    if (next === null) return { subscription, ended, resumesAt: null };
    ended.push({ version, ...currentPeriod });
    subscription = enteredBy(subscription, next, timeZone);
  }
  return null;
}

/** A resume of a paused subscription in its current period. */
export function resumedAt(paused: Subscription, at: Instant, timeZone: string): EndOfPause {
  const planned = plannedAfterPause(paused, { at, on: dateIn(paused.currentPeriod, at) });
  const resumed: Subscription = { ...paused, status: 'active', ...planned };
  const isPassedOver = planned.phases !== paused.phases;
  const subscription = isPassedOver ? withPhasePlanned(resumed, timeZone) : resumed;
  return { subscription, ended: [], resumesAt: at };
}

/** The subscription in its next period, with which a phase may begin. */
function enteredBy(subscription: Subscription, { version, ...currentPeriod }: Period, timeZone: string): Subscription {
  if (version === undefined) return withPhasePlanned({ ...subscription, currentPeriod }, timeZone);
  const begun = phaseBegunBy(subscription, currentPeriod.startDate);
  const phases = begun ? phasesAfter(subscription.phases, begun) : subscription.phases;
  return withPhasePlanned({ ...subscription, version, currentPeriod, phases }, timeZone);
}

/** Pauses that are over, in a customer's state, and by subscription the periods that wait for their ends. */
export type BeyondPauses = {
  state: CustomerState;
  ends: ReadonlyMap<string, Pick<EndOfPause, 'resumesAt'> & { waiting: readonly Period[] }>;
};

/** The state in which pauses that end by what is planned are over. */
export function beyondPauses(now: CustomerState): BeyondPauses {
  const ends = now.subscriptions.map((one) => plannedEndOfPause(one, now.customer.timeZone));
  return beyond(
    now,
    ends.flatMap((end) => end ?? []),
  );
}

/** The state in which these pauses are over. */
export function beyond(now: CustomerState, all: readonly EndOfPause[]): BeyondPauses {
  const { rules } = now;
  const ends = new Map(all.map((end) => [end.subscription.subscriptionId, end]));
  if (ends.size === 0) return { state: now, ends: new Map() };
  const [pauses, waitingPeriods] = [{ ...rules.pauses }, { ...rules.waitingPeriods }];
  const chargedFees = { ...now.chargedFees };
  const waitingOf = now.subscriptions.flatMap(({ subscriptionId: id, version, currentPeriod: { billing } }) => {
    const end = ends.get(id);
    if (!end) return [];
    pauses[id] = pausesUntil(pausesOf(rules, id), end);
    waitingPeriods[id] = [];
    // What was charged in advance is of the billing period of now.
    if (end.subscription.currentPeriod.billing.startsAt !== billing.startsAt) delete chargedFees[id];
    const waiting = [...waitingPeriodsOf(rules, id).map((period) => ({ version, ...period })), ...end.ended];
    return [[id, { resumesAt: end.resumesAt, waiting }] as const];
  });
  const subscriptions = now.subscriptions.map((one) => ends.get(one.subscriptionId)?.subscription ?? one);
  const state = { ...now, subscriptions, chargedFees, rules: { ...rules, pauses, waitingPeriods } };
  return { state, ends: new Map(waitingOf) };
}

function pausesUntil(
  pauses: readonly Pause[],
  { resumesAt, subscription: { currentPeriod } }: EndOfPause,
): readonly Pause[] {
  if (resumesAt === null) return pauses;
  return resumedPauses(pauses, { at: resumesAt, on: dateIn(currentPeriod, resumesAt) });
}

/** The pauses by which a customer's draft counts usage of a subscription: one without a planned end as if it were resumed now. */
export function draftedPauses({ rules, subscriptions, customer, at }: CustomerState, id: string): readonly Pause[] {
  const own = subscriptions.find(({ subscriptionId }) => subscriptionId === id);
  if (own?.status !== 'paused') return pausesOf(rules, id);
  const end = plannedEndOfPause(own, customer.timeZone) ?? resumedAt(own, at, customer.timeZone);
  return pausesUntil(pausesOf(rules, id), end);
}
