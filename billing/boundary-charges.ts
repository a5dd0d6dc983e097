import { addonCharges, type ChargeableAddon } from './addons.ts';
import type { UsageValue } from './aggregate.ts';
import { daysBilledAtCancel, type Ending } from './cancel.ts';
import type { AddonCharge, ChargeOrigin, FeeCharge, PrepaidCharge, UsageCharge } from './charges.ts';
import type { Decimal } from './decimal.ts';
import { beginsPaused, type Pause, unpausedDays } from './pauses.ts';
import type { Period } from './periods.ts';
import { type PrepaidChoice, prepaidUnitsIn } from './prepaid-changes.ts';
import type { Component } from './rating.ts';
import type { Plan } from './subscription.ts';

/** A metric a plan bills, with its value over the period that ends. */
export type MetricUsage = UsageValue & { metricId: string; metricName: string };

/** `ended` is null at the very start, `next` is null where the subscription ends. */
export type BoundaryInput = {
  subscriptionId: string;
  plan: Plan;
  ended: Period | null;
  next: Period | null;
  /** One for every component of the plan. */
  metrics: readonly MetricUsage[];
  /** The subscription's own prepaid units; a metric not named has its component's. */
  prepaidUnits?: readonly PrepaidChoice[];
  /** Those that may still be charged, in the order in which they were attached. */
  addons?: readonly ChargeableAddon[];
  /** Pauses of the subscription so far, oldest first. */
  pauses?: readonly Pause[];
  /** Set where a cancel ends the life within, or with, `ended`. */
  ending?: Ending | null;
};

export type BoundaryCharges = {
  fees: FeeCharge[];
  prepaid: PrepaidCharge[];
  usages: UsageCharge[];
  addons: AddonCharge[];
};

/**
 * What a boundary bills (contract 7, "invoices on schedule"): in_arrears the fee of the period that ended, in_advance
 * that of the next one; usage of the period that ended, a line for every component also at zero; prepaid units of the
 * next one; add-ons by their own rule. A plan without a fee has no fee line. Paused days cost no fee, and a cancel bills
 * by its own terms; what it gives back is not a charge (`giveBacks`).
 */
export function boundaryCharges(input: BoundaryInput): BoundaryCharges {
  const { plan, ended, next, addons = [], pauses = [], ending } = input;
  const { chargeTiming } = plan;
  const runs = (period: Period | null) => (period !== null && unpausedDays(period, pauses) > 0 ? period : null);
  // What begins now costs nothing only where it is paused from its first to its last day.
  const begun = next !== null && beginsPaused(next, pauses) ? runs(next) : next;
  const usageEnded = ended !== null && isUsageBilled(ended, ending) ? ended : null;
  const charged = { chargeTiming, ended: runs(ended), next: begun };
  return {
    fees: feesOf(input).filter(({ billedDays }) => billedDays > 0),
    prepaid: begun === null ? [] : plan.components.flatMap((component) => prepaidOf(input, component, begun) ?? []),
    usages: usageEnded === null ? [] : plan.components.map((component) => usageOf(input, component, usageEnded)),
    addons: addonCharges(addons, charged, (period) => origin(input, period)),
  };
}

/** A cancel may leave usage out; one at the period's first instant has none. */
function isUsageBilled({ startsAt }: Period, ending: Ending | null | undefined): boolean {
  return !ending || (ending.billUsage && ending.at > startsAt);
}

/**
 * In arrears the unpaused days of the period that ended; in advance all days of the next one, or where it begins paused
 * those that are left at the resume (contract 7, pause).
 */
function feesOf(input: BoundaryInput): FeeCharge[] {
  const { plan, ended, next, pauses = [], ending } = input;
  if (plan.recurringFee.isZero()) return [];
  if (plan.chargeTiming === 'in_arrears') {
    if (ended === null) return [];
    return [feeOf(input, ended, ending ? daysBilledAtCancel(ended, ending, pauses) : unpausedDays(ended, pauses))];
  }
  if (next === null) return [];
  return [feeOf(input, next, beginsPaused(next, pauses) ? unpausedDays(next, pauses) : next.days)];
}

function feeOf(input: BoundaryInput, period: Period, billedDays: number): FeeCharge {
  const { name, recurringFee } = input.plan;
  return { ...origin(input, period), planName: name, fee: recurringFee, billedDays, days: period.days };
}

function prepaidOf(input: BoundaryInput, component: Component, period: Period): PrepaidCharge | null {
  const units = unitsOf(input, component, period);
  if (units.isZero()) return null;
  return { ...origin(input, period), metricName: metricOf(input, component).metricName, component, units };
}

function usageOf(input: BoundaryInput, component: Component, period: Period): UsageCharge {
  const { metricName, value, eventsCount } = metricOf(input, component);
  const prepaidUnits = unitsOf(input, component, period);
  const periodEnd = input.ending?.at ?? period.endsAt;
  return { ...origin(input, period), periodEnd, metricName, component, quantity: value, eventsCount, prepaidUnits };
}

function unitsOf({ prepaidUnits = [] }: BoundaryInput, component: Component, period: Period): Decimal {
  return prepaidUnitsIn(component, prepaidUnits, period.index);
}

function metricOf({ metrics }: BoundaryInput, { metricId }: Component): MetricUsage {
  const metric = metrics.find((usage) => usage.metricId === metricId);
  if (metric === undefined) throw new Error(`no usage was loaded for metric ${metricId}`);
  return metric;
}

function origin({ subscriptionId, plan }: BoundaryInput, { startsAt, endsAt }: Period): ChargeOrigin {
  return { subscriptionId, planId: plan.planId, version: plan.version, periodStart: startsAt, periodEnd: endsAt };
}
