import type { MetricRule, PropertyValue, UsageEvent } from '../../billing/catalog/metrics.ts';
import type { ApplicableCredit } from '../../billing/credits/credits.ts';
import type { BoundaryInput } from '../../billing/invoices/boundary-charges.ts';
import type { IssuedInvoice } from '../../billing/invoices/invoice.ts';
import type { Pause } from '../../billing/periods/pauses.ts';
import { type Period, periodOf } from '../../billing/periods/periods.ts';
import { type Cuts, inSegments, type Moment, type SegmentedPeriod } from '../../billing/periods/segments.ts';
import { usageWindows } from '../../billing/periods/usage-windows.ts';
import type { Tier } from '../../billing/pricing/model-price.ts';
import { type PriceFields, priceOfFields } from '../../billing/pricing/price.ts';
import type { Component } from '../../billing/pricing/rating.ts';
import type { BillingRules } from '../../billing/state/billing-rules.ts';
import type { Ending } from '../../billing/subscriptions/cancel.ts';
import type { Plan, PlannedCancel, PlannedSwitch, Subscription } from '../../billing/subscriptions/subscription.ts';
import { decimal } from '../../core/decimal.ts';
import { type Instant, instantFromIso, localDateAt } from '../../core/instants.ts';

/** Plain records for the tests of billing/, each overridable; amounts are written as text. */

export function at(iso: string): Instant {
  const instant = instantFromIso(iso);
  if (instant === null) throw new Error(`${iso} is not a date-time`);
  return instant;
}

type ComponentFields = PriceFields &
  Pick<Component, 'componentId' | 'metricId' | 'freeTier' | 'rounding' | 'prepaidUnits'>;

/** The rules of nothing. */
export const NO_RULES: BillingRules = {
  testClockId: null,
  plans: {},
  newPlans: [],
  metrics: {},
  pauses: {},
  switched: {},
  switchCharges: {},
  waitingPeriods: {},
  terms: {},
  pendingInvoices: [],
  limitedLines: [],
  limitedAmounts: [],
};

export function component(over: Partial<ComponentFields> = {}): Component {
  const {
    pricingModel = 'per_unit',
    overagePrice = decimal('0.1'),
    tiers: own = null,
    packageSize = null,
    percentage = null,
    fixedAmount = null,
    perEventMinimum = null,
    perEventMaximum = null,
    ...of
  } = over;
  return {
    ...priceOfFields({
      ...{ pricingModel, overagePrice, tiers: own, packageSize },
      ...{ percentage, fixedAmount, perEventMinimum, perEventMaximum },
    }),
    componentId: 'comp_1',
    metricId: 'metric_1',
    freeTier: decimal(0),
    rounding: 'no_rounding',
    prepaidUnits: decimal(0),
    ...of,
  };
}

/** Tiers from rows of up_to (null: without end), unit price, flat fee. */
export function tiers(...rows: [string | null, string, string?][]): Tier[] {
  return rows.map(([upTo, unitPrice, flatFee = '0']) => ({
    upTo: upTo === null ? null : decimal(upTo),
    unitPrice: decimal(unitPrice),
    flatFee: decimal(flatFee),
  }));
}

export function plan(over: Partial<Plan> = {}): Plan {
  return {
    planId: 'plan_1',
    name: 'Pro plan',
    recurringFee: decimal(29),
    billingPeriod: 'monthly',
    billingCalendar: 'fixed_days',
    anchorDay: null,
    usagePeriod: 'billing_period',
    currency: 'USD',
    chargeTiming: 'in_arrears',
    components: [component()],
    features: [],
    version: 3,
    versionId: 'planv_3',
    status: 'active',
    createdAt: 0,
    metadata: {},
    ...over,
  };
}

/** A period of one plan in its segments. */
export function wholeOf(of: Plan, period: Period, cuts?: Cuts): SegmentedPeriod {
  return inSegments({ ...of, subscriptionId: 'sub_1' }, period, () => of, cuts);
}

/** A period of several plans, each in force from a moment on, in its segments. */
export function switchedOf(
  plans: readonly (Moment & { subscriptionId: string; plan: Plan })[],
  period: Period,
  cuts?: Cuts,
): SegmentedPeriod {
  const inForce = plans.map(({ plan: { planId, version }, ...one }) => ({ ...one, planId, version }));
  const planOf = ({ planId }: Pick<Plan, 'planId'>) => plans.find((one) => one.plan.planId === planId)?.plan ?? plan();
  return inSegments({ ...plan(), subscriptionId: 'sub_1' }, period, planOf, { ...cuts, switched: { plans: inForce } });
}

type End = {
  ended: Period;
  next?: Period | null;
  pauses?: readonly Pause[];
  ending?: Ending | null;
  /** By metric; of those not named nothing is used. */
  used?: Readonly<Record<string, number>>;
};

/** What the end of a period of `of` bills by; metrics are named by their ids. */
export function boundaryOf(
  of: Plan,
  { ended, next = null, pauses = [], ending = null, used = {} }: End,
): BoundaryInput {
  const windows = usageWindows(null, of, { ...ended, endsAt: ending?.at ?? ended.endsAt }).map((window, i) => {
    const value = decimal(used[window.metricId] ?? 0);
    return { ...window, component: of.components[i] ?? component(), value, eventsCount: value };
  });
  return {
    subscriptionId: 'sub_1',
    plan: of,
    ended: wholeOf(of, ended, { pauses, ending }),
    next: next && wholeOf(of, next, { pauses }),
    ending,
    windows,
    nameOf: (metricId) => metricId,
  };
}

/** An open invoice of nothing, unless `over` says otherwise. */
export function issuedInvoice(over: Partial<IssuedInvoice> = {}): IssuedInvoice {
  const zero = decimal(0);
  return {
    invoiceId: 'inv_1',
    invoiceNumber: 'INV-000001',
    customerId: 'c1',
    subscriptionId: 'sub_1',
    kind: 'period',
    status: 'open',
    currency: 'USD',
    issueDate: '2026-11-20',
    dueDate: '2026-11-20',
    periodStart: null,
    periodEnd: null,
    lines: [],
    sections: [],
    held: [],
    subtotal: zero,
    taxRate: zero,
    taxAmount: zero,
    total: zero,
    creditsApplied: zero,
    amountPaid: zero,
    amountRefunded: zero,
    amountDue: zero,
    createdAt: 0,
    paidAt: null,
    voidedAt: null,
    payments: [],
    billingAddress: null,
    customerName: 'Customer one',
    testClockId: null,
    customerToday: '2026-11-20',
    ...over,
  };
}

export function credit(over: Partial<ApplicableCredit> = {}): ApplicableCredit {
  return {
    creditId: 'credit_1',
    amountRemaining: decimal(10),
    currency: 'USD',
    reason: 'service_credit',
    description: null,
    expiresAt: null,
    voidedAt: null,
    createdAt: 0,
    ...over,
  };
}

export function rule(over: Partial<MetricRule> = {}): MetricRule {
  return {
    aggregationType: 'count',
    eventName: null,
    propertyName: null,
    numericFilters: [],
    categoricalFilters: [],
    timeFilter: null,
    ...over,
  };
}

/** An event of customer `c1`; numbers among the properties are written as `{ number: '1.5' }`. */
export function event(
  properties: Record<string, string | boolean | { number: string }> = {},
  over: Partial<UsageEvent> = {},
): UsageEvent {
  const typed = Object.entries(properties).map(([name, value]): [string, PropertyValue] => {
    if (typeof value === 'string') return [name, { kind: 'string', value }];
    if (typeof value === 'boolean') return [name, { kind: 'boolean', value }];
    return [name, { kind: 'number', value: decimal(value.number) }];
  });
  const timeCreated = at('2026-11-20T10:00:00Z');
  return { eventName: 'call', customerId: 'c1', timeCreated, properties: Object.fromEntries(typed), ...over };
}

/** An active subscription to the plan `basic`, in its first period: 2026-03-01 to 03-31, unless `over` says otherwise. */
export function subscription(over: Partial<Subscription> = {}): Subscription {
  return {
    subscriptionId: 'sub_1',
    customerId: 'c1',
    planId: 'basic',
    version: 3,
    versionId: 'planv_3',
    status: 'active',
    startDate: '2026-03-01',
    trialEndsOn: null,
    endDate: null,
    autoRenew: true,
    ...{ billingPeriod: 'monthly', billingCalendar: 'fixed_days', anchorDay: null, usagePeriod: 'billing_period' },
    chargeTiming: 'in_arrears',
    currency: 'USD',
    agreement: null,
    phases: [],
    currentPeriod: periodOf(
      {
        startDate: '2026-03-01',
        billingPeriod: 'monthly',
        usagePeriod: 'billing_period',
        anchorDate: null,
        timeZone: 'UTC',
      },
      0,
    ),
    plannedCancel: null,
    plannedSwitch: null,
    ended: null,
    paused: null,
    billsAt: null,
    previousSubscriptionId: null,
    replacedBy: null,
    createdAt: 0,
    metadata: {},
    ...over,
  };
}

/** A cancel planned for an instant, with every default. */
export function plannedCancelAt(at: Instant): PlannedCancel {
  return { at, flatFeeBehavior: 'charge_prorated', billUsage: true, invoicingBehavior: 'add_to_next_invoice' };
}

/** A switch to the plan `pro` that is planned for an instant, with every default. */
export function plannedSwitchAt(at: Instant): PlannedSwitch {
  const behavior = { invoicingBehavior: 'add_to_next_invoice', usageBehavior: 'transfer_to_new_subscription' } as const;
  return { at, newPlanId: 'pro', effectiveDate: localDateAt(at, 'UTC'), ...behavior };
}
