import type { Decimal } from '../../core/decimal.ts';
import type { Instant } from '../../core/instants.ts';
import type { AddonKind } from '../catalog/addons.ts';
import type { ReversalPart } from '../invoices/line-basis.ts';
import type { UsageValue } from '../metering/aggregate.ts';
import type { HeldRest, PricedGroup } from './held-usage.ts';
import type { Limits } from './limits.ts';
import type { EventPrices } from './percentage.ts';
import type { Component } from './rating.ts';

/** Which subscription, plan version and period a charge belongs to; each line names its own (spec/subscriptions#invoices-on-schedule). */
export type ChargeOrigin = {
  subscriptionId: string;
  planId: string;
  version: number;
  periodStart: Instant;
  periodEnd: Instant;
};

/**
 * The recurring fee of a period, or of a part of it: fee * billedDays / days (spec/periods#fee-of-a-period). `creditedBefore`: what of it
 * switches have credited already.
 */
export type FeeCharge = ChargeOrigin & {
  planName: string;
  fee: Decimal;
  billedDays: number;
  days: number;
  creditedBefore?: Decimal;
};

/**
 * What a switch changes of the fee of a period: difference of the two fees * billedDays / days. A later cancel or pause takes
 * back the days that were not used, below 0: of what the invoice `givenBackOf` has charged at the rate of tax `chargedRate`,
 * and only `amount` where that is all that can still be given back of it; above 0 what is charged again of a credit (`isChargedAgain`),
 * `creditedBefore` of it, below 0, of one of lines that waited.
 */
export type ProrationCharge = ChargeOrigin & {
  planName: string;
  oldPlanName: string;
  difference: Decimal;
  billedDays: number;
  days: number;
  chargedRate?: Decimal;
  givenBackOf?: string;
  isChargedAgain?: true;
  creditedBefore?: Decimal;
  amount?: Decimal;
};

/** Units paid ahead, for the period the charge names (spec/prepaid-units#billing). */
export type PrepaidCharge = ChargeOrigin & { metricName: string; component: Component; units: Decimal };

/** A metric's value over the period, counted in its zone, with the units that were prepaid for it (0 for none). */
export type UsageCharge = ChargeOrigin & {
  timeZone: string;
  metricName: string;
  component: Component;
  quantity: Decimal;
  eventsCount: Decimal;
  prepaidUnits: Decimal;
  /** What its events come to, where the component prices each of them. */
  byEvent?: EventPrices;
  /** Of a component with a price book, which is here as its row prices; null: the line of a window in which no row was used. */
  group?: PricedGroup | null;
};

/** An add-on for one period; a one_time one names the period in which it is invoiced (spec/plans#add-ons). */
export type AddonCharge = ChargeOrigin & {
  addonSubscriptionId: string;
  addonId: string;
  addonName: string;
  kind: AddonKind;
  price: Decimal;
  quantity: Decimal;
  /** Index of the period in the subscription's life. */
  periodIndex: number;
};

/**
 * The difference of what a period was `charged` to its limits, those of a component (`metricId`, `name` is the metric's) or of its plan;
 * `truedUp`: what earlier lines have made of it (spec/rating#limits).
 */
export type TrueUpCharge = ChargeOrigin & {
  metricId: string | null;
  name: string;
  charged: Decimal;
  truedUp: Decimal;
  limits: Limits;
  isLate: boolean;
  /** Of a plan: those that have had its billing period, in order; left out for its subscription alone. */
  holders?: readonly string[];
  /** As those of the late usage that it is beside. */
  chargedRate?: Decimal;
  wasHeld?: boolean;
};

/** What the limited part of a closed period came to, before the limits: of a component, or (null) of the plan; `name` is theirs. */
export type LimitedAmount = {
  subscriptionId: string;
  startsAt: Instant;
  endsAt: Instant;
  metricId: string | null;
  name: string;
  charged: Decimal;
  limits: Limits;
};

/**
 * What a late line takes back, without tax, and the tax in that, at the rate of the invoice that charged it. `amount` is zero or below, or above zero of a line
 * whose price rises beside others that fall. `givenBackOf` is null if the line takes nothing back.
 */
export type SettledLate = {
  amount: Decimal;
  taxRate: Decimal;
  taxAmount: Decimal;
  givenBackOf: string | null;
  reverses: readonly ReversalPart[];
};

/** A period that was billed for `before`, whose usage has become `after` by events that came late (spec/invoices#late-usage). */
export type LateCharge = ChargeOrigin & {
  metricName: string;
  component: Component;
  before: UsageValue;
  after: UsageValue;
  /** What is left of the units for this usage now, and what was when it was billed: late usage before it has taken some. */
  prepaidUnits: Decimal;
  prepaidBefore: Decimal;
  /** What limits count of the period, as it was billed: of the component, then of the plan. */
  limited?: readonly LimitedAmount[];
  /** The rate of tax of the invoice that has billed the period; missing where that usage waits for one. */
  chargedRate?: Decimal;
  /** As of a usage charge. */
  group?: PricedGroup;
  /** It was held for want of a price: then it is billed though the account ignores late usage (spec/price-books#additions). */
  wasHeld?: boolean;
  /** What its row has left of the combination, where that goes on being held. */
  heldRest?: HeldRest;
  /** It is counted and not charged: it is held, or not billed. */
  isUnbilled?: boolean;
  /** Below zero: what its line takes back of earlier invoices (spec/reversals#late-corrections). */
  settled?: SettledLate;
};
