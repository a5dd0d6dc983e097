import { type Decimal, min, ZERO } from '../../core/decimal.ts';
import type { Instant } from '../../core/instants.ts';
import type { Interval } from '../metering/buckets.ts';
import type { Component } from '../pricing/rating.ts';
import type { Plan, PlanVersion, UsageBehavior } from '../subscriptions/subscription.ts';
import type { Period } from './periods.ts';
import type { CreditedPart, PlanInForce } from './segments.ts';
import type { BillingSpan } from './usage-months.ts';

/**
 * Usage of a metric that one plan version bills at a period's end. `prepaidUnits` are those in force when a switch ended the
 * window, null where none has: then it bills by those of now. `movesUnits`: they went on to the plan after it.
 */
export type UsageWindow = PlanVersion &
  Interval & { metricId: string; prepaidUnits: Decimal | null; movesUnits: boolean };

/** From when a period counts usage for its plan: `metrics` names those that another plan has billed up to an instant. */
export type UsageStart = { all: Instant; metrics: Readonly<Record<string, Instant>> };

/**
 * What switches have left to the first period of the subscription that goes on (spec/subscriptions#switch): the plans in force in it,
 * in order, none where they closed the period before; the usage that earlier plans bill, and since when its own does.
 */
export type SwitchedPeriod = {
  plans: readonly PlanInForce[];
  windows: (UsageWindow & { prepaidUnits: Decimal })[];
  usageFrom: UsageStart;
};

/** The same with what the last switch has credited. */
export function withCredited(switched: SwitchedPeriod, credited: readonly CreditedPart[]): SwitchedPeriod {
  const { plans } = switched;
  return { ...switched, plans: plans.map((one, i) => (i === plans.length - 1 ? { ...one, credited } : one)) };
}

/** Since when the metric's usage is counted for the plan of now. */
export function usageStartOf({ all, metrics }: UsageStart, metricId: string): Instant {
  return metrics[metricId] ?? all;
}

/** Which period of a subscription it is. */
export type SwitchedKey = Pick<Period, 'index' | 'startsAt'> & { billing: Pick<BillingSpan, 'index'> };

/**
 * What switches have left to a period, of what they have left to the `first` one of the subscription that goes on. Usage of a metric that
 * another plan bills up to an instant counts from there on, also where that instant lies in a later usage month.
 */
export function switchedIn(
  first: SwitchedPeriod | null,
  { index, startsAt: all, billing }: SwitchedKey,
): SwitchedPeriod | null {
  if (first === null || billing.index > 0) return null;
  if (index === 0) return first;
  const metrics = Object.fromEntries(Object.entries(first.usageFrom.metrics).filter(([, from]) => from > all));
  return { plans: first.plans, windows: [], usageFrom: { all, metrics } };
}

/**
 * The usage that a period bills, oldest first: windows that switches have ended, then one for each component of the plan of now,
 * up to the end of `span`. A window may begin before the period, and have no length.
 */
export function usageWindows(
  switched: SwitchedPeriod | null,
  { planId, version, components }: PlanVersion & { components: readonly { metricId: string }[] },
  span: Interval,
): UsageWindow[] {
  const own = components.map(({ metricId }): UsageWindow => {
    const startsAt = switched ? usageStartOf(switched.usageFrom, metricId) : span.startsAt;
    const endsAt = Math.max(startsAt, span.endsAt);
    return { planId, version, metricId, startsAt, endsAt, prepaidUnits: null, movesUnits: true };
  });
  return [...(switched?.windows ?? []), ...own];
}

/** {@link usageWindows} of one metric that the plan of now bills. */
export function windowsOfMetric(
  switched: SwitchedPeriod | null,
  plan: PlanVersion,
  metricId: string,
  span: Interval,
): UsageWindow[] {
  const windows = usageWindows(switched, { ...plan, components: [{ metricId }] }, span);
  return windows.filter((window) => window.metricId === metricId);
}

/**
 * What is used of a metric's prepaid units by its windows, oldest first, where these have moved on from one to the next; `values`
 * are the usage of each.
 */
export function unitsUsed(windows: readonly UsageWindow[], values: readonly Decimal[]): Decimal {
  return windows.reduce((before, { prepaidUnits, movesUnits }, i) => {
    const value = values[i] ?? ZERO;
    if (!movesUnits) return ZERO;
    if (!value.gt(0)) return before;
    const used = before.plus(value);
    // What was beyond the units of then was billed then.
    return prepaidUnits ? min(used, prepaidUnits) : used;
  }, ZERO);
}

/** What is left of `units` for a window behind these of its metric. */
export function unitsLeft(units: Decimal, earlier: readonly UsageWindow[], values: readonly Decimal[]): Decimal {
  const used = unitsUsed(earlier, values);
  return used.lt(units) ? units.minus(used) : ZERO;
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
): Pick<SwitchedPeriod, 'windows' | 'usageFrom'> {
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
  const windows = ending.filter(
    ({ startsAt, movesUnits, prepaidUnits }) => startsAt < at || (!movesUnits && prepaidUnits.gt(0)),
  );
  if (behavior === 'reset_usage') return { windows, usageFrom: { all: at, metrics: {} } };
  const ended = Object.fromEntries(ending.map(({ metricId }) => [metricId, at]));
  return { windows, usageFrom: { all: from.all, metrics: { ...from.metrics, ...ended } } };
}
