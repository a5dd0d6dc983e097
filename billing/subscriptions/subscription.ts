import type { Decimal } from '../../core/decimal.ts';
import type { Instant, LocalDate } from '../../core/instants.ts';
import type { AddonSubscription } from '../catalog/addons.ts';
import type { PlanCalendar } from '../periods/calendars.ts';
import type { Period } from '../periods/periods.ts';
import type { PlanTrial } from '../periods/trials.ts';
import type { Limited } from '../pricing/limits.ts';
import type { Component } from '../pricing/rating.ts';
import type { Agreement, Overrides, Phase, SentPhase } from './agreement.ts';
import type { PrepaidBalance } from './prepaid-balance.ts';
import type { SubscriptionStatus } from './states.ts';

/** Keys line1, city, state, postal_code, country, each optional (spec/customers#record). */
export type Address = Partial<Record<'line1' | 'city' | 'state' | 'postal_code' | 'country', string | undefined>>;

/** spec/customers#record. `currency` is an upper-case ISO 4217 code, `taxRate` a percentage from 0 to 100. */
export type Customer = {
  customerId: string;
  customerName: string;
  email: string;
  currency: string;
  paymentProvider: string | null;
  paymentProviderId: string | null;
  hasPaymentMethod: boolean;
  taxRate: Decimal;
  timeZone: string;
  billingAddress: Address | null;
  testClockId: string | null;
  /** Who is billed for it; null: itself. */
  billedTo: string | null;
  /** Whether others are billed to it. */
  isPayer: boolean;
  /** The frozen time of the customer's test clock; null where real time counts. */
  clockTime: Instant | null;
  /** Whether its subscriptions have redeemed any coupon: else nothing is asked about discounts. */
  hasDiscounts: boolean;
  metadata: Record<string, string>;
  createdAt: Instant;
};

export type ChargeTiming = 'in_arrears' | 'in_advance';

/** spec/plans#features: one feature id per name and account. `limit` null: unlimited. */
export type Feature = {
  featureId: string;
  name: string;
  included: boolean;
  limit: Decimal | null;
  metricId: string | null;
};

/** A plan in one of its versions (spec/plans#versions); a version never changes. `currency` is the upper-case code. */
export type Plan = PlanCalendar &
  Limited & {
    planId: string;
    name: string;
    recurringFee: Decimal;
    currency: string;
    chargeTiming: ChargeTiming;
    components: Component[];
    features: Feature[];
    version: number;
    versionId: string;
    status: 'active' | 'archived';
    createdAt: Instant;
    metadata: Record<string, string>;
    /** Set where it offers a trial, or bills the usage of one. */
    trial?: PlanTrial;
    /** What it costs in further currencies, by upper-case code (spec/plans#currencies). */
    currencyOptions?: Readonly<Record<string, Overrides>>;
    /** Of an agreed version, which is numbered below 0 (spec/plans#agreed-versions); an offered one has none. */
    agreement?: Agreement;
  };

/** A plan as it was when somebody subscribed to it. */
export type PlanVersion = Pick<Plan, 'planId' | 'version'>;

/** What a subscription has of the plan version that it is to. */
export function heldTerms(plan: Plan) {
  const { planId, version, versionId, chargeTiming, currency, agreement = null } = plan;
  const { billingPeriod, billingCalendar, anchorDay, usagePeriod } = plan;
  const calendar = { billingPeriod, billingCalendar, anchorDay, usagePeriod };
  return { planId, version, versionId, ...calendar, chargeTiming, currency, agreement };
}

/** How a cancel bills the period it ends (spec/subscriptions#cancel). */
export type CancelTerms = {
  flatFeeBehavior: 'charge_prorated' | 'charge_full' | 'refund';
  billUsage: boolean;
  invoicingBehavior: 'add_to_next_invoice' | 'invoice_now';
};

/** A cancel that is planned for `at`. It stays on the record of a subscription that has been canceled. */
export type PlannedCancel = CancelTerms & { at: Instant };

/** How a switch shares out the usage of the period so far (spec/subscriptions#switch). */
export type UsageBehavior = 'transfer_to_new_subscription' | 'reset_usage';

/**
 * A switch that is planned for `at` (spec/subscriptions#switch). `effectiveDate` is the day it was asked for; a pause may have
 * moved the instant past it.
 */
export type PlannedSwitch = {
  at: Instant;
  newPlanId: string;
  effectiveDate: LocalDate;
  invoicingBehavior: 'add_to_next_invoice' | 'invoice_now';
  usageBehavior: UsageBehavior;
  /** The version agreed on for it, with what it overrides (null: nothing); without it the plan's latest by then. */
  agreed?: { version: number; overrides: Overrides | null };
  /** What was asked for in the phase that it is. */
  phase?: SentPhase;
};

/** When and why a life ended. */
export type LifeEnd = { at: Instant; reason: 'canceled' | 'expired' | 'switched' };

/** A pause that goes on; `resumesAt` null: until a resume is asked for. */
export type CurrentPause = { at: Instant; resumesAt: Instant | null };

/** `currentPeriod` of a pending subscription is its first one, of an ended one its last. */
export type Subscription = PlanCalendar & {
  subscriptionId: string;
  customerId: string;
  planId: string;
  version: number;
  versionId: string;
  status: SubscriptionStatus;
  startDate: LocalDate;
  /** The day on which its trial ends, or ended; null where it has none. */
  trialEndsOn: LocalDate | null;
  endDate: LocalDate | null;
  autoRenew: boolean;
  chargeTiming: ChargeTiming;
  /** Upper-case code of what its plan version is priced in. */
  currency: string;
  /** Of an agreed version; null where it is an offered one. */
  agreement: Agreement | null;
  /** What is agreed on for later dates, in their order, but for what is planned as a switch already. */
  phases: readonly Phase[];
  currentPeriod: Period;
  plannedCancel: PlannedCancel | null;
  plannedSwitch: PlannedSwitch | null;
  ended: LifeEnd | null;
  paused: CurrentPause | null;
  /** When what an immediate cancel left waiting is invoiced, unless another invoice takes it. */
  billsAt: Instant | null;
  previousSubscriptionId: string | null;
  replacedBy: string | null;
  createdAt: Instant;
  metadata: Record<string, string>;
};

/** A subscription with what it has attached and prepaid: what its record shows (spec/prepaid-units#changes). */
export type SubscriptionRecord = Subscription & { addons: AddonSubscription[]; prepaidUnits: PrepaidBalance[] };
