import type { Decimal } from '../../core/decimal.ts';
import type { Instant } from '../../core/instants.ts';
import { pausedIntervals } from '../periods/pauses.ts';
import type { LateCharge } from '../pricing/charges.ts';
import type { BillingRules } from '../snapshot/billing-rules.ts';
import { changed, type NeedsUsage, together } from '../snapshot/usage-question.ts';
import type { UsageValue } from './aggregate.ts';

/**
 * Up to which position of the stream the billed usage of a subscription's closed periods has been counted, and the
 * instants these periods span. What lands above it for them is late usage (spec/invoices#late-usage).
 */
export type UsageWatermark = { subscriptionId: string; countedTo: bigint; startsAt: Instant; endsAt: Instant };

/** What a closed period has been billed for one metric so far: by its usage line, and by late usage since (spec/invoices#late-usage). */
export type BilledUsage = {
  subscriptionId: string;
  metricId: string;
  startsAt: Instant;
  endsAt: Instant;
  planId: string;
  version: number;
  /** The customer's zone when it was billed: its metric's time filter is read in the same one again. */
  timeZone: string;
  prepaidUnits: Decimal;
  usage: UsageValue;
  /** The rate of tax of the invoice that billed it; null where it waits for one. */
  chargedRate: Decimal | null;
};

/** A period for which events came late: what it was billed for when it was read, and its usage with them. */
type LatePeriod = { billed: BilledUsage; charge: LateCharge };

/** What came late for closed periods: all watermarks that were looked at, and the periods where something did. */
export type LateUsage = { watermarks: readonly UsageWatermark[]; periods: readonly LatePeriod[] };

/** Late usage with the position up to which its period had been counted, and the zone it was billed in. */
export type CountedLate = LateCharge & { countedFrom: bigint; timeZone: string };

/** `billed`: what the periods where something came late have been billed for; they are counted again. */
export function lateUsage(
  watermarks: readonly UsageWatermark[],
  billed: readonly BilledUsage[],
  rules: BillingRules,
): NeedsUsage<LateUsage> {
  const periods = together(billed.map((one) => latePeriod(one, rules)));
  return changed(periods, (all) => ({ watermarks, periods: all }));
}

function latePeriod(billed: BilledUsage, rules: BillingRules): NeedsUsage<LatePeriod> {
  const { subscriptionId, planId, version, startsAt, endsAt, metricId, prepaidUnits, timeZone, usage: before } = billed;
  const { chargedRate } = billed;
  const component = rules.planOf(billed).components.find((one) => one.metricId === metricId);
  if (!component) throw new Error(`plan ${planId} has lost the component of ${metricId}`);
  const metric = rules.metricOf(metricId);
  const excluded = pausedIntervals(rules.pausesOf(subscriptionId), endsAt);
  const origin = { subscriptionId, planId, version, periodStart: startsAt, periodEnd: endsAt };
  return {
    questions: [{ metric, timeZone, start: startsAt, end: endsAt, excluded }],
    by: ([after]) => {
      if (after === undefined) throw new Error(`usage of ${metricId} has no answer`);
      const counted = { metricName: metric.metricName, component, before, after, prepaidUnits };
      const charge = { ...origin, ...counted, ...(chargedRate && { chargedRate }) };
      return { billed, charge };
    },
  };
}

/** What would be charged if the next invoice were made now, and up to where its periods have been counted: for a draft. */
export function lateCharges({ watermarks, periods }: LateUsage): CountedLate[] {
  const countedTo = new Map(watermarks.map((watermark) => [watermark.subscriptionId, watermark.countedTo]));
  return periods
    .map(({ charge, billed }) => {
      const countedFrom = countedTo.get(billed.subscriptionId);
      if (countedFrom === undefined) throw new Error(`billed usage of ${billed.subscriptionId} has no watermark`);
      return { ...charge, countedFrom, timeZone: billed.timeZone };
    })
    .filter(isLateChange);
}

/** Whether the period comes to something else than it was billed for. */
export function isLateChange({ before, after }: LateCharge): boolean {
  return !after.value.eq(before.value);
}
