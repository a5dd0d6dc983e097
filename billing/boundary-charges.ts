import { addonCharges, type ChargeableAddon } from './addons.ts';
import type { UsageValue } from './aggregate.ts';
import type { AddonCharge, ChargeOrigin, FeeCharge, PrepaidCharge, UsageCharge } from './charges.ts';
import type { Decimal } from './decimal.ts';
import type { Period } from './periods.ts';
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
  /** The subscription's own prepaid units by metric id; a metric not named has its component's. */
  prepaidUnits?: ReadonlyMap<string, Decimal>;
  /** Those that may still be charged, in the order in which they were attached. */
  addons?: readonly ChargeableAddon[];
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
 * next one; add-ons by their own rule. A plan without a fee has no fee line.
 */
export function boundaryCharges(input: BoundaryInput): BoundaryCharges {
  const { plan, ended, next, addons = [] } = input;
  const { chargeTiming } = plan;
  const feePeriod = chargeTiming === 'in_advance' ? next : ended;
  return {
    fees: feePeriod === null || plan.recurringFee.isZero() ? [] : [feeOf(input, feePeriod)],
    prepaid: next === null ? [] : plan.components.flatMap((component) => prepaidOf(input, component, next) ?? []),
    usages: ended === null ? [] : plan.components.map((component) => usageOf(input, component, ended)),
    addons: addonCharges(addons, { chargeTiming, ended, next }, (period) => origin(input, period)),
  };
}

function feeOf(input: BoundaryInput, period: Period): FeeCharge {
  const { name, recurringFee } = input.plan;
  return { ...origin(input, period), planName: name, fee: recurringFee, billedDays: period.days, days: period.days };
}

function prepaidOf(input: BoundaryInput, component: Component, period: Period): PrepaidCharge | null {
  const units = unitsOf(input, component);
  if (units.isZero()) return null;
  return { ...origin(input, period), metricName: metricOf(input, component).metricName, component, units };
}

function usageOf(input: BoundaryInput, component: Component, period: Period): UsageCharge {
  const { metricName, value, eventsCount } = metricOf(input, component);
  const prepaidUnits = unitsOf(input, component);
  return { ...origin(input, period), metricName, component, quantity: value, eventsCount, prepaidUnits };
}

function unitsOf({ prepaidUnits }: BoundaryInput, component: Component): Decimal {
  return prepaidUnits?.get(component.metricId) ?? component.prepaidUnits;
}

function metricOf({ metrics }: BoundaryInput, { metricId }: Component): MetricUsage {
  const metric = metrics.find((usage) => usage.metricId === metricId);
  if (metric === undefined) throw new Error(`no usage was loaded for metric ${metricId}`);
  return metric;
}

function origin({ subscriptionId, plan }: BoundaryInput, { startsAt, endsAt }: Period): ChargeOrigin {
  return { subscriptionId, planId: plan.planId, version: plan.version, periodStart: startsAt, periodEnd: endsAt };
}
