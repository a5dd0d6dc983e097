import type { MetricRule, UsageEvent } from '../../../billing/catalog/metrics.ts';
import type { ChargeableAddon } from '../../../billing/invoices/addon-charges.ts';
import type { BoundaryCharges, BoundaryInput } from '../../../billing/invoices/boundary-charges.ts';
import { limitedCharges } from '../../../billing/invoices/true-ups.ts';
import { aggregate, type UsageValue } from '../../../billing/metering/aggregate.ts';
import type { Interval } from '../../../billing/metering/buckets.ts';
import type { Pause } from '../../../billing/periods/pauses.ts';
import { type Period, periodAfter, periodOf } from '../../../billing/periods/periods.ts';
import { inSegments, type SegmentedPeriod, switchesIn } from '../../../billing/periods/segments.ts';
import { type SwitchedPeriod, switchedIn } from '../../../billing/periods/usage-windows.ts';
import { NONE_SO_FAR } from '../../../billing/pricing/limits.ts';
import type { BillingRules } from '../../../billing/snapshot/billing-rules.ts';
import { type Closure, closingBoundaries } from '../../../billing/subscriptions/closing-boundaries.ts';
import { type Inheritance, inheritanceOf } from '../../../billing/subscriptions/inheritance.ts';
import type { PrepaidChoice } from '../../../billing/subscriptions/prepaid-changes.ts';
import type { Plan, Subscription } from '../../../billing/subscriptions/subscription.ts';
import { type SwitchParties, type SwitchRequest, successorOf } from '../../../billing/subscriptions/switch.ts';
import { decimal, ZERO } from '../../../core/decimal.ts';
import { addDays, type Instant, type LocalDate } from '../../../core/instants.ts';
import {
  component as componentFixture,
  event,
  plan as planFixture,
  rule,
  subscription as subscriptionFixture,
} from '../fixtures.ts';
import type { CoreWallet } from './core-wallet.ts';
import { METRICS, type SwitchLife, type SwitchPlan } from './switch-life.ts';

export const ZONE = 'UTC';
const METRIC = { isCostMetric: false, unitCost: ZERO, status: 'active', createdAt: 0 } as const;
const START_DATE = '2026-01-01';
const START = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;

/** The instant so many days after the start. */
export function instantOn(days: number): Instant {
  return START + Math.round(days * DAY_MS);
}

export function dayOf(at: Instant): LocalDate {
  return addDays(START_DATE, Math.floor((at - START) / DAY_MS));
}

/** A question about usage, in the customer's zone. */
type AskedUsage = { metric: MetricRule; start: Instant; end: Instant; excluded: readonly Interval[] };

/** The subscription of now with what goes along when another takes its place, as sql/ keeps it. */
export class CoreSwitcher {
  plans: Plan[];
  subscription: Subscription;
  pauses: Pause[] = [];
  choices: PrepaidChoice[] = [];
  /** Those that are charged once, and were not yet. */
  addons: ChargeableAddon[] = [];
  /** Periods that ended in a pause and are not billed yet. */
  unbilled: Period[] = [];
  private events: UsageEvent[];
  private switched: SwitchedPeriod | null = null;

  constructor({ plans, events }: SwitchLife) {
    this.events = events.map(({ at, metric }) => event({}, { eventName: metric, timeCreated: instantOn(at) }));
    this.plans = plans.map(planOf);
    const [first] = this.plans;
    if (!first) throw new Error('a life without a plan');
    this.subscription = firstSubscription(first);
  }

  get plan(): Plan {
    return this.planOf(this.subscription.planId);
  }

  change(changes: Partial<Subscription>): void {
    this.subscription = { ...this.subscription, ...changes };
  }

  /** The switch that is planned. */
  planned(): { plan: Plan; request: SwitchRequest } {
    const { plannedSwitch } = this.subscription;
    const plan = this.plans.find(({ planId }) => planId === plannedSwitch?.newPlanId);
    if (!plan || !plannedSwitch) throw new Error('no switch is planned');
    const { invoicingBehavior, usageBehavior } = plannedSwitch;
    return {
      plan,
      request: { newPlanId: plan.planId, effectiveDate: 'immediately', invoicingBehavior, usageBehavior },
    };
  }

  /** The current period in its segments, so far as switches have cut it. */
  currentPeriod(): SegmentedPeriod {
    const { subscription } = this;
    const { currentPeriod } = subscription;
    return inSegments(subscription, currentPeriod, (of) => this.planOf(of.planId), {
      switched: switchedIn(this.switched, currentPeriod),
    });
  }

  /** As `loadBillingRules`. */
  rules(wallet: CoreWallet): BillingRules {
    return {
      testClockId: null,
      planOf: ({ planId }) => this.planOf(planId),
      newPlanOf: ({ plannedSwitch }) => this.plans.find(({ planId }) => planId === plannedSwitch?.newPlanId),
      metricOf: (metricId) => ({ ...METRIC, ...rule({ eventName: metricId }), metricId, metricName: metricId }),
      pausesOf: () => this.pauses,
      switchedOf: (_, period) => switchedIn(this.switched, period),
      limitedSoFar: () => NONE_SO_FAR,
      limitedOf: () => [],
      switchChargesOf: () => wallet.switchCharges(this.switched?.plans.slice(1) ?? []),
      waitingPeriodsOf: () => this.unbilled,
      pendingOpeningOf: () => null,
      termsOf: () => ({ prepaidUnits: this.choices, addons: this.addons }),
    };
  }

  /** As `replaceSubscription`. */
  replace(
    nextPlan: Plan,
    at: Instant,
    behavior: SwitchRequest['usageBehavior'],
  ): SwitchParties & { inheritance: Inheritance } {
    const { subscription: old, plan: oldPlan, choices } = this;
    const subscriptionId = `${old.subscriptionId}+`;
    const next = successorOf(old, nextPlan, { subscriptionId, at, timeZone: ZONE });
    const switched = switchedIn(this.switched, old.currentPeriod);
    const parties = { old, oldPlan, next, nextPlan, switched, pendingOpening: null };
    const inheritance = inheritanceOf(parties, choices, { at, usageBehavior: behavior });
    this.switched = inheritance.switched;
    if (!this.switched) this.pauses = [];
    this.choices = inheritance.units.map((units) => ({ ...units, fromPeriod: 0 }));
    this.subscription = next;
    return { ...parties, inheritance };
  }

  /** As `loadBoundaries`. */
  boundaries(closure: Closure, wallet: CoreWallet): BoundaryInput[] {
    const closed = { customer: { timeZone: ZONE }, subscription: this.subscription, closure };
    const { questions, by } = closingBoundaries(closed, this.rules(wallet));
    return by(questions.map((question) => this.answer(question)));
  }

  /** What a boundary charges by the units and add-ons of now. */
  charge(boundary: BoundaryInput, { wallet }: { wallet: CoreWallet }): BoundaryCharges {
    const switchCharges = wallet.switchCharges(switchesIn(boundary.ended?.segments ?? []));
    const { choices: prepaidUnits, addons } = this;
    const charges = limitedCharges({ ...boundary, prepaidUnits, addons, switchCharges });
    const billed = charges.addons.map(({ addonId }) => addonId);
    this.addons = this.addons.filter(({ addonId }) => !billed.includes(addonId));
    return charges;
  }

  /** What is asked of usage. */
  answer({ metric, start, end, excluded }: AskedUsage): UsageValue {
    const counted = this.events.filter(
      ({ timeCreated: at }) => !excluded.some(({ startsAt, endsAt }) => startsAt <= at && at < endsAt),
    );
    const intervals = [{ startsAt: start, endsAt: end }];
    return aggregate(metric, counted, { customerId: 'c1', intervals, timeZone: ZONE });
  }

  following(): Period {
    return periodAfter({ ...this.subscription, timeZone: ZONE }, this.subscription.currentPeriod);
  }

  planOf(id: string): Plan {
    const plan = this.plans.find(({ planId }) => planId === id);
    if (!plan) throw new Error(`no ${id}`);
    return plan;
  }
}

function planOf({ days, timing, dailyFee, prices, units = {}, firstTier = {} }: SwitchPlan, i: number): Plan {
  const planId = `plan_${i}`;
  const billed = METRICS.filter((metric) => metric in prices);
  return planFixture({
    planId,
    name: planId,
    recurringFee: decimal(dailyFee * days).shiftedBy(-2),
    billingPeriod: days === 30 ? 'monthly' : 'quarterly',
    chargeTiming: timing,
    components: billed.map((metricId) => {
      const overagePrice = decimal(prices[metricId] ?? 0).shiftedBy(-2);
      const prepaidUnits = decimal(units[metricId] ?? 0);
      const first = firstTier[metricId];
      if (!first) return componentFixture({ metricId, overagePrice, prepaidUnits });
      const tiers = [
        { upTo: decimal(first.upTo), unitPrice: decimal(first.cents).shiftedBy(-2), flatFee: ZERO },
        { upTo: null, unitPrice: overagePrice, flatFee: ZERO },
      ];
      return componentFixture({ metricId, pricingModel: 'tiered', overagePrice: null, tiers, prepaidUnits });
    }),
  });
}

function firstSubscription({ planId, version, versionId, billingPeriod, chargeTiming }: Plan): Subscription {
  return subscriptionFixture({
    ...{ subscriptionId: 's', planId, version, versionId, billingPeriod, chargeTiming },
    status: 'pending',
    startDate: START_DATE,
    currentPeriod: periodOf(
      { startDate: START_DATE, billingPeriod, usagePeriod: 'billing_period', anchorDate: null, timeZone: ZONE },
      0,
    ),
    createdAt: START,
  });
}
