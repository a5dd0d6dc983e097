import type { Instant } from '../../core/instants.ts';
import type { Metric } from '../catalog/metrics.ts';
import type { SwitchCharge } from '../credits/charged-fee.ts';
import type { ChargeableAddon } from '../invoices/addon-charges.ts';
import type { PendingOpening } from '../invoices/charged-ahead.ts';
import { type PendingInvoice, pendingOpeningOf } from '../invoices/pending-invoice.ts';
import type { Pause } from '../periods/pauses.ts';
import type { Period } from '../periods/periods.ts';
import { type Cuts, holdersOf, inSegments, plansInForce, type SegmentedPeriod } from '../periods/segments.ts';
import { type SwitchedKey, type SwitchedPeriod, switchedIn } from '../periods/usage-windows.ts';
import type { LimitedAmount } from '../pricing/charges.ts';
import { type LimitedLines, type LimitedSoFar, limitedSoFar } from '../pricing/limits.ts';
import type { Component } from '../pricing/rating.ts';
import type { PrepaidChoice } from '../subscriptions/prepaid-changes.ts';
import type { Plan, PlanVersion, Subscription } from '../subscriptions/subscription.ts';

/** What a subscription bills by besides its plan and usage: both may change until the boundary is crossed. */
export type OwnTerms = { prepaidUnits: readonly PrepaidChoice[]; addons: readonly ChargeableAddon[] };

/** Usage of a metric that was billed in a closed period, up to `endsAt`. */
export type BilledPart = PlanVersion & { subscriptionId: string; metricId: string; endsAt: Instant };

/** What limits count of a part of a period, as it is kept: the names of plan and metric are theirs. */
export type KeptAmount = Omit<LimitedAmount, 'name'>;

/** Returns the key under which a limited amount is kept once. */
export function limitedKey({
  subscriptionId,
  startsAt,
  metricId,
}: Pick<KeptAmount, 'subscriptionId' | 'startsAt' | 'metricId'>): string {
  return `${subscriptionId} ${startsAt} ${metricId}`;
}

/** Values by subscription id. A subscription without a value has no entry. */
type OfSubscriptions<T> = Readonly<Record<string, T>>;

/**
 * The records by which some subscriptions of an account are billed, read at one instant. Plain data: the functions below look things up
 * in it. Plans and metrics are shared by reference and never changed.
 */
export type BillingRules = {
  /** By {@link planKey}. */
  plans: Readonly<Record<string, Plan>>;
  /** The plans that planned switches go to: as they were agreed on, else as new subscriptions get them. */
  newPlans: readonly Plan[];
  /** By id. */
  metrics: Readonly<Record<string, Metric>>;
  /** Oldest first. */
  pauses: OfSubscriptions<readonly Pause[]>;
  /** The plans and usage windows that switches have carried into the first billing period of the subscription they began. */
  switched: OfSubscriptions<SwitchedPeriod>;
  /** What switches have charged, by the subscription that each of them began. */
  switchCharges: OfSubscriptions<readonly SwitchCharge[]>;
  /** Periods that ended in a pause and wait for the resume, oldest first. */
  waitingPeriods: OfSubscriptions<readonly Period[]>;
  terms: OfSubscriptions<OwnTerms>;
  /** In the order in which they fall due. */
  pendingInvoices: readonly PendingInvoice[];
  /** Lines of earlier invoices that the limits of plans count. */
  limitedLines: readonly LimitedLines[];
  /** What limits count of closed periods. */
  limitedAmounts: readonly KeptAmount[];
  /** The clock that the customer is on, if a plan has a price book; else null. */
  testClockId: string | null;
};

/** Returns the key of a plan version in {@link BillingRules}. */
export function planKey({ planId, version }: PlanVersion): string {
  return `${planId} ${version}`;
}

/** @throws Error if it was not read. */
export function planOf({ plans }: Pick<BillingRules, 'plans'>, version: PlanVersion): Plan {
  return found(plans[planKey(version)], `plan ${version.planId} version ${version.version}`);
}

/** @throws Error if it was not read. */
export function metricOf({ metrics }: Pick<BillingRules, 'metrics'>, metricId: string): Metric {
  return found(metrics[metricId], `metric ${metricId}`);
}

/** Names a plan, a version of it (null: the latest) and a currency. */
export type WantedPlan = { planId: string; version: number | null; currency: string };

/** Names the plan that a planned switch goes to. Undefined if none is planned. */
export function newPlanWanted({
  plannedSwitch,
  currency,
}: Pick<Subscription, 'plannedSwitch' | 'currency'>): WantedPlan | undefined {
  return plannedSwitch
    ? { planId: plannedSwitch.newPlanId, version: plannedSwitch.agreed?.version ?? null, currency }
    : undefined;
}

/** Returns the plan that a planned switch goes to. Undefined if none is planned, or if the plan does not exist any more. */
export function newPlanOf(
  { newPlans }: Pick<BillingRules, 'newPlans'>,
  subscription: Pick<Subscription, 'plannedSwitch' | 'currency'>,
): Plan | undefined {
  const wanted = newPlanWanted(subscription);
  if (!wanted) return undefined;
  return newPlans.find((plan) => {
    if (plan.planId !== wanted.planId) return false;
    if (wanted.version !== null) return plan.version === wanted.version;
    return !plan.agreement?.overrides && plan.currency === wanted.currency;
  });
}

/** Oldest first. */
export function pausesOf({ pauses }: BillingRules, subscriptionId: string): readonly Pause[] {
  return pauses[subscriptionId] ?? [];
}

/**
 * Returns what switches have carried into a period of the subscription they began. The first period gets all of it. The other periods
 * of the same billing period get the plans in force. Later periods get null.
 */
export function switchedOf(
  { switched }: BillingRules,
  subscriptionId: string,
  period: SwitchedKey,
): SwitchedPeriod | null {
  return switchedIn(switched[subscriptionId] ?? null, period);
}

/** Returns the charges of the switches within the first period of a subscription. */
export function switchChargesOf({ switched, switchCharges }: BillingRules, id: string): readonly SwitchCharge[] {
  return (switched[id]?.plans ?? []).flatMap(({ subscriptionId }) => switchCharges[subscriptionId] ?? []);
}

/** Periods that ended in a pause and wait for the resume, oldest first. */
export function waitingPeriodsOf({ waitingPeriods }: BillingRules, subscriptionId: string): readonly Period[] {
  return waitingPeriods[subscriptionId] ?? [];
}

/** Returns the pending invoice that will charge the fee of a subscription's current period in advance, or null. */
export function openingOf(rules: BillingRules, subscription: Subscription): PendingOpening | null {
  const { subscriptionId, currentPeriod } = subscription;
  const plans = plansInForce(subscription, currentPeriod, switchedOf(rules, subscriptionId, currentPeriod));
  return pendingOpeningOf(subscription, holdersOf(plans), rules.pendingInvoices);
}

/** Returns the prepaid units and add-ons of a subscription. */
export function termsOf({ terms }: Pick<BillingRules, 'terms'>, subscriptionId: string): OwnTerms {
  return terms[subscriptionId] ?? NO_TERMS;
}

const NO_TERMS: OwnTerms = { prepaidUnits: [], addons: [] };

/** Returns what earlier invoices of a period's billing period count toward its limits. `holders` are the subscriptions that have had it. */
export function limitedBefore(rules: BillingRules, holders: readonly string[], period: Period): LimitedSoFar {
  return limitedSoFar(rules.limitedLines, holders, period);
}

/** Returns the limited amounts of a closed period in which usage was billed: first of the component, then of the plan. */
export function limitedOf(rules: BillingRules, billed: BilledPart): LimitedAmount[] {
  const { subscriptionId, metricId, endsAt } = billed;
  const spanning = rules.limitedAmounts.filter((kept) => kept.startsAt < endsAt && endsAt <= kept.endsAt);
  const find = (id: string, of: string | null) =>
    spanning.find((kept) => kept.subscriptionId === id && kept.metricId === of);
  const component = find(subscriptionId, metricId);
  const [plan] = limitKeepers(rules, subscriptionId).flatMap((id) => find(id, null) ?? []);
  return [
    ...(component ? [{ ...component, name: metricOf(rules, metricId).metricName }] : []),
    ...(plan ? [{ ...plan, name: planOf(rules, billed).name }] : []),
  ];
}

/** Returns the subscriptions under which a plan's limited amounts may be kept: now the first that had the period, in earlier releases each. */
export function limitKeepers({ switched }: Pick<BillingRules, 'switched'>, subscriptionId: string): string[] {
  return [subscriptionId, ...holdersOf(switched[subscriptionId]?.plans ?? [])];
}

/** Returns a period of a subscription in segments. */
export function segmentsOf(
  rules: BillingRules,
  holder: Parameters<typeof inSegments>[0],
  period: Period,
  cuts?: Cuts,
): SegmentedPeriod {
  return inSegments(holder, period, (version) => planOf(rules, version), cuts);
}

/** Returns the component by which a plan version bills a metric. A version never loses a component that has billed. */
export function componentOf(
  { metricId, ...version }: PlanVersion & { metricId: string },
  rules: Pick<BillingRules, 'plans'>,
): Component {
  return componentIn(planOf(rules, version), metricId);
}

/** Returns the component of a plan that bills a metric. @throws Error if it has none */
export function componentIn({ planId, components }: Pick<Plan, 'planId' | 'components'>, metricId: string): Component {
  return found(
    components.find((one) => one.metricId === metricId),
    `the component of ${metricId} in plan ${planId}`,
  );
}

function found<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new Error(`${name} was not read`);
  return value;
}
