import type { UsageValue } from '../billing/aggregate.ts';
import type { CarriedPeriod, EarlierUsage, FeeStretch, LoadedCarry, UsageStart } from '../billing/carried-period.ts';
import type { Metric } from '../billing/metrics.ts';
import type { Component } from '../billing/rating.ts';
import type { Plan } from '../billing/subscription.ts';
import { findMetrics } from './metrics.ts';
import { loadPlans } from './plans.ts';
import type { Transaction } from './postgres.ts';

/** What a period carries, with plans and metrics but not counted yet. */
export type CarryToCount = {
  stretches: FeeStretch<{ plan: Plan }>[];
  usages: (EarlierUsage & { component: Component; metric: Metric })[];
  usageFrom: UsageStart;
};

/** Loads the plans and metrics that a carried period names. */
export async function loadCarry(tx: Transaction, accountId: string, carried: CarriedPeriod): Promise<CarryToCount> {
  const planOf = await loadPlans(tx, accountId, [...carried.stretches, ...carried.usages]);
  const stretches = carried.stretches.map(({ subscriptionId, at, on, ...version }) => {
    return { subscriptionId, at, on, plan: planOf(version) };
  });
  const metricIds = [...new Set(carried.usages.map(({ metricId }) => metricId))];
  const metrics = await findMetrics(tx, accountId, metricIds);
  const usages = carried.usages.map((usage) => {
    const component = planOf(usage).components.find(({ metricId }) => metricId === usage.metricId);
    const metric = metrics.find(({ metricId }) => metricId === usage.metricId);
    if (!component || !metric) throw new Error(`metric ${usage.metricId} of a carried period is missing`);
    return { ...usage, component, metric };
  });
  return { stretches, usages, usageFrom: carried.usageFrom };
}

/** The carried period with the values of its usages, in their order. */
export function countedCarry({ usages, ...carry }: CarryToCount, values: readonly UsageValue[]): LoadedCarry {
  return {
    ...carry,
    usages: usages.map(({ metric, ...usage }, i) => {
      const counted = values[i];
      if (!counted) throw new Error('a carried metric has no answer');
      return { ...usage, metricName: metric.metricName, ...counted };
    }),
  };
}
