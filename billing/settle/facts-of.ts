import { currencyOf } from '../../core/currencies.ts';
import { type Decimal, roundHalfAwayFromZero } from '../../core/decimal.ts';
import { daysBetween } from '../../core/instants.ts';
import { addonLine, usageLine } from '../invoices/invoice-lines.ts';
import { limitsIn } from '../invoices/true-ups.ts';
import { type Segment, type SegmentedPeriod, usageSegments } from '../periods/segments.ts';
import { billingPeriodOf, daysOfUsagePeriod, endsBilling } from '../periods/usage-months.ts';
import type { AddonCharge, UsageCharge } from '../pricing/charges.ts';
import type { Ending } from '../subscriptions/cancel.ts';
import type { Plan } from '../subscriptions/subscription.ts';
import { usageItemId, windowIdOf } from './charge-keys.ts';
import type { ChargedBy, FeeChange, LimitFacts, PeriodFacts, PricedFacts, UnitsFacts } from './facts.ts';
import type { DaySpan } from './layers.ts';

/** A usage period that is over, the metrics that it bills, and its usage as it was last settled. */
export type SettledUsage = {
  usagePeriod: SegmentedPeriod;
  metricIds: readonly string[];
  usages: readonly UsageCharge[];
};

/** What the records say of one billing period of a line of succession. */
export type PeriodRecords = {
  periodId: string;
  /** Its newest usage period, with the segments of the whole billing period. */
  period: SegmentedPeriod;
  /** How its subscription ended within it; null if it did not. */
  ending: Ending | null;
  /** Whether its fee was due at its start. */
  isInAdvance: boolean;
  /** Whether the billing period is over. */
  isClosed: boolean;
  settled: readonly SettledUsage[];
  units: readonly UnitsFacts[];
  addons: readonly AddonCharge[];
  /** The layers that the switch to a subscription must not restore, by its id, since another payer was billed for them. */
  mayNotRestore: ReadonlyMap<string, readonly string[]>;
  nameOf(metricId: string): string;
};

/** Computes the facts of a billing period from its records (spec/reversals#facts). */
export function factsOf(records: PeriodRecords): PeriodFacts {
  const { periodId, period, ending, isInAdvance, isClosed, settled, units, addons, mayNotRestore } = records;
  const billing = billingPeriodOf(period);
  const { startsAt, endsAt, startDate, endDate, days, trial } = billing;
  const length = daysBetween(startDate, endDate);
  const isFree = trial !== undefined;
  return {
    ...{ periodId, startsAt, endsAt, days, length, isInAdvance, isClosed, units },
    fees: isFree ? [] : feesOf(billing, mayNotRestore),
    used: usedOf(billing, { isInAdvance, ending }),
    priced: [...settled.flatMap(usagesOf), ...addons.map(addonOf)],
    limits: isFree ? [] : limitsOf(records, billing),
  };
}

/** The fee of each plan that was in force, from the day on which it came. Each switch within a period begins a subscription. */
function feesOf({ segments, startDate }: SegmentedPeriod, mayNotRestore: PeriodRecords['mayNotRestore']): FeeChange[] {
  const begun = segments.filter((segment, i) => segments[i - 1]?.subscriptionId !== segment.subscriptionId);
  return begun.map(({ subscriptionId, plan, from }) => ({
    ...chargedBy(subscriptionId, plan),
    planName: plan.name,
    changeId: subscriptionId,
    from: daysBetween(startDate, from.on),
    price: plan.recurringFee,
    mayNotRestore: mayNotRestore.get(subscriptionId) ?? [],
  }));
}

/**
 * The days whose fee is owed. In arrears they are those without a pause, up to the end. In advance pauses count as used, but
 * a period that begins paused is charged from its resume on.
 */
function usedOf(
  { segments, startDate }: SegmentedPeriod,
  { isInAdvance, ending }: Pick<PeriodRecords, 'isInAdvance' | 'ending'>,
): DaySpan[] {
  const behavior = ending?.flatFeeBehavior ?? 'charge_prorated';
  if (behavior === 'refund') return [];
  const resumed = segments.findIndex(({ isPaused }) => !isPaused);
  const isOwed = ({ isPaused, hasEnded }: Segment, i: number) => {
    if (hasEnded && behavior !== 'charge_full') return false;
    return isInAdvance ? resumed >= 0 && i >= resumed : !isPaused || behavior === 'charge_full';
  };
  return segments.filter(isOwed).map(({ from, to }) => {
    return { from: daysBetween(startDate, from.on), to: daysBetween(startDate, to.on) };
  });
}

function usagesOf({ usagePeriod, usages }: SettledUsage): PricedFacts[] {
  const due = endsBilling(usagePeriod) ? 'end' : 'window';
  return usages.map((usage) => {
    const itemId = usageItemId({ ...usage, metricId: usage.component.metricId });
    return { itemId, windowId: windowIdOf(usagePeriod), due, line: usageLine(usage) };
  });
}

function addonOf(charge: AddonCharge): PricedFacts {
  return { itemId: charge.addonSubscriptionId, windowId: '', due: 'end', line: addonLine(charge) };
}

/** The limits of each component in each usage period that is over, then those of the plan. */
function limitsOf(
  { settled, ending, nameOf }: Pick<PeriodRecords, 'settled' | 'ending' | 'nameOf'>,
  billing: SegmentedPeriod,
): LimitFacts[] {
  const last = billing.segments.at(-1);
  if (!last) return [];
  const places = currencyOf(last.plan.currency).exponent;
  const how = { ending, round: (amount: Decimal) => roundHalfAwayFromZero(amount, places) };
  const by = chargedBy(last.subscriptionId, last.plan);
  const ofComponents = settled.flatMap(({ usagePeriod, metricIds }) => {
    const within = {
      segments: usageSegments(usagePeriod),
      days: daysOfUsagePeriod(usagePeriod, last.plan.usagePeriod),
    };
    return metricIds.flatMap((metricId): LimitFacts[] => {
      const limits = limitsIn(within, ({ components }) => components.find((one) => one.metricId === metricId), how);
      const windowId = windowIdOf(usagePeriod);
      return limits ? [{ ...by, metricId, windowId, name: nameOf(metricId), limits }] : [];
    });
  });
  const limits = limitsIn(billing, (plan) => plan, how);
  const ofPlan = limits ? [{ ...by, metricId: null, windowId: null, name: last.plan.name, limits }] : [];
  return [...ofComponents, ...ofPlan];
}

function chargedBy(subscriptionId: string, { planId, version }: Plan): ChargedBy {
  return { subscriptionId, planId, version };
}
