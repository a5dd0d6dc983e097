import type { Decimal } from '../../core/decimal.ts';
import type { Instant } from '../../core/instants.ts';
import type { LateCharge } from '../pricing/charges.ts';
import type { PropertyTexts } from '../pricing/price-book.ts';
import type { UsageValue } from './aggregate.ts';
import type { Interval } from './buckets.ts';

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
  /** What was left of the units for it when it was billed. */
  prepaidUnits: Decimal;
  usage: UsageValue;
  /** The rate of tax of the invoice that billed it; null where it waits for one. */
  chargedRate: Decimal | null;
  /** By a price book: what it was billed for by combination, and up to which row of the book. */
  book?: BilledBook;
  /** Of one of these combinations alone. */
  combination?: BilledCombination;
};

/** What was billed by a price book: `rowsKnown` is the last row that it was priced by. */
export type BilledBook = { rowsKnown: bigint; combinations: readonly BilledCombination[] };

/** Whether something of it waits for a price. */
export function isHolding(book: BilledBook | undefined): boolean {
  return book?.combinations.some(({ isHeld, usage }) => isHeld && !usage.eventsCount.isZero()) ?? false;
}

/** A combination as one row priced it (`priceId` null: none), or as it was held for want of one. */
export type BilledCombination = Interval & {
  texts: PropertyTexts;
  priceId: string | null;
  isHeld: boolean;
  usage: UsageValue;
  firstEventAt: Instant;
  /** The last row of the book as it is counted by now. */
  rowsKnown: bigint;
};

/** A period that comes to something else by late events: what it was billed for when it was read, and its usage of now. */
export type LatePeriod = { billed: BilledUsage; charge: LateCharge };
