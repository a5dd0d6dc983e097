import type { Instant } from '../../core/instants.ts';
import type { BoundaryInput } from '../invoices/boundary-charges.ts';
import type { OpeningInput } from '../invoices/opening-invoice.ts';
import type { UsageValue } from '../metering/aggregate.ts';
import { type CarriedPeriod, type LoadedCarry, usageStartOf } from '../periods/carried-period.ts';
import { type Pause, pausedIntervals } from '../periods/pauses.ts';
import { type Period, periodAfter } from '../periods/periods.ts';
import type { BillingRules } from '../snapshot/billing-rules.ts';
import { type NeedsUsage, together, type UsageQuestion } from '../snapshot/usage-question.ts';
import { type Ending, endingAt } from './cancel.ts';
import { isLive } from './states.ts';
import type { Customer, Subscription } from './subscription.ts';

/**
 * What ends now: `pauses` as they are then, `ending` where it is canceled, `closes` where the current period ends. `carried`
 * is what the current period would carry after a switch that is still to come; else what it does carry counts.
 */
export type Closure = {
  pauses: readonly Pause[];
  ending: Ending | null;
  closes: boolean;
  carried?: CarriedPeriod;
};

/** Who is closed, and how. */
export type Closed = { customer: Customer; subscription: Subscription; closure: Closure };

/**
 * What the closure of periods bills, oldest first: those that ended in a pause and wait, and where it `closes` the current
 * one, with the plan version and the usage of every metric the plan bills.
 */
export function closingBoundaries(closed: Closed, rules: BillingRules): NeedsUsage<BoundaryInput[]> {
  const { customer, subscription, closure } = closed;
  const { subscriptionId, currentPeriod } = subscription;
  const waiting = rules.waitingPeriodsOf(subscriptionId);
  const boundaries = waiting.map((period, i) => {
    return closingBoundary(closed, rules, { period, next: waiting[i + 1] ?? currentPeriod, ending: null });
  });
  if (!closure.closes) return together(boundaries);
  const { ending, carried } = closure;
  const next = nextPeriod(subscription, customer, ending);
  const opening = rules.pendingOpeningOf(subscription);
  // An end that comes after that invoice finds the fee charged.
  const pendingOpening = ending && opening && ending.at < opening.dueAt ? opening : null;
  const current = { period: currentPeriod, next, ending, pendingOpening, ...(carried && { carried }) };
  return together([...boundaries, closingBoundary(closed, rules, current)]);
}

/** A period that ends, the one after it (null for none), and how it ends where that is by a cancel or a switch within it. */
export type EndedPeriod = { period: Period; next: Period | null; ending: Ending | null } & Pick<
  BoundaryInput,
  'pendingOpening' | 'nextFeeTaken' | 'fixedAddons'
> &
  Pick<Closure, 'carried'>;

/** What the end of one period bills. */
export function closingBoundary(
  { subscription, closure: { pauses } }: { subscription: Subscription; closure: Pick<Closure, 'pauses'> },
  rules: BillingRules,
  { period, carried, ending, ...ended }: EndedPeriod,
): NeedsUsage<BoundaryInput> {
  const { subscriptionId } = subscription;
  const plan = rules.planOf(subscription);
  const metrics = plan.components.map(({ metricId }) => rules.metricOf(metricId));
  const carry = carried ?? (period.index === 0 ? rules.carriedOf(subscriptionId) : null);
  const until = ending?.at ?? period.endsAt;
  const windows = [
    ...metrics.map((metric) => {
      const startsAt = carry ? usageStartOf(carry.usageFrom, metric.metricId) : period.startsAt;
      return { metric, startsAt, endsAt: until };
    }),
    ...(carry?.usages ?? []).map((usage) => ({ ...usage, metric: rules.metricOf(usage.metricId) })),
  ];
  return {
    questions: windows.map(({ metric, startsAt, endsAt }) => questionOf(metric, period, pauses, startsAt, endsAt)),
    by: (values) => ({
      subscriptionId,
      plan,
      pauses,
      ...rules.termsOf(subscriptionId),
      ...ended,
      ended: period,
      ending,
      metrics: metrics.map(({ metricId, metricName }, i) => ({ ...valueAt(values, i), metricId, metricName })),
      carried: carry && {
        ...countedCarry(carry, rules, values.slice(metrics.length)),
        switchCharges: rules.switchChargesOf(subscriptionId),
      },
    }),
  };
}

function questionOf(
  metric: UsageQuestion['metric'],
  { timeZone }: Period,
  pauses: readonly Pause[],
  start: Instant,
  until: Instant,
): UsageQuestion {
  const end = Math.max(start, until);
  return { metric, timeZone, start, end, excluded: pausedIntervals(pauses, end) };
}

/** The carried period with its plans, and with the values of its usages in their order. */
function countedCarry(
  { stretches, usages, usageFrom }: CarriedPeriod,
  rules: BillingRules,
  values: readonly UsageValue[],
): LoadedCarry {
  return {
    stretches: carriedStretches(stretches, rules),
    usages: usages.map((usage, i) => {
      const component = rules.planOf(usage).components.find(({ metricId }) => metricId === usage.metricId);
      if (!component) throw new Error(`metric ${usage.metricId} of a carried period is missing`);
      const { metricName } = rules.metricOf(usage.metricId);
      return { ...usage, component, metricName, ...valueAt(values, i) };
    }),
    usageFrom,
  };
}

/** Stretches of a carried period with their plans. */
export function carriedStretches(
  stretches: CarriedPeriod['stretches'],
  rules: Pick<BillingRules, 'planOf'>,
): LoadedCarry['stretches'] {
  return stretches.map(({ subscriptionId, at, on, ...version }) => {
    return { subscriptionId, at, on, plan: rules.planOf(version) };
  });
}

/** What the very start of a subscription bills by; usage is none of it (spec/subscriptions#invoices-on-schedule). */
export function openingInput(subscription: Subscription, rules: BillingRules): OpeningInput {
  const { subscriptionId, currentPeriod: first } = subscription;
  const plan = rules.planOf(subscription);
  const metrics = plan.components.map(({ metricId }) => rules.metricOf(metricId));
  return { subscriptionId, plan, first, metrics, ...rules.termsOf(subscriptionId) };
}

/** How the current period ends by what is planned: by a cancel within it or with it, else as any period does. */
export function plannedEnding(subscription: Subscription): Ending | null {
  const { plannedCancel, currentPeriod } = subscription;
  if (plannedCancel === null || plannedCancel.at > currentPeriod.endsAt) return null;
  return endingAt(plannedCancel.at, plannedCancel, currentPeriod);
}

/** The period after the current one; null where the subscription ends within it or with it. */
export function nextPeriod(subscription: Subscription, { timeZone }: Customer, ending: Ending | null): Period | null {
  const { startDate, billingPeriod, currentPeriod, autoRenew } = subscription;
  return autoRenew && ending === null ? periodAfter({ startDate, billingPeriod, timeZone }, currentPeriod) : null;
}

/** Whether the subscription has ended, or ends with its current period by what is planned. */
export function endsLife(subscription: Subscription): boolean {
  const { status, autoRenew, plannedSwitch, currentPeriod } = subscription;
  const isSwitched = plannedSwitch !== null && plannedSwitch.at <= currentPeriod.endsAt;
  return !isLive(status) || !autoRenew || isSwitched || plannedEnding(subscription) !== null;
}

function valueAt(values: readonly UsageValue[], i: number): UsageValue {
  const value = values[i];
  if (!value) throw new Error('a metric has no answer');
  return value;
}
