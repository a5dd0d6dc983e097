import type { UsageValue } from '../billing/aggregate.ts';
import type { BoundaryInput } from '../billing/boundary-charges.ts';
import { type Ending, endingAt } from '../billing/cancel.ts';
import { type CarriedPeriod, usageStartOf } from '../billing/carried-period.ts';
import type { Instant } from '../billing/instants.ts';
import type { Metric } from '../billing/metrics.ts';
import type { OpeningInput } from '../billing/opening-invoice.ts';
import { type Pause, pausedIntervals } from '../billing/pauses.ts';
import { type Period, periodAfter } from '../billing/periods.ts';
import type { Customer, Plan, Subscription } from '../billing/subscription.ts';
import { listChargeableAddons } from './addon-subscriptions.ts';
import { findCarriedPeriod } from './carried-periods.ts';
import { countedCarry, loadCarry } from './load-carry.ts';
import type { MetricQuestion } from './metric-query.ts';
import { findMetricUsages, type UsageSource } from './metric-usage.ts';
import { findMetrics } from './metrics.ts';
import { listWaitingPeriods } from './periods.ts';
import { loadPlan } from './plans.ts';
import { inTransaction, type Pool, type Transaction } from './postgres.ts';
import { listOwnPrepaidUnits } from './prepaid-units.ts';

/** Where a boundary's numbers come from. */
export type InvoiceSources = UsageSource & { postgres: Pool };

/**
 * What ends now: `pauses` as they are then, `ending` where it is canceled, `closes` where the current period ends. `carried`
 * is what the current period would carry after a switch that is still to come; else what it does carry counts.
 */
export type Closure = {
  pauses: readonly Pause[];
  ending: Ending | null;
  closes: boolean;
  carried?: CarriedPeriod;
};

/**
 * What the closure of periods bills, oldest first: those that ended in a pause and wait, and where it `closes` the current
 * one, with the plan version and the usage of every metric the plan bills.
 * `upTo` is the seal of a closing: usage at higher positions of the stream is not read, however often this is asked
 * (contract 8, completeness). Without it, as for a draft, everything that has landed counts.
 */
export async function loadBoundaries(
  sources: InvoiceSources,
  accountId: string,
  customer: Customer,
  subscription: Subscription,
  closure: Closure,
  upTo?: bigint,
): Promise<BoundaryInput[]> {
  const rules = await inTransaction(sources.postgres, accountId, (tx) =>
    loadClosingRules(tx, accountId, subscription, closure.carried),
  );
  return countBoundaries(sources, { accountId, customer, subscription, closure }, rules, upTo);
}

/** Who is closed, and how. */
export type Closed = { accountId: string; customer: Customer; subscription: Subscription; closure: Closure };

/** {@link loadBoundaries} by rules that have been read: the usage of what the closure bills. */
export async function countBoundaries(
  sources: UsageSource,
  { accountId, customer, subscription, closure }: Closed,
  { plan, metrics, waiting, terms, carry }: ClosingRules,
  upTo?: bigint,
): Promise<BoundaryInput[]> {
  const { subscriptionId, currentPeriod } = subscription;
  const ended = closure.closes ? [...waiting, currentPeriod] : waiting;
  const { customerId, timeZone } = customer;
  const { pauses } = closure;
  const carryOf = ({ index }: Period) => (index === (carry?.index ?? -1) ? (carry?.of ?? null) : null);
  const question = (metric: Metric, start: Instant, until: Instant): MetricQuestion => {
    const end = Math.max(start, until);
    const scope = { accountId, customerId, timeZone, start, end, excluded: pausedIntervals(pauses, end) };
    return { ...scope, metric, ...(upTo !== undefined && { upTo }) };
  };
  const asked = ended.map((period) => {
    const end = period === currentPeriod ? (closure.ending?.at ?? period.endsAt) : period.endsAt;
    const from = carryOf(period)?.usageFrom;
    const startOf = (metricId: string) => (from ? usageStartOf(from, metricId) : period.startsAt);
    const earlier = carryOf(period)?.usages ?? [];
    return [
      ...metrics.map((metric) => question(metric, startOf(metric.metricId), end)),
      ...earlier.map(({ metric, startsAt, endsAt }) => question(metric, startsAt, endsAt)),
    ];
  });
  const usages = await findMetricUsages(sources, asked.flat());
  return ended.map((period, i) => {
    const isLast = period === currentPeriod;
    const values = usages.splice(0, asked[i]?.length ?? 0);
    const periodCarry = carryOf(period);
    return {
      subscriptionId,
      plan,
      pauses,
      ...terms,
      ended: period,
      next: isLast ? nextPeriod(subscription, customer, closure.ending) : (ended[i + 1] ?? currentPeriod),
      ending: isLast ? closure.ending : null,
      metrics: metrics.map(({ metricId, metricName }, j) => ({ ...usageAt(values, j), metricId, metricName })),
      carried: periodCarry && countedCarry(periodCarry, values.slice(metrics.length)),
    };
  });
}

export type ClosingRules = Awaited<ReturnType<typeof loadClosingRules>>;

/** What a closing bills by, but for usage. What a switch carried lies in a subscription's first period. */
export async function loadClosingRules(
  tx: Transaction,
  accountId: string,
  { subscriptionId, planId, version, currentPeriod }: Subscription,
  toCome?: CarriedPeriod,
) {
  const plan = await loadPlan(tx, accountId, { planId, version });
  const carried = toCome ?? (await findCarriedPeriod(tx, accountId, subscriptionId));
  return {
    plan,
    metrics: await findMetrics(tx, accountId, metricsOf(plan)),
    waiting: await listWaitingPeriods(tx, accountId, subscriptionId),
    terms: await loadOwnTerms(tx, accountId, subscriptionId),
    carry: carried && { index: toCome ? currentPeriod.index : 0, of: await loadCarry(tx, accountId, carried) },
  };
}

/** How the current period ends by what is planned: by a cancel within it or with it, else as any period does. */
export function plannedEnding(subscription: Subscription, { timeZone }: Customer): Ending | null {
  const { cancelAt, cancelTerms, currentPeriod } = subscription;
  if (cancelAt === null || cancelTerms === null || cancelAt > currentPeriod.endsAt) return null;
  return endingAt(cancelAt, cancelTerms, currentPeriod, timeZone);
}

/** What the very start of a subscription bills by; usage is none of it (contract 7). */
export async function loadOpening(
  tx: Transaction,
  accountId: string,
  subscription: Subscription,
): Promise<OpeningInput> {
  const { subscriptionId, currentPeriod } = subscription;
  const plan = await loadPlan(tx, accountId, subscription);
  return {
    subscriptionId,
    plan,
    first: currentPeriod,
    metrics: await findMetrics(tx, accountId, metricsOf(plan)),
    ...(await loadOwnTerms(tx, accountId, subscriptionId)),
  };
}

/** What a boundary bills by besides usage: a closing reads it in its own transaction, with the subscription locked. */
export type OwnTerms = Required<Pick<BoundaryInput, 'prepaidUnits' | 'addons'>>;

/** The subscription's prepaid units and add-ons as they are now; they may change until the boundary is crossed. */
export async function loadOwnTerms(tx: Transaction, accountId: string, subscriptionId: string): Promise<OwnTerms> {
  return {
    prepaidUnits: await listOwnPrepaidUnits(tx, accountId, subscriptionId),
    addons: await listChargeableAddons(tx, accountId, subscriptionId),
  };
}

function usageAt(usages: UsageValue[], i: number): UsageValue {
  const usage = usages[i];
  if (!usage) throw new Error('a metric has no answer');
  return usage;
}

/** The period after the current one; null where the subscription ends within it or with it. */
export function nextPeriod(subscription: Subscription, { timeZone }: Customer, ending: Ending | null): Period | null {
  const { startDate, billingPeriod, currentPeriod, autoRenew } = subscription;
  return autoRenew && ending === null ? periodAfter({ startDate, billingPeriod, timeZone }, currentPeriod) : null;
}

function metricsOf(plan: Plan): string[] {
  return plan.components.map((component) => component.metricId);
}
