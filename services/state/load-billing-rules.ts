import type { Metric } from '../../billing/catalog/metrics.ts';
import type { PendingInvoice } from '../../billing/invoices/pending-invoice.ts';
import type { BilledUsage } from '../../billing/metering/billed-usage.ts';
import type { Period } from '../../billing/periods/periods.ts';
import { holdersOf } from '../../billing/periods/segments.ts';
import { type BillingRules, planKey, type WantedPlan } from '../../billing/state/billing-rules.ts';
import { ownPhases } from '../../billing/subscriptions/phases.ts';
import type { Plan, PlanVersion, Subscription } from '../../billing/subscriptions/subscription.ts';
import { findMetrics } from '../../sql/postgres/catalog/metrics.ts';
import { findPlansIn, findPlanVersions } from '../../sql/postgres/catalog/plans.ts';
import { findTestClockId } from '../../sql/postgres/customers/customers.ts';
import { listSwitchCharges } from '../../sql/postgres/invoices/switch-charges.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { listPausesOf } from '../../sql/postgres/subscriptions/pauses.ts';
import { listWaitingPeriodsOf } from '../../sql/postgres/subscriptions/periods.ts';
import { listSwitchedPeriods } from '../../sql/postgres/subscriptions/switched-periods.ts';
import { loadLimits } from './load-limits.ts';
import { loadTerms } from './load-terms.ts';

/**
 * `newPlans`: plans that planned switches go to; `billed`: what is to be counted again; `pending`: the customer's
 * pending invoices, whose subscriptions are to be known as well; `named`: further plan versions.
 */
type Wanted = {
  newPlans?: readonly WantedPlan[];
  billed?: readonly BilledUsage[];
  pending?: readonly PendingInvoice[];
  named?: readonly PlanVersion[];
};

/** What these subscriptions are billed by, in ten statements however many they are, two more for limits and one for price books where a plan has any. */
export async function loadBillingRules(
  tx: Transaction,
  accountId: string,
  alone: readonly Subscription[],
  { newPlans = [], billed = [], pending = [], named = [] }: Wanted = {},
): Promise<BillingRules> {
  const withPending = [
    ...alone,
    ...pending.flatMap(({ owner, successor }) => [owner, ...(successor ? [successor] : [])]),
  ];
  const subscriptions = [...new Map(withPending.map((one) => [one.subscriptionId, one])).values()];
  const ids = subscriptions.map(({ subscriptionId }) => subscriptionId);
  const counted = [...new Set([...ids, ...billed.map(({ subscriptionId }) => subscriptionId)])];
  const [pauses, switched, waiting, terms, newPlansRead] = await Promise.all([
    listPausesOf(tx, accountId, counted),
    listSwitchedPeriods(tx, accountId, counted),
    listWaitingPeriodsOf(tx, accountId, ids),
    loadTerms(tx, accountId, counted),
    findPlansIn(tx, accountId, newPlans),
  ]);
  const left = ids.flatMap((id) => switched.get(id) ?? []);
  const versions = [
    ...subscriptions,
    ...left.flatMap(({ plans, windows }) => [...plans, ...windows]),
    ...billed,
    ...named,
    ...phasedVersions(subscriptions, [...pendingPeriods(pending), ...waitingPeriods(subscriptions, waiting)]),
  ];
  const switches = left.flatMap(({ plans }) => plans.slice(1));
  const [inForce, switchCharges] = await Promise.all([
    findPlanVersions(tx, accountId, versions),
    listSwitchCharges(tx, accountId, switches),
  ]);
  const plans = Object.fromEntries([...inForce, ...newPlansRead].map((plan) => [planKey(plan), plan]));
  const metrics = await readMetrics(tx, accountId, Object.values(plans));
  const holders = [...ids, ...left.flatMap((one) => holdersOf(one.plans))];
  const periods = [
    ...subscriptions.map(({ currentPeriod }) => currentPeriod),
    ...ids.flatMap((id) => waiting.get(id) ?? []),
    ...pending.map(({ period }) => period),
  ];
  const switchedBy = Object.fromEntries(switched);
  return {
    testClockId: await readTestClockId(tx, accountId, Object.values(plans), counted),
    plans,
    newPlans: newPlansRead,
    metrics,
    pauses: Object.fromEntries(pauses),
    switched: switchedBy,
    switchCharges: Object.fromEntries(Map.groupBy(switchCharges, ({ subscriptionId }) => subscriptionId)),
    waitingPeriods: Object.fromEntries(waiting),
    pendingInvoices: pending,
    ...(await loadLimits(tx, accountId, { plans, switched: switchedBy, holders, periods, billed })),
    terms,
  };
}

/** What these plans bill by, by id. */
async function readMetrics(tx: Transaction, accountId: string, plans: Iterable<Plan>): Promise<Record<string, Metric>> {
  const metricIds = [...plans].flatMap(({ components }) => components.map(({ metricId }) => metricId));
  const metrics = await findMetrics(tx, accountId, [...new Set(metricIds)]);
  return Object.fromEntries(metrics.map((metric) => [metric.metricId, metric]));
}

/**
 * The clock that the customer of these subscriptions is on: only additions to price books are told by it. Of several customers it is the first
 * one's: a payer and who is billed to it are on one clock, and what no row prices, all that is asked of any others together, is the same on every clock.
 */
async function readTestClockId(
  tx: Transaction,
  accountId: string,
  plans: Iterable<Plan>,
  [subscriptionId]: readonly string[],
): Promise<string | null> {
  const withPriceBook = [...plans].some(({ components }) => components.some(({ book }) => book));
  return withPriceBook && subscriptionId ? findTestClockId(tx, accountId, subscriptionId) : null;
}

/** A period, and the plan of its subscription. */
type PeriodOfPlan = { planId: string; period: Pick<Period, 'version'> };

function pendingPeriods(pending: readonly PendingInvoice[]): PeriodOfPlan[] {
  return pending.flatMap(({ owner: { planId }, period, next }) => {
    return [period, ...(next ? [next] : [])].map((one) => ({ planId, period: one }));
  });
}

function waitingPeriods(
  subscriptions: readonly Subscription[],
  waiting: ReadonlyMap<string, readonly Period[]>,
): PeriodOfPlan[] {
  return subscriptions.flatMap(({ subscriptionId, planId }) => {
    return (waiting.get(subscriptionId) ?? []).map((period) => ({ planId, period }));
  });
}

/** The plan versions of other phases: of periods that are to be billed, and of phases that may begin with the next one. */
function phasedVersions(subscriptions: readonly Subscription[], periods: readonly PeriodOfPlan[]): PlanVersion[] {
  const begun = periods.map(({ planId, period: { version } }) => ({ planId, version: version ?? null }));
  return [...begun, ...subscriptions.flatMap(ownPhases)].flatMap(({ planId, version }) => {
    return version === null ? [] : { planId, version };
  });
}
