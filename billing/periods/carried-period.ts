import { type Decimal, min, ZERO } from '../../core/decimal.ts';
import type { Instant, LocalDate } from '../../core/instants.ts';
import type { CollectedFee } from '../credits/charged-fee.ts';
import type { Component } from '../pricing/rating.ts';
import type { Plan, UsageBehavior } from '../subscriptions/subscription.ts';

/** From when a period counts usage for its plan: `metrics` names those that another plan has billed up to an instant. */
export type UsageStart = { all: Instant; metrics: Readonly<Record<string, Instant>> };

/** A plan in force in a part of a period: from `at` on, by local date `on`, as this subscription's. */
export type FeeStretch<OfPlan = PlanVersion> = OfPlan & { subscriptionId: string; at: Instant; on: LocalDate };

type PlanVersion = { planId: string; version: number };

/**
 * Usage before a switch that is billed by the plan of then, at the period's end. `prepaidUnits` are those in force then;
 * `movesUnits` where they went on to the plan after it.
 */
export type EarlierUsage = PlanVersion & {
  metricId: string;
  startsAt: Instant;
  endsAt: Instant;
  prepaidUnits: Decimal;
  movesUnits: boolean;
};

/**
 * What a period that switches have carried on to another subscription still bills for the plans before (spec/subscriptions#switch): `stretches` in order, the first one by the plan that the period began with; none where the period is the
 * subscription's own and only usage came with it.
 */
export type CarriedPeriod = { stretches: FeeStretch[]; usages: EarlierUsage[]; usageFrom: UsageStart };

/**
 * What a switch to a dearer plan at `at` has charged on an invoice, as the new subscription's; nothing is left of one that is
 * void. `charges`: all that the invoice charges, without tax.
 */
export type SwitchCharge = CollectedFee & { subscriptionId: string; at: Instant; charges: Decimal };

/** The same with its plans, with the usage before the switches counted, and with what they have charged. */
export type LoadedCarry = {
  stretches: FeeStretch<{ plan: Plan }>[];
  usages: (EarlierUsage & { component: Component; metricName: string; value: Decimal; eventsCount: Decimal })[];
  usageFrom: UsageStart;
  switchCharges?: readonly SwitchCharge[];
};

/** Since when the metric's usage is counted for the plan of now. */
export function usageStartOf({ all, metrics }: UsageStart, metricId: string): Instant {
  return metrics[metricId] ?? all;
}

type UseOfUnits = Pick<LoadedCarry['usages'][number], 'metricId' | 'movesUnits' | 'value' | 'prepaidUnits'>;

/** What is left for later usage of a metric of `units`, where usage before a switch, oldest first, has used some. */
export function unitsLeft(units: Decimal, metricId: string, earlier: readonly UseOfUnits[]): Decimal {
  const used = usedBefore(metricId, earlier);
  return used.lt(units) ? units.minus(used) : ZERO;
}

/** What usage before switches has used of the units that have moved on to the plan of now. */
function usedBefore(metricId: string, earlier: readonly UseOfUnits[]): Decimal {
  let used = ZERO;
  for (const one of earlier.filter((usage) => usage.metricId === metricId)) {
    // What was beyond the units of then was billed then.
    if (one.value.gt(0)) used = min(used.plus(one.value), one.prepaidUnits);
    if (!one.movesUnits) used = ZERO;
  }
  return used;
}

/** Where usage uses up a metric's units in a period: before switches, oldest first, and since `startsAt`. */
export type UseOfPeriod = { earlier: EarlierUsage[]; startsAt: Instant };

/** Where usage uses up the units of a metric in a period that starts at `startsAt`, and carries what switches left. */
export function useOfPeriod(carried: CarriedPeriod | null, metricId: string, startsAt: Instant): UseOfPeriod {
  if (carried === null) return { earlier: [], startsAt };
  const earlier = carried.usages.filter((usage) => usage.metricId === metricId);
  return { earlier, startsAt: usageStartOf(carried.usageFrom, metricId) };
}

/** The units used in a period: `values` are those of each `earlier` usage, then that since the last switch. */
export function unitsUsed({ earlier }: UseOfPeriod, metricId: string, values: readonly Decimal[]): Decimal {
  const before = earlier.map((usage, i) => ({ ...usage, value: values[i] ?? ZERO }));
  const now = values[earlier.length] ?? ZERO;
  return usedBefore(metricId, before).plus(now.gt(0) ? now : ZERO);
}

/**
 * What of the usage before a switch the old plan bills, and from when the new one counts: by reset all of it and from now
 * on; by transfer only metrics that the new plan does not bill. Usage is never billed twice: what a plan has billed up to an
 * instant counts for a later plan from there on.
 */
export function shareUsage(
  from: UsageStart,
  old: Plan,
  next: Plan,
  { behavior, at, unitsOf }: { behavior: UsageBehavior; at: Instant; unitsOf(component: Component): Decimal },
): { billedByOld: EarlierUsage[]; usageFrom: UsageStart } {
  const bills = (plan: Plan, metricId: string) => plan.components.some((component) => component.metricId === metricId);
  const { planId, version } = old;
  const ending = old.components
    .filter(({ metricId }) => behavior === 'reset_usage' || !bills(next, metricId))
    .map((component) => ({
      planId,
      version,
      metricId: component.metricId,
      startsAt: usageStartOf(from, component.metricId),
      endsAt: at,
      prepaidUnits: unitsOf(component),
      movesUnits: bills(next, component.metricId),
    }));
  // Units end with a switch also where no usage lies between it and the one before.
  const billedByOld = ending.filter(
    ({ startsAt, movesUnits, prepaidUnits }) => startsAt < at || (!movesUnits && prepaidUnits.gt(0)),
  );
  if (behavior === 'reset_usage') return { billedByOld, usageFrom: { all: at, metrics: {} } };
  const ended = Object.fromEntries(ending.map(({ metricId }) => [metricId, at]));
  return { billedByOld, usageFrom: { all: from.all, metrics: { ...from.metrics, ...ended } } };
}
