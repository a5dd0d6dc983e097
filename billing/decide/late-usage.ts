import type { Account } from '../accounts/account.ts';
import type { ChangeSet } from '../change-set.ts';
import { billedLate } from '../invoices/pending-items.ts';
import type { BilledUsage, LatePeriod } from '../metering/billed-usage.ts';
import { limitedAfter } from '../metering/late-true-ups.ts';
import { type CountedLate, countedAbove, isLateChange } from '../metering/late-usage.ts';
import type { LateCharge } from '../pricing/charges.ts';
import { type KeptAmount, limitedKey } from '../state/billing-rules.ts';

/** Billed usage as it is now, its late charge, and the watermark from which its late events are counted. */
export type LateToCount = BilledUsage & { charge: LateCharge; countedFrom: bigint };

/** What it was billed for until now. */
type Billed = { was: Pick<BilledUsage, 'usage' | 'prepaidUnits'> };

/**
 * Returns the late usage that a transaction counts, by the watermarks that it has locked. Each late event is counted once: a closing that comes
 * second finds the watermarks at or above its cutoff.
 */
export function lateToCount(
  periods: readonly LatePeriod[],
  watermarks: ReadonlyMap<string, bigint>,
  usageCutoff: bigint,
): LateToCount[] {
  return periods.flatMap(({ billed, charge }) => {
    const countedFrom = watermarks.get(billed.subscriptionId);
    // A price may have come without an event. What was held is told from what was billed, however often it is counted.
    const isOurs = countedFrom !== undefined && (countedFrom < usageCutoff || billed.combination !== undefined);
    if (!isOurs) return [];
    const { after: usage, prepaidUnits } = charge;
    const combination = billed.combination && { ...billed.combination, usage };
    return { ...billed, usage, prepaidUnits, charge, countedFrom, ...(combination && { combination }) };
  });
}

/** Returns the charges of late usage, each with what it was billed for. */
export function lateChargesOf(counted: readonly (LateToCount & Billed)[]): CountedLate[] {
  return counted.map(({ charge, was, countedFrom, timeZone }) => {
    const now = { ...charge, before: was.usage, prepaidBefore: was.prepaidUnits };
    return { ...now, countedFrom: countedAbove(now, countedFrom), timeZone };
  });
}

/** Returns whether a limit of an earlier period changes with late charges. */
export function areLimited(charges: readonly CountedLate[]): boolean {
  return charges.some((charge) => isLateChange(charge) && (charge.limited ?? []).length > 0);
}

/** What late usage is decided by: `kept` is what limits have counted of its periods so far. */
type LateInput = {
  account: Account;
  places: number;
  subscriptionIds: readonly string[];
  usageCutoff: bigint;
  counted: readonly (LateToCount & Billed)[];
  kept: readonly KeptAmount[];
};

/** Decides the counting of late usage (spec/invoices#late-usage). Returns its charges, and what is kept of them. */
export function decideLateUsage(input: LateInput): { late: CountedLate[]; changes: ChangeSet } {
  const { account, places, subscriptionIds, usageCutoff: countedTo, counted } = input;
  const charges = lateChargesOf(counted);
  const late = areLimited(charges) ? withKeptLimits(charges, input.kept) : charges;
  const limited = areLimited(charges) ? limitedAfter(billedLate(late.filter(isLateChange), account), places) : [];
  const changes = {
    watermarksAdvanced: [{ subscriptionIds, countedTo }],
    usageRecounted: counted.map(({ charge, countedFrom, was, ...billed }) => billed),
    limitedAmounts: limited,
  };
  return { late, changes: subscriptionIds.length === 0 ? {} : changes };
}

function withKeptLimits(charges: readonly CountedLate[], kept: readonly KeptAmount[]): CountedLate[] {
  const byKey = new Map(kept.map((amount) => [limitedKey(amount), amount]));
  return charges.map((charge) => {
    const limited = charge.limited?.map((limit) => ({
      ...limit,
      charged: byKey.get(limitedKey(limit))?.charged ?? limit.charged,
    }));
    return { ...charge, ...(limited && { limited }) };
  });
}
