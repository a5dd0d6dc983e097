import type { Decimal } from '../../core/decimal.ts';
import type { Instant } from '../../core/instants.ts';
import type { UsageValue } from '../metering/aggregate.ts';
import { type LoadedCarry, unitsLeft, usageStartOf } from '../periods/carried-period.ts';
import { beginsPaused, type Pause, unpausedDays } from '../periods/pauses.ts';
import type { Period } from '../periods/periods.ts';
import type {
  AddonCharge,
  ChargeOrigin,
  FeeCharge,
  PrepaidCharge,
  ProrationCharge,
  UsageCharge,
} from '../pricing/charges.ts';
import type { Component } from '../pricing/rating.ts';
import { daysBilledAtCancel, type Ending } from '../subscriptions/cancel.ts';
import { type PrepaidChoice, prepaidUnitsIn } from '../subscriptions/prepaid-changes.ts';
import type { Plan } from '../subscriptions/subscription.ts';
import { addonCharges, type ChargeableAddon } from './addon-charges.ts';
import { isChargedAhead, type PeriodKey } from './charged-ahead.ts';
import { prorationsNotUsed } from './prorations-not-used.ts';

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
  /** What switches left to be billed of `ended`; then each of `metrics` is counted from its own start. */
  carried?: LoadedCarry | null;
  /** Metrics whose usage is not billed but goes on to a new subscription. */
  movedMetrics?: readonly string[];
  /** What is charged for add-ons, where that was fixed when the period ended. */
  fixedAddons?: readonly AddonCharge[] | null;
  /** The invoice that was to charge the fee of `ended` in advance, and is still pending: the fee is billed at this end instead. */
  pendingOpening?: PeriodKey | null;
  /** The fee of `next` is billed by its own end. */
  nextFeeTaken?: boolean;
};

export type BoundaryCharges = {
  fees: FeeCharge[];
  prepaid: PrepaidCharge[];
  usages: UsageCharge[];
  addons: AddonCharge[];
  prorations: ProrationCharge[];
};

/**
 * What a boundary bills (spec/subscriptions#invoices-on-schedule: "invoices on schedule"): in_arrears the fee of the period that ended, in_advance
 * that of the next one; usage of the period that ended, a line for every component also at zero; prepaid units of the
 * next one; add-ons by their own rule. A plan without a fee has no fee line. Paused days cost no fee, and a cancel bills
 * by its own terms; what it gives back is not a charge (`prorationCredits`).
 */
export function boundaryCharges(input: BoundaryInput): BoundaryCharges {
  const { plan, ended, ending, fixedAddons } = input;
  const begun = beginningOf(input);
  return {
    fees: feesOf(input).filter(({ billedDays }) => billedDays > 0),
    prepaid: begun === null ? [] : plan.components.flatMap((component) => prepaidOf(input, component, begun) ?? []),
    usages: ended === null || ending?.billUsage === false ? [] : usagesOf(input, ended),
    addons: [...(fixedAddons ?? boundaryAddons(input))],
    prorations: ended === null ? [] : prorationsNotUsed(input, ended, (of) => origin({ ...input, plan: of }, ended)),
  };
}

/** What a boundary bills for add-ons (spec/plans#add-ons). */
export function boundaryAddons(input: Omit<BoundaryInput, 'metrics'>): AddonCharge[] {
  const { plan, ended, next, addons = [], pauses = [] } = input;
  const { chargeTiming } = plan;
  const charged = {
    chargeTiming,
    ended: unlessPaused(ended, pauses),
    next: beginningOf(input),
    invoiced: ended ?? next,
  };
  return addonCharges(addons, charged, (period) => origin(input, period));
}

/** What begins now costs nothing only where it is paused from its first to its last day. */
function beginningOf({ next, pauses = [] }: Pick<BoundaryInput, 'next' | 'pauses'>): Period | null {
  return next !== null && beginsPaused(next, pauses) ? unlessPaused(next, pauses) : next;
}

function unlessPaused(period: Period | null, pauses: readonly Pause[]): Period | null {
  return period !== null && unpausedDays(period, pauses) > 0 ? period : null;
}

/** What ends and what begins, for one invoice. */
export function joinCharges(ended: BoundaryCharges, begun: BoundaryCharges): BoundaryCharges {
  return {
    fees: [...ended.fees, ...begun.fees],
    prepaid: [...ended.prepaid, ...begun.prepaid],
    usages: [...ended.usages, ...begun.usages],
    addons: [...ended.addons, ...begun.addons],
    prorations: [...ended.prorations, ...begun.prorations],
  };
}

/** Usage before switches by the plans of then, then that of the plan of now; what ends as it begins has none. */
function usagesOf(input: BoundaryInput, ended: Period): UsageCharge[] {
  const { plan, carried, ending, movedMetrics = [] } = input;
  const end = ending?.at ?? ended.endsAt;
  const own = plan.components
    .filter(({ metricId }) => !movedMetrics.includes(metricId) && startOf(input, metricId, ended) < end)
    .map((component) => usageOf(input, component, ended, end));
  return [...(carried ? earlierUsages(input, carried, ended) : []), ...own];
}

function startOf({ carried }: BoundaryInput, metricId: string, { startsAt }: Period): Instant {
  return carried ? usageStartOf(carried.usageFrom, metricId) : startsAt;
}

function earlierUsages(
  { subscriptionId }: BoundaryInput,
  { usages }: LoadedCarry,
  { timeZone }: Period,
): UsageCharge[] {
  return usages.flatMap(({ planId, version, startsAt, endsAt, metricId, component, metricName, value, ...one }, i) => {
    // Of no length: it only says that the units of then have ended.
    if (startsAt >= endsAt) return [];
    return {
      subscriptionId,
      planId,
      version,
      periodStart: startsAt,
      periodEnd: endsAt,
      timeZone,
      metricName,
      component,
      quantity: value,
      eventsCount: one.eventsCount,
      prepaidUnits: unitsLeft(one.prepaidUnits, metricId, usages.slice(0, i)),
    };
  });
}

/**
 * In arrears the unpaused days of the period that ended; in advance all days of the next one, or where it begins paused
 * those that are left at the resume (spec/subscriptions#pause).
 */
function feesOf(input: BoundaryInput): FeeCharge[] {
  const { plan, ended, next, pauses = [], ending, nextFeeTaken = false } = input;
  if (ended !== null && !isChargedAhead(input)) {
    // "The period's recurring fee stays the one of the plan it began with" (spec/subscriptions#switch).
    const first = { ...input, plan: input.carried?.stretches[0]?.plan ?? plan };
    return feesFor(first, ended, ending ? daysBilledAtCancel(ended, ending, pauses) : unpausedDays(ended, pauses));
  }
  if (plan.chargeTiming === 'in_arrears' || next === null || nextFeeTaken) return [];
  return feesFor(input, next, beginsPaused(next, pauses) ? unpausedDays(next, pauses) : next.days);
}

function feesFor(input: BoundaryInput, period: Period, billedDays: number): FeeCharge[] {
  const { name, recurringFee } = input.plan;
  if (recurringFee.isZero()) return [];
  return [{ ...origin(input, period), planName: name, fee: recurringFee, billedDays, days: period.days }];
}

function prepaidOf(input: BoundaryInput, component: Component, period: Period): PrepaidCharge | null {
  const units = unitsOf(input, component, period);
  if (units.isZero()) return null;
  return { ...origin(input, period), metricName: metricOf(input, component).metricName, component, units };
}

function usageOf(input: BoundaryInput, component: Component, period: Period, periodEnd: Instant): UsageCharge {
  const { metricId } = component;
  const { metricName, value, eventsCount } = metricOf(input, component);
  const units = unitsOf(input, component, period);
  const prepaidUnits = unitsLeft(units, metricId, input.carried?.usages ?? []);
  const { timeZone } = period;
  const window = { periodStart: startOf(input, metricId, period), periodEnd, timeZone };
  return { ...origin(input, period), ...window, metricName, component, quantity: value, eventsCount, prepaidUnits };
}

function unitsOf({ prepaidUnits = [] }: BoundaryInput, component: Component, period: Period): Decimal {
  return prepaidUnitsIn(component, prepaidUnits, period.index);
}

function metricOf({ metrics }: BoundaryInput, { metricId }: Component): MetricUsage {
  const metric = metrics.find((usage) => usage.metricId === metricId);
  if (metric === undefined) throw new Error(`no usage was loaded for metric ${metricId}`);
  return metric;
}

function origin(
  { subscriptionId, plan }: Pick<BoundaryInput, 'subscriptionId' | 'plan'>,
  { startsAt, endsAt }: Period,
): ChargeOrigin {
  return { subscriptionId, planId: plan.planId, version: plan.version, periodStart: startsAt, periodEnd: endsAt };
}
