import type { MetricRule, UsageEvent } from '../../../../billing/catalog/metrics.ts';
import { addonsAfter, type ChargeableAddon } from '../../../../billing/invoices/addon-charges.ts';
import type { BoundaryCharges, BoundaryInput } from '../../../../billing/invoices/boundary-charges.ts';
import { openingPart } from '../../../../billing/invoices/opening-invoice.ts';
import { billedLate } from '../../../../billing/invoices/pending-items.ts';
import { limitedCharges } from '../../../../billing/invoices/true-ups.ts';
import { aggregate, type UsageValue } from '../../../../billing/metering/aggregate.ts';
import { countByBook } from '../../../../billing/metering/book-usage.ts';
import { type CountedLate, lateUsage } from '../../../../billing/metering/late-usage.ts';
import { type Pause, resumedPauses, statusAfterPause } from '../../../../billing/periods/pauses.ts';
import { dateIn, type Period } from '../../../../billing/periods/periods.ts';
import { type Boundary, nextBoundary } from '../../../../billing/periods/schedule.ts';
import {
  type CreditedPart,
  holdersOf,
  inSegments,
  type SegmentedPeriod,
  switchesIn,
} from '../../../../billing/periods/segments.ts';
import { type SwitchedPeriod, switchedIn, withCredited } from '../../../../billing/periods/usage-windows.ts';
import { type LimitedLines, limitedSoFar } from '../../../../billing/pricing/limits.ts';
import { priceEvents } from '../../../../billing/pricing/percentage.ts';
import type { PriceRow } from '../../../../billing/pricing/price-book.ts';
import { type BillingRules, newPlanOf, planKey } from '../../../../billing/state/billing-rules.ts';
import type { UsageQuestion } from '../../../../billing/state/usage-question.ts';
import { type Closure, closingBoundaries, openingInput } from '../../../../billing/subscriptions/closing-boundaries.ts';
import { type Inheritance, inheritanceOf } from '../../../../billing/subscriptions/inheritance.ts';
import {
  phaseBegunBy,
  phasesAfter,
  plannedAfterPause,
  withPhasePlanned,
} from '../../../../billing/subscriptions/phases.ts';
import type { PrepaidChoice } from '../../../../billing/subscriptions/prepaid-changes.ts';
import { isLive, nextSubscriptionStatus } from '../../../../billing/subscriptions/states.ts';
import {
  heldTerms,
  type Plan,
  type PlanVersion,
  type Subscription,
} from '../../../../billing/subscriptions/subscription.ts';
import { type SwitchParties, type SwitchTerms, successorOf } from '../../../../billing/subscriptions/switch.ts';
import { currencyOf } from '../../../../core/currencies.ts';
import { type Decimal, sum, ZERO } from '../../../../core/decimal.ts';
import { DomainError } from '../../../../core/domain-error.ts';
import type { Instant } from '../../../../core/instants.ts';
import { NO_RULES } from '../../fixtures.ts';
import type { CoreWallet } from '../core-wallet.ts';
import type { CoreAct } from './core-act.ts';
import { CoreBilled } from './core-billed.ts';
import type { CorePayer } from './core-payer.ts';

const METRIC = { isCostMetric: false, unitCost: ZERO, status: 'active', createdAt: 0 } as const;

/**
 * Whose life it is: a subscription that is to begin, the plans that it comes to, in each version that somebody has agreed on, and what
 * the customer uses.
 */
export type Contract = {
  timeZone: string;
  subscription: Subscription;
  plans: readonly Plan[];
  /** `landsAt`: when what comes late lands; any other is there from the beginning. */
  events: readonly (UsageEvent & { landsAt?: Instant })[];
  ruleOf(metricId: string): MetricRule;
  /** What becomes of events that land after their period was billed; by default it is on the next invoice. */
  lateUsage?: 'next_invoice' | 'ignore';
};

/** The subscription of now with what goes along when another takes its place, as sql/ keeps it. */
export class CoreSwitcher {
  subscription: Subscription;
  pauses: Pause[] = [];
  /** But for those that are charged once, and were. */
  addons: ChargeableAddon[] = [];
  /** Periods that ended in a pause and are not billed yet. */
  unbilled: Period[] = [];
  readonly timeZone: string;
  readonly billed: CoreBilled;
  /** What lands later is not seen yet. */
  now: Instant = 0;
  private lookedAt: Instant = 0;
  private pricedAt: Instant = 0;
  private contract: Contract;
  private begunAt = new Map<string, Instant>();
  /** What switches have left to the first billing period of each subscription. */
  private switchedOf = new Map<string, SwitchedPeriod | null>();
  /** Of units, by each subscription. */
  private choicesOf = new Map<string, PrepaidChoice[]>();
  private allPauses: Pause[] = [];

  constructor(contract: Contract) {
    this.contract = contract;
    this.timeZone = contract.timeZone;
    const places = currencyOf(contract.subscription.currency).exponent;
    this.billed = new CoreBilled({ lateUsage: contract.lateUsage ?? 'next_invoice', places });
    this.subscription = withPhasePlanned(contract.subscription, contract.timeZone);
    this.keepBegun();
  }

  get plans(): readonly Plan[] {
    return this.contract.plans;
  }

  get plan(): Plan {
    return this.planOf(this.subscription);
  }

  change(changes: Partial<Subscription>): void {
    this.subscription = { ...this.subscription, ...changes };
  }

  /** What time alone makes due next; `isClosed`: the last period has ended. */
  nextStep(isClosed: boolean): Boundary | null {
    const { currentPeriod, paused } = this.subscription;
    const { trial: _untold, ...period } = currentPeriod;
    const openPeriod = isClosed ? null : period;
    const resumesAt = paused?.resumesAt ?? null;
    return nextBoundary({ ...this.subscription, openPeriod, pendingInvoice: null, resumesAt });
  }

  private get choices(): PrepaidChoice[] {
    return this.choicesOf.get(this.subscription.subscriptionId) ?? [];
  }

  private get switched(): SwitchedPeriod | null {
    return this.switchedOf.get(this.subscription.subscriptionId) ?? null;
  }

  /** The switch that is planned. */
  planned(): SwitchTerms {
    const { plannedSwitch } = this.subscription;
    const nextPlan = newPlanOf({ newPlans: this.plans }, this.subscription);
    if (!nextPlan || !plannedSwitch) throw new Error('no switch is planned');
    const { invoicingBehavior, usageBehavior } = plannedSwitch;
    return { nextPlan, invoicingBehavior, usageBehavior };
  }

  /** The current period in its segments, so far as switches have cut it. */
  currentPeriod(): SegmentedPeriod {
    const { subscription } = this;
    const { currentPeriod } = subscription;
    return inSegments(subscription, currentPeriod, (of) => this.planOf(of), {
      switched: switchedIn(this.switched, currentPeriod),
    });
  }

  get catalog(): Pick<BillingRules, 'plans'> {
    return { plans: Object.fromEntries(this.plans.map((plan) => [planKey(plan), plan])) };
  }

  /** As `loadBillingRules`. */
  rules(wallet: CoreWallet): BillingRules {
    const { subscriptionId } = this.subscription;
    const ids = [...this.begunAt.keys()];
    const ofEach = <T>(of: (id: string) => T) => Object.fromEntries(ids.map((id) => [id, of(id)]));
    const metricIds = this.plans.flatMap(({ components }) => components.map(({ metricId }) => metricId));
    const switchCharges = wallet.switchCharges(this.switched?.plans.slice(1) ?? []);
    return {
      ...NO_RULES,
      ...this.catalog,
      newPlans: this.plans,
      metrics: Object.fromEntries(
        metricIds.map((id) => [id, { ...METRIC, ...this.contract.ruleOf(id), metricId: id, metricName: id }]),
      ),
      pauses: ofEach((id) => (id === subscriptionId ? this.pauses : this.allPauses)),
      switched: Object.fromEntries([...this.switchedOf].flatMap(([id, left]) => (left ? [[id, left]] : []))),
      switchCharges: Object.fromEntries(Map.groupBy(switchCharges, (charge) => charge.subscriptionId)),
      waitingPeriods: { [subscriptionId]: this.unbilled },
      limitedLines: this.limitedLines(wallet),
      limitedAmounts: this.billed.limitedAmounts,
      terms: ofEach((id) => ({ prepaidUnits: this.choicesOf.get(id) ?? [], addons: this.addons })),
    };
  }

  /** As `replaceSubscription`. */
  replace({ nextPlan, usageBehavior }: SwitchTerms, at: Instant): SwitchParties & { inheritance: Inheritance } {
    const { subscription: old, plan: oldPlan, choices, timeZone } = this;
    const subscriptionId = `${old.subscriptionId}+`;
    const next = withPhasePlanned(successorOf(old, nextPlan, { subscriptionId, at, timeZone }), timeZone);
    const switched = switchedIn(this.switched, old.currentPeriod);
    const parties = { old, oldPlan, next, nextPlan, switched, pendingOpening: null };
    const inheritance = inheritanceOf(parties, choices, { at, usageBehavior });
    this.allPauses.push(...this.pauses);
    this.switchedOf.set(subscriptionId, inheritance.switched);
    if (!inheritance.switched) this.pauses = [];
    const units = inheritance.units.map((one) => ({ ...one, fromPeriod: 0 }));
    this.choicesOf.set(subscriptionId, units);
    const { billingIndex: first } = inheritance;
    // As `moveAddons`.
    this.addons = this.addons.map(({ from, billedTo, ...one }) => {
      const isBilled = billedTo !== null && billedTo >= first;
      return { ...one, from: Math.max(from - first, 0), billedTo: isBilled ? billedTo - first : null };
    });
    this.subscription = next;
    this.keepBegun();
    return { ...parties, inheritance };
  }

  /** Of its first period, as `createSubscription` leaves it. */
  leaveUsage(left: SwitchedPeriod | null): void {
    this.switchedOf.set(this.subscription.subscriptionId, left);
  }

  /** As `creditDifference` does of the switch that has just been made. */
  keepCredited(parts: readonly CreditedPart[]): void {
    const { switched } = this;
    this.switchedOf.set(this.subscription.subscriptionId, switched && withCredited(switched, parts));
  }

  private keepBegun(): void {
    const { subscriptionId, currentPeriod } = this.subscription;
    this.begunAt.set(subscriptionId, currentPeriod.startsAt);
  }

  /** As `beginPeriod` in services/subscriptions/end-periods.ts. */
  begin({ version, ...currentPeriod }: Period): void {
    const { subscription: old, timeZone } = this;
    const begun = version === undefined ? undefined : phaseBegunBy(old, currentPeriod.startDate);
    const plan = begun && this.planOf({ planId: old.planId, version: begun.version ?? old.version });
    const phases = begun ? phasesAfter(old.phases, begun) : old.phases;
    // As `updateVersion`: what waits for a resume keeps the version that it had.
    if (begun) this.unbilled = this.unbilled.map((waiting) => ({ version: old.version, ...waiting }));
    const entered = { ...old, ...(plan && heldTerms(plan)), currentPeriod, phases };
    this.subscription = withPhasePlanned(entered, timeZone);
  }

  /** As `loadBoundaries`. */
  boundaries(closure: Closure, wallet: CoreWallet): BoundaryInput[] {
    const { subscription, timeZone } = this;
    const { questions, by } = closingBoundaries({ customer: { timeZone }, subscription, closure }, this.rules(wallet));
    return by(questions.map((question) => this.answer(question)));
  }

  pause(at: Instant, resumesAt: Instant | null = null): void {
    const { status, currentPeriod } = this.subscription;
    this.pauses.push({ pausedAt: at, pausedOn: dateIn(currentPeriod, at), resumedAt: null, resumedOn: null });
    this.change({ status: statusAfterPause(status, resumesAt, at), paused: { at, resumesAt } });
  }

  resume(at: Instant): void {
    const { status, currentPeriod } = this.subscription;
    this.pauses = resumedPauses(this.pauses, { at, on: dateIn(currentPeriod, at) });
    const planned = plannedAfterPause(this.subscription, { at, on: dateIn(currentPeriod, at) });
    this.change({ status: nextSubscriptionStatus(status, 'resume'), paused: null, ...planned });
  }

  attach({ addon, kind = 'one_time' }: Extract<CoreAct, { do: 'attach' }>, price: Decimal): void {
    const { status, currentPeriod } = this.subscription;
    if (status !== 'active') throw new DomainError('conflict', 'not active');
    const id = `addon_${addon}`;
    const terms = { kind, quantity: 1, from: currentPeriod.billing.index, to: null, billedTo: null };
    this.addons.push({ ...terms, addonId: id, name: id, addonSubscriptionId: id, price });
  }

  end(at: Instant, billsAt: Instant | null): void {
    const status = nextSubscriptionStatus(this.subscription.status, 'cancel');
    if (isLive(status)) throw new Error('a cancel that ends nothing');
    this.change({ status, ended: { at, reason: 'canceled' }, billsAt, plannedSwitch: null });
  }

  /** As `beginSuccessor` has what is due at the very start. */
  opening(wallet: CoreWallet, isBehindTrial = false): ReturnType<typeof openingPart> {
    const charges = openingPart(openingInput(this.subscription, this.rules(wallet)), this.subscription, isBehindTrial);
    if (charges) this.addons = addonsAfter(this.addons, charges.addons);
    return charges;
  }

  /** What a boundary charges by the units and add-ons of now, and what the account bills of what came late. */
  charge(
    boundary: BoundaryInput,
    { wallet, payer }: { wallet: CoreWallet; payer: Pick<CorePayer, 'taxRate'> },
    late: readonly CountedLate[] = [],
  ): BoundaryCharges & { late: CountedLate[] } {
    const switchCharges = wallet.switchCharges(switchesIn(boundary.ended?.segments ?? []));
    const { choices: prepaidUnits, addons } = this;
    const { ended } = boundary;
    // As `readLimitedSoFar`: boundaries before it may have been charged since it was read.
    const soFar = ended && limitedSoFar(this.limitedLines(wallet), holdersOf(ended.segments), ended);
    const terms = { prepaidUnits, addons, switchCharges, ...(soFar && { limitedSoFar: soFar }) };
    const charges = limitedCharges({ ...boundary, ...terms });
    // As `updateAddonsBilled`.
    this.addons = addonsAfter(addons, charges.addons);
    this.billed.keep(boundary, charges, { late, chargedRate: payer.taxRate });
    return { ...charges, late: billedLate(late, this.billed.terms) };
  }

  /** As `loadLateUsage` and `updateLateUsage`: nothing is counted again where nothing has come since. */
  late(wallet: CoreWallet): CountedLate[] {
    if (!this.hasNews()) return [];
    this.lookedAt = this.now;
    const watermarks = this.billed.watermarks(this.subscription.subscriptionId);
    const { questions, by } = lateUsage(watermarks, this.billed.usage, this.rules(wallet));
    return this.billed.update(by(questions.map((question) => this.answer(question))));
  }

  /** Whether anything has landed late, or been priced, since late usage was counted. */
  hasNews(): boolean {
    const isNew = (at = 0) => at > this.lookedAt && at <= this.now;
    return isNew(this.pricedAt) || this.contract.events.some(({ landsAt }) => isNew(landsAt));
  }

  /** As `createPrice`: to all versions of the plan. */
  addPrice({ planId, metricId, row }: { planId: string; metricId: string; row: PriceRow }): void {
    const plans = this.plans.map((plan): Plan => {
      const components = plan.components.map((one) =>
        one.metricId === metricId && one.book ? { ...one, book: { ...one.book, rows: [...one.book.rows, row] } } : one,
      );
      return plan.planId === planId ? { ...plan, components } : plan;
    });
    this.contract = { ...this.contract, plans };
    this.pricedAt = this.now;
  }

  private limitedLines(wallet: CoreWallet): LimitedLines[] {
    return wallet.limitedLines((id) => this.begunAt.get(id) ?? 0);
  }

  /** What ClickHouse would answer. */
  answer({ metric, timeZone, start, end, excluded, perEvent, book }: UsageQuestion): UsageValue {
    const counted = this.contract.events.filter(
      ({ eventName, timeCreated: at, landsAt = 0 }) =>
        (metric.eventName ?? eventName) === eventName &&
        start <= at &&
        at < end &&
        landsAt <= this.now &&
        !excluded.some(({ startsAt, endsAt }) => startsAt <= at && at < endsAt),
    );
    const scope = { customerId: 'c1', intervals: [{ startsAt: start, endsAt: end }], timeZone };
    const usage = aggregate(metric, counted, scope);
    if (book) {
      const combinations = countByBook(metric, counted, scope, book);
      if (!sum(combinations.map((one) => one.usage.eventsCount)).eq(usage.eventsCount)) throw new Error('lost events');
      return { ...usage, combinations };
    }
    if (!perEvent) return usage;
    const values = counted.map((event) => aggregate(metric, [event], scope).value);
    return { ...usage, byEvent: priceEvents(perEvent, values) };
  }

  planOf({ planId, version }: PlanVersion): Plan {
    const plan = this.contract.plans.find((one) => one.planId === planId && one.version === version);
    if (!plan) throw new Error(`no version ${version} of ${planId}`);
    return plan;
  }
}
