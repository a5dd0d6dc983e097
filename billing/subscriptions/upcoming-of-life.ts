import type { Instant } from '../../core/instants.ts';
import type { ChargedPart } from '../credits/charged-part.ts';
import { plannedProration } from '../credits/proration-credits.ts';
import type { ChargeInTurn } from '../invoices/charges-in-turn.ts';
import { headOfEnd, openingPart } from '../invoices/opening-invoice.ts';
import { invoicedAt } from '../invoices/pending-invoice.ts';
import { STEP_RANK } from '../periods/schedule.ts';
import { type BillingRules, pausesOf } from '../state/billing-rules.ts';
import type { Foreseen } from '../state/customer-state.ts';
import { changed, type NeedsUsage, needsNothing } from '../state/usage-question.ts';
import { type Closure, closingBoundaries, isFree, openingInput, plannedEnding } from './closing-boundaries.ts';
import { switchParts } from './draft-switch.ts';
import type { BeyondPauses } from './end-of-pause.ts';
import type { Subscription } from './subscription.ts';
import type { Upcoming } from './upcoming.ts';

/** Whether a resume that somebody asks for would invoice what waits. */
export function waitsForResume({ status, paused }: Subscription): boolean {
  return status === 'paused' && paused?.resumesAt === null;
}

type OfLife = { charge: ChargeInTurn } & Pick<BeyondPauses, 'ends'>;

/** What the end of a pause invoices of the periods that ended in it: at a resume, or with the end of the subscription at `dueAt`. */
export function waitingOf(
  subscriptionId: string,
  state: Foreseen,
  { charge, ends }: OfLife,
  ending: Pick<Upcoming, 'dueAt' | 'rank'> = { dueAt: state.at, rank: STEP_RANK.resume },
): Upcoming[] {
  const { rules, subscriptions } = state;
  const end = ends.get(subscriptionId);
  const subscription = subscriptions.find((one) => one.subscriptionId === subscriptionId);
  if (!end || !subscription || end.waiting.length === 0) return [];
  const { resumesAt, waiting } = end;
  const { dueAt, rank } = resumesAt === null ? ending : { dueAt: resumesAt, rank: STEP_RANK.resume };
  const closure = { pauses: pausesOf(rules, subscriptionId), ending: null, closes: false };
  const waitingPeriods = { [subscriptionId]: waiting };
  const parts = endParts(state, subscription, { closure, dueAt, charge, rules: { ...rules, waitingPeriods } });
  return [{ subscriptionId, dueAt, rank, takes: 'first', onlyIfDue: true, isResume: resumesAt !== null, parts }];
}

/** What the next boundary of a subscription that is live makes, and before it what the end of its pause does. */
export function upcomingOf(subscription: Subscription, state: Foreseen, of: OfLife): Upcoming[] {
  const { account, rules } = state;
  const { charge, ends } = of;
  const { subscriptionId, status, currentPeriod, plannedCancel } = subscription;
  if (status === 'pending') {
    const parts = needsNothing(openingParts(state, subscription));
    return [{ subscriptionId, dueAt: currentPeriod.startsAt, rank: STEP_RANK.activate, takes: 'never', parts }];
  }
  const end = ends.get(subscriptionId);
  if (status === 'paused' && !end) return [];
  const pauses = pausesOf(rules, subscriptionId);
  const cancelAt = plannedCancel !== null && plannedCancel.at < currentPeriod.endsAt ? plannedCancel.at : null;
  const planned = switchParts(state, subscription, charge);
  const free = planned?.isFree ?? isFree(subscription, currentPeriod, rules);
  const graceOver = invoicedAt(currentPeriod, { account, isFree: free });
  const closure = { pauses, ending: plannedEnding(subscription), closes: true };
  const parts = planned?.parts ?? endParts(state, subscription, { closure, dueAt: cancelAt ?? graceOver, charge });
  const [dueAt, rank] = planned?.closesAt
    ? [planned.closesAt, STEP_RANK.switch]
    : cancelAt !== null
      ? [cancelAt, STEP_RANK.cancel]
      : [graceOver, STEP_RANK.invoice_period];
  const { downgrade = null, left = null } = planned ?? {};
  const waits = rank === STEP_RANK.cancel && plannedCancel?.invoicingBehavior === 'add_to_next_invoice';
  const waitsUntil = waits ? { waitsUntil: currentPeriod.endsAt } : {};
  // The closing of a period within it is invoiced if anything is due (spec/subscriptions#invoices-on-schedule).
  const onlyIfDue = free || status === 'paused' || rank !== STEP_RANK.invoice_period;
  const isBehindResume = end !== undefined && end.resumesAt !== null;
  // A switch that fell due in the pause happens with the resume, behind it.
  const inTurn = isBehindResume && dueAt === end?.resumesAt ? Math.max(rank, STEP_RANK.resume) : rank;
  const boundary = { subscriptionId, dueAt, rank: inTurn, takes: 'first', onlyIfDue, isBehindResume, parts } as const;
  return [...waitingOf(subscriptionId, state, of, boundary), { ...boundary, downgrade, left, ...waitsUntil }];
}

/** The opening invoice of a pending subscription, where its activation will make one. */
function openingParts({ customer, rules }: Foreseen, subscription: Subscription): ChargedPart[] {
  const part = openingPart(openingInput(subscription, rules), customer);
  return part ? [{ ...part, dueAt: subscription.currentPeriod.startsAt }] : [];
}

type EndOfPeriod = { closure: Closure; dueAt: Instant; charge: ChargeInTurn; rules?: BillingRules };

/** What the end of the current period bills at `dueAt`, and of those that wait for it; a planned cancel's last. */
function endParts(
  state: Foreseen,
  subscription: Subscription,
  { closure, dueAt, charge, rules = state.rules }: EndOfPeriod,
): NeedsUsage<Iterable<ChargedPart>> {
  const { customer } = state;
  const { ending } = closure;
  return changed(closingBoundaries({ customer, subscription, closure }, rules), function* (boundaries) {
    const last = boundaries.at(-1);
    const back = ending && last && plannedProration({ customer, subscription, boundary: last, ending }, state, dueAt);
    for (const boundary of boundaries) {
      const { kind, period } = headOfEnd(boundary, boundary.next === null ? 'closing' : 'period');
      yield {
        ...charge(boundary),
        kind,
        periodStart: period?.startsAt ?? null,
        periodEnd: period?.endsAt ?? null,
        dueAt,
        ...(back && boundary === last && { back }),
      };
    }
  });
}
