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
import { STEP_RANK } from '../periods/schedule.ts';
import type { ChargeOrigin } from '../pricing/charges.ts';
import type { PricedGroup } from '../pricing/held-usage.ts';
import { combinationKey } from '../pricing/price-book.ts';
import type { Component } from '../pricing/rating.ts';
import { openingOf, pausesOf } from '../state/billing-rules.ts';
import type { CustomerState, Foreseen } from '../state/customer-state.ts';
import { changed, type NeedsUsage, needsNothing } from '../state/usage-question.ts';
import { isFree, openingInput, pendingBoundary, plannedEnding } from '../subscriptions/closing-boundaries.ts';
import { switchParts } from '../subscriptions/draft-switch.ts';
import { beyond, beyondPauses, resumedAt } from '../subscriptions/end-of-pause.ts';
import {
  inOrderOfIssue,
  invoiceTaking,
  leftBefore,
  restOf,
  takerOf,
  type Upcoming,
} from '../subscriptions/upcoming.ts';
import { upcomingOf, waitingOf, waitsForResume } from '../subscriptions/upcoming-of-life.ts';
import { joinCharges } from './boundary-charges.ts';
import { type ChargeInTurn, chargesInTurn } from './charges-in-turn.ts';
import { chargedLines, type InvoicePart } from './compute-invoice.ts';
import type { NewInvoiceLine } from './invoice.ts';
import { endsFreeTrial, headOfEnd, openingPart } from './opening-invoice.ts';
import { type PendingInvoice, pendingHead } from './pending-invoice.ts';
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
  const { state: later, ends } = beyondPauses(now);
  yield* inTurn(later, sections, (ahead, charge) => {
    const { state } = ahead;
    const ofLife = later.subscriptions.flatMap((one) => upcomingOf(one, state, { charge, ends }));
    const ofPending = later.pendingInvoices.map((pending) => upcomingOfPending(pending, ahead, charge));
    return [...ofPending, ...ofLife, ...later.billedLater.flatMap((one) => restOf(one, state))];
  });
  for (const paused of now.subscriptions.filter(waitsForResume)) {
    const resumed = beyond(now, [resumedAt(paused, now.at, now.customer.timeZone)]);
    const onResume = inTurn(resumed.state, sections, ({ state }, charge) =>
      waitingOf(paused.subscriptionId, state, { charge, ends: resumed.ends }),
    );
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
  const invoicedAtResume = new Set<string>();
  for (const one of upcoming) {
    const { subscriptionId, onlyIfDue, isResume, isBehindResume } = one;
    const isTaker = one === taker;
    const invoicedAt = invoiceTaking(one, upcoming, state);
    const hasLate = one.takes !== 'never' && !one.isRest;
    const late = hasLate ? lateOf(subscriptionId, one === takerOfLate) : needsNothing([]);
    const own = beginning(one.parts, () => ahead.downgraded(one.dueAt));
    const drafted = both(own, late, (parts, lateOfAll) => {
      const made: DraftPart[] = [];
      const pending = isTaker ? billableLines(state.pending, account).lines : [];
      for (const part of parts) {
        // The first takes along what waits, but for an invoice with only a proration.
        const isTaking = part.kind !== 'proration' && made.every(({ kind }) => kind === 'proration');
        const left = isTaking ? leftBefore(one, switching) : [];
        const taken = { late: lateOfAll, pending: [...pending, ...left], left };
        const next = draftPart(state, { ...one, invoicedAt }, part, isTaking ? taken : NOTHING);
        if (onlyIfDue && !isDue(next, places)) continue;
        take({ ...next, switchCharges: draftedSwitchCharges(next, state), places });
        ahead.take(next, isTaker && isTaking);
        made.push(next);
      }
      if (isResume && made.length > 0) invoicedAtResume.add(subscriptionId);
      return made;
    });
    const hasLeft = () => isBehindResume && invoicedAtResume.has(subscriptionId);
    yield { ...drafted, by: (values) => (hasLeft() ? [] : drafted.by(values)) };
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
    return subscription.status !== 'pending' && endsAt !== undefined && endsAt < opening.dueAt;
  });
}

/** What the part that takes nothing along has besides its own. */
const NOTHING = { late: [], pending: [], left: [] };

function draftPart(
  { customer: { timeZone }, at }: Foreseen,
  { subscriptionId, invoicedAt: takenAt }: Upcoming & { invoicedAt: Instant | null },
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
    issuedOn: localDateAt(Math.max(at, dueAt), timeZone),
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
