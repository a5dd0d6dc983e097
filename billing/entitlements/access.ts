import { type Decimal, ZERO } from '../../core/decimal.ts';
import type { Instant } from '../../core/instants.ts';
import type { Interval } from '../metering/buckets.ts';
import { type Pause, unpaused } from '../periods/pauses.ts';
import { type Period, periodAfter } from '../periods/periods.ts';
import { endsBilling } from '../periods/usage-months.ts';
import type { Plan, Subscription } from '../subscriptions/subscription.ts';

/**
 * What a plan gives of a metric or a feature. `limit` null: unlimited. `freeLimit`: the free tier of the component that
 * bills the metric, null where none does. `metricId` null: nothing measures it, so no limit is ever reached.
 */
export type Entitlement = { metricId: string | null; limit: Decimal | null; freeLimit: Decimal | null };

/** The part of a plan version that access depends on; a version never changes. */
export type PlanParts = Pick<Plan, 'components' | 'features'>;

/** What a plan version gives of a metric (spec/access#answer); null where it does not name it. */
export function entitlementToMetric({ components, features }: PlanParts, metricId: string): Entitlement | null {
  const freeLimit = freeTierOf({ components }, metricId);
  const limits = features
    .filter((feature) => feature.included && feature.metricId === metricId)
    .map(({ limit }) => limit);
  // "A feature's limit for the metric wins over a component that bills it."
  if (limits.length > 0) return { metricId, limit: widest(limits), freeLimit };
  return freeLimit === null ? null : { metricId, limit: null, freeLimit };
}

/** What a plan version gives of a feature (spec/access#features); null where it does not include it. */
export function entitlementToFeature({ components, features }: PlanParts, featureId: string): Entitlement | null {
  const feature = features.find((one) => one.featureId === featureId);
  if (!feature?.included) return null;
  const { metricId, limit } = feature;
  return { metricId, limit, freeLimit: metricId === null ? null : freeTierOf({ components }, metricId) };
}

function freeTierOf({ components }: Pick<PlanParts, 'components'>, metricId: string): Decimal | null {
  return components.find((one) => one.metricId === metricId)?.freeTier ?? null;
}

/** Several features may limit one metric: there is access while one of them gives some. */
function widest(limits: readonly (Decimal | null)[]): Decimal | null {
  return limits.reduce((a, b) => (a === null || b === null ? null : a.gte(b) ? a : b));
}

/** Only these count: "Pending, canceled and expired subscriptions do not count" (spec/access#answer). */
export type EntitlingSubscription = Subscription & { status: 'active' | 'paused' };

export function isEntitling(subscription: Subscription): subscription is EntitlingSubscription {
  return subscription.status === 'active' || subscription.status === 'paused';
}

/** The period whose usage counts for access, and which of its usage: from `start` to before `end`, but for `excluded`. */
export type CountedPeriod = { start: Instant; end: Instant; excluded: Interval[]; resetsAt: Instant; timeZone: string };

/**
 * What counts for access at `at`: the usage that the invoice of the period would have, to the end of the period or of a
 * cancel planned within it, without pauses (spec/access#answer, spec/test-clocks#events-from-the-future). While the closing of a period
 * that is over waits, for its grace say, the period that follows it counts already. `usageFrom` is set where a switch made
 * the metric's usage of the current period start at another instant.
 */
export function countedPeriod(
  subscription: Pick<
    Subscription,
    'startDate' | 'billingPeriod' | 'usagePeriod' | 'currentPeriod' | 'autoRenew' | 'plannedCancel'
  > & {
    usageFrom?: Instant | null;
  },
  pauses: readonly Pause[],
  timeZone: string,
  at: Instant,
): CountedPeriod {
  const { autoRenew, plannedCancel } = subscription;
  const endsWith = (period: Period) =>
    (!autoRenew && endsBilling(period)) || (plannedCancel !== null && plannedCancel.at <= period.endsAt);
  let period = subscription.currentPeriod;
  while (at >= period.endsAt && !endsWith(period)) period = periodAfter({ ...subscription, timeZone }, period);
  const { endsAt: resetsAt } = period;
  const startsAt =
    period === subscription.currentPeriod ? (subscription.usageFrom ?? period.startsAt) : period.startsAt;
  const endsAt = Math.max(startsAt, Math.min(plannedCancel?.at ?? resetsAt, resetsAt));
  return { ...unpaused({ startsAt, endsAt }, pauses), resetsAt, timeZone: period.timeZone };
}

export type AccessReason = 'no_subscription' | 'not_in_plan' | 'limit_reached' | 'paused';

/** What one subscription is asked with; `usage` is null where its plan names nothing that is measured. */
export type AccessCase = {
  subscription: EntitlingSubscription;
  entitlement: Entitlement | null;
  usage: Decimal | null;
  resetsAt: Instant;
};

export type SubscriptionAccess = AccessCase & { access: boolean };

export type Access = {
  access: boolean;
  /** null where an active subscription gives access. */
  reason: AccessReason | null;
  usage: Decimal | null;
  limit: Decimal | null;
  /** What is left of the limit, 0 or more; null where there is none, or nothing measures it. */
  remaining: Decimal | null;
  resetsAt: Instant | null;
  perSubscription: SubscriptionAccess[];
};

/**
 * Whether a customer has access (spec/access#answer), by its active and paused subscriptions, oldest first. The figures are of the
 * first subscription that grants access, else of the newest one.
 */
export function decideAccess(cases: readonly AccessCase[]): Access {
  const perSubscription = cases.map((one) => ({ ...one, access: grants(one) }));
  const shown = perSubscription.find(({ access }) => access) ?? perSubscription.at(-1);
  const limit = shown?.entitlement?.limit ?? null;
  const usage = shown?.usage ?? null;
  return {
    access: shown?.access ?? false,
    reason: reasonOf(shown, cases),
    usage,
    limit,
    remaining: limit === null || usage === null ? null : left(limit, usage),
    resetsAt: shown?.resetsAt ?? null,
    perSubscription,
  };
}

/** A paused subscription gives what its plan names, whatever was used: "limits are not enforced". */
function grants({ subscription, entitlement, usage }: AccessCase): boolean {
  if (entitlement === null) return false;
  if (subscription.status === 'paused' || entitlement.limit === null || usage === null) return true;
  return usage.lt(entitlement.limit);
}

function reasonOf(shown: SubscriptionAccess | undefined, cases: readonly AccessCase[]): AccessReason | null {
  if (shown === undefined) return 'no_subscription';
  if (shown.access) return shown.subscription.status === 'paused' ? 'paused' : null;
  return cases.some(({ entitlement }) => entitlement !== null) ? 'limit_reached' : 'not_in_plan';
}

function left(limit: Decimal, usage: Decimal): Decimal {
  const rest = limit.minus(usage);
  return rest.gt(0) ? rest : ZERO;
}
