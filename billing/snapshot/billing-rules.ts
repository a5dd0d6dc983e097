import type { Instant } from '../../core/instants.ts';
import type { Metric } from '../catalog/metrics.ts';
import type { SwitchCharge } from '../credits/charged-fee.ts';
import type { ChargeableAddon } from '../invoices/addon-charges.ts';
import type { PendingOpening } from '../invoices/charged-ahead.ts';
import type { Pause } from '../periods/pauses.ts';
import type { Period } from '../periods/periods.ts';
import type { SwitchedKey, SwitchedPeriod } from '../periods/usage-windows.ts';
import type { LimitedAmount } from '../pricing/charges.ts';
import type { LimitedSoFar } from '../pricing/limits.ts';
import type { Component } from '../pricing/rating.ts';
import type { PrepaidChoice } from '../subscriptions/prepaid-changes.ts';
import type { Plan, PlanVersion, Subscription } from '../subscriptions/subscription.ts';

/** What a subscription bills by besides its plan and usage: both may change until the boundary is crossed. */
export type OwnTerms = { prepaidUnits: readonly PrepaidChoice[]; addons: readonly ChargeableAddon[] };

/** Usage of a metric that was billed in a closed period, up to `endsAt`. */
export type BilledPart = PlanVersion & { subscriptionId: string; metricId: string; endsAt: Instant };

/** What some subscriptions of an account are billed by, as it was read at one instant; of others it knows nothing. */
export type BillingRules = {
  /** Throws where it was not read. */
  planOf(version: PlanVersion): Plan;
  /** The plan that a planned switch goes to: as it was agreed on, else as new subscriptions get it; undefined where there is none. */
  newPlanOf(subscription: Pick<Subscription, 'plannedSwitch' | 'currency'>): Plan | undefined;
  /** Throws where it was not read. */
  metricOf(metricId: string): Metric;
  /** Oldest first. */
  pausesOf(subscriptionId: string): readonly Pause[];
  /**
   * What switches have left to a period of a subscription that one has begun: to its first one all, to the others of that billing
   * period the plans in force in it; null for any later.
   */
  switchedOf(subscriptionId: string, period: SwitchedKey): SwitchedPeriod | null;
  /** By switches within its first period. */
  switchChargesOf(subscriptionId: string): readonly SwitchCharge[];
  /** Periods that ended in a pause and wait for the resume, oldest first. */
  waitingPeriodsOf(subscriptionId: string): readonly Period[];
  /** The pending invoice that will charge the fee of its current period in advance; null where none is pending. */
  pendingOpeningOf(subscription: Subscription): PendingOpening | null;
  termsOf(subscriptionId: string): OwnTerms;
  /** What invoices before the end of a period say of its billing period; `holders`: those that have had it. */
  limitedSoFar(holders: readonly string[], period: Period): LimitedSoFar;
  /** What limits count of a closed period in which usage was billed: of its component, then of its plan. */
  limitedOf(billed: BilledPart): readonly LimitedAmount[];
  /** The clock that the customer is on, where a plan has a price book; null for none. */
  testClockId: string | null;
};

/** The component by which a plan version bills a metric; one that has billed it never loses it. */
export function componentOf(
  { metricId, ...version }: PlanVersion & { metricId: string },
  { planOf }: Pick<BillingRules, 'planOf'>,
): Component {
  const component = planOf(version).components.find((one) => one.metricId === metricId);
  if (!component) throw new Error(`plan ${version.planId} has lost the component of ${metricId}`);
  return component;
}
