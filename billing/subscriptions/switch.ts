import { type Decimal, roundHalfAwayFromZero, sum, ZERO } from '../../core/decimal.ts';
import { conflict, contradiction, invalid, notFound } from '../../core/domain-error.ts';
import { daysBetween, type Instant, type LocalDate, localDateAt, startOfLocalDay } from '../../core/instants.ts';
import type { PendingOpening } from '../invoices/charged-ahead.ts';
import { anchorOf, isSameCalendar, type PlanCalendar } from '../periods/calendars.ts';
import { dateIn, type Period, periodOf } from '../periods/periods.ts';
import { daysOf, plansInForce, type SegmentedPeriod, type SwitchWithin, switchesIn } from '../periods/segments.ts';
import { trialBefore } from '../periods/trials.ts';
import { billingPeriodOf, endsBilling } from '../periods/usage-months.ts';
import { type SwitchedPeriod, shareUsage } from '../periods/usage-windows.ts';
import type { PrepaidCharge, ProrationCharge } from '../pricing/charges.ts';
import type { Component } from '../pricing/rating.ts';
import { datePlanned, type Ending, planInstant } from './cancel.ts';
import { phasesBehindSwitch } from './phases.ts';
import { takesPrepaidUnits } from './prepaid-changes.ts';
import { nextSubscriptionStatus } from './states.ts';
import {
  heldTerms,
  type Plan,
  type PlannedCancel,
  type PlannedSwitch,
  type Subscription,
  type UsageBehavior,
} from './subscription.ts';

/** What a switch asks: now, on a date, or (null) a planned one no more; `newPlanId` may then be left out. */
export type SwitchRequest = {
  newPlanId: string | null;
  effectiveDate: 'immediately' | LocalDate | null;
  invoicingBehavior: 'add_to_next_invoice' | 'invoice_now';
  usageBehavior: UsageBehavior;
  /** What is agreed on instead of what the plan says, as JSON, for the digits of its numbers. */
  overrides?: string;
};

/** What becomes of it. */
export type SwitchDecision =
  | { kind: 'now'; plan: Plan }
  | { kind: 'planned'; plan: Plan; switch: PlannedSwitch }
  | { kind: 'withdrawn' };

/** What a switch is judged by: `newPlan` is undefined where there is none of that id. */
export type SwitchSubject = {
  subscription: Subscription;
  currency: string;
  newPlan: Plan | undefined;
  /** Plans of the customer's other live subscriptions. */
  heldPlanIds: readonly string[];
};

/**
 * What a switch does at `at` (spec/subscriptions#switch). One asked for when the period is over and only waits to be closed
 * happens with that closing.
 * @throws DomainError in this order (spec/api#errors): `contradiction` for the same plan, `invalid` for a date that is past or
 * after the period end, `not_found` for an unknown plan, `contradiction` for another currency, `conflict` for an archived
 * plan or one the customer holds already, for a subscription that is not active, and for one that ends before.
 */
export function decideSwitch(
  subject: SwitchSubject,
  request: SwitchRequest,
  { at, timeZone }: { at: Instant; timeZone: string },
): SwitchDecision {
  const { subscription, newPlan } = subject;
  const { effectiveDate, newPlanId } = request;
  if (effectiveDate === null) {
    nextSubscriptionStatus(subscription.status, 'switch');
    return { kind: 'withdrawn' };
  }
  if (newPlanId === subscription.planId) throw contradiction(`The subscription is on plan ${newPlanId} already.`);
  const { currentPeriod, plannedCancel } = subscription;
  const { billing } = currentPeriod;
  const today = dateIn(billingPeriodOf(currentPeriod), at);
  if (effectiveDate !== 'immediately' && (effectiveDate < today || effectiveDate > billing.endDate)) {
    throw invalid({ effective_date: [`Must be from ${today}, today, to ${billing.endDate}, the period's end.`] });
  }
  if (!newPlan) throw notFound(`plan ${newPlanId}`);
  if (newPlan.currency !== subject.currency) {
    throw contradiction(`The plan is in ${newPlan.currency}, the customer is billed in ${subject.currency}.`);
  }
  nextSubscriptionStatus(subscription.status, 'switch');
  if (newPlan.status === 'archived')
    throw conflict(`Plan ${newPlan.planId} is archived and takes no new subscriptions.`);
  if (subject.heldPlanIds.includes(newPlan.planId)) {
    throw conflict(`The customer already has a live subscription to plan ${newPlan.planId}.`);
  }
  const isNow = effectiveDate === 'immediately' || effectiveDate === today;
  if (isNow && at < currentPeriod.endsAt) return { kind: 'now', plan: newPlan };
  const switchAt = isNow ? currentPeriod.endsAt : planInstant(effectiveDate, currentPeriod, timeZone);
  if (plannedCancel !== null && plannedCancel.at <= switchAt) {
    throw conflict('The subscription is active, but its planned cancel comes before the switch.');
  }
  const { invoicingBehavior, usageBehavior } = request;
  const on = datePlanned(switchAt, currentPeriod, timeZone);
  const planned = { at: switchAt, newPlanId: newPlan.planId, effectiveDate: on, invoicingBehavior, usageBehavior };
  return { kind: 'planned', plan: newPlan, switch: planned };
}

/** A switch to a plan in its version of now, and how it is billed. */
export type SwitchTerms = { nextPlan: Plan } & Pick<SwitchRequest, 'invoicingBehavior' | 'usageBehavior'>;

/** The switch that is planned; null for none, and where the customer has come to hold the plan. */
export function plannedSwitchOf(
  { plannedSwitch }: Subscription,
  { newPlan, heldPlanIds }: Pick<SwitchSubject, 'newPlan' | 'heldPlanIds'>,
): SwitchTerms | null {
  if (plannedSwitch === null || !newPlan || heldPlanIds.includes(newPlan.planId)) return null;
  const { invoicingBehavior, usageBehavior } = plannedSwitch;
  return { nextPlan: newPlan, invoicingBehavior, usageBehavior };
}

/** How a switch goes on: in the same period, by closing it, or with the next one. */
export type Succession = 'carries_on' | 'closes' | 'at_period_end';

/**
 * Same billing period and same timing: "the new one keeps the period's boundaries"; else "the old period closes now and a
 * new period starts today"; at the period's end the next one is the new plan's (spec/subscriptions#switch). A trial is kept.
 */
export function successionOf(
  old: PlanCalendar & Pick<Subscription, 'chargeTiming' | 'currentPeriod'>,
  next: PlanCalendar & Pick<Plan, 'chargeTiming'>,
  at: Instant,
): Succession {
  if (at >= old.currentPeriod.billing.endsAt) return 'at_period_end';
  if (old.currentPeriod.trial) return 'carries_on';
  return isSameCalendar(old, next) && next.chargeTiming === old.chargeTiming ? 'carries_on' : 'closes';
}

/** The first period of the subscription that a switch at `at` begins. */
export function successorPeriod(old: Subscription, next: Plan, at: Instant, timeZone: string): Period {
  const { currentPeriod } = old;
  const succession = successionOf(old, next, at);
  const { billing } = currentPeriod;
  if (succession === 'carries_on') {
    return trialBefore(next, { ...currentPeriod, index: 0, billing: { ...billing, index: 0 } });
  }
  const isAtEnd = succession === 'at_period_end';
  const startDate = isAtEnd ? billing.endDate : localDateAt(at, timeZone);
  const startsAt = isAtEnd ? billing.endsAt : Math.max(currentPeriod.startsAt, startOfLocalDay(startDate, timeZone));
  const { billingPeriod, usagePeriod } = next;
  // Periods that are counted alike keep their anchor.
  const anchorDate = isAtEnd && isSameCalendar(old, next) ? currentPeriod.anchorDate : anchorOf(next, startDate);
  const first = periodOf({ startDate, billingPeriod, usagePeriod, anchorDate, timeZone }, 0);
  return { ...first, startsAt, billing: { ...first.billing, startsAt } };
}

/** The subscription that a switch begins: it goes on as the old one was, also with its planned cancel. */
export function successorOf(
  old: Subscription,
  plan: Plan,
  { subscriptionId, at, timeZone }: { subscriptionId: string; at: Instant; timeZone: string },
): Subscription {
  const currentPeriod = successorPeriod(old, plan, at, timeZone);
  return {
    ...old,
    subscriptionId,
    ...heldTerms(plan),
    startDate: currentPeriod.billing.startDate,
    phases: phasesBehindSwitch(old, at),
    trialEndsOn: currentPeriod.trial ? currentPeriod.endDate : null,
    currentPeriod,
    plannedSwitch: null,
    previousSubscriptionId: old.subscriptionId,
    replacedBy: null,
    createdAt: at,
  };
}

/** The old subscription once another has taken its place. */
export function replacedBy(old: Subscription, subscriptionId: string, at: Instant): Subscription {
  return {
    ...old,
    status: nextSubscriptionStatus(old.status, 'switch'),
    ended: { at, reason: 'switched' },
    plannedCancel: null,
    plannedSwitch: null,
    phases: [],
    replacedBy: subscriptionId,
  };
}

/** What a switch charges or credits for the rest of the period (spec/subscriptions#switch); `amount` is not below 0. */
export type Proration = {
  amount: Decimal;
  direction: 'charge' | 'credit' | 'none';
  daysRemaining: number;
  daysInPeriod: number;
};

/** "(new price minus old price) times (days remaining divided by days in the period), in absolute value", rounded once. */
export function prorationOf(
  charge: Pick<ProrationCharge, 'difference' | 'billedDays' | 'days'>,
  places: number,
): Proration {
  const { difference, billedDays, days } = charge;
  const signed = roundHalfAwayFromZero(difference.times(billedDays).div(days), places);
  const direction = signed.isZero() ? 'none' : signed.gt(0) ? 'charge' : 'credit';
  return { amount: signed.abs(), direction, daysRemaining: billedDays, daysInPeriod: days };
}

/** How a switch closes a period: as a cancel that charges, or credits, pro rata and bills usage (spec/subscriptions#switch). */
export function switchEnding(at: Instant, period: Period): Ending {
  const on = dateIn(period, at);
  return { at, on, flatFeeBehavior: 'charge_prorated', billUsage: true, givesCredit: true };
}

/** The two sides of a switch within a period: the old subscription with its plan and what switches left to it, and the new one. */
export type SwitchParties = {
  old: Subscription;
  oldPlan: Plan;
  next: Subscription;
  nextPlan: Plan;
  switched: SwitchedPeriod | null;
  /** The pending invoice that will charge the fee of the period, where it has not been charged yet (spec/invoices#grace). */
  pendingOpening: PendingOpening | null;
};

/** What the rest of the period costs more, or less, by the new plan: from the date of the change, which remains. */
export function switchCharge({ old, oldPlan, next, nextPlan }: SwitchParties, at: Instant): ProrationCharge {
  const period = billingPeriodOf(old.currentPeriod);
  const { endDate, days, endsAt } = period;
  const on = dateIn(period, at);
  return {
    subscriptionId: next.subscriptionId,
    planId: nextPlan.planId,
    version: nextPlan.version,
    periodStart: at,
    periodEnd: endsAt,
    planName: nextPlan.name,
    oldPlanName: oldPlan.name,
    difference: period.trial ? ZERO : nextPlan.recurringFee.minus(oldPlan.recurringFee),
    billedDays: Math.max(0, daysBetween(on, endDate)),
    days,
  };
}

type Terms = { at: Instant; behavior: UsageBehavior; unitsOf(component: Component): Decimal };

/** What the switch leaves to the new subscription's period; where it closes the old one, only the usage that comes with it. */
export function switchedPeriod(parties: SwitchParties, { at, behavior, unitsOf }: Terms): SwitchedPeriod {
  const { old, oldPlan, next, nextPlan, switched } = parties;
  const { currentPeriod } = old;
  const before = switched?.usageFrom ?? { all: currentPeriod.startsAt, metrics: {} };
  const { windows, usageFrom } = shareUsage(before, oldPlan, nextPlan, { behavior, at, unitsOf });
  if (successionOf(old, nextPlan, at) !== 'carries_on') return { plans: [], windows: [], usageFrom };
  const { subscriptionId, planId, version } = next;
  const begun = { subscriptionId, planId, version, at, on: dateIn(currentPeriod, at) };
  return {
    plans: [...plansInForce(old, currentPeriod, switched), begun],
    windows: [...(switched?.windows ?? []), ...windows],
    usageFrom,
  };
}

/** The units that the new subscription prepays by those of the old one: "prepaid units move for metrics the new plan bills". */
export function movedUnits(
  oldPlan: Plan,
  nextPlan: Plan,
  { unitsOf, isOwn }: { unitsOf(component: Component): Decimal; isOwn(metricId: string): boolean },
): { metricId: string; units: Decimal }[] {
  return oldPlan.components
    .filter(({ metricId }) => nextPlan.components.some((next) => next.metricId === metricId && takesPrepaidUnits(next)))
    .map((component) => ({ metricId: component.metricId, units: unitsOf(component) }))
    .filter(({ metricId, units }) => units.gt(0) || isOwn(metricId));
}

/** "Prepaid units are billed ahead": those that only the new plan has, in full for the period that is carried on. */
export function newUnits(
  { next, nextPlan }: Pick<SwitchParties, 'next' | 'nextPlan'>,
  moved: readonly { metricId: string }[],
  nameOf: (metricId: string) => string,
): PrepaidCharge[] {
  const { subscriptionId, currentPeriod } = next;
  const { planId, version } = nextPlan;
  if (currentPeriod.trial) return [];
  const origin = {
    subscriptionId,
    planId,
    version,
    periodStart: currentPeriod.startsAt,
    periodEnd: currentPeriod.endsAt,
  };
  return nextPlan.components
    .filter(({ metricId, prepaidUnits }) => prepaidUnits.gt(0) && !moved.some((one) => one.metricId === metricId))
    .map((component) => {
      return { ...origin, metricName: nameOf(component.metricId), component, units: component.prepaidUnits };
    });
}

/** What switches to cheaper plans have made a period cheaper by, without tax and before discounts: each was rounded once. */
export function lessBySwitches({ segments, days }: SegmentedPeriod, places: number): Decimal {
  return sum(switchesIn(segments).map((one) => lessBySwitch(one, days, places)));
}

/** The same of one switch; 0 of one to a dearer plan. */
export function lessBySwitch({ oldPlan, plan, rest }: SwitchWithin, days: number, places: number): Decimal {
  const difference = plan.recurringFee.minus(oldPlan.recurringFee);
  const { amount, direction } = prorationOf({ difference, billedDays: daysOf(rest), days }, places);
  return direction === 'credit' ? amount : ZERO;
}

/** Whether the planned switch comes before the invoice of the current usage period, or with it where the billing period ends with that. */
export function isSwitchedWithin({
  plannedSwitch,
  currentPeriod,
}: Pick<Subscription, 'plannedSwitch' | 'currentPeriod'>): boolean {
  if (plannedSwitch === null) return false;
  const { endsAt } = currentPeriod;
  return endsBilling(currentPeriod) ? plannedSwitch.at <= endsAt : plannedSwitch.at < endsAt;
}

/** "A planned cancel drops a switch planned at or after it"; null withdraws the cancel that was planned. */
export function withPlannedCancel(subscription: Subscription, plannedCancel: PlannedCancel | null): Subscription {
  const { plannedSwitch } = subscription;
  const isDropped = plannedCancel !== null && plannedSwitch !== null && plannedSwitch.at >= plannedCancel.at;
  return { ...subscription, plannedCancel, plannedSwitch: isDropped ? null : plannedSwitch };
}
