import { currencyOf } from '../../core/currencies.ts';
import { roundHalfAwayFromZero } from '../../core/decimal.ts';
import { type Instant, type LocalDate, localDateAt } from '../../core/instants.ts';
import { type AheadInTurn, aheadInTurn, type Drafted } from '../credits/ahead-in-turn.ts';
import type { ChargedPart } from '../credits/charged-part.ts';
import { plannedProration } from '../credits/proration-credits.ts';
import { draftedSwitchCharges } from '../credits/switch-charges.ts';
import type { BilledUsage } from '../metering/billed-usage.ts';
import { hasNewRows } from '../metering/held-now.ts';
import { type CountedLate, lateCharges, lateUsage, takeWatermarks } from '../metering/late-usage.ts';
import { countsOf, isCountOf, type LineCount } from '../metering/line-counts.ts';
import { resumedPauses } from '../periods/pauses.ts';
import { dateIn } from '../periods/periods.ts';
import { STEP_RANK } from '../periods/schedule.ts';
import type { ChargeOrigin } from '../pricing/charges.ts';
import type { PricedGroup } from '../pricing/held-usage.ts';
import { combinationKey } from '../pricing/price-book.ts';
import type { Component } from '../pricing/rating.ts';
import { openingOf, pausesOf } from '../state/billing-rules.ts';
import type { CustomerState, Foreseen } from '../state/customer-state.ts';
import { changed, type NeedsUsage, needsNothing } from '../state/usage-question.ts';
import {
  type Closure,
  closingBoundaries,
  isFree,
  openingInput,
  pendingBoundary,
  plannedEnding,
} from '../subscriptions/closing-boundaries.ts';
import { switchParts } from '../subscriptions/draft-switch.ts';
import type { Subscription } from '../subscriptions/subscription.ts';
import {
  inOrderOfIssue,
  invoiceTaking,
  leftBefore,
  restOf,
  takerOf,
  type Upcoming,
} from '../subscriptions/upcoming.ts';
import { joinCharges } from './boundary-charges.ts';
import { type ChargeInTurn, chargesInTurn } from './charges-in-turn.ts';
import { chargedLines, type InvoicePart } from './compute-invoice.ts';
import type { NewInvoiceLine } from './invoice.ts';
import { endsFreeTrial, headOfEnd, openingPart } from './opening-invoice.ts';
import { invoicedAt, type PendingInvoice, pendingHead } from './pending-invoice.ts';
import { billableLines, billedLate } from './pending-items.ts';

/** What has to happen for a part to be invoiced: null for a part that is invoiced if nothing else happens (spec/invoices#draft). */
export type DraftCondition = 'on_resume' | null;

/** A part of the draft, with what its late usage was counted from, and when it will be issued; `standIn` stands for its id until then. */
export type DraftPart = InvoicePart & {
  subscriptionId: string;
  condition: DraftCondition;
  dueAt: Instant;
  standIn: string;
  issuedOn: LocalDate;
  late: CountedLate[];
  /** Of what waits, what planned switches will have left by then. */
  left: readonly NewInvoiceLine[];
};

/** What the lines about a metric are made of. */
export type ChargedLines = Pick<DraftPart, 'usages' | 'late' | 'prepaid'>;

/** What the quantity of a usage or late_usage line of the part was counted from, and its component; undefined for other lines. */
export function lineCountIn(
  { usages, late, prepaid }: ChargedLines,
  line: NewInvoiceLine,
): { component: Component; count: DraftCount | null } | undefined {
  const isOfLine = ({ subscriptionId, component, periodStart, group }: ComponentCharge) =>
    subscriptionId === line.subscriptionId &&
    component.metricId === line.metricId &&
    periodStart === line.periodStart &&
    isOfGroup(group, line);
  if (line.type === 'prepaid_units') {
    const component = prepaid.find(isOfLine)?.component;
    return component && { component, count: null };
  }
  // Whatever has landed is counted.
  const count = countsOf({ usages, late }, 0n).find((one) => isCountOf(one, line));
  const component = (line.type === 'usage' ? usages.find(isOfLine) : late.find(isOfLine))?.component;
  return count && component && { component, count: { ...count, countedTo: null } };
}

type ComponentCharge = ChargeOrigin & { component: Component; group?: PricedGroup | null };

/** Whether a charge by a price book is of the line's combination and row. */
function isOfGroup(group: PricedGroup | null | undefined, line: NewInvoiceLine): boolean {
  if (!group || !line.group) return !group && !line.group;
  const names = Object.keys(group.texts);
  const isSameRow = group.priceId === (line.priceId ?? null);
  return isSameRow && combinationKey(names, group.texts) === combinationKey(names, line.group);
}

/** The count of a line of a draft: up to no certain position. */
export type DraftCount = Omit<LineCount, 'countedTo'> & { countedTo: null };

/**
 * What would be invoiced now: each pending invoice, what the next boundary of each live subscription makes, and what those that have ended
 * have left (spec/invoices#draft).
 * What waits, and late usage of ended subscriptions, is on the first of them, what a planned switch leaves on the first behind it. Each is made as it
 * is taken. They come in the order of issue, but for what a subscription will have invoiced before its own next invoice, and for what a planned cancel
 * leaves, which has the instant of the invoice that takes it. `sections` are billed already, and wait for their invoices. Behind them comes what each
 * subscription that stays paused would bill on a resume, as if nothing of the others had been invoiced.
 */
export function* draftParts(now: CustomerState, sections: readonly Drafted[] = []): Generator<NeedsUsage<DraftPart[]>> {
  const { pendingInvoices, subscriptions, billedLater } = now;
  yield* inTurn(now, sections, (ahead, charge) => {
    const { state } = ahead;
    const ofLife = subscriptions.flatMap((one) => upcomingOf(one, state, charge));
    const ofPending = pendingInvoices.map((pending) => upcomingOfPending(pending, ahead, charge));
    return [...ofPending, ...ofLife, ...billedLater.flatMap((one) => restOf(one, now))];
  });
  for (const paused of subscriptions.filter(staysPaused)) {
    const onResume = inTurn(now, sections, ({ state }, charge) => [upcomingOnResume(paused, state, charge)]);
    for (const parts of onResume) {
      yield changed(parts, (made) => made.map((part): DraftPart => ({ ...part, condition: 'on_resume' })));
    }
  }
}

/** The parts of what is upcoming, in the order of issue. */
function* inTurn(
  now: CustomerState,
  sections: readonly Drafted[],
  list: (ahead: AheadInTurn, charge: ChargeInTurn) => Upcoming[],
): Generator<NeedsUsage<DraftPart[]>> {
  const { account } = now;
  const places = currencyOf(now.customer.currency).exponent;
  const { charge, take } = chargesInTurn();
  const ahead = aheadInTurn(now, sections);
  const { state } = ahead;
  const upcoming = inOrderOfIssue(list(ahead, charge));
  ahead.plan(upcoming.flatMap(({ downgrade }) => downgrade ?? []));
  const taker = takerOf(upcoming);
  const takerOfLate = takerOf(upcoming.filter(({ isRest }) => !isRest));
  const switching = upcoming.filter(({ left }) => left);
  const lateOf = lateByHeir(state);
  for (const one of upcoming) {
    const isTaker = one === taker;
    const invoicedAt = invoiceTaking(one, upcoming, state);
    const hasLate = one.takes !== 'never' && !one.isRest;
    const late = hasLate ? lateOf(one.subscriptionId, one === takerOfLate) : needsNothing([]);
    const own = beginning(one.parts, () => ahead.downgraded(one.dueAt));
    yield both(own, late, (parts, lateOfAll) => {
      const made: DraftPart[] = [];
      const pending = isTaker ? billableLines(state.pending, account).lines : [];
      for (const part of parts) {
        // The first takes along what waits, but for an invoice with only a proration.
        const isTaking = part.kind !== 'proration' && made.every(({ kind }) => kind === 'proration');
        const left = isTaking ? leftBefore(one, switching) : [];
        const taken = { late: lateOfAll, pending: [...pending, ...left], left };
        const next = draftPart(state, { ...one, invoicedAt }, part, isTaking ? taken : NOTHING);
        take({ ...next, switchCharges: draftedSwitchCharges(next, state), places });
        ahead.take(next, isTaker && isTaking);
        made.push(next);
      }
      return one.onlyIfDue ? made.filter((part) => isDue(part, places)) : made;
    });
  }
}

function isDue(part: DraftPart, places: number): boolean {
  return chargedLines(part, places).some(({ amount }) => !roundHalfAwayFromZero(amount, places).isZero());
}

/** An invoice that is pending already. */
function upcomingOfPending(pending: PendingInvoice, ahead: AheadInTurn, charge: ChargeInTurn): Upcoming {
  const { state } = ahead;
  const { customer, rules } = state;
  const { owner, period, dueAt, successor } = pending;
  const nextFeeTaken = pending.nextFeeTaken || isNextFeeTaken(pending, state);
  const { subscriptionId } = owner;
  const head = pendingHead(pending, pausesOf(rules, subscriptionId));
  const parts = changed(pendingBoundary({ ...pending, nextFeeTaken }, rules), (found) => {
    const creditedMeanwhile = ahead.creditedOf({ subscriptionId, periodIndex: period.index });
    const nextFeeCredited = pending.nextFeeCredited.plus(creditedMeanwhile);
    const boundary = { ...found, nextFeeCredited };
    const { ending } = boundary;
    const ended = charge(boundary);
    const back = ending && plannedProration({ customer, subscription: owner, boundary, ending }, state, dueAt);
    const isBehindTrial = period.trial !== undefined;
    const begun =
      successor &&
      openingPart({ ...openingInput(successor, rules), nextFeeTaken, nextFeeCredited }, customer, isBehindTrial);
    const { kind, period: about } =
      begun && endsFreeTrial(boundary)
        ? { ...begun, period: successor?.currentPeriod }
        : headOfEnd(boundary, head.kind);
    const { startsAt: periodStart, endsAt: periodEnd } = about ?? period;
    const charges = begun ? joinCharges(ended, begun) : ended;
    return [{ ...charges, kind, periodStart, periodEnd, dueAt, ...(back && { back }) }];
  });
  const onlyIfDue = isFree(owner, period, rules);
  return { subscriptionId, dueAt, rank: STEP_RANK.invoice_period, takes: 'first', onlyIfDue, parts };
}

/** Whether a planned end before it will have billed the fee that a pending invoice would charge in advance. */
function isNextFeeTaken({ owner, period }: PendingInvoice, state: Foreseen): boolean {
  const { rules, subscriptions } = state;
  return subscriptions.some((subscription) => {
    const opening = openingOf(rules, subscription);
    if (opening?.subscriptionId !== owner.subscriptionId || opening.periodIndex !== period.index) return false;
    const endsAt =
      switchParts(state, subscription, chargesInTurn().charge)?.closesAt ?? plannedEnding(subscription)?.at;
    return subscription.status === 'active' && endsAt !== undefined && endsAt < opening.dueAt;
  });
}

/** Whether only a resume that somebody asks for ends its pause. */
function staysPaused({ status, paused }: Subscription): boolean {
  return status === 'paused' && paused?.resumesAt === null;
}

/** What a resume now would make of a subscription: of the periods that ended in the pause. */
function upcomingOnResume(subscription: Subscription, state: Foreseen, charge: ChargeInTurn): Upcoming {
  const { rules, at } = state;
  const { subscriptionId, currentPeriod } = subscription;
  const pauses = resumedPauses(pausesOf(rules, subscriptionId), { at, on: dateIn(currentPeriod, at) });
  const parts = endParts(state, subscription, { closure: { pauses, ending: null, closes: false }, dueAt: at, charge });
  return { subscriptionId, dueAt: at, rank: STEP_RANK.resume, takes: 'first', onlyIfDue: true, parts };
}

/** What the next boundary of a subscription that is live makes; of one with a planned resume, what a resume now would. */
function upcomingOf(subscription: Subscription, state: Foreseen, charge: ChargeInTurn): Upcoming[] {
  const { account, rules, at } = state;
  const { subscriptionId, status, currentPeriod, plannedCancel } = subscription;
  if (status === 'pending') {
    const parts = needsNothing(openingParts(state, subscription));
    return [{ subscriptionId, dueAt: currentPeriod.startsAt, rank: STEP_RANK.activate, takes: 'never', parts }];
  }
  if (staysPaused(subscription)) return [];
  const pauses = pausesOf(rules, subscriptionId);
  if (status === 'paused') {
    const resumed = resumedPauses(pauses, { at, on: dateIn(currentPeriod, at) });
    const closure = { pauses: resumed, ending: null, closes: false };
    const parts = endParts(state, subscription, { closure, dueAt: currentPeriod.endsAt, charge });
    return [{ subscriptionId, dueAt: currentPeriod.endsAt, rank: STEP_RANK.resume, takes: 'else', parts }];
  }
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
  return [{ subscriptionId, dueAt, rank, takes: 'first', onlyIfDue: free, parts, downgrade, left, ...waitsUntil }];
}

/** The opening invoice of a pending subscription, where its activation will make one. */
function openingParts({ customer, rules }: Foreseen, subscription: Subscription): ChargedPart[] {
  const part = openingPart(openingInput(subscription, rules), customer);
  return part ? [{ ...part, dueAt: subscription.currentPeriod.startsAt }] : [];
}

/** What the part that takes nothing along has besides its own. */
const NOTHING = { late: [], pending: [], left: [] };

function draftPart(
  { customer: { timeZone }, at }: Foreseen,
  { subscriptionId, takes, invoicedAt: takenAt }: Upcoming & { invoicedAt: Instant | null },
  { back, ...part }: ChargedPart,
  { late, pending, left }: Pick<DraftPart, 'late' | 'pending' | 'left'>,
): DraftPart {
  const dueAt = (part.kind === 'proration' ? null : takenAt) ?? part.dueAt;
  return {
    ...part,
    dueAt,
    late,
    left,
    pending: back?.waived ? [...pending, back.waived] : pending,
    prorationCredits: back?.credits ?? [],
    subscriptionId,
    condition: null,
    standIn: part.standIn ?? `drafted/${subscriptionId}/${part.dueAt}/${part.kind}/${part.periodStart}`,
    issuedOn: localDateAt(takes === 'else' ? at : Math.max(at, dueAt), timeZone),
  };
}

/** Late usage for the next invoice of a subscription (`takeWatermarks`). An account may have it ignored, but for what new rows price. */
function lateByHeir({ account, watermarks, billedLate: all, rules }: Foreseen) {
  const left = new Set(watermarks);
  const isAsked = (billed: BilledUsage) => account.lateUsage !== 'ignore' || hasNewRows(billed, rules);
  const billedOf = Map.groupBy(all.filter(isAsked), ({ subscriptionId }) => subscriptionId);
  return (heirId: string, withEnded: boolean): NeedsUsage<CountedLate[]> => {
    const ours = takeWatermarks(left, heirId, withEnded);
    const billed = ours.flatMap(({ subscriptionId }) => billedOf.get(subscriptionId) ?? []);
    return changed(lateUsage(ours, billed, rules), (late) => billedLate(lateCharges(late), account));
  };
}

/** What the end of the current period bills at `dueAt`, and of those that wait for it; a planned cancel's last. */
function endParts(
  state: Foreseen,
  subscription: Subscription,
  { closure, dueAt, charge }: { closure: Closure; dueAt: Instant; charge: ChargeInTurn },
): NeedsUsage<Iterable<ChargedPart>> {
  const { customer, rules } = state;
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

/** A result before which something is done once its usage is there. */
function beginning<T>({ questions, by }: NeedsUsage<T>, begin: () => void): NeedsUsage<T> {
  return {
    questions,
    by: (values) => {
      begin();
      return by(values);
    },
  };
}

function both<A, B, T>(a: NeedsUsage<A>, b: NeedsUsage<B>, join: (a: A, b: B) => T): NeedsUsage<T> {
  const middle = a.questions.length;
  return {
    questions: [...a.questions, ...b.questions],
    by: (values) => join(a.by(values.slice(0, middle)), b.by(values.slice(middle))),
  };
}
