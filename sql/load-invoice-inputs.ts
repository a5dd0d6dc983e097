import type { ClickHouseClient } from '@clickhouse/client';
import type { UsageValue } from '../billing/aggregate.ts';
import type { BoundaryInput } from '../billing/boundary-charges.ts';
import type { OpeningInput } from '../billing/opening-invoice.ts';
import { type Period, periodAfter } from '../billing/periods.ts';
import type { Customer, Plan, Subscription } from '../billing/subscription.ts';
import { listChargeableAddons } from './addon-subscriptions.ts';
import type { MetricQuestion } from './metric-query.ts';
import { findMetricUsages } from './metric-usage.ts';
import { findMetrics } from './metrics.ts';
import { findPlan } from './plans.ts';
import { inTransaction, type Pool, type Transaction } from './postgres.ts';
import { listOwnPrepaidUnits } from './prepaid-units.ts';

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
  const { plan, metrics, terms } = await inTransaction(postgres, accountId, async (tx) => {
    const version = await findPlan(tx, accountId, subscription.planId, subscription.version);
    if (!version) throw new Error(`plan ${subscription.planId} has lost version ${subscription.version}`);
    return {
      plan: version,
      metrics: await findMetrics(tx, accountId, metricsOf(version)),
      terms: await loadBoundaryTerms(tx, accountId, customer, subscription),
    };
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
    ...terms,
    metrics: metrics.map(({ metricId, metricName }, i) => ({ ...usageAt(usages, i), metricId, metricName })),
  };
}

/** What the very start of a subscription bills by; usage is none of it (contract 7). */
export async function loadOpening(
  tx: Transaction,
  accountId: string,
  subscription: Subscription,
): Promise<OpeningInput> {
  const { subscriptionId, planId, version, currentPeriod } = subscription;
  const plan = await findPlan(tx, accountId, planId, version);
  if (!plan) throw new Error(`plan ${planId} has lost version ${version}`);
  return {
    subscriptionId,
    plan,
    first: currentPeriod,
    metrics: await findMetrics(tx, accountId, metricsOf(plan)),
    ...(await loadOwnTerms(tx, accountId, subscriptionId)),
  };
}

/** What a boundary bills by besides usage; it may change until the boundary is crossed. */
export type BoundaryTerms = Required<Pick<BoundaryInput, 'next' | 'prepaidUnits' | 'addons'>>;

/** The terms as they are now: a closing reads them in its own transaction, with the subscription locked. */
export async function loadBoundaryTerms(
  tx: Transaction,
  accountId: string,
  customer: Customer,
  subscription: Subscription,
): Promise<BoundaryTerms> {
  return {
    next: nextPeriod(subscription, customer),
    ...(await loadOwnTerms(tx, accountId, subscription.subscriptionId)),
  };
}

async function loadOwnTerms(tx: Transaction, accountId: string, subscriptionId: string) {
  const prepaid = await listOwnPrepaidUnits(tx, accountId, [subscriptionId]);
  return {
    prepaidUnits: new Map(prepaid.map(({ metricId, units }) => [metricId, units])),
    addons: await listChargeableAddons(tx, accountId, subscriptionId),
  };
}

function usageAt(usages: UsageValue[], i: number): UsageValue {
  const usage = usages[i];
  if (!usage) throw new Error('a metric has no answer');
  return usage;
}

/** The period after the current one; null where the subscription ends with it. */
function nextPeriod(subscription: Subscription, { timeZone }: Customer): Period | null {
  const { startDate, billingPeriod, currentPeriod, autoRenew } = subscription;
  return autoRenew ? periodAfter({ startDate, billingPeriod, timeZone }, currentPeriod) : null;
}

function metricsOf(plan: Plan): string[] {
  return plan.components.map((component) => component.metricId);
}
