import { type Decimal, ZERO } from '../../core/decimal.ts';
import type { Instant } from '../../core/instants.ts';
import { unpaused } from '../periods/pauses.ts';
import { unitsLeft, windowsOfMetric } from '../periods/usage-windows.ts';
import type { LateCharge } from '../pricing/charges.ts';
import { type Component, perEventPrice, priceBeyondPrepaid, rate } from '../pricing/rating.ts';
import {
  type BillingRules,
  componentOf,
  limitedOf,
  metricOf,
  pausesOf,
  switchedOf,
  termsOf,
} from '../state/billing-rules.ts';
import { changed, type NeedsUsage, together } from '../state/usage-question.ts';
import { prepaidUnitsIn } from '../subscriptions/prepaid-changes.ts';
import type { UsageValue } from './aggregate.ts';
import type { BilledUsage, LatePeriod } from './billed-usage.ts';
import { type BookQuestion, bookQuestionOf } from './book-usage.ts';
import { lateCombinations } from './late-combinations.ts';

/**
 * Up to which position of the stream the billed usage of a subscription's closed periods has been counted, and the
 * instants these periods span. What lands above it for them is late usage (spec/invoices#late-usage).
 */
export type UsageWatermark = {
  subscriptionId: string;
  countedTo: bigint;
  startsAt: Instant;
  endsAt: Instant;
  /** Where usage was held in periods whose price books have had rows added since; left out for none. */
  priced?: { from: Instant; to: Instant };
};

/** A watermark with those on whose invoices its late usage goes: its own subscription and those that have taken its place. */
export type InheritedWatermark = UsageWatermark & { heirIds: string[]; hasEnded: boolean };

/**
 * Takes out of `left` the watermarks whose late usage goes on the next invoice of `heirId`, each on the first that takes it: its own,
 * those of the subscriptions it has taken the place of ("after a switch ... on the successor's invoice"), and `withEnded` those of
 * subscriptions that have ended for good ("after the last period on any later invoice of the customer").
 */
export function takeWatermarks(
  left: Set<InheritedWatermark>,
  heirId: string,
  withEnded: boolean,
): InheritedWatermark[] {
  const ours = [...left].filter(({ heirIds, hasEnded }) => heirIds.includes(heirId) || (withEnded && hasEnded));
  for (const watermark of ours) left.delete(watermark);
  return ours.toSorted((a, b) => (a.subscriptionId < b.subscriptionId ? -1 : 1));
}

/** A part of a subscription's closed life in which something is to be counted again. */
export type LateSpan = { subscriptionId: string; from: Instant; to: Instant };

/** Where something came late, or what was held has a price by now. */
export function spansToCount(watermarks: readonly UsageWatermark[], late: readonly LateSpan[]): LateSpan[] {
  const lateOf = new Map(late.map((span) => [span.subscriptionId, span]));
  return watermarks.flatMap(({ subscriptionId, priced }) => {
    const span = lateOf.get(subscriptionId);
    if (!priced) return span ?? [];
    if (!span) return { subscriptionId, ...priced };
    return { subscriptionId, from: Math.min(span.from, priced.from), to: Math.max(span.to, priced.to) };
  });
}

/** What came late for closed periods: all watermarks that were looked at, and the periods where something did. */
export type LateUsage = { watermarks: readonly UsageWatermark[]; periods: readonly LatePeriod[] };

/** Late usage with the position up to which its period had been counted (null: it was held, and nothing of it is billed), and the zone it was billed in. */
export type CountedLate = LateCharge & { countedFrom: bigint | null; timeZone: string };

/** From where on usage of a charge is counted, of a period that had been counted up to `countedTo`: what was held is counted whole. */
export function countedAbove({ wasHeld, before }: LateCharge, countedTo: bigint): bigint | null {
  return wasHeld && before.eventsCount.isZero() ? null : countedTo;
}

/** `billed`: what the periods where something came late have been billed for; they are counted again. */
export function lateUsage(
  watermarks: readonly UsageWatermark[],
  billed: readonly BilledUsage[],
  rules: BillingRules,
): NeedsUsage<LateUsage> {
  const periods = together(billed.map((one) => countAgain(one, rules)));
  return changed(periods, (counted) => ({
    watermarks,
    periods: counted.flatMap((one) =>
      one.book ? lateCombinations(one, one.book, rules) : latePeriod(one, counted, rules),
    ),
  }));
}

/** What was billed, with its usage of now. */
type CountedAgain = { billed: BilledUsage; after: UsageValue; book: BookQuestion | null };

function countAgain(billed: BilledUsage, rules: BillingRules): NeedsUsage<CountedAgain> {
  const { subscriptionId, metricId, timeZone } = billed;
  const component = componentOf(billed, rules);
  const book = questionOfBilled(billed, component, rules);
  const perEvent = component.book ? null : perEventPrice(component);
  const times = unpaused(billed, pausesOf(rules, subscriptionId));
  const question = { metric: metricOf(rules, metricId), timeZone, ...times, perEvent, book };
  return {
    questions: [question],
    by: ([after]) => {
      if (after === undefined) throw new Error(`usage of ${metricId} has no answer`);
      return { billed, after, book };
    },
  };
}

function questionOfBilled(
  billed: BilledUsage,
  component: Component,
  { testClockId }: BillingRules,
): BookQuestion | null {
  const { startsAt, timeZone, book } = billed;
  return bookQuestionOf(component, { startsAt }, { timeZone, testClockId }, book?.rowsKnown);
}

function latePeriod(counted: CountedAgain, all: readonly CountedAgain[], rules: BillingRules): LatePeriod {
  const { billed, after } = counted;
  const { subscriptionId, planId, version, startsAt, endsAt, metricId, usage: before, chargedRate } = billed;
  const component = componentOf(billed, rules);
  const { metricName } = metricOf(rules, metricId);
  const origin = { subscriptionId, planId, version, periodStart: startsAt, periodEnd: endsAt };
  const units = { prepaidUnits: unitsNow(billed, all, rules), prepaidBefore: billed.prepaidUnits };
  const limited = limitedOf(rules, billed);
  const charge = {
    ...origin,
    metricName,
    component,
    before,
    after,
    ...units,
    limited,
    ...(chargedRate && { chargedRate }),
  };
  return { billed, charge };
}

/** What is left of the units for this part of a period, by all usage of the parts before it (spec/prepaid-units#shared-by-a-period). */
function unitsNow(billed: BilledUsage, all: readonly CountedAgain[], rules: BillingRules): Decimal {
  const { subscriptionId, metricId, startsAt } = billed;
  // Switches within a period leave windows to the first one of the subscription alone.
  const first = { index: 0, startsAt, billing: { index: 0 } };
  const windows = windowsOfMetric(switchedOf(rules, subscriptionId, first), billed, metricId, billed);
  const i = windows.findIndex((window) => window.startsAt === startsAt && startsAt < window.endsAt);
  const window = windows[i];
  if (!window || windows.length === 1) return billed.prepaidUnits;
  const ours = all.filter((one) => one.billed.subscriptionId === subscriptionId && one.billed.metricId === metricId);
  const earlier = windows.slice(0, i);
  // Where those before it have had none, as in a trial, what they used has taken none.
  if (earlier.every(({ prepaidUnits }) => prepaidUnits?.isZero())) return billed.prepaidUnits;
  const values = earlier.map((part) => {
    const counted = part.startsAt < part.endsAt && ours.find((one) => one.billed.startsAt === part.startsAt);
    return counted ? counted.after.value : ZERO;
  });
  const { prepaidUnits: choices } = termsOf(rules, subscriptionId);
  return unitsLeft(window.prepaidUnits ?? prepaidUnitsIn(componentOf(billed, rules), choices, 0), earlier, values);
}

/** What would be charged if the next invoice were made now, and up to where its periods have been counted: for a draft. */
export function lateCharges(late: LateUsage): CountedLate[] {
  return countedLate(late).filter(isLateChange);
}

/** {@link lateCharges}, with what was counted again and has not changed. */
export function countedLate({ watermarks, periods }: LateUsage): CountedLate[] {
  const countedTo = new Map(watermarks.map((watermark) => [watermark.subscriptionId, watermark.countedTo]));
  return periods.map(({ charge, billed }) => {
    const watermark = countedTo.get(billed.subscriptionId);
    if (watermark === undefined) throw new Error(`billed usage of ${billed.subscriptionId} has no watermark`);
    return { ...charge, countedFrom: countedAbove(charge, watermark), timeZone: billed.timeZone };
  });
}

/** Whether the period comes to something else than it was billed for: in quantity, or in price by the units that are left. */
export function isLateChange(charge: LateCharge): boolean {
  const { component, before, after, prepaidUnits, prepaidBefore } = charge;
  if (charge.isUnbilled) return false;
  if (!after.value.eq(before.value)) return true;
  if (after.byEvent) return !before.byEvent?.amount.eq(after.byEvent.amount);
  const priceWith = (units: Decimal) => priceBeyondPrepaid(component, rate(component, after.value), units);
  return !priceWith(prepaidUnits).eq(priceWith(prepaidBefore));
}
