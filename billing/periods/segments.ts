import type { Decimal } from '../../core/decimal.ts';
import { daysBetween, type Instant, type LocalDate } from '../../core/instants.ts';
import type { CancelTerms, Plan, PlanVersion, Subscription } from '../subscriptions/subscription.ts';
import type { Pause } from './pauses.ts';
import type { Period } from './periods.ts';

/** An instant within a period, with its date there. */
export type Moment = { at: Instant; on: LocalDate };

/**
 * What a switch has credited, without tax, of what an invoice had charged; null: of what was on none yet, and `ofFee` of that is of the
 * fee to come. Switches of earlier releases have not kept what is.
 */
export type CreditedPart = { invoiceId: string | null; amount: Decimal; ofFee?: Decimal };

/**
 * A plan in force in a period from a moment on, as this subscription's: each switch within the period begins another. `credited`: by the
 * switch that began it; switches of earlier releases have not kept it.
 */
export type PlanInForce = PlanVersion & Moment & { subscriptionId: string; credited?: readonly CreditedPart[] };

/**
 * A part of a billing period in which nothing changes of what its fee depends on: the plan, and whether it is paused or has ended.
 * Half-open, by instant and by date; of no length where two changes come at once.
 */
export type Segment = {
  subscriptionId: string;
  plan: Plan;
  from: Moment;
  to: Moment;
  /** By the switch that began the plan. */
  credited?: readonly CreditedPart[];
  isPaused: boolean;
  /** Behind a cancel, or behind the switch that closes the period. */
  hasEnded: boolean;
};

/** A period with the segments that tile its billing period, in order. */
export type SegmentedPeriod = Period & { segments: readonly Segment[] };

/** Whose period it is, by which plan. */
type Holder = Pick<Subscription, 'subscriptionId' | 'planId' | 'version'>;

/** The plans in force in a billing period of a subscription, in order: its own, behind those before the switches within it. */
export function plansInForce(
  { subscriptionId, planId, version }: Holder,
  { billing: { startsAt, startDate }, version: own = version }: Pick<Period, 'billing' | 'version'>,
  switched: { plans: readonly PlanInForce[] } | null,
): readonly PlanInForce[] {
  if (switched && switched.plans.length > 0) return switched.plans;
  return [{ subscriptionId, planId, version: own, at: startsAt, on: startDate }];
}

/** What cuts a period besides its own bounds. `switched`: what switches have left to it. */
export type Cuts = {
  switched?: { plans: readonly PlanInForce[] } | null;
  pauses?: readonly Pause[];
  ending?: Moment | null;
};

/** A subscription's billing period, cut where another plan comes into force, where a pause begins and ends, and at the end of its life. */
export function inSegments(
  holder: Holder,
  period: Period,
  planOf: (version: PlanVersion) => Plan,
  { switched = null, pauses = [], ending = null }: Cuts = {},
): SegmentedPeriod {
  const plans = plansInForce(holder, period, switched);
  let segments = plans.map((inForce, i): Segment => {
    const { subscriptionId, at, on, credited } = inForce;
    const to = plans[i + 1] ?? { at: period.billing.endsAt, on: period.billing.endDate };
    const between = { from: { at, on }, to: { at: to.at, on: to.on } };
    const begun = { subscriptionId, plan: planOf(inForce), ...(credited && { credited }) };
    return { ...begun, ...between, isPaused: false, hasEnded: false };
  });
  for (const { pausedAt, pausedOn, resumedAt, resumedOn } of pauses) {
    segments = cut(segments, { at: pausedAt, on: pausedOn }, { isPaused: true });
    if (resumedAt === null || resumedOn === null) continue;
    segments = cut(segments, { at: resumedAt, on: resumedOn }, { isPaused: false });
  }
  if (ending) segments = cut(segments, ending, { hasEnded: true });
  return { ...period, segments };
}

/** The segments with one more cut, from which on they are different. */
function cut(
  segments: readonly Segment[],
  moment: Moment,
  change: Partial<Pick<Segment, 'isPaused' | 'hasEnded'>>,
): Segment[] {
  return segments.flatMap((segment) => {
    const { from, to } = segment;
    if (!isBefore(moment, to)) return [segment];
    if (!isBefore(from, moment)) return [{ ...segment, ...change }];
    const between = { at: moment.at, on: dateWithin(moment.on, segment) };
    return [
      { ...segment, to: between },
      { ...segment, from: between, ...change },
    ];
  });
}

/** Keeps dates in order: those of a customer that has changed its zone may be a day apart (spec/customers#time-zone). */
function dateWithin(date: LocalDate, { from, to }: Segment): LocalDate {
  if (date < from.on) return from.on;
  return date < to.on ? date : to.on;
}

function isBefore(one: Moment, other: Moment): boolean {
  return one.at < other.at || (one.at === other.at && one.on < other.on);
}

/** Days of segments (spec/periods#days: "the time of day never matters"). */
export function daysOf(segments: readonly Segment[]): number {
  return segments.reduce((days, { from, to }) => days + daysBetween(from.on, to.on), 0);
}

/** Their days but for pauses. */
export function unpausedDays(segments: readonly Segment[]): number {
  return daysOf(segments.filter(({ isPaused }) => !isPaused));
}

/**
 * Days that a fee in arrears is billed for (spec/subscriptions#cancel): those that were not paused, up to the end; by another
 * term of a cancel all, or none.
 */
export function billedDays(
  segments: readonly Segment[],
  flatFeeBehavior: CancelTerms['flatFeeBehavior'] = 'charge_prorated',
): number {
  if (flatFeeBehavior === 'charge_full') return daysOf(segments);
  if (flatFeeBehavior === 'refund') return 0;
  return unpausedDays(segments.filter(({ hasEnded }) => !hasEnded));
}

/** Whether its first instant lies in a pause: then nothing was charged for the period when it began (spec/subscriptions#pause). */
export function beginsPaused({ startsAt, segments }: SegmentedPeriod): boolean {
  return segments.find(({ to }) => to.at > startsAt)?.isPaused ?? false;
}

/** The segments of a usage period alone: those of its billing period, clipped to it. */
export function usageSegments(period: SegmentedPeriod): Segment[] {
  const { startDate, endDate, startsAt, endsAt, segments } = period;
  const [start, end] = [
    { at: startsAt, on: startDate },
    { at: endsAt, on: endDate },
  ];
  return segments
    .filter(({ from, to }) => to.at > startsAt && from.at < endsAt)
    .map((one) => ({
      ...one,
      from: isBefore(one.from, start) ? start : one.from,
      to: isBefore(end, one.to) ? end : one.to,
    }));
}

/** A switch within a period: when, to which plan, as which subscription's, what it has credited, and the segments from there on. */
export type SwitchWithin = Pick<Segment, 'subscriptionId' | 'plan' | 'credited'> & {
  at: Instant;
  oldPlan: Plan;
  rest: readonly Segment[];
};

/** The switches within a period, in order. */
export function switchesIn(segments: readonly Segment[]): SwitchWithin[] {
  return segments.flatMap(({ subscriptionId, plan, credited, from: { at } }, i) => {
    const before = segments[i - 1];
    if (!before || (before.subscriptionId === subscriptionId && before.plan.planId === plan.planId)) return [];
    const begun = { subscriptionId, plan, ...(credited && { credited }) };
    return [{ ...begun, at, oldPlan: before.plan, rest: segments.slice(i) }];
  });
}

/** The subscriptions that have had a period, one after another. */
export function holdersOf(parts: readonly { subscriptionId: string }[]): string[] {
  return [...new Set(parts.map(({ subscriptionId }) => subscriptionId))];
}
