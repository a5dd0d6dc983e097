import type { Decimal } from '../../core/decimal.ts';
import { conflict } from '../../core/domain-error.ts';
import { type Instant, type LocalDate, localDateAt } from '../../core/instants.ts';
import type { Interval } from '../metering/buckets.ts';
import type { Period } from '../periods/periods.ts';
import type { SwitchedPeriod, UsageWindow } from '../periods/usage-windows.ts';
import type { Component } from '../pricing/rating.ts';
import type { Plan } from './subscription.ts';

/**
 * A subscription that was created before another one of the same customer, with its lifetime and the metrics that its plan bills.
 * `endedAt` is null while it goes on. `previousId` names the subscription that a switch replaced by it.
 */
export type EarlierLife = {
  subscriptionId: string;
  previousId: string | null;
  planId: string;
  startsAt: Instant;
  endedAt: Instant | null;
  metricIds: readonly string[];
};

/** What is created: its plan, its first period, and when. `unitsOf` gives the units that it prepays. */
type Created = { plan: Plan; period: Period; at: Instant; unitsOf(component: Component): Decimal };

/**
 * Computes which usage before its creation a new subscription bills (spec/subscriptions#earlier-usage): none of a metric while an
 * earlier subscription that bills the metric was live. Returns null if it bills all usage of its first period.
 */
export function usageLeftBy(
  lives: readonly EarlierLife[],
  { plan, period, at, unitsOf }: Created,
): SwitchedPeriod | null {
  const successions = joinSuccessions(lives);
  const metrics: Record<string, Instant> = {};
  const windows: (UsageWindow & { prepaidUnits: Decimal })[] = [];
  for (const component of plan.components) {
    const { metricId } = component;
    const taken = successions
      .filter(({ metricIds }) => metricIds.includes(metricId))
      .map(({ startsAt, endedAt }) => ({
        startsAt: Math.max(startsAt, period.startsAt),
        endsAt: Math.min(endedAt ?? at, at),
      }))
      .filter(({ startsAt, endsAt }) => startsAt < endsAt);
    if (taken.length === 0) continue;
    metrics[metricId] = Math.max(...taken.map(({ endsAt }) => endsAt));
    const by = { planId: plan.planId, version: plan.version, metricId, movesUnits: true };
    windows.push(
      ...gapsBefore(taken, period.startsAt).map((gap) => ({ ...by, ...gap, prepaidUnits: unitsOf(component) })),
    );
  }
  if (Object.keys(metrics).length === 0) return null;
  return { plans: [], windows, usageFrom: { all: period.startsAt, metrics } };
}

/** Lives that switches connect count as one, with the metrics of all their plans. */
function joinSuccessions(lives: readonly EarlierLife[]) {
  const byId = new Map(lives.map((life) => [life.subscriptionId, life]));
  const rootOf = (life: EarlierLife): string => {
    const previous = life.previousId === null ? undefined : byId.get(life.previousId);
    return previous ? rootOf(previous) : life.subscriptionId;
  };
  return [...Map.groupBy(lives, rootOf).values()].map((joined) => ({
    startsAt: Math.min(...joined.map(({ startsAt }) => startsAt)),
    endedAt: joined.some(({ endedAt }) => endedAt === null)
      ? null
      : Math.max(...joined.map((life) => life.endedAt ?? 0)),
    metricIds: joined.flatMap(({ metricIds }) => metricIds),
  }));
}

/** The parts between intervals, from an instant to the start of the last interval, that none of them covers. */
function gapsBefore(intervals: readonly Interval[], from: Instant): Interval[] {
  const gaps: Interval[] = [];
  let covered = from;
  for (const { startsAt, endsAt } of intervals.toSorted((a, b) => a.startsAt - b.startsAt)) {
    if (startsAt > covered) gaps.push({ startsAt: covered, endsAt: startsAt });
    covered = Math.max(covered, endsAt);
  }
  return gaps;
}

/**
 * Refuses a start date before the day on which an earlier subscription to the same plan ended (spec/subscriptions#creation).
 * @throws DomainError `conflict` that names the earliest date
 */
export function assertStartsAfter(
  lives: readonly EarlierLife[],
  { planId, startDate, timeZone }: { planId: string; startDate: LocalDate; timeZone: string },
): void {
  const ends = lives.flatMap((life) => (life.planId === planId && life.endedAt !== null ? life.endedAt : []));
  if (ends.length === 0) return;
  const earliest = localDateAt(Math.max(...ends), timeZone);
  if (startDate >= earliest) return;
  throw conflict(
    `An earlier subscription of the customer to plan ${planId} ended on ${earliest}: start_date must be ${earliest} or later.`,
  );
}
