import type { Decimal } from '../../core/decimal.ts';
import type { Instant } from '../../core/instants.ts';
import type { PropertyTexts } from './price-book.ts';

/** Usage of a combination that no row of a price book prices, and that waits for one (spec/price-books#unmatched). */
export type HeldUsage = {
  subscriptionId: string;
  planId: string;
  version: number;
  metricId: string;
  group: PropertyTexts;
  quantity: Decimal;
  eventsCount: Decimal;
  firstEventAt: Instant;
  /** The time within the period in which no row prices the combination. */
  periodStart: Instant;
  periodEnd: Instant;
  /** Where its usage window begins, and the last row that its price book had. */
  windowStart: Instant;
  rowsKnown: bigint;
};

/** What of a combination waits on once a row has priced a part of it. */
export type HeldRest = Omit<HeldUsage, 'subscriptionId' | 'planId' | 'version' | 'metricId' | 'group' | 'windowStart'>;

/** Of which combination and row of a price book usage is, and in which usage window. `priceId` null: the component's own price. */
export type PricedGroup = {
  texts: PropertyTexts;
  priceId: string | null;
  windowStart: Instant;
  windowEnd: Instant;
  rowsKnown: bigint;
};
