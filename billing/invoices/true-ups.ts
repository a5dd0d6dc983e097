import { currencyOf } from '../../core/currencies.ts';
import { type Decimal, roundHalfAwayFromZero, sum, ZERO } from '../../core/decimal.ts';
import { daysBetween } from '../../core/instants.ts';
import {
  beginsPaused,
  billedDays,
  daysOf,
  holdersOf,
  type Segment,
  type SegmentedPeriod,
  switchesIn,
  usageSegments,
} from '../periods/segments.ts';
import { beginsBilling, billingPeriodOf, daysOfUsagePeriod, endsBilling } from '../periods/usage-months.ts';
import type { TrueUpCharge, UsageCharge } from '../pricing/charges.ts';
import { type Limited, type LimitedSoFar, type Limits, NONE_SO_FAR, trueUpAmount } from '../pricing/limits.ts';
import { type Component, prepaidPrice } from '../pricing/rating.ts';
import type { Ending } from '../subscriptions/cancel.ts';
import { prepaidUnitsIn, takesPrepaidUnits } from '../subscriptions/prepaid-changes.ts';
import type { Plan } from '../subscriptions/subscription.ts';
import {
  type BoundaryCharges,
  type BoundaryInput,
  boundaryCharges,
  nextPlan,
  type UnlimitedCharges,
} from './boundary-charges.ts';
import { isChargedAhead } from './charged-ahead.ts';
import { feeLine, prepaidLine, prorationLine, usageLine } from './invoice-lines.ts';

/** What a boundary charges, and what limits make of that. */
export function limitedCharges(input: BoundaryInput): BoundaryCharges {
  const charges = boundaryCharges(input);
  return { ...charges, trueUps: trueUpsOf(input, charges) };
}

/**
 * What limits make of a boundary (spec/rating#limits): at the end of a period the difference for each component with limits, then for the
 * plan, also where that is 0, but not of a trial; at the start of a billing period what the plan's maximum takes of what is charged ahead.
 */
function trueUpsOf(input: BoundaryInput, charges: UnlimitedCharges): TrueUpCharge[] {
  const { ended, next, plan } = input;
  const plans = [plan, nextPlan(input), ...(ended?.segments ?? []).map((segment) => segment.plan)];
  const isLimited = plans.some(({ limits, components }) => limits || components.some((one) => one.limits));
  if (!isLimited) return [];
  return [
    ...(ended && !ended.trial ? atEnd(input, ended, charges) : []),
    ...(next ? aheadOf({ ...input, plan: nextPlan(input) }, next, charges) : []),
  ];
}

function atEnd(input: BoundaryInput, ended: SegmentedPeriod, charges: UnlimitedCharges): TrueUpCharge[] {
  const { plan, ending = null } = input;
  const round = roundingOf(plan);
  const components = componentsAtEnd(input, ended, charges);
  const isOver = ending !== null || endsBilling(ended);
  const billing = billingPeriodOf(ended);
  const limits = limitsIn(billing, (of) => of, { ending, round });
  if (limits === null) return components;
  const { charged: before, truedUp } = input.limitedSoFar ?? NONE_SO_FAR;
  const charged = sum([
    before,
    isOver ? feeOf(input, billing, charges) : feeSoFar(input, billing),
    ofMonth(input, ended, charges.usages, round),
    ...components.map(trueUpAmount),
    ...(isOver ? [] : charges.prepaid.map((charge) => round(prepaidLine(charge).amount))),
  ]);
  const held = isOver ? limits : { ...limits, minimumAmount: null };
  const origin = { ...originIn(input, billing), metricId: null, name: plan.name, isLate: false };
  return [...components, { ...origin, charged, truedUp, limits: held, holders: holdersOf(billing.segments) }];
}

/** What a boundary leaves to the limits of the next one, where that is in the same billing period or begins one: all of that period so far. */
export function limitedForNext(input: BoundaryInput, { usages, trueUps }: BoundaryCharges): LimitedSoFar | null {
  const { ended, next, plan, limitedSoFar: before = NONE_SO_FAR } = input;
  if (trueUps.length === 0 || next === null) return null;
  const ofNext = trueUps.filter((one) => one.metricId === null && one.periodStart === next.billing.startsAt);
  const truedUp = sum(ofNext.map(trueUpAmount));
  if (ended === null || endsBilling(ended)) return { charged: ZERO, truedUp };
  const components = trueUps.filter(({ metricId }) => metricId !== null).map(trueUpAmount);
  const charged = sum([before.charged, ofMonth(input, ended, usages, roundingOf(plan)), ...components]);
  return { charged, truedUp: before.truedUp.plus(truedUp) };
}

/** Units paid ahead for a usage period, and its usage. */
function ofMonth(input: BoundaryInput, ended: SegmentedPeriod, usages: readonly UsageCharge[], round: Round): Decimal {
  const prepaid = metricsIn(ended.segments).map((metricId) => prepaidIn(input, ended, metricId));
  return sum([...prepaid, usageOf(usages, round)]);
}

/** The components with limits, for their usage period: what each charged for prepaid units and usage. */
function componentsAtEnd(input: BoundaryInput, ended: SegmentedPeriod, { usages }: UnlimitedCharges): TrueUpCharge[] {
  const { plan, nameOf, windows, ending = null } = input;
  const round = roundingOf(plan);
  const usagePeriod = { segments: usageSegments(ended), days: daysOfUsagePeriod(ended, plan.usagePeriod) };
  return metricsIn(usagePeriod.segments).flatMap((metricId): TrueUpCharge[] => {
    const limits = limitsIn(usagePeriod, (of) => componentIn(of, metricId), { ending, round });
    // Usage that moved on with a switch is limited where it is billed.
    if (limits === null || !windows.some((window) => window.metricId === metricId)) return [];
    const used = usageOf(
      usages.filter(({ component }) => component.metricId === metricId),
      round,
    );
    const charged = prepaidIn(input, ended, metricId).plus(used);
    const origin = { ...originIn(input, ended), metricId, name: nameOf(metricId), isLate: false };
    return [{ ...origin, charged, truedUp: ZERO, limits }];
  });
}

/** What the plan's maximum takes at once of what is charged ahead for a billing period. */
function aheadOf(input: BoundaryInput, next: SegmentedPeriod, { fees, prepaid }: UnlimitedCharges): TrueUpCharge[] {
  const { limits, name } = input.plan;
  if (!limits?.maximumAmount || !beginsBilling(next)) return [];
  const isOfNext = ({ periodStart }: { periodStart: number }) => periodStart === next.startsAt;
  const lines = [...fees.filter(isOfNext).map(feeLine), ...prepaid.filter(isOfNext).map(prepaidLine)];
  const charged = sum(lines.map(({ amount }) => roundingOf(input.plan)(amount)));
  const origin = { ...originIn(input, billingPeriodOf(next)), metricId: null, name, isLate: false };
  const ahead = { ...origin, charged, truedUp: ZERO, limits: { ...limits, minimumAmount: null } };
  return trueUpAmount(ahead).isZero() ? [] : [ahead];
}

type Round = (amount: Decimal) => Decimal;

function roundingOf({ currency }: Plan): Round {
  const { exponent } = currencyOf(currency);
  return (amount) => roundHalfAwayFromZero(amount, exponent);
}

/**
 * The limits of a period: minimums for the days in force, those of all plans together; the maximum of the last one. Null where no plan in
 * force has any.
 */
export function limitsIn(
  { segments, days }: Pick<SegmentedPeriod, 'segments' | 'days'>,
  of: (plan: Plan) => Limited | undefined,
  { ending, round }: { ending: Ending | null; round: Round },
): Limits | null {
  if (segments.every(({ plan }) => of(plan)?.limits === undefined)) return null;
  const shares = segments.flatMap((segment) => {
    const minimum = of(segment.plan)?.limits?.minimumAmount ?? null;
    return minimum === null ? [] : minimum.times(billedDays([segment], ending?.flatFeeBehavior));
  });
  const hasMinimum = shares.length > 0 && ending?.flatFeeBehavior !== 'refund' && ending?.billUsage !== false;
  const last = segments.findLast((segment) => !segment.hasEnded && of(segment.plan)) ?? segments.at(-1);
  return {
    // Divided once: parts that have no end in decimals would not add up.
    minimumAmount: hasMinimum ? round(sum(shares).div(days)) : null,
    maximumAmount: (last && of(last.plan)?.limits?.maximumAmount) ?? null,
  };
}

/** The fee that a billing period comes to in the end, with what switches changed of it; each line of it is rounded. */
function feeOf(input: BoundaryInput, billing: SegmentedPeriod, { fees, prorations }: UnlimitedCharges): Decimal {
  const { plan, ending } = input;
  const round = roundingOf(plan);
  const switched = switchedIn(billing, round);
  if (!isChargedAhead(input)) {
    const lines = [...fees.map(feeLine), ...prorations.map(prorationLine)];
    return sum([switched, ...lines.map(({ amount }) => round(amount))]);
  }
  const charged = paidAhead(input, billing).plus(switched);
  if (!ending || ending.flatFeeBehavior === 'charge_full') return charged;
  if (ending.flatFeeBehavior === 'refund') return ZERO;
  return charged.minus(round(plan.recurringFee.times(daysBetween(ending.on, billing.endDate)).div(billing.days)));
}

/** What of it is charged before the billing period ends: all in advance, and in arrears what switches charge. */
function feeSoFar(input: BoundaryInput, billing: SegmentedPeriod): Decimal {
  const switched = switchedIn(billing, roundingOf(input.plan));
  return isChargedAhead(input) ? paidAhead(input, billing).plus(switched) : switched;
}

function switchedIn({ segments, days }: SegmentedPeriod, round: Round): Decimal {
  return sum(
    switchesIn(segments).map(({ oldPlan, plan, rest }) =>
      round(plan.recurringFee.minus(oldPlan.recurringFee).times(daysOf(rest)).div(days)),
    ),
  );
}

/** The fee that was charged when the billing period began, or at the resume where it began paused. */
function paidAhead({ plan }: BoundaryInput, billing: SegmentedPeriod): Decimal {
  const { segments, days } = billing;
  const fee = (segments[0]?.plan ?? plan).recurringFee;
  const resumed = segments.findIndex(({ isPaused }) => !isPaused);
  const charged = !beginsPaused(billing) ? segments : resumed < 0 ? [] : segments.slice(resumed);
  return roundingOf(plan)(fee.times(daysOf(charged)).div(days));
}

/** What units paid ahead for the usage period cost, by the first plan in it that prepays the metric: that has charged them; rounded. */
function prepaidIn(input: BoundaryInput, ended: SegmentedPeriod, metricId: string): Decimal {
  const { plan, windows, prepaidUnits = [] } = input;
  const segments = usageSegments(ended);
  if (segments.every(({ isPaused }) => isPaused)) return ZERO;
  const ofSwitch = windows.find((window) => window.metricId === metricId && window.prepaidUnits?.gt(0));
  const unitsOf = (of: Component) => ofSwitch?.prepaidUnits ?? prepaidUnitsIn(of, prepaidUnits, ended.index);
  const components = segments.flatMap((segment) => componentIn(segment.plan, metricId) ?? []);
  const first = components.find((one) => takesPrepaidUnits(one) && unitsOf(one).gt(0));
  return first ? roundingOf(plan)(prepaidPrice(first, unitsOf(first))) : ZERO;
}

function usageOf(usages: readonly UsageCharge[], round: Round): Decimal {
  return sum(usages.map((usage) => round(usageLine(usage).amount)));
}

/** The metrics that plans in force in a period bill, in the order of their components. */
function metricsIn(segments: readonly Segment[]): string[] {
  return [...new Set(segments.flatMap(({ plan }) => plan.components.map(({ metricId }) => metricId)))];
}

function componentIn({ components }: Plan, metricId: string): Component | undefined {
  return components.find((one) => one.metricId === metricId);
}

function originIn({ subscriptionId, plan: { planId, version } }: BoundaryInput, { startsAt, endsAt }: SegmentedPeriod) {
  return { subscriptionId, planId, version, periodStart: startsAt, periodEnd: endsAt };
}
