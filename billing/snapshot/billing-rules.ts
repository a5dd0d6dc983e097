import type { Metric } from '../catalog/metrics.ts';
import type { ChargeableAddon } from '../invoices/addon-charges.ts';
import type { PendingOpening } from '../invoices/charged-ahead.ts';
import type { CarriedPeriod, SwitchCharge } from '../periods/carried-period.ts';
import type { Pause } from '../periods/pauses.ts';
import type { Period } from '../periods/periods.ts';
import type { PrepaidChoice } from '../subscriptions/prepaid-changes.ts';
import type { Plan, Subscription } from '../subscriptions/subscription.ts';

/** A plan as it was when somebody subscribed to it. */
export type PlanVersion = { planId: string; version: number };

/** What a subscription bills by besides its plan and usage: both may change until the boundary is crossed. */
export type OwnTerms = { prepaidUnits: readonly PrepaidChoice[]; addons: readonly ChargeableAddon[] };

/** What some subscriptions of an account are billed by, as it was read at one instant; of others it knows nothing. */
export type BillingRules = {
  /** Throws where it was not read. */
  planOf(version: PlanVersion): Plan;
  /** The plan as new subscriptions get it; undefined where there is none. */
  latestPlanOf(planId: string): Plan | undefined;
  /** Throws where it was not read. */
  metricOf(metricId: string): Metric;
  /** Oldest first. */
  pausesOf(subscriptionId: string): readonly Pause[];
  /** What its first period carries; null where no switch has made it. */
  carriedOf(subscriptionId: string): CarriedPeriod | null;
  /** By switches within the period that it carries. */
  switchChargesOf(subscriptionId: string): readonly SwitchCharge[];
  /** Periods that ended in a pause and wait for the resume, oldest first. */
  waitingPeriodsOf(subscriptionId: string): readonly Period[];
  /** The pending invoice that will charge the fee of its current period in advance; null where none is pending. */
  pendingOpeningOf(subscription: Subscription): PendingOpening | null;
  termsOf(subscriptionId: string): OwnTerms;
};
