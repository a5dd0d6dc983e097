import type { Metric } from '../../billing/catalog/metrics.ts';
import {
  type Entitlement,
  type EntitlingSubscription,
  entitlementToFeature,
  entitlementToMetric,
  isEntitling,
  type PlanParts,
} from '../../billing/entitlements/access.ts';
import type { Pause } from '../../billing/periods/pauses.ts';
import { type SwitchedPeriod, switchedIn, usageStartOf } from '../../billing/periods/usage-windows.ts';
import type { Customer } from '../../billing/subscriptions/subscription.ts';
import type { Instant } from '../../core/instants.ts';
import { type FeatureName, findFeatures } from '../../sql/postgres/catalog/features.ts';
import { findMetrics } from '../../sql/postgres/catalog/metrics.ts';
import { findPlanParts } from '../../sql/postgres/catalog/plan-parts.ts';
import { findCustomers } from '../../sql/postgres/customers/customers.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { listPausesOf } from '../../sql/postgres/subscriptions/pauses.ts';
import { listLiveSubscriptions } from '../../sql/postgres/subscriptions/subscriptions.ts';
import { listSwitchedPeriods } from '../../sql/postgres/subscriptions/switched-periods.ts';

/** What access is asked to: a metric by its id, a feature by its id or its name. */
export type AccessSubject = { metricId: string } | { featureId: string } | { featureName: string };

export type AccessQuestion = { customerId: string; subject: AccessSubject };

/** A subscription that counts, and what its plan gives of the subject; `metric` is what measures it. */
export type Holding = {
  subscription: EntitlingSubscription;
  pauses: Pause[];
  entitlement: Entitlement | null;
  metric: Metric | null;
  /** Since when a switch has the metric's usage of the current period counted; null: from its start. */
  usageFrom: Instant | null;
};

/** What the records say of one question. What does not exist is undefined. */
export type AccessEntitlements = {
  customer: Customer | undefined;
  metric: Metric | undefined;
  feature: FeatureName | undefined;
  /** Oldest subscription first. */
  holdings: Holding[];
};

/** Components and features by plan version. A version never changes, so what was read of it stays true. */
export type KnownPlans = Map<string, PlanParts>;

/** Plan versions remembered: of a few kilobytes each. */
const MAX_KNOWN_PLANS = 5_000;

/** What the records say of these questions, in their order, by a few statements however many there are. */
export async function loadAccessEntitlements(
  tx: Transaction,
  accountId: string,
  questions: readonly AccessQuestion[],
  plans: KnownPlans,
): Promise<AccessEntitlements[]> {
  const customerIds = unique(questions.map(({ customerId }) => customerId));
  const subjects = questions.map(({ subject }) => subject);
  const named = unique(subjects.flatMap((subject) => ('metricId' in subject ? subject.metricId : [])));
  // What does not build on each other's answers is sent at once.
  const [found, live, features, namedMetrics] = await Promise.all([
    findCustomers(tx, accountId, customerIds),
    listLiveSubscriptions(tx, accountId, customerIds),
    findAskedFeatures(tx, accountId, subjects),
    findAskedMetrics(tx, accountId, named),
  ]);
  const customers = new Map(found.map((one) => [one.customerId, one]));
  const subscriptions = live.filter(isEntitling);
  const ofCustomer = Map.groupBy(subscriptions, (one) => one.customerId);
  const inFirst = subscriptions.filter((one) => one.currentPeriod.billing.index === 0);
  const [pauses, switched] = await Promise.all([
    listPausesOf(tx, accountId, idsOf(subscriptions)),
    listSwitchedPeriods(tx, accountId, idsOf(inFirst)),
    rememberPlans(tx, accountId, unique(subscriptions.map((one) => one.versionId)), plans),
  ]);

  const asked = questions.map(({ customerId, subject }) => {
    const feature = features.find((one) => isFeature(one, subject));
    const holdings = (ofCustomer.get(customerId) ?? []).map((subscription) => ({
      subscription,
      entitlement: entitlementOf(plans, subscription, subject, feature),
    }));
    return { customerId, subject, feature, holdings };
  });

  const measuring = unique(asked.flatMap(({ holdings }) => holdings.flatMap((one) => one.entitlement?.metricId ?? [])));
  const others = measuring.filter((id) => !named.includes(id));
  const metrics = [...namedMetrics, ...(await findAskedMetrics(tx, accountId, others))];
  const metricOf = (id: string | null | undefined) => metrics.find(({ metricId }) => metricId === id);
  return asked.map(({ customerId, subject, feature, holdings }) => ({
    customer: customers.get(customerId),
    metric: 'metricId' in subject ? metricOf(subject.metricId) : undefined,
    feature,
    holdings: holdings.map((holding) => ({
      ...holding,
      pauses: pauses.get(holding.subscription.subscriptionId) ?? [],
      metric: metricOf(holding.entitlement?.metricId) ?? null,
      usageFrom: usageFromOf(switched, holding.subscription, holding.entitlement?.metricId),
    })),
  }));
}

async function rememberPlans(tx: Transaction, accountId: string, versionIds: string[], plans: KnownPlans) {
  const unknown = versionIds.filter((id) => !plans.has(id));
  if (unknown.length === 0) return;
  const found = await findPlanParts(tx, accountId, unknown);
  for (const [id, parts] of found) plans.set(id, parts);
  for (const [id] of plans) {
    if (plans.size <= MAX_KNOWN_PLANS) break;
    if (!versionIds.includes(id)) plans.delete(id);
  }
}

function usageFromOf(
  switched: ReadonlyMap<string, SwitchedPeriod>,
  { subscriptionId, currentPeriod }: EntitlingSubscription,
  metricId: string | null | undefined,
): Instant | null {
  const left = switchedIn(switched.get(subscriptionId) ?? null, currentPeriod);
  return left && metricId ? usageStartOf(left.usageFrom, metricId) : null;
}

async function findAskedMetrics(tx: Transaction, accountId: string, ids: string[]) {
  return ids.length === 0 ? [] : findMetrics(tx, accountId, ids);
}

async function findAskedFeatures(tx: Transaction, accountId: string, subjects: AccessSubject[]) {
  const ids = subjects.flatMap((subject) => ('featureId' in subject ? subject.featureId : []));
  const names = subjects.flatMap((subject) => ('featureName' in subject ? subject.featureName : []));
  return ids.length + names.length === 0 ? [] : findFeatures(tx, accountId, { ids, names });
}

function isFeature({ featureId, name }: FeatureName, subject: AccessSubject): boolean {
  if ('featureId' in subject) return subject.featureId === featureId;
  return 'featureName' in subject && subject.featureName === name;
}

function entitlementOf(
  plans: KnownPlans,
  { versionId }: EntitlingSubscription,
  subject: AccessSubject,
  feature: FeatureName | undefined,
): Entitlement | null {
  const plan = plans.get(versionId);
  if (!plan) throw new Error(`plan version ${versionId} is missing`);
  if ('metricId' in subject) return entitlementToMetric(plan, subject.metricId);
  return feature ? entitlementToFeature(plan, feature.featureId) : null;
}

function idsOf(subscriptions: EntitlingSubscription[]): string[] {
  return subscriptions.map(({ subscriptionId }) => subscriptionId);
}

function unique(ids: string[]): string[] {
  return [...new Set(ids)];
}
