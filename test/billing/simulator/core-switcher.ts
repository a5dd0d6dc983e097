import type { MetricRule, UsageEvent } from '../../../billing/catalog/metrics.ts';
import type { ChargeableAddon } from '../../../billing/invoices/addon-charges.ts';
import {
  type BoundaryCharges,
  type BoundaryInput,
  boundaryCharges,
} from '../../../billing/invoices/boundary-charges.ts';
import { aggregate, type UsageValue } from '../../../billing/metering/aggregate.ts';
import type { Interval } from '../../../billing/metering/buckets.ts';
import { type CarriedPeriod, type LoadedCarry, usageStartOf } from '../../../billing/periods/carried-period.ts';
import type { Pause } from '../../../billing/periods/pauses.ts';
import { type Period, periodAfter, periodOf } from '../../../billing/periods/periods.ts';
import type { Ending } from '../../../billing/subscriptions/cancel.ts';
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
export const METRIC_NAMES = METRICS.map((metric) => ({ metricId: metric, metricName: metric }));
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
  private carried: CarriedPeriod | null = null;

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

  /** What the period still bills for the plans before, not counted yet; it is in a subscription's first period. */
  private carryOf(period: Period) {
    const carried = this.carriedIn(period);
    if (!carried) return null;
    const { usages, usageFrom } = carried;
    return {
      stretches: this.stretchesOf(carried),
      usages: usages.map((usage) => {
        const component = this.planOf(usage.planId).components.find(({ metricId }) => metricId === usage.metricId);
        if (!component) throw new Error(`${usage.planId} bills no ${usage.metricId}`);
        return { ...usage, component, metricName: usage.metricId };
      }),
      usageFrom,
    };
  }

  /** What switches left to be billed of a period: a subscription's first one. */
  carriedIn({ index }: Period): CarriedPeriod | null {
    return index === 0 ? this.carried : null;
  }

  stretchesOf(carried: CarriedPeriod | null): LoadedCarry['stretches'] {
    return (carried?.stretches ?? []).map(({ planId, version: _, ...one }) => ({ ...one, plan: this.planOf(planId) }));
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
    const carried = this.carriedIn(old.currentPeriod);
    const parties = { old, oldPlan, next, nextPlan, carried, pendingOpening: null };
    const inheritance = inheritanceOf(parties, choices, { at, usageBehavior: behavior });
    this.carried = inheritance.carried;
    if (!this.carried) this.pauses = [];
    this.choices = inheritance.units.map((units) => ({ ...units, fromPeriod: 0 }));
    this.subscription = next;
    return { ...parties, inheritance };
  }

  /** As `loadBoundaries`. */
  boundaries(closure: { pauses: Pause[]; ending: Ending | null; closes: boolean }): BoundaryInput[] {
    const { pauses, ending, closes } = closure;
    const { subscription, plan, choices } = this;
    const { subscriptionId, currentPeriod } = subscription;
    const ended = closes ? [...this.unbilled, currentPeriod] : this.unbilled;
    return ended.map((period, i) => {
      const isLast = period === currentPeriod;
      const carry = this.carryOf(period);
      const end = (isLast ? ending?.at : undefined) ?? period.endsAt;
      const startOf = (metricId: string) => (carry ? usageStartOf(carry.usageFrom, metricId) : period.startsAt);
      return {
        subscriptionId,
        plan,
        pauses,
        prepaidUnits: choices,
        ended: period,
        next: isLast ? (ending ? null : this.following()) : (ended[i + 1] ?? currentPeriod),
        ending: isLast ? ending : null,
        metrics: METRIC_NAMES.map((one) => ({ ...one, ...this.count(one.metricId, startOf(one.metricId), end) })),
        carried: carry && {
          ...carry,
          usages: carry.usages.map((one) => ({ ...one, ...this.count(one.metricId, one.startsAt, one.endsAt) })),
        },
      };
    });
  }

  /** What a boundary charges by the units and add-ons of now. */
  charge(boundary: BoundaryInput, { wallet }: { wallet: CoreWallet }): BoundaryCharges {
    const { carried } = boundary;
    const switchCharges = wallet.switchCharges(carried?.stretches.slice(1) ?? []);
    const own = {
      prepaidUnits: this.choices,
      addons: this.addons,
      ...(carried && { carried: { ...carried, switchCharges } }),
    };
    const charges = boundaryCharges({ ...boundary, ...own });
    const billed = charges.addons.map(({ addonId }) => addonId);
    this.addons = this.addons.filter(({ addonId }) => !billed.includes(addonId));
    return charges;
  }

  private count(eventName: string, startsAt: Instant, endsAt: Instant) {
    return this.answer({ metric: rule({ eventName }), start: startsAt, end: endsAt, excluded: this.paused() });
  }

  /** Stretches in which it was paused. */
  private paused(): Interval[] {
    return this.pauses.map(({ pausedAt, resumedAt }) => {
      return { startsAt: pausedAt, endsAt: resumedAt ?? Number.POSITIVE_INFINITY };
    });
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
    const { startDate, billingPeriod, currentPeriod } = this.subscription;
    return periodAfter({ startDate, billingPeriod, timeZone: ZONE }, currentPeriod);
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
    currentPeriod: periodOf({ startDate: START_DATE, billingPeriod, timeZone: ZONE }, 0),
    createdAt: START,
  });
}
