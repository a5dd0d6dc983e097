import type { Decimal } from '../../core/decimal.ts';
import type { Instant } from '../../core/instants.ts';
import type { AppliesTo, Off } from '../discounts/coupons.ts';
import type { NewInvoiceLine } from '../invoices/invoice.ts';
import type { Limits } from '../pricing/limits.ts';
import type { Component } from '../pricing/rating.ts';
import type { DaySpan, PriceChange } from './layers.ts';

/** When a line falls due: at the start of its period, with a change, at the end of its usage window, or at the end of its period. */
export type LineDue = 'start' | 'change' | 'window' | 'end';

/** The subscription and the plan version that something is charged by. */
export type ChargedBy = { subscriptionId: string; planId: string; version: number };

/** The fee of a plan from a day on. */
export type FeeChange = PriceChange & ChargedBy & { planName: string };

/** Units chosen for a usage window, at the price of the component that prepays them. */
export type UnitsChange = PriceChange & ChargedBy & { units: Decimal; component: Component };

/** Prepaid units of a metric in a usage window. They are never prorated by days, so all changes are of day 0. */
export type UnitsFacts = {
  metricId: string;
  metricName: string;
  windowId: string;
  startsAt: Instant;
  endsAt: Instant;
  changes: readonly UnitsChange[];
};

/** What has one price in a period: an add-on, or usage of a metric in a window as it was last settled, beyond prepaid units. */
export type PricedFacts = { itemId: string; windowId: string; due: LineDue; line: NewInvoiceLine };

/** Limits of a component in a usage window, or of the plan in the whole period (`metricId` and `windowId` null). */
export type LimitFacts = ChargedBy & {
  metricId: string | null;
  windowId: string | null;
  /** Of the metric or the plan. */
  name: string;
  limits: Limits;
};

/**
 * What is true today of one billing period of a line of succession: everything that its cost follows from, as plain data.
 * Days are counted from the period's first day. `days` divides the fee; `length` is the number of days that the period really has.
 */
export type PeriodFacts = {
  periodId: string;
  startsAt: Instant;
  endsAt: Instant;
  days: number;
  length: number;
  isInAdvance: boolean;
  fees: readonly FeeChange[];
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
