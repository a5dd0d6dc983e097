import type { BoundaryCharges, BoundaryInput } from '../../../../billing/invoices/boundary-charges.ts';
import { billedLate } from '../../../../billing/invoices/pending-items.ts';
import type { BilledBook, BilledCombination, BilledUsage } from '../../../../billing/metering/billed-usage.ts';
import { lateBehind, limitedAfter, limitedAmountOf } from '../../../../billing/metering/late-true-ups.ts';
import {
  type CountedLate,
  type InheritedWatermark,
  type LateUsage,
  lateCharges,
} from '../../../../billing/metering/late-usage.ts';
import type { LimitedAmount, UsageCharge } from '../../../../billing/pricing/charges.ts';
import type { HeldUsage } from '../../../../billing/pricing/held-usage.ts';
import { combinationKey, rowsKnown } from '../../../../billing/pricing/price-book.ts';
import { type KeptAmount, limitedKey } from '../../../../billing/state/billing-rules.ts';
import { type Decimal, ZERO } from '../../../../core/decimal.ts';

type LateTerms = { lateUsage: 'next_invoice' | 'ignore'; places: number };

/** What closed periods have been billed for, and what limits count of them, as sql/ keeps it. */
export class CoreBilled {
  usage: BilledUsage[] = [];
  private limited = new Map<string, LimitedAmount>();
  readonly terms: LateTerms;

  constructor(terms: LateTerms) {
    this.terms = terms;
  }

  /** As `listWatermarksOf`: all is counted again, whatever has come. */
  watermarks(heirId: string): InheritedWatermark[] {
    const ids = [...new Set(this.usage.map(({ subscriptionId }) => subscriptionId))];
    const whole = { countedTo: 0n, startsAt: 0, endsAt: Number.MAX_SAFE_INTEGER, heirIds: [heirId], hasEnded: false };
    return ids.map((subscriptionId) => ({ ...whole, subscriptionId }));
  }

  get limitedAmounts(): KeptAmount[] {
    return [...this.limited.values()];
  }

  /** As `decideCharges`. */
  keep(
    { ended }: BoundaryInput,
    { usages, held = [], trueUps }: BoundaryCharges,
    { late, chargedRate }: { late: readonly CountedLate[]; chargedRate: Decimal },
  ): void {
    if (ended === null) return;
    for (const charge of usages) this.keepCharge(charge, chargedRate);
    for (const one of held) this.keepHeld(one);
    const limited = trueUps.filter(({ periodStart }) => periodStart < ended.endsAt).map(limitedAmountOf);
    const behind = lateBehind(billedLate(late, this.terms), trueUps);
    const withLate = limitedAfter(behind, this.terms.places).filter((one) =>
      limited.some((of) => limitedKey(of) === limitedKey(one)),
    );
    this.keepLimited([...limited, ...withLate]);
  }

  /** As `updateLateUsage`. */
  update(late: LateUsage): CountedLate[] {
    for (const { billed, charge } of late.periods) {
      const { combination } = billed;
      const kept = this.find(billed.subscriptionId, billed.metricId, billed.startsAt);
      if (combination) this.keepCombination(kept, { ...combination, usage: charge.after }, combination.rowsKnown);
      else Object.assign(kept, { usage: charge.after, prepaidUnits: charge.prepaidUnits });
    }
    const charges = lateCharges(late);
    this.keepLimited(limitedAfter(billedLate(charges, this.terms), this.terms.places));
    return charges;
  }

  private keepLimited(all: readonly LimitedAmount[]): void {
    for (const one of all) this.limited.set(limitedKey(one), one);
  }

  private keepCharge({ group, ...charge }: UsageCharge, chargedRate: Decimal): void {
    const { subscriptionId, planId, version, timeZone, component, quantity: value, eventsCount, byEvent } = charge;
    const { periodStart: startsAt, periodEnd: endsAt, prepaidUnits } = charge;
    const usage = { value, eventsCount, ...(byEvent && { byEvent }) };
    const of = { subscriptionId, metricId: component.metricId, planId, version, timeZone, chargedRate };
    if (group === undefined) {
      this.usage.push({ ...of, startsAt, endsAt, prepaidUnits, usage });
      return;
    }
    const known = group?.rowsKnown ?? (component.book ? rowsKnown(component.book) : 0n);
    const window = { startsAt: group?.windowStart ?? startsAt, endsAt: group?.windowEnd ?? endsAt };
    const isKept = this.usage.some(
      (one) =>
        one.subscriptionId === subscriptionId && one.metricId === of.metricId && one.startsAt === window.startsAt,
    );
    const nothing = { value: ZERO, eventsCount: ZERO };
    const book = { rowsKnown: known, combinations: [] };
    if (!isKept) this.usage.push({ ...of, ...window, prepaidUnits, usage: nothing, book });
    if (!group) return;
    const { texts, priceId } = group;
    const time = { startsAt, endsAt, firstEventAt: startsAt };
    const combination = { texts, priceId, isHeld: false, usage, rowsKnown: known, ...time };
    this.keepCombination(this.find(subscriptionId, of.metricId, window.startsAt), combination, known);
  }

  private keepHeld({ subscriptionId, metricId, windowStart, group: texts, ...one }: HeldUsage): void {
    const usage = { value: one.quantity, eventsCount: one.eventsCount };
    const time = { startsAt: one.periodStart, endsAt: one.periodEnd, firstEventAt: one.firstEventAt };
    const combination = { texts, priceId: null, isHeld: true, usage, rowsKnown: one.rowsKnown, ...time };
    this.keepCombination(this.find(subscriptionId, metricId, windowStart), combination, one.rowsKnown);
  }

  /** Each combination and row once, and up to which row of the book. */
  private keepCombination(billed: BilledUsage, combination: BilledCombination, known: bigint): void {
    const isOther = (one: BilledCombination) => partKey(one) !== partKey(combination);
    const combinations = [...(billed.book?.combinations ?? []).filter(isOther), combination];
    const book: BilledBook = { rowsKnown: known, combinations };
    Object.assign(billed, { book });
  }

  private find(subscriptionId: string, metricId: string, startsAt: number): BilledUsage {
    const found = this.usage.find(
      (one) => one.subscriptionId === subscriptionId && one.metricId === metricId && one.startsAt === startsAt,
    );
    if (!found) throw new Error(`${metricId} was not billed`);
    return found;
  }
}

function partKey({ texts, priceId }: BilledCombination): string {
  return `${priceId} ${combinationKey(Object.keys(texts).toSorted(), texts)}`;
}
