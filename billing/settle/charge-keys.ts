import { type Instant, isoFromInstant } from '../../core/instants.ts';
import type { SegmentedPeriod } from '../periods/segments.ts';
import type { PricedGroup } from '../pricing/held-usage.ts';
import { combinationKey, type PropertyTexts } from '../pricing/price-book.ts';

/**
 * Identifies a billing period of a line of succession: by the subscription that it began with and the instant at which it began.
 * A switch within the period leaves both as they are.
 */
export function periodIdOf(firstHolderId: string, startsAt: Instant): string {
  return `${firstHolderId}/${isoFromInstant(startsAt)}`;
}

/** {@link periodIdOf} of a period with its segments. */
export function periodIdOfSegments({ segments: [first], billing }: SegmentedPeriod): string {
  if (!first) throw new Error('a period without segments');
  return periodIdOf(first.subscriptionId, billing.startsAt);
}

/** Identifies a usage period within its billing period, whoever holds it: a switch begins the indexes anew, but not the instants. */
export function windowIdOf({ startsAt }: { startsAt: Instant }): string {
  return isoFromInstant(startsAt);
}

/** What the keys of all layers of a period's fee begin with; the rest is the subscription that brought the layer. */
export function feeKeys(periodId: string): string {
  return `${periodId}/recurring_fee/`;
}

/** What the keys of a metric's prepaid units in a usage period begin with; the rest is the change that brought the layer. */
export function unitsKeys(periodId: string, windowId: string, metricId: string): string {
  return `${periodId}/prepaid_units/${windowId}/${metricId}/`;
}

/** The key of a line that has one price. `windowId` is empty for an add-on. */
export function pricedKey(periodId: string, type: 'usage' | 'addon', windowId: string, itemId: string): string {
  return `${periodId}/${type}/${windowId}/${itemId}`;
}

/** What the keys of a metric's usage in a usage period begin with. */
export function usageKeys(periodId: string, windowId: string, metricId: string): string {
  return pricedKey(periodId, 'usage', windowId, `${metricId}/`);
}

/** The key of the line by which an invoice reaches a minimum; of the plan's if `metricId` is null. */
export function minimumKey(
  periodId: string,
  { windowId, metricId }: { windowId: string | null; metricId: string | null },
): string {
  return `${periodId}/true_up/${windowId ?? ''}/${metricId ?? ''}`;
}

/** What identifies usage within its period. `group` is left out, or null, without a price book. */
export type UsageItem = {
  metricId: string;
  planId: string;
  version: number;
  periodStart: Instant;
  group?: Pick<PricedGroup, 'texts' | 'priceId'> | null;
};

/** The rest of the key of usage: texts are in the order of their names, which stored JSON does not keep otherwise. */
export function usageItemId({ metricId, planId, version, periodStart, group }: UsageItem): string {
  const combination = group ? `${combinationOf(group.texts)}/${group.priceId}` : '';
  return `${metricId}/${planId}/${version}/${periodStart}/${combination}`;
}

function combinationOf(texts: PropertyTexts): string {
  return combinationKey(Object.keys(texts).toSorted(), texts);
}
