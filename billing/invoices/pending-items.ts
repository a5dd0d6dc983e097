import type { Account } from '../accounts/account.ts';
import type { ChargeCount } from '../metering/line-counts.ts';
import type { LateCharge } from '../pricing/charges.ts';
import type { HeldUsage } from '../pricing/held-usage.ts';
import { combinationKey } from '../pricing/price-book.ts';
import type { NewInvoiceLine } from './invoice.ts';

/** Pending invoice items: lines that wait for an invoice, the rows they are, and what those of usage were counted from. */
export type PendingItems = { seqs: string[]; lines: NewInvoiceLine[]; counts: ChargeCount[] };

/** Late usage that is billed by the account's `late_usage` of now: what was held for want of a price came in time. */
export function billedLate<T extends { wasHeld?: boolean }>(
  late: readonly T[],
  { lateUsage }: Pick<Account, 'lateUsage'>,
): T[] {
  return lateUsage === 'ignore' ? late.filter(({ wasHeld }) => wasHeld) : [...late];
}

/**
 * What an invoice bills of what it takes, by the account's `late_usage` of now (spec/invoices#late-usage: it "is read when that next invoice is made"): late usage that is ignored goes with it, unbilled.
 */
export function billableLines(pending: PendingItems, { lateUsage }: Pick<Account, 'lateUsage'>): PendingItems {
  if (lateUsage !== 'ignore') return pending;
  const isLate = ({ type, basis }: Pick<NewInvoiceLine, 'type' | 'basis'>) =>
    type === 'late_usage' || (basis?.of === 'limits' && basis.isLate);
  const lines = pending.lines.filter((line) => !isLate(line) || line.wasHeld);
  return { ...pending, lines, counts: pending.counts.filter((count) => !isLate(count) || count.wasHeld) };
}

/** What a cancel has left as held and nothing on the invoice that takes it prices by now; where a row prices a part, the rest of it. */
export function stillHeld(left: readonly HeldUsage[], late: readonly LateCharge[]): HeldUsage[] {
  return left.flatMap((held) => {
    const priced = late.find((charge) => charge.wasHeld && isOf(charge, held));
    if (!priced) return held;
    return priced.heldRest ? { ...held, ...priced.heldRest } : [];
  });
}

function isOf({ subscriptionId, component, group }: LateCharge, held: HeldUsage): boolean {
  if (!group || subscriptionId !== held.subscriptionId || component.metricId !== held.metricId) return false;
  if (group.windowStart !== held.windowStart) return false;
  const names = Object.keys(held.group);
  return combinationKey(names, group.texts) === combinationKey(names, held.group);
}
