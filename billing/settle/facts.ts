import type { Decimal } from '../../core/decimal.ts';
import type { AppliesTo, Off } from '../discounts/coupons.ts';
import type { LineType } from '../invoices/invoice.ts';
import type { Limits } from '../pricing/limits.ts';
import type { DaySpan, PriceChange } from './layers.ts';

/** Where a line comes from: what `applies_to` of a coupon asks for. */
export type LineOrigin = { type: LineType; subscriptionId: string; planId: string; metricId: string | null };

/** When a line falls due: at the start of its period, with a change, at the end of its usage window, or at the end of its period. */
export type LineDue = 'start' | 'change' | 'window' | 'end';

/** A price change together with the plan and the subscription that it belongs to. */
export type OriginChange = PriceChange & { subscriptionId: string; planId: string };

/** Prepaid units of a metric in a usage window. Each change is the price of all units then chosen; units are never prorated by days. */
export type UnitsFacts = { metricId: string; windowId: string; changes: readonly OriginChange[] };

/** What has one price in a period: an add-on, or usage of a metric in a window as it was last settled, beyond prepaid units. */
export type PricedFacts = LineOrigin & { itemId: string; windowId: string; amount: Decimal; due: LineDue };

/** Limits of a component in a usage window, or of the plan in the whole period (`metricId` and `windowId` null). */
export type LimitFacts = LineOrigin & { windowId: string | null; limits: Limits };

/**
 * What is true today of one billing period of a line of succession: everything that its cost follows from, as plain data.
 * Days are counted from the period's first day. `days` divides the fee; `length` is the number of days that the period really has.
 */
export type PeriodFacts = {
  periodId: string;
  days: number;
  length: number;
  isInAdvance: boolean;
  fees: readonly OriginChange[];
  /** Days whose fee is owed: in arrears without pauses, up to the end; in advance pauses count as used. */
  used: readonly DaySpan[];
  units: readonly UnitsFacts[];
  priced: readonly PricedFacts[];
  /** Of components first, then of the plan, so that the plan counts what component limits add. */
  limits: readonly LimitFacts[];
  /** True once the period has ended or its subscription has: from then on prorations are cut to maximums. */
  isClosed: boolean;
};

/** A discount as it was active when an invoice was issued. `periods` is how many billing periods it may lower; null for any number. */
export type DiscountTerms = Off & {
  discountId: string;
  subscriptionIds: readonly string[];
  appliesTo: AppliesTo | null;
  periods: number | null;
};
