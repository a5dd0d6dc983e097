import type { UsageValue } from '../billing/aggregate.ts';
import type { CarriedPeriod, EarlierUsage, FeeStretch, LoadedCarry, UsageStart } from '../billing/carried-period.ts';
import type { Metric } from '../billing/metrics.ts';
import type { Component } from '../billing/rating.ts';
import type { Plan } from '../billing/subscription.ts';
import { findMetrics } from './metrics.ts';
import { findPlan } from './plans.ts';
import type { Transaction } from './postgres.ts';

/** What a period carries, with plans and metrics but not counted yet. */
export type CarryToCount = {
  stretches: FeeStretch<{ plan: Plan }>[];
  usages: (EarlierUsage & { component: Component; metric: Metric })[];
  usageFrom: UsageStart;
};

/** Loads the plans and metrics that a carried period names. */
export async function loadCarry(tx: Transaction, accountId: string, carried: CarriedPeriod): Promise<CarryToCount> {
  const plans = new Map<string, Plan>();
  const planOf = async ({ planId, version }: { planId: string; version: number }): Promise<Plan> => {
    const key = `${planId} ${version}`;
    const plan = plans.get(key) ?? (await findPlan(tx, accountId, planId, version));
    if (!plan) throw new Error(`plan ${planId} has lost version ${version}`);
    plans.set(key, plan);
    return plan;
  };
  const stretches: CarryToCount['stretches'] = [];
  for (const { subscriptionId, at, on, ...version } of carried.stretches) {
    stretches.push({ subscriptionId, at, on, plan: await planOf(version) });
  }
  const metricIds = [...new Set(carried.usages.map(({ metricId }) => metricId))];
  const metrics = await findMetrics(tx, accountId, metricIds);
  const usages: CarryToCount['usages'] = [];
  for (const usage of carried.usages) {
    const component = (await planOf(usage)).components.find(({ metricId }) => metricId === usage.metricId);
    const metric = metrics.find(({ metricId }) => metricId === usage.metricId);
    if (!component || !metric) throw new Error(`metric ${usage.metricId} of a carried period is missing`);
    usages.push({ ...usage, component, metric });
  }
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
