import type { Instant } from '../../core/instants.ts';
import type { ChargedPart } from '../credits/charged-part.ts';
import type { NewInvoiceLine } from '../invoices/invoice.ts';
import { STEP_RANK } from '../periods/schedule.ts';
import type { CustomerState } from '../state/customer-state.ts';
import { type NeedsUsage, needsNothing } from '../state/usage-question.ts';
import { endsLife, plannedEnding } from './closing-boundaries.ts';
import type { LeftBySwitch, PlannedDowngrade } from './draft-switch.ts';
import type { Subscription } from './subscription.ts';

/** The due instant of an invoice that nothing makes due yet. */
export const NO_DATE: Instant = Number.POSITIVE_INFINITY;

/**
 * What is invoiced next of a subscription, at `dueAt`. `takes`: whether it takes what waits for the customer's next invoice if
 * it is the first to be made; `late`: only late usage of subscriptions that have ended.
 */
export type Upcoming = {
  subscriptionId: string;
  dueAt: Instant;
  rank: number;
  takes: 'first' | 'late' | 'never';
  /** True for an invoice that only bills what an ended subscription has left. */
  isRest?: boolean;
  /** It ends a trial whose usage is free, or a pause: an invoice is made where anything is due. */
  onlyIfDue?: boolean;
  /** It bills the periods that ended in a pause, at the resume. */
  isResume?: boolean;
  /** It comes behind a resume, and is drafted only if that bills nothing: what has been invoiced leaves the draft. */
  isBehindResume?: boolean;
  downgrade?: PlannedDowngrade | null;
  left?: LeftBySwitch | null;
  /** What a planned cancel bills waits for the customer's next invoice, and where none is scheduled by then until its period's end. */
  waitsUntil?: Instant;
  /** Each is charged as it is taken, once those before it are drafted. */
  parts: NeedsUsage<Iterable<ChargedPart>>;
};

/** By instant, where that is one by rank, then by subscription (spec/periods#order-at-one-instant). */
export function inOrderOfIssue(all: readonly Upcoming[]): Upcoming[] {
  return all.toSorted(compareDue);
}

/** Returns the first upcoming invoice that bills what waits for the customer's next invoice. */
export function takerOf(upcoming: readonly Upcoming[]): Upcoming | undefined {
  return upcoming.find(({ takes }) => takes === 'first');
}

/** Returns the first upcoming invoice that bills late usage of subscriptions that have ended. */
export function takerOfLate(upcoming: readonly Upcoming[]): Upcoming | undefined {
  return upcoming.find(billsLate);
}

/** Returns whether an invoice bills late usage: one that only bills what waits does not. */
export function billsLate({ takes, isRest }: Upcoming): boolean {
  return takes !== 'never' && !isRest;
}

type Due = Pick<Upcoming, 'dueAt' | 'rank' | 'subscriptionId'>;

function compareDue(a: Due, b: Due): number {
  if (a.dueAt !== b.dueAt || a.rank !== b.rank) return a.dueAt - b.dueAt || a.rank - b.rank;
  if (a.subscriptionId === b.subscriptionId) return 0;
  return a.subscriptionId < b.subscriptionId ? -1 : 1;
}

/** What the planned switches of `switching` have left by then, of which the period's own invoice is still to come. */
export function leftBefore(one: Upcoming, switching: readonly Upcoming[]): NewInvoiceLine[] {
  if (one.takes !== 'first' || one.waitsUntil !== undefined) return [];
  return switching.flatMap((own) => {
    const { subscriptionId, left } = own;
    // A switch that fell due in a pause happens with the resume, behind what that invoices.
    const isBehind = one.isResume && subscriptionId === one.subscriptionId;
    if (!left || own === one || isBehind || compareDue(own, one) < 0) return [];
    const isBefore = compareDue({ dueAt: left.at, rank: STEP_RANK.switch, subscriptionId }, one) < 0;
    return isBefore ? left.take() : [];
  });
}

/** Returns whether another of the upcoming invoices bills what a planned cancel leaves (spec/subscriptions#cancel). */
export function isLeftForAnother(
  one: Upcoming,
  upcoming: readonly Upcoming[],
  { subscriptions }: Pick<CustomerState, 'subscriptions'>,
): boolean {
  const { waitsUntil, subscriptionId } = one;
  if (waitsUntil === undefined) return false;
  const behind = upcoming.slice(upcoming.indexOf(one) + 1);
  const next = behind.find(({ takes, waitsUntil: waits }) => takes === 'first' && waits === undefined);
  if (!next) return false;
  return (
    next.dueAt <= waitsUntil ||
    subscriptions.some((other) => other.subscriptionId !== subscriptionId && lives(other, waitsUntil))
  );
}

/**
 * Returns the invoice of what an ended subscription has left. It is issued at `billsAt`. Nothing is returned if another subscription
 * of the customer is active at that time, because its next invoice bills what was left (spec/subscriptions#cancel).
 */
export function restOf(
  { subscriptionId, billsAt, currentPeriod }: Subscription,
  { subscriptions }: Pick<CustomerState, 'subscriptions'>,
): Upcoming[] {
  if (billsAt === null || subscriptions.some((other) => lives(other, billsAt))) return [];
  const { startsAt: periodStart, endsAt: periodEnd } = currentPeriod;
  const parts = needsNothing([{ ...NOTHING, kind: 'closing' as const, periodStart, periodEnd, dueAt: billsAt }]);
  const of = { subscriptionId, dueAt: billsAt, rank: STEP_RANK.bill_waiting };
  return [{ ...of, takes: 'first', isRest: true, onlyIfDue: true, parts }];
}

/**
 * Returns the invoice of late usage that waits for a later invoice of the customer, if none of the `upcoming` ones bills it. It has no
 * date.
 */
export function lateAlone(
  { watermarks }: Pick<CustomerState, 'watermarks'>,
  upcoming: readonly Upcoming[],
): Upcoming[] {
  const ended = watermarks.find(({ hasEnded }) => hasEnded);
  if (!ended || takerOfLate(upcoming)) return [];
  const { subscriptionId } = ended;
  const parts = needsNothing([
    { ...NOTHING, kind: 'closing' as const, periodStart: null, periodEnd: null, dueAt: NO_DATE },
  ]);
  return [{ subscriptionId, dueAt: NO_DATE, rank: STEP_RANK.bill_waiting, takes: 'late', onlyIfDue: true, parts }];
}

const NOTHING = { fees: [], prepaid: [], usages: [], addons: [], prorations: [], trueUps: [] };

/** Whether a subscription will be active at an instant. */
function lives(subscription: Subscription, at: Instant): boolean {
  const { status, currentPeriod, paused } = subscription;
  if (status === 'pending') return currentPeriod.startsAt <= at;
  // One whose planned resume is still to come is active behind it (`beyondPauses`).
  if (status !== 'active' || (paused?.resumesAt ?? 0) > at) return false;
  const endsAt = plannedEnding(subscription)?.at ?? currentPeriod.endsAt;
  return endsAt > at || !endsLife(subscription);
}
