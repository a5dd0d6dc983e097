import type { MetricRule, UsageEvent } from '../../../billing/catalog/metrics.ts';
import { addonsAfter, type ChargeableAddon } from '../../../billing/invoices/addon-charges.ts';
import type { BoundaryCharges, BoundaryInput } from '../../../billing/invoices/boundary-charges.ts';
import { limitedCharges } from '../../../billing/invoices/true-ups.ts';
import { aggregate, type UsageValue } from '../../../billing/metering/aggregate.ts';
import { countByBook } from '../../../billing/metering/book-usage.ts';
import type { Pause } from '../../../billing/periods/pauses.ts';
import type { Period } from '../../../billing/periods/periods.ts';
import { type Boundary, nextBoundary } from '../../../billing/periods/schedule.ts';
import {
  type CreditedPart,
  holdersOf,
  inSegments,
  type SegmentedPeriod,
  switchesIn,
} from '../../../billing/periods/segments.ts';
import { type SwitchedPeriod, switchedIn, withCredited } from '../../../billing/periods/usage-windows.ts';
import { type LimitedLines, limitedSoFar } from '../../../billing/pricing/limits.ts';
import { priceEvents } from '../../../billing/pricing/percentage.ts';
import type { BillingRules } from '../../../billing/snapshot/billing-rules.ts';
import type { UsageQuestion } from '../../../billing/snapshot/usage-question.ts';
import { type Closure, closingBoundaries } from '../../../billing/subscriptions/closing-boundaries.ts';
import { type Inheritance, inheritanceOf } from '../../../billing/subscriptions/inheritance.ts';
import { phaseBegunBy, phasesAfter, withPhasePlanned } from '../../../billing/subscriptions/phases.ts';
import type { PrepaidChoice } from '../../../billing/subscriptions/prepaid-changes.ts';
import {
  heldTerms,
  type Plan,
  type PlanVersion,
  type Subscription,
} from '../../../billing/subscriptions/subscription.ts';
import { type SwitchParties, type SwitchTerms, successorOf } from '../../../billing/subscriptions/switch.ts';
import { sum, ZERO } from '../../../core/decimal.ts';
import type { Instant } from '../../../core/instants.ts';
import type { CoreWallet } from './core-wallet.ts';

const METRIC = { isCostMetric: false, unitCost: ZERO, status: 'active', createdAt: 0 } as const;

/**
 * Whose life it is: a subscription that is to begin, the plans that it comes to, in each version that somebody has agreed on, and what
 * the customer uses.
 */
export type Contract = {
  timeZone: string;
  subscription: Subscription;
  plans: readonly Plan[];
  events: readonly UsageEvent[];
  ruleOf(metricId: string): MetricRule;
};

/** The subscription of now with what goes along when another takes its place, as sql/ keeps it. */
export class CoreSwitcher {
  subscription: Subscription;
  pauses: Pause[] = [];
  choices: PrepaidChoice[] = [];
  /** But for those that are charged once, and were. */
  addons: ChargeableAddon[] = [];
  /** Periods that ended in a pause and are not billed yet. */
  unbilled: Period[] = [];
  readonly timeZone: string;
  private contract: Contract;
  private begunAt = new Map<string, Instant>();
  private switched: SwitchedPeriod | null = null;

  constructor(contract: Contract) {
    this.contract = contract;
    this.timeZone = contract.timeZone;
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

  /** The switch that is planned. */
  planned(): SwitchTerms {
    const { plannedSwitch } = this.subscription;
    const nextPlan = this.newPlanOf(this.subscription);
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

  /** As `loadBillingRules`. */
  rules(wallet: CoreWallet): BillingRules {
    return {
      testClockId: null,
      planOf: (version) => this.planOf(version),
      newPlanOf: (subscription) => this.newPlanOf(subscription),
      metricOf: (metricId) => ({ ...METRIC, ...this.contract.ruleOf(metricId), metricId, metricName: metricId }),
      pausesOf: () => this.pauses,
      switchedOf: (_, period) => switchedIn(this.switched, period),
      limitedSoFar: (holders, period) => limitedSoFar(this.limitedLines(wallet), holders, period),
      limitedOf: () => [],
      switchChargesOf: () => wallet.switchCharges(this.switched?.plans.slice(1) ?? []),
      waitingPeriodsOf: () => this.unbilled,
      pendingOpeningOf: () => null,
      termsOf: () => ({ prepaidUnits: this.choices, addons: this.addons }),
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
    this.switched = inheritance.switched;
    if (!this.switched) this.pauses = [];
    this.choices = inheritance.units.map((units) => ({ ...units, fromPeriod: 0 }));
    this.subscription = next;
    this.keepBegun();
    return { ...parties, inheritance };
  }

  /** As `creditDifference` does of the switch that has just been made. */
  keepCredited(parts: readonly CreditedPart[]): void {
    this.switched = this.switched && withCredited(this.switched, parts);
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

  /** What a boundary charges by the units and add-ons of now. */
  charge(boundary: BoundaryInput, { wallet }: { wallet: CoreWallet }): BoundaryCharges {
    const switchCharges = wallet.switchCharges(switchesIn(boundary.ended?.segments ?? []));
    const { choices: prepaidUnits, addons } = this;
    const { ended } = boundary;
    // As `readLimitedSoFar`: boundaries before it may have been charged since it was read.
    const soFar = ended && limitedSoFar(this.limitedLines(wallet), holdersOf(ended.segments), ended);
    const terms = { prepaidUnits, addons, switchCharges, ...(soFar && { limitedSoFar: soFar }) };
    const charges = limitedCharges({ ...boundary, ...terms });
    // As `updateAddonsBilled`.
    this.addons = addonsAfter(addons, charges.addons);
    return charges;
  }

  private limitedLines(wallet: CoreWallet): LimitedLines[] {
    return wallet.limitedLines((id) => this.begunAt.get(id) ?? 0);
  }

  /** What ClickHouse would answer. */
  answer({ metric, timeZone, start, end, excluded, perEvent, book }: UsageQuestion): UsageValue {
    const counted = this.contract.events.filter(
      ({ timeCreated: at }) => !excluded.some(({ startsAt, endsAt }) => startsAt <= at && at < endsAt),
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

  private newPlanOf({ plannedSwitch }: Pick<Subscription, 'plannedSwitch'>): Plan | undefined {
    const { plans } = this.contract;
    const versions = plans.filter(({ planId }) => planId === plannedSwitch?.newPlanId);
    const agreed = plannedSwitch?.agreed;
    return agreed ? versions.find(({ version }) => version === agreed.version) : versions[0];
  }
}
