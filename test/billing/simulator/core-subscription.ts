import type { UsageEvent } from '../../../billing/catalog/metrics.ts';
import type { CollectedFee } from '../../../billing/credits/charged-fee.ts';
import type { ChargeableAddon } from '../../../billing/invoices/addon-charges.ts';
import { type BoundaryCharges, boundaryAddons } from '../../../billing/invoices/boundary-charges.ts';
import type { InvoicePart } from '../../../billing/invoices/compute-invoice.ts';
import { openingPart } from '../../../billing/invoices/opening-invoice.ts';
import { limitedCharges } from '../../../billing/invoices/true-ups.ts';
import { aggregate, type UsageValue } from '../../../billing/metering/aggregate.ts';
import { anchorOf } from '../../../billing/periods/calendars.ts';
import {
  type Period,
  type PeriodTerms,
  periodAfter,
  periodIndexOn,
  periodOf,
} from '../../../billing/periods/periods.ts';
import type { AddonCharge, LateCharge } from '../../../billing/pricing/charges.ts';
import type { Component } from '../../../billing/pricing/rating.ts';
import { downgradeCredits } from '../../../billing/subscriptions/cancel.ts';
import {
  assertNotBelowUsed,
  type PrepaidChange,
  type PrepaidChoice,
  periodOfPrepaidChange,
  prepaidChangeLine,
  prepaidUnitsIn,
  priceOfPrepaidChange,
} from '../../../billing/subscriptions/prepaid-changes.ts';
import { isLive, nextSubscriptionStatus, type SubscriptionStatus } from '../../../billing/subscriptions/states.ts';
import type { Plan } from '../../../billing/subscriptions/subscription.ts';
import { type Decimal, decimal, sum, ZERO } from '../../../core/decimal.ts';
import { conflict } from '../../../core/domain-error.ts';
import { type Instant, localDateAt } from '../../../core/instants.ts';
import { boundaryOf, component as componentFixture, plan as planFixture, rule, wholeOf } from '../fixtures.ts';
import type { Life, LifeAddon, LifeComponent, LifeMetric, LifeSubscription } from './life.ts';

export type CorePart = InvoicePart;
type Attached = ChargeableAddon & { status: 'active' | 'canceled' | 'billed' };
/** `watermark`: how many events had landed when it was counted, as `usage_marks` keeps it. */
/** What of a period's units waits for an invoice, and at which tax it would be now. */
type Waiting = { pending: Decimal; rateOfNow: Decimal };
type Billed = { period: Period; component: Component; usage: UsageValue; watermark: number; chargedRate: Decimal };

/** A period that is over and whose invoice waits for the grace, as its row in `periods` keeps it. */
type PendingPeriod = { period: Period; next: Period | null; addons: AddonCharge[]; dueAt: Instant };

const PERIOD_NAMES = { 30: 'monthly', 90: 'quarterly', 365: 'annual' } as const;

/** A subscription by the rules of billing/: what sql/ keeps of it, and what a closing loads and computes. */
export class CoreSubscription {
  id: string;
  status: SubscriptionStatus = 'pending';
  autoRenew = true;
  period: Period;
  plan: Plan;
  pending: PendingPeriod | null = null;
  private life: Life;
  private startDate: string;
  private prepaidUnits: PrepaidChoice[];
  private credited = new Map<string, Decimal>();
  private addons: Attached[] = [];
  private billed: Billed[] = [];
  private known?: { timeZone: string; after: Period; next: Period };

  constructor(life: Life, script: LifeSubscription) {
    this.life = life;
    this.id = script.subscriptionId;
    this.startDate = script.startDate;
    this.plan = planOf(life, script);
    this.prepaidUnits = Object.entries(script.ownPrepaid).map(([metricId, units]) => {
      return { metricId, units: decimal(units), fromPeriod: 0 };
    });
    this.period = periodOf(this.terms(life.zone), 0);
  }

  get isLive(): boolean {
    return isLive(this.status);
  }

  /** What its activation would invoice; null for nothing. */
  opening(): CorePart | null {
    const { id: subscriptionId, plan, prepaidUnits } = this;
    const first = wholeOf(plan, this.period);
    const input = { subscriptionId, plan, first, nameOf: (id: string) => id, addons: this.chargeable(), prepaidUnits };
    return openingPart(input, this.life);
  }

  /** What the end of the current period would invoice but for late usage. */
  closing(events: UsageEvent[], timeZone: string): CorePart & BoundaryCharges {
    return this.ending({ period: this.period, next: this.following(timeZone), addons: null }, events);
  }

  /** What the pending invoice would charge but for late usage. */
  pendingPart(pending: PendingPeriod, events: UsageEvent[]): CorePart & BoundaryCharges {
    return this.ending(pending, events);
  }

  private ending(
    { period, next, addons }: Pick<PendingPeriod, 'period' | 'next'> & { addons: AddonCharge[] | null },
    events: UsageEvent[],
  ): CorePart & BoundaryCharges {
    const boundary = boundaryOf(this.plan, { ended: period, next });
    const windows = boundary.windows.map((window) => ({ ...window, ...usageOf(this.metric(window), events, period) }));
    const charges = limitedCharges({
      ...boundary,
      subscriptionId: this.id,
      windows,
      prepaidUnits: this.prepaidUnits,
      addons: this.chargeable(),
      fixedAddons: addons,
    });
    const { startsAt: periodStart, endsAt: periodEnd } = period;
    return { ...charges, kind: next === null ? 'closing' : 'period', periodStart, periodEnd, pending: [] };
  }

  /** The period is over: the next one begins or the life ends, as `endPeriod` does it. */
  end(timeZone: string, dueAt: Instant): void {
    const { id: subscriptionId, plan, period } = this;
    const next = this.following(timeZone);
    const boundary = { ...boundaryOf(plan, { ended: period, next }), subscriptionId };
    const addons = boundaryAddons({ ...boundary, addons: this.chargeable() });
    this.keepAddonsBilled(addons);
    this.pending = { period, next, addons, dueAt };
    this.status = nextSubscriptionStatus(this.status, next ? 'renew' : 'expire');
    if (next) this.period = next;
  }

  /** As `updateAddonsBilled` keeps it. */
  keepAddonsBilled(charges: readonly AddonCharge[]): void {
    for (const { addonSubscriptionId, periodIndex, kind } of charges) {
      this.addons = this.addons.map((one) => {
        if (one.addonSubscriptionId !== addonSubscriptionId) return one;
        const billedTo = Math.max(one.billedTo ?? -1, periodIndex);
        return { ...one, billedTo, status: kind === 'one_time' ? 'billed' : one.status };
      });
    }
  }

  /** The pending invoice is made: what its period was billed for is kept. */
  keepBilled(
    { period }: PendingPeriod,
    usages: BoundaryCharges['usages'],
    { watermark, chargedRate }: Pick<Billed, 'watermark' | 'chargedRate'>,
  ): void {
    for (const { component, quantity, eventsCount } of usages) {
      this.billed.push({ period, component, usage: { value: quantity, eventsCount }, watermark, chargedRate });
    }
    this.pending = null;
  }

  /** Closed periods counted again; `keeps` remembers what they are billed for then. */
  late(events: UsageEvent[], keeps: boolean): LateCharge[] {
    const charges = this.billed
      .filter(({ watermark, period }) => events.slice(watermark).some(({ timeCreated: at }) => contains(period, at)))
      .map((one) => ({ one, charge: this.lateCharge(one, events) }));
    if (keeps)
      for (const { one, charge } of charges) Object.assign(one, { usage: charge.after, watermark: events.length });
    return charges.map(({ charge }) => charge).filter(({ before, after }) => !after.value.eq(before.value));
  }

  attach(addon: LifeAddon, quantity: number, at: Instant, timeZone: string): void {
    const index = this.periodIndexAt(at, timeZone);
    const same = this.addons.filter(({ addonId }) => addonId === addon.addonId);
    const known =
      same.find(({ status }) => status === 'active') ??
      same.findLast(({ status, kind, to }) => status === 'canceled' && kind !== 'one_time' && to === index);
    if (known) {
      this.change(known, { quantity, status: 'active', to: null });
      return;
    }
    const { addonId, kind } = addon;
    const addonSubscriptionId = `addonsub_${this.addons.length}`;
    const fresh = { addonSubscriptionId, addonId, name: addonId, kind, price: decimal(addon.price), quantity };
    this.addons.push({ ...fresh, from: index, to: null, billedTo: null, status: 'active' });
  }

  /** False where it is not attached. */
  detach({ addonId }: LifeAddon, at: Instant, timeZone: string): boolean {
    const attached = this.addons.find((one) => one.addonId === addonId && one.status === 'active');
    if (!attached) return false;
    const to = this.status === 'pending' ? -1 : this.periodIndexAt(at, timeZone);
    this.change(attached, { status: 'canceled', to });
    return true;
  }

  /** As `changePrepaidUnits` judges it. */
  prepaidChange(metricId: string, units: string, at: Instant, timeZone: string, events: UsageEvent[]): PrepaidChange {
    const component = this.plan.components.find((one) => one.metricId === metricId);
    const metric = this.life.metrics.find((one) => one.metricId === metricId);
    if (!component || !metric) throw conflict('The plan does not bill it.');
    const { status, autoRenew } = this;
    const life = { status, autoRenew, currentPeriod: this.period, plannedCancel: null };
    const period = periodOfPrepaidChange(life, this.terms(timeZone), at);
    const before = prepaidUnitsIn(component, this.prepaidUnits, period.index);
    const change = { subscriptionId: this.id, plan: this.plan, component, metricName: metricId, period, before };
    const wanted = { ...change, after: decimal(units) };
    assertNotBelowUsed(wanted, usageOf(metric, events, period).value);
    return wanted;
  }

  /** As `changePrepaidUnits` saves it: answers what is to be charged, or given back of what was. */
  prepay(change: PrepaidChange, charged: readonly CollectedFee[], { pending, rateOfNow }: Waiting) {
    const { period, after: units, component } = change;
    const { metricId } = component;
    const { places } = this.life;
    const isCharged = period.index === this.period.index && this.pending === null;
    const price = isCharged ? priceOfPrepaidChange(change, places) : ZERO;
    const key = `${metricId} ${period.index}`;
    const earlier = this.credited.get(key) ?? ZERO;
    const prorated = { pending, credited: earlier };
    const wanted = price.lt(0) ? price.negated() : ZERO;
    const back = downgradeCredits(wanted, { charged, prorated, rateOfNow, places });
    this.credited.set(key, earlier.plus(sum(back.map(({ amount }) => amount))));
    const others = this.prepaidUnits.filter((one) => one.metricId !== metricId || one.fromPeriod !== period.index);
    this.prepaidUnits = [...others, { metricId, units, fromPeriod: period.index }];
    return { line: price.gt(0) ? prepaidChangeLine(change, places) : null, back };
  }

  private change(attached: Attached, changes: Partial<Attached>): void {
    this.addons = this.addons.map((one) => (one === attached ? { ...one, ...changes } : one));
  }

  /** As `listChargeableAddons` chooses them. */
  private chargeable(): ChargeableAddon[] {
    return this.addons.filter(
      ({ status, kind, to, billedTo }) =>
        status === 'active' || (status === 'canceled' && kind !== 'one_time' && (to ?? -1) > (billedTo ?? -1)),
    );
  }

  private lateCharge({ period, component, usage, chargedRate }: Billed, events: UsageEvent[]): LateCharge {
    const metric = this.metric(component);
    const { planId, version } = this.plan;
    const origin = { subscriptionId: this.id, planId, version, periodStart: period.startsAt, periodEnd: period.endsAt };
    const prepaidUnits = prepaidUnitsIn(component, this.prepaidUnits, period.index);
    const after = usageOf(metric, events, period);
    const units = { prepaidUnits, prepaidBefore: prepaidUnits };
    return { ...origin, metricName: metric.metricId, component, before: usage, after, ...units, chargedRate };
  }

  private metric({ metricId }: { metricId: string }): LifeMetric {
    const metric = this.life.metrics.find((one) => one.metricId === metricId);
    if (!metric) throw new Error(`no metric ${metricId}`);
    return metric;
  }

  private following(timeZone: string): Period | null {
    if (!this.autoRenew) return null;
    // It is asked for several times at a boundary, and zones are slow.
    if (this.known?.timeZone !== timeZone || this.known.after !== this.period) {
      const next = periodAfter(this.terms(timeZone), this.period);
      this.known = { timeZone, after: this.period, next };
    }
    return this.known.next;
  }

  private periodIndexAt(at: Instant, timeZone: string): number {
    if (at < this.period.endsAt) return this.period.index;
    return Math.max(this.period.index + 1, periodIndexOn(this.terms(timeZone), localDateAt(at, timeZone)));
  }

  private terms(timeZone: string): PeriodTerms {
    const anchorDate = anchorOf(this.plan, this.startDate);
    const { billingPeriod, usagePeriod } = this.plan;
    return { startDate: this.startDate, billingPeriod, usagePeriod, anchorDate, timeZone };
  }
}

function contains({ startsAt, endsAt }: Period, at: Instant): boolean {
  return startsAt <= at && at < endsAt;
}

function usageOf(
  { aggregation, eventName }: LifeMetric,
  events: UsageEvent[],
  { startsAt, endsAt }: Period,
): UsageValue {
  const propertyName = aggregation === 'count' ? null : 'v';
  const scope = { customerId: 'c1', intervals: [{ startsAt, endsAt }], timeZone: 'UTC' };
  return aggregate(rule({ aggregationType: aggregation, eventName, propertyName }), events, scope);
}

function planOf(
  { currency }: Life,
  { days, calendar: billingCalendar, anchorDay, timing, fee, components }: LifeSubscription,
): Plan {
  return planFixture({
    recurringFee: decimal(fee),
    ...{ billingPeriod: PERIOD_NAMES[days], billingCalendar, anchorDay },
    currency,
    chargeTiming: timing,
    components: components.map(componentOf),
  });
}

function componentOf(script: LifeComponent): Component {
  return componentFixture({
    metricId: script.metricId,
    pricingModel: script.pricingModel,
    rounding: script.rounding,
    freeTier: decimal(script.freeTier),
    overagePrice: script.price === null ? null : decimal(script.price),
    packageSize: script.packageSize === null ? null : decimal(script.packageSize),
    prepaidUnits: decimal(script.prepaid),
    tiers:
      script.tiers?.map(({ upTo, unitPrice, flatFee }) => {
        return { upTo: upTo === null ? null : decimal(upTo), unitPrice: decimal(unitPrice), flatFee: decimal(flatFee) };
      }) ?? null,
  });
}
