import { type Decimal, ZERO } from '../../core/decimal.ts';
import type { SwitchCharge } from '../credits/charged-fee.ts';
import { feeCreditedBefore } from '../credits/credited-waiting.ts';
import type { UsageValue } from '../metering/aggregate.ts';
import { type BookCharges, bookCharges } from '../metering/book-charges.ts';
import type { BookQuestion } from '../metering/book-usage.ts';
import type { Period, PeriodKey } from '../periods/periods.ts';
import {
  beginsPaused,
  billedDays,
  daysOf,
  type SegmentedPeriod,
  unpausedDays,
  usageSegments,
} from '../periods/segments.ts';
import { beginsBilling, billingPeriodOf, endsBilling } from '../periods/usage-months.ts';
import { type UsageWindow, unitsLeft } from '../periods/usage-windows.ts';
import type {
  AddonCharge,
  ChargeOrigin,
  FeeCharge,
  PrepaidCharge,
  ProrationCharge,
  TrueUpCharge,
  UsageCharge,
} from '../pricing/charges.ts';
import type { HeldUsage } from '../pricing/held-usage.ts';
import type { LimitedSoFar } from '../pricing/limits.ts';
import type { Component } from '../pricing/rating.ts';
import type { Ending } from '../subscriptions/cancel.ts';
import { type PrepaidChoice, prepaidUnitsIn } from '../subscriptions/prepaid-changes.ts';
import type { Plan } from '../subscriptions/subscription.ts';
import { addonCharges, type ChargeableAddon } from './addon-charges.ts';
import { isChargedAhead } from './charged-ahead.ts';
import { prorationsNotUsed } from './prorations-not-used.ts';

/** A window of usage, counted, and the component that bills it. */
export type CountedWindow = UsageWindow & UsageValue & { component: Component; book?: BookQuestion | null };

/** `ended` is null at the very start, `next` is null where the subscription ends. */
export type BoundaryInput = {
  subscriptionId: string;
  plan: Plan;
  ended: SegmentedPeriod | null;
  next: SegmentedPeriod | null;
  /** Of `ended`, oldest first: what earlier plans bill, then one for every component of the plan; none where nothing ends. */
  windows: readonly CountedWindow[];
  /** The name of a metric that the plan bills. */
  nameOf(metricId: string): string;
  /** The subscription's own prepaid units; a metric not named has its component's. */
  prepaidUnits?: readonly PrepaidChoice[];
  /** Those that may still be charged, in the order in which they were attached. */
  addons?: readonly ChargeableAddon[];
  /** Set where a cancel ends the life within, or with, `ended`. */
  ending?: Ending | null;
  /** What switches within `ended` have charged. */
  switchCharges?: readonly SwitchCharge[];
  /** What is charged for add-ons, where that was fixed when the period ended. */
  fixedAddons?: readonly AddonCharge[] | null;
  /** The invoice that was to charge the fee of `ended` in advance, and is still pending: the fee is billed at this end instead. */
  pendingOpening?: PeriodKey | null;
  /** The fee of `next` is billed by its own end. */
  nextFeeTaken?: boolean;
  /** What switches have credited of the fee of `next` before it is charged, without tax. */
  nextFeeCredited?: Decimal;
  /** What invoices before say of the billing period of `ended`, for the limits of its plan. */
  limitedSoFar?: LimitedSoFar;
};

/** What a boundary charges, whatever the limits. */
export type UnlimitedCharges = {
  fees: FeeCharge[];
  prepaid: PrepaidCharge[];
  usages: UsageCharge[];
  addons: AddonCharge[];
  prorations: ProrationCharge[];
  /** What is not billed for want of a price. */
  held?: HeldUsage[];
};

/** The same within its limits. */
export type BoundaryCharges = UnlimitedCharges & { trueUps: TrueUpCharge[] };

/**
 * What a boundary bills (spec/subscriptions#invoices-on-schedule: "invoices on schedule"): in_arrears the fee of the period that ended, in_advance
 * that of the next one; usage of the period that ended, a line for every component also at zero; prepaid units of the
 * next one; add-ons by their own rule. A plan without a fee has no fee line. Paused days cost no fee, and a cancel bills
 * by its own terms; what it gives back is not a charge (`prorationCredits`). At the end of a usage month within its billing period
 * there is usage, and prepaid units of the next one (spec/periods#usage-months); at that of a trial usage where the plan bills it, and what begins
 * (spec/subscriptions#trials). Limits come after it (`limitedCharges`).
 */
export function boundaryCharges(input: BoundaryInput): UnlimitedCharges {
  const { ended, ending, fixedAddons } = input;
  const counted = ended === null || ending?.billUsage === false ? null : usagesOf(input, ended);
  const begun = input.next && unlessPaused(input.next, usageSegments(input.next));
  const owing = isChargedAhead(input) ? null : billingEnded(input);
  return {
    fees: feesOf(input, owing).filter(({ billedDays }) => billedDays > 0),
    prepaid: begun === null ? [] : prepaidAhead({ ...input, plan: nextPlan(input) }, begun),
    usages: counted?.usages ?? [],
    addons: [...(fixedAddons ?? boundaryAddons(input))],
    prorations: owing === null ? [] : prorationsNotUsed(input, owing, (of) => origin({ ...input, plan: of }, owing)),
    ...(counted && counted.held.length > 0 && { held: counted.held }),
  };
}

/** What of the period that ends waits for a price. */
export function heldIn(input: BoundaryInput): HeldUsage[] {
  const { ended, ending } = input;
  return ended === null || ending?.billUsage === false ? [] : usagesOf(input, ended).held;
}

/** The plan by which the next period bills: a phase may begin with it. */
export function nextPlan({ plan, next }: Pick<BoundaryInput, 'plan' | 'next'>): Plan {
  return next?.segments[0]?.plan ?? plan;
}

/** What a boundary bills for add-ons (spec/plans#add-ons). */
export function boundaryAddons(input: Omit<BoundaryInput, 'windows' | 'nameOf'>): AddonCharge[] {
  const { plan, addons = [] } = input;
  const { chargeTiming } = plan;
  const [ended, next] = [billingEnded(input), billingBegun(input)];
  const unpaused = ended !== null && unpausedDays(ended.segments) > 0 ? ended : null;
  const charged = { chargeTiming, ended: unpaused, next: next && unlessPaused(next), invoiced: ended ?? next };
  return addonCharges(addons, charged, (period) => origin(input, period));
}

/** The billing period that ends with this boundary: at its own end, or with the subscription's; null where it goes on, and for a trial. */
function billingEnded({ ended, ending }: Pick<BoundaryInput, 'ended' | 'ending'>): SegmentedPeriod | null {
  return ended !== null && !ended.trial && (ending || endsBilling(ended)) ? billingPeriodOf(ended) : null;
}

/** The billing period that begins with it; null where it goes on, or nothing begins. */
function billingBegun({ next }: Pick<BoundaryInput, 'next'>): SegmentedPeriod | null {
  return next !== null && beginsBilling(next) ? billingPeriodOf(next) : null;
}

/** What begins now costs nothing only where it is paused from its first to its last day. */
function unlessPaused(next: SegmentedPeriod, segments = next.segments): Period | null {
  return beginsPaused(next) && unpausedDays(segments) === 0 ? null : next;
}

/** What ends and what begins, for one invoice. */
export function joinCharges(ended: BoundaryCharges, begun: BoundaryCharges): BoundaryCharges {
  return {
    fees: [...ended.fees, ...begun.fees],
    prepaid: [...ended.prepaid, ...begun.prepaid],
    usages: [...ended.usages, ...begun.usages],
    addons: [...ended.addons, ...begun.addons],
    prorations: [...ended.prorations, ...begun.prorations],
    trueUps: [...ended.trueUps, ...begun.trueUps],
    held: [...(ended.held ?? []), ...(begun.held ?? [])],
  };
}

/** A line for each window of usage, by the plan and the units that bill it; of a price book for each combination and row. */
function usagesOf(input: BoundaryInput, ended: Period): BookCharges {
  const { subscriptionId, nameOf } = input;
  const charged = input.windows.map((window, i): BookCharges => {
    const { planId, version, metricId, startsAt, endsAt, component, book } = window;
    // Of no length: its plan was in force for no time, or its units have ended as they came.
    if (startsAt >= endsAt) return { usages: [], held: [] };
    const of = { subscriptionId, planId, version, timeZone: ended.timeZone, metricName: nameOf(metricId) };
    if (book && component.book) return bookCharges({ ...window, book }, component.book, of);
    return { usages: [{ ...of, ...chargeOfWindow(input, window, { i, ended }) }], held: [] };
  });
  return { usages: charged.flatMap(({ usages }) => usages), held: charged.flatMap(({ held }) => held) };
}

/** The usage of the window at `i`, and the units that are left for it in its period; a trial has none. */
function chargeOfWindow(
  { windows, prepaidUnits = [] }: BoundaryInput,
  { metricId, startsAt, endsAt, component, value, eventsCount, byEvent, ...window }: CountedWindow,
  { i, ended: { index, trial } }: { i: number; ended: Period },
) {
  const units = trial ? ZERO : (window.prepaidUnits ?? prepaidUnitsIn(component, prepaidUnits, index));
  const earlier = windows.slice(0, i).filter((one) => one.metricId === metricId);
  const values = earlier.map((one) => one.value);
  return {
    ...{ periodStart: startsAt, periodEnd: endsAt, component, quantity: value, eventsCount },
    ...(byEvent && { byEvent }),
    prepaidUnits: unitsLeft(units, earlier, values),
  };
}

/**
 * The days of the period that is `owing`, since it is billed by its end; in advance all days of the next one, or where that begins
 * paused those that are left at the resume (spec/subscriptions#pause).
 */
function feesOf(input: BoundaryInput, owing: SegmentedPeriod | null): FeeCharge[] {
  const { plan, ending, nextFeeTaken = false, nextFeeCredited = ZERO } = input;
  const next = billingBegun(input);
  if (owing !== null) {
    // "The period's recurring fee stays the one of the plan it began with" (spec/subscriptions#switch).
    const first = { ...input, plan: owing.segments[0]?.plan ?? plan };
    const creditedBefore = feeCreditedBefore(owing, ending?.flatFeeBehavior);
    return feesFor(first, owing, billedDays(owing.segments, ending?.flatFeeBehavior), creditedBefore);
  }
  if (plan.chargeTiming === 'in_arrears' || next === null || nextFeeTaken) return [];
  return feesFor(
    { ...input, plan: nextPlan(input) },
    next,
    beginsPaused(next) ? unpausedDays(next.segments) : daysOf(next.segments),
    nextFeeCredited.isZero() ? undefined : nextFeeCredited,
  );
}

function feesFor(input: BoundaryInput, period: Period, billedDays: number, creditedBefore?: Decimal): FeeCharge[] {
  const { name: planName, recurringFee: fee } = input.plan;
  if (fee.isZero()) return [];
  const { days } = period;
  return [{ ...origin(input, period), planName, fee, billedDays, days, ...(creditedBefore && { creditedBefore }) }];
}

function prepaidAhead(input: BoundaryInput, period: Period): PrepaidCharge[] {
  return input.plan.components.flatMap((component) => prepaidOf(input, component, period) ?? []);
}

function prepaidOf(input: BoundaryInput, component: Component, period: Period): PrepaidCharge | null {
  const units = prepaidUnitsIn(component, input.prepaidUnits ?? [], period.index);
  if (units.isZero()) return null;
  return { ...origin(input, period), metricName: input.nameOf(component.metricId), component, units };
}

function origin(
  { subscriptionId, plan }: Pick<BoundaryInput, 'subscriptionId' | 'plan'>,
  { startsAt, endsAt }: Period,
): ChargeOrigin {
  return { subscriptionId, planId: plan.planId, version: plan.version, periodStart: startsAt, periodEnd: endsAt };
}
