import type { BoundaryInput } from '../invoices/boundary-charges.ts';
import type { OpeningInput } from '../invoices/opening-invoice.ts';
import type { PendingInvoice } from '../invoices/pending-invoice.ts';
import type { UsageValue } from '../metering/aggregate.ts';
import { bookQuestionOf } from '../metering/book-usage.ts';
import { type Pause, unpaused } from '../periods/pauses.ts';
import { type Period, periodAfter } from '../periods/periods.ts';
import { holdersOf, plansInForce } from '../periods/segments.ts';
import { beginsBilling, endsBilling } from '../periods/usage-months.ts';
import { type SwitchedPeriod, type UsageWindow, usageWindows } from '../periods/usage-windows.ts';
import { perEventPrice } from '../pricing/rating.ts';
import {
  type BillingRules,
  componentOf,
  limitedBefore,
  metricOf,
  openingOf,
  pausesOf,
  planOf,
  segmentsOf,
  switchChargesOf,
  switchedOf,
  termsOf,
  waitingPeriodsOf,
} from '../state/billing-rules.ts';
import { type NeedsUsage, together } from '../state/usage-question.ts';
import { type Ending, endingAt } from './cancel.ts';
import { phaseBegunBy, versionIn } from './phases.ts';
import { isLive } from './states.ts';
import type { Customer, Subscription } from './subscription.ts';

/**
 * What ends now: `pauses` as they are then, `ending` where it is canceled, `closes` where the current period ends. `switched`
 * is what a switch that is still to come would leave to the current period; else what switches have left counts.
 */
export type Closure = {
  pauses: readonly Pause[];
  ending: Ending | null;
  closes: boolean;
  switched?: SwitchedPeriod;
};

/** Who is closed, and how. */
export type Closed = { customer: Pick<Customer, 'timeZone'>; subscription: Subscription; closure: Closure };

/**
 * What the closure of periods bills, oldest first: those that ended in a pause and wait, and where it `closes` the current
 * one, with the plan version and the usage of every metric the plan bills.
 */
export function closingBoundaries(closed: Closed, rules: BillingRules): NeedsUsage<BoundaryInput[]> {
  const { customer, subscription, closure } = closed;
  const { subscriptionId, currentPeriod } = subscription;
  const waiting = waitingPeriodsOf(rules, subscriptionId);
  const boundaries = waiting.map((period, i) => {
    return closingBoundary(closed, rules, { period, next: waiting[i + 1] ?? currentPeriod, ending: null });
  });
  if (!closure.closes) return together(boundaries);
  const { ending, switched } = closure;
  const next = nextPeriod(subscription, customer, ending);
  const opening = openingOf(rules, subscription);
  // An end that comes after that invoice finds the fee charged.
  const pendingOpening = ending && opening && ending.at < opening.dueAt ? opening : null;
  const current = { period: currentPeriod, next, ending, pendingOpening, ...(switched && { switched }) };
  return together([...boundaries, closingBoundary(closed, rules, current)]);
}

/** What a pending invoice bills. */
export function pendingBoundary(
  { owner, period, next, nextFeeTaken, nextFeeCredited, addons: fixedAddons }: PendingInvoice,
  rules: BillingRules,
): NeedsUsage<BoundaryInput> {
  const pauses = pausesOf(rules, owner.subscriptionId);
  // Only a cancel that was planned for the period's end has ended it: what comes later is of the period after it.
  const ending = next === null ? plannedEnding(owner) : null;
  const ended = { period, next, ending, nextFeeTaken, nextFeeCredited, fixedAddons };
  return closingBoundary({ subscription: owner, closure: { pauses } }, rules, ended);
}

/** A period that ends, the one after it (null for none), and how it ends where that is by a cancel or a switch within it. */
export type EndedPeriod = { period: Period; next: Period | null; ending: Ending | null } & Pick<
  BoundaryInput,
  'pendingOpening' | 'nextFeeTaken' | 'nextFeeCredited' | 'fixedAddons'
> &
  Pick<Closure, 'switched'>;

/** What the end of one period bills. */
export function closingBoundary(
  { subscription, closure: { pauses } }: { subscription: Subscription; closure: Pick<Closure, 'pauses'> },
  rules: BillingRules,
  { period, next, ending, switched: toCome, ...ended }: EndedPeriod,
): NeedsUsage<BoundaryInput> {
  const { subscriptionId } = subscription;
  const plan = planOf(rules, versionIn(subscription, period));
  const switched = toCome ?? switchedOf(rules, subscriptionId, period);
  const span = { startsAt: period.startsAt, endsAt: ending?.at ?? period.endsAt };
  const windows = usageWindows(switched, plan, span).filter((window) => isBilled(window, period, rules));
  const customer = { timeZone: period.timeZone, testClockId: rules.testClockId };
  const bookQuestions = windows.map((window) => bookQuestionOf(componentOf(window, rules), window, customer));
  return {
    questions: windows.map((window, i) => {
      const component = componentOf(window, rules);
      const perEvent = component.book ? null : perEventPrice(component);
      return {
        metric: metricOf(rules, window.metricId),
        timeZone: period.timeZone,
        ...unpaused(window, pauses),
        perEvent,
        book: bookQuestions[i] ?? null,
      };
    }),
    by: (values) => ({
      subscriptionId,
      plan,
      nameOf: (metricId) => metricOf(rules, metricId).metricName,
      ...termsOf(rules, subscriptionId),
      ...ended,
      ended: segmentsOf(rules, subscription, period, { switched, pauses, ending }),
      next: next && segmentsOf(rules, subscription, next, { pauses }),
      ending,
      windows: windows.map((window, i) => ({
        ...window,
        component: componentOf(window, rules),
        ...valueAt(values, i),
        book: bookQuestions[i] ?? null,
      })),
      switchCharges: switchChargesOf(rules, subscriptionId),
      limitedSoFar: limitedBefore(rules, holdersOf(plansInForce(subscription, period, switched)), period),
    }),
  };
}

/** In a trial usage is billed where the plan says so by which it is. */
function isBilled(window: UsageWindow, { trial }: Period, rules: BillingRules): boolean {
  return !trial || (planOf(rules, window).trial?.billsUsage ?? false);
}

/** Whether it is a trial none of whose usage is billed; `switched` is what switches have left, or are to leave, to it. */
export function isFree(
  subscription: Subscription,
  period: Period,
  rules: BillingRules,
  switched = switchedOf(rules, subscription.subscriptionId, period),
): boolean {
  if (!period.trial) return false;
  return !usageWindows(switched, planOf(rules, versionIn(subscription, period)), period).some((window) =>
    isBilled(window, period, rules),
  );
}

/** What the very start of a subscription bills by; usage is none of it (spec/subscriptions#invoices-on-schedule). */
export function openingInput(subscription: Subscription, rules: BillingRules): OpeningInput {
  const { subscriptionId, currentPeriod } = subscription;
  const first = segmentsOf(rules, subscription, currentPeriod);
  return {
    subscriptionId,
    plan: planOf(rules, subscription),
    first,
    nameOf: (metricId) => metricOf(rules, metricId).metricName,
    ...termsOf(rules, subscriptionId),
  };
}

/** How the current period ends by what is planned: by a cancel within it or with it, else as any period does. */
export function plannedEnding(subscription: Subscription): Ending | null {
  const { plannedCancel, currentPeriod } = subscription;
  if (plannedCancel === null || plannedCancel.at > currentPeriod.endsAt) return null;
  return endingAt(plannedCancel.at, plannedCancel, currentPeriod);
}

/** The period after the current one, by the phase that begins with it; null where the subscription ends within it or with it. */
export function nextPeriod(
  subscription: Subscription,
  { timeZone }: Closed['customer'],
  ending: Ending | null,
): Period | null {
  const { currentPeriod, autoRenew } = subscription;
  const goesOn = ending === null && (autoRenew || !endsBilling(currentPeriod));
  if (!goesOn) return null;
  const next = periodAfter({ ...subscription, timeZone }, currentPeriod);
  const version = beginsBilling(next) ? phaseBegunBy(subscription, next.startDate)?.version : null;
  return version === null || version === undefined ? next : { ...next, version };
}

/** Whether the subscription has ended, or ends with its current period by what is planned. */
export function endsLife(subscription: Subscription): boolean {
  const { status, autoRenew, plannedSwitch, currentPeriod } = subscription;
  const isSwitched = plannedSwitch !== null && plannedSwitch.at <= currentPeriod.endsAt;
  const endsWithPeriod = endsBilling(currentPeriod) && (!autoRenew || isSwitched);
  return !isLive(status) || endsWithPeriod || plannedEnding(subscription) !== null;
}

function valueAt(values: readonly UsageValue[], i: number): UsageValue {
  const value = values[i];
  if (!value) throw new Error('a metric has no answer');
  return value;
}
