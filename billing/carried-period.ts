import { type Decimal, ZERO } from './decimal.ts';
import type { Instant, LocalDate } from './instants.ts';
import type { Component } from './rating.ts';
import type { Plan } from './subscription.ts';

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
 * What a period that switches have carried on to another subscription still bills for the plans before (contract 7,
 * switch_plan): `stretches` in order, the first one by the plan that the period began with; none where the period is the
 * subscription's own and only usage came with it.
 */
export type CarriedPeriod = { stretches: FeeStretch[]; usages: EarlierUsage[]; usageFrom: UsageStart };

/** The same with its plans, and with the usage before the switches counted. */
export type LoadedCarry = {
  stretches: FeeStretch<{ plan: Plan }>[];
  usages: (EarlierUsage & { component: Component; metricName: string; value: Decimal; eventsCount: Decimal })[];
  usageFrom: UsageStart;
};

/** Since when the metric's usage is counted for the plan of now. */
export function usageStartOf({ all, metrics }: UsageStart, metricId: string): Instant {
  return metrics[metricId] ?? all;
}

/** What is left for later usage of a metric of `units`, where usage before a switch, oldest first, has used some. */
export function unitsLeft(
  units: Decimal,
  metricId: string,
  earlier: readonly Pick<LoadedCarry['usages'][number], 'metricId' | 'movesUnits' | 'value' | 'prepaidUnits'>[],
): Decimal {
  let used = ZERO;
  for (const one of earlier.filter((usage) => usage.metricId === metricId)) {
    // What was beyond the units of then was billed then.
    if (one.value.gt(0)) used = smaller(used.plus(one.value), one.prepaidUnits);
    if (!one.movesUnits) used = ZERO;
  }
  return used.lt(units) ? units.minus(used) : ZERO;
}

function smaller(a: Decimal, b: Decimal): Decimal {
  return a.lt(b) ? a : b;
}

/** How a switch shares out the usage of the period so far (contract 7, switch_plan: transfer and reset). */
export type UsageBehavior = 'transfer_to_new_subscription' | 'reset_usage';

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
