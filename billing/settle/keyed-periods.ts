import type { Instant } from '../../core/instants.ts';
import type { InvoiceLine } from '../invoices/invoice.ts';
import { periodIdOf } from './charge-keys.ts';

/**
 * A usage period of a subscription, with what the keys of its charges are made of. `firstHolderId`: the subscription that its billing period
 * began with. `minimums`: the metrics whose minimum counts in it, null for that of the plan at the end of the billing period.
 */
export type KeyedPeriod = {
  subscriptionId: string;
  startsAt: Instant;
  endsAt: Instant;
  billing: { startsAt: Instant; endsAt: Instant };
  firstHolderId: string;
  isInAdvance: boolean;
  minimums: readonly (string | null)[];
};

type Placed = Pick<InvoiceLine, 'subscriptionId' | 'periodStart' | 'periodEnd'> & { type?: InvoiceLine['type'] };

/** `find`: the period that a line is of; null for a line of no subscription. `nextOf`: the usage period behind one, if there is any. */
export type KeyedPeriods = {
  find(line: Placed): KeyedPeriod | null;
  nextOf(period: KeyedPeriod): KeyedPeriod | undefined;
};

/** Identifies the billing period of a usage period. */
export function periodIdIn({ firstHolderId, billing }: KeyedPeriod): string {
  return periodIdOf(firstHolderId, billing.startsAt);
}

/**
 * Finds periods by the instants of lines. Usage lies in the usage period in which it ends: a switch may have moved it along from an earlier
 * one. Everything else lies in the usage period in which it begins. A line whose period is not there is of a period of its own.
 */
export function keyedPeriodsIn(periods: readonly KeyedPeriod[]): KeyedPeriods {
  const bySubscription = Map.groupBy(periods, ({ subscriptionId }) => subscriptionId);
  const find: KeyedPeriods['find'] = ({ type, subscriptionId, periodStart, periodEnd }) => {
    if (subscriptionId === null || periodStart === null || periodEnd === null) return null;
    const own = bySubscription.get(subscriptionId) ?? [];
    const begins = () => own.find(({ startsAt, endsAt }) => startsAt <= periodStart && periodStart < endsAt);
    const ends = () => own.find(({ startsAt, endsAt }) => startsAt < periodEnd && periodEnd <= endsAt);
    const contains = () => own.find(({ billing }) => billing.startsAt <= periodStart && periodStart < billing.endsAt);
    const isUsage = type === 'usage' || type === 'late_usage';
    const found = isUsage ? (ends() ?? begins()) : (begins() ?? ends() ?? contains());
    if (found) return found;
    const span = { startsAt: periodStart, endsAt: periodEnd };
    return { subscriptionId, ...span, billing: span, firstHolderId: subscriptionId, isInAdvance: false, minimums: [] };
  };
  const nextOf: KeyedPeriods['nextOf'] = ({ subscriptionId, endsAt }) => {
    return bySubscription.get(subscriptionId)?.find(({ startsAt }) => startsAt === endsAt);
  };
  return { find, nextOf };
}
