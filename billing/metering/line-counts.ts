import { type Decimal, ZERO } from '../../core/decimal.ts';
import type { Instant } from '../../core/instants.ts';
import type { NewInvoiceLine } from '../invoices/invoice.ts';
import type { LateCharge, UsageCharge } from '../pricing/charges.ts';
import type { EventPrices } from '../pricing/percentage.ts';
import type { PropertyTexts } from '../pricing/price-book.ts';
import type { CountedLate } from './late-usage.ts';

/**
 * What the quantity of a usage or late_usage line was counted from: events at positions above `countedFrom` (null: all) up
 * to `countedTo`, the metric's time filter read in `timeZone`. A late_usage line changed a period that had been billed for
 * `quantityBefore`; that of a usage line is 0.
 */
export type LineCount = {
  countedFrom: bigint | null;
  countedTo: bigint;
  timeZone: string;
  prepaidUnits: Decimal;
  /** The units that were left when the period was billed for `quantityBefore`; those of a usage line are `prepaidUnits`. */
  prepaidBefore: Decimal;
  quantityBefore: Decimal;
  /** What the events came to, and had come to before, where each has a price of its own. */
  byEvent?: EventPrices;
  byEventBefore?: EventPrices;
};

/** The count of a line that has no id yet: an invoice has one per type, subscription, metric, period and `countedFrom`. */
export type ChargeCount = LineCount & {
  type: 'usage' | 'late_usage';
  subscriptionId: string;
  metricId: string;
  periodStart: Instant;
  /** It waited for a price. */
  wasHeld?: boolean;
  /** Of which combination and row, as {@link groupKey} has it; of other lines ''. */
  group?: string;
};

/** The counts of charges that become lines; `countedTo` is the usage cutoff. */
export function countsOf(
  { usages, late }: { usages: readonly UsageCharge[]; late: readonly CountedLate[] },
  countedTo: bigint,
): ChargeCount[] {
  const keyOf = ({ subscriptionId, component, periodStart, prepaidUnits, group }: UsageCharge | LateCharge) => {
    const ofGroup = group ? { group: groupKey(group.texts, group.priceId) } : {};
    return { subscriptionId, metricId: component.metricId, periodStart, prepaidUnits, countedTo, ...ofGroup };
  };
  return [
    ...usages.map((charge) => {
      const { timeZone, byEvent } = charge;
      const all = { countedFrom: null, timeZone, prepaidBefore: charge.prepaidUnits, quantityBefore: ZERO };
      return { ...keyOf(charge), ...all, type: 'usage' as const, ...(byEvent && { byEvent }) };
    }),
    ...late.map((charge) => {
      const { countedFrom, timeZone, before, after, prepaidBefore } = charge;
      const billed = { prepaidBefore, quantityBefore: before.value };
      const [byEvent, byEventBefore] = [after.byEvent, before.byEvent];
      return {
        ...{ ...keyOf(charge), countedFrom, timeZone, ...billed, type: 'late_usage' as const },
        ...(charge.wasHeld && { wasHeld: true }),
        ...(byEvent && { byEvent }),
        ...(byEventBefore && { byEventBefore }),
      };
    }),
  ];
}

/** A combination and the row that prices it as a key; equal for the charge and its line. */
function groupKey(texts: PropertyTexts, priceId: string | null): string {
  const named = Object.entries(texts).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([named, priceId]);
}

/** Finds the count of a line, the first of several: a price book has thousands of lines and as many counts. */
export function countsByLine(counts: readonly ChargeCount[]): (line: NewInvoiceLine) => ChargeCount | undefined {
  const keyOf = ({ type, subscriptionId, metricId, periodStart }: Named) =>
    JSON.stringify([type, subscriptionId, metricId, periodStart]);
  const alike = Map.groupBy(counts, keyOf);
  const byGroup = new Map(
    [...alike].map(([key, some]) => [key, new Map(some.toReversed().map((one) => [one.group, one]))]),
  );
  return (line) => {
    const group = line.group && groupKey(line.group, line.priceId ?? null);
    return group === null ? undefined : byGroup.get(keyOf(line))?.get(group);
  };
}

/** What a line and its count have alike but for their combination. */
type Named = Pick<NewInvoiceLine, 'type' | 'subscriptionId' | 'metricId' | 'periodStart'>;

/** Returns counts, in the order of an invoice's lines, each with the id of its line. Throws where a count has no line. */
export function withLineIds<T extends NewInvoiceLine & { lineId: string }>(
  counts: readonly ChargeCount[],
  lines: readonly T[],
): (ChargeCount & { lineId: string })[] {
  const left = [...lines];
  return counts.map((count) => {
    const at = left.findIndex((line) => isCountOf(count, line));
    const [line] = at < 0 ? [] : left.splice(at, 1);
    if (!line) throw new Error(`no ${count.type} line of ${count.subscriptionId} for ${count.metricId}`);
    return { ...count, lineId: line.lineId };
  });
}

/** Whether it is the count of that line. Of two lines for late usage of one period the first one was counted first. */
export function isCountOf(count: ChargeCount, line: NewInvoiceLine): boolean {
  const { type, subscriptionId, metricId, periodStart, group } = count;
  return (
    line.type === type &&
    line.subscriptionId === subscriptionId &&
    line.metricId === metricId &&
    line.periodStart === periodStart &&
    (line.group && groupKey(line.group, line.priceId ?? null)) === group
  );
}
