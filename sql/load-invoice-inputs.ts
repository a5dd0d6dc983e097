import type { ClickHouseClient } from '@clickhouse/client';
import type { UsageValue } from '../billing/aggregate.ts';
import type { BoundaryInput } from '../billing/boundary-charges.ts';
import { periodAfter } from '../billing/periods.ts';
import type { Customer, Plan, Subscription } from '../billing/subscription.ts';
import type { MetricQuestion } from './metric-query.ts';
import { findMetricUsages } from './metric-usage.ts';
import { findMetrics } from './metrics.ts';
import { findPlan } from './plans.ts';
import { inTransaction, type Pool } from './postgres.ts';

/** Where a boundary's numbers come from. */
export type InvoiceSources = { postgres: Pool; clickhouse: ClickHouseClient };

/**
 * What the end of a subscription's current period bills: its plan version, and the usage of every metric the plan bills.
 * `upTo` is the seal of a closing: usage at higher positions of the stream is not read, however often this is asked
 * (contract 8, completeness). Without it, as for a draft, everything that has landed counts.
 */
export async function loadBoundary(
  { postgres, clickhouse }: InvoiceSources,
  accountId: string,
  customer: Customer,
  subscription: Subscription,
  upTo?: bigint,
): Promise<BoundaryInput> {
  const { plan, metrics } = await inTransaction(postgres, accountId, async (tx) => {
    const version = await findPlan(tx, accountId, subscription.planId, subscription.version);
    if (!version) throw new Error(`plan ${subscription.planId} has lost version ${subscription.version}`);
    return { plan: version, metrics: await findMetrics(tx, accountId, metricsOf(version)) };
  });
  const { startsAt: start, endsAt: end } = subscription.currentPeriod;
  const { customerId, timeZone } = customer;
  const seal = upTo === undefined ? {} : { upTo };
  const questions = metrics.map(
    (metric): MetricQuestion => ({ accountId, customerId, timeZone, metric, start, end, ...seal }),
  );
  const usages = await findMetricUsages(clickhouse, questions);
  return {
    subscriptionId: subscription.subscriptionId,
    plan,
    ended: subscription.currentPeriod,
    next: nextPeriod(subscription, customer),
    metrics: metrics.map(({ metricId, metricName }, i) => ({ ...usageAt(usages, i), metricId, metricName })),
  };
}

function usageAt(usages: UsageValue[], i: number): UsageValue {
  const usage = usages[i];
  if (!usage) throw new Error('a metric has no answer');
  return usage;
}

/** The period after the current one; null where the subscription ends with it. */
function nextPeriod(subscription: Subscription, { timeZone }: Customer) {
  const { startDate, billingPeriod, currentPeriod, autoRenew } = subscription;
  return autoRenew ? periodAfter({ startDate, billingPeriod, timeZone }, currentPeriod) : null;
}

function metricsOf(plan: Plan): string[] {
  return plan.components.map((component) => component.metricId);
}
