import { currencyOf } from '../../core/currencies.ts';
import { roundHalfAwayFromZero } from '../../core/decimal.ts';
import { type Instant, type LocalDate, localDateAt } from '../../core/instants.ts';
import { type AheadInTurn, aheadInTurn, type Drafted } from '../credits/ahead-in-turn.ts';
import type { ChargedPart } from '../credits/charged-part.ts';
import type { PlannedCredit } from '../credits/planned-credits.ts';
import { plannedProration } from '../credits/proration-credits.ts';
import { draftedSwitchCharges } from '../credits/switch-charges.ts';
import { lateByHeir, lateOn, NOTHING_LATE, withCorrections } from '../metering/draft-late.ts';
import type { CountedLate } from '../metering/late-usage.ts';
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
  billsLate,
  inOrderOfIssue,
  isLeftForAnother,
  lateAlone,
  leftBefore,
  NO_DATE,
  restOf,
  takerOfLate,
  type Upcoming,
} from '../subscriptions/upcoming.ts';
import { upcomingOf, waitingOf, waitsForResume } from '../subscriptions/upcoming-of-life.ts';
import { joinCharges } from './boundary-charges.ts';
import { type ChargeInTurn, chargesInTurn } from './charges-in-turn.ts';
import { chargedLines, type InvoicePart } from './compute-invoice.ts';
import type { NewInvoiceLine } from './invoice.ts';
import { endsFreeTrial, headOfEnd, openingPart } from './opening-invoice.ts';
import { type PendingInvoice, pendingHead } from './pending-invoice.ts';
import { billableLines } from './pending-items.ts';

/** What has to happen for a part to be invoiced: null for a part that is invoiced if nothing else happens (spec/invoices#draft). */
export type DraftCondition = 'on_resume' | null;

/** A part of the draft, with what its late usage was counted from, and when it will be issued; `standIn` stands for its id until then. */
export type DraftPart = InvoicePart & {
  subscriptionId: string;
  condition: DraftCondition;
  dueAt: Instant;
  standIn: string;
  /** Today if it has no date. */
  issuedOn: LocalDate;
  prorationCredits: readonly PlannedCredit[];
  late: CountedLate[];
  /** Of what waits, what planned switches and cancels will have left by then. */
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
 * Makes the parts of a draft (spec/invoices#draft): each pending invoice, the next boundary of each live subscription,
 * and what ended subscriptions have left. Pending items, and late usage of ended subscriptions, are on the first of
 * them. What a planned switch or cancel leaves is on the first part behind it. Each part is made as it is taken, in
 * order of issue, except that a subscription's own earlier invoices come with its next one. `sections` are billed
 * already, and wait for their invoices. The parts that a resume of a paused subscription would bill come last, as if
 * nothing of the others had been invoiced. `creditsLeft` gets the credits that are made after all parts.
 */
export function* draftParts(
  now: CustomerState,
  sections: readonly Drafted[] = [],
  creditsLeft: PlannedCredit[] = [],
): Generator<NeedsUsage<DraftPart[]>> {
  const { state: later, ends } = beyondPauses(now);
  const credits = yield* inTurn(later, sections, (ahead, charge) => {
    const { state } = ahead;
    const ofLife = later.subscriptions.flatMap((one) => upcomingOf(one, state, { charge, ends }));
    const ofPending = later.pendingInvoices.map((pending) => upcomingOfPending(pending, ahead, charge));
    const upcoming = [...ofPending, ...ofLife, ...later.billedLater.flatMap((one) => restOf(one, state))];
    return [...upcoming, ...lateAlone(state, upcoming)];
  });
  yield beginning(needsNothing([]), () => creditsLeft.push(...credits));
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

/** Makes the parts of the invoices to come, in order of issue. Returns the credits that are on none of them: the list fills as parts are taken. */
function* inTurn(
  now: CustomerState,
  sections: readonly Drafted[],
  list: (ahead: AheadInTurn, charge: ChargeInTurn) => Upcoming[],
): Generator<NeedsUsage<DraftPart[]>, readonly PlannedCredit[]> {
  const { account } = now;
  const places = currencyOf(now.customer.currency).exponent;
  const { charge, take } = chargesInTurn();
  const ahead = aheadInTurn(now, sections);
  const { state } = ahead;
  const upcoming = inOrderOfIssue(list(ahead, charge));
  ahead.plan(upcoming.flatMap(({ downgrade }) => downgrade ?? []));
  const lateTaker = takerOfLate(upcoming);
  const switching = upcoming.filter(({ left }) => left);
  const lateOf = lateByHeir(state);
  const invoicedAtResume = new Set<string>();
  const passed: Passed = { isPendingTaken: false, credits: [], left: [] };
  for (const one of upcoming) {
    const { subscriptionId, onlyIfDue, isResume, isBehindResume } = one;
    const isLeft = isLeftForAnother(one, upcoming, state);
    const late = billsLate(one) ? lateOf(subscriptionId, one === lateTaker) : needsNothing([]);
    const own = beginning(one.parts, () => ahead.downgraded(one.dueAt));
    const drafted = both(own, late, (parts, lateOfAll) => {
      const made: DraftPart[] = [];
      const isTaker = one.takes === 'first' && !isLeft && !passed.isPendingTaken;
      const pending = isTaker ? billableLines(state.pending, account).lines : [];
      for (const part of parts) {
        // The first takes along what waits, but for an invoice with only a proration.
        const isTaking = part.kind !== 'proration' && made.every(({ kind }) => kind === 'proration');
        const left = isTaking ? leftBefore(one, switching) : [];
        const { late: ofLate, credits } = isTaking ? lateOn(part, lateOfAll, state) : NOTHING_LATE;
        const taken = { late: ofLate, pending: [...pending, ...left], left };
        const alone = draftPart(state, one, part, isTaking ? taken : NOTHING);
        const charged = credits.length === 0 ? alone : withCorrections(alone, credits, state);
        const takesLeft = isTaking && one.takes === 'first' && !isLeft;
        const next = takesLeft ? joined(charged, passed.left) : charged;
        passed.credits.push(...next.prorationCredits);
        if (onlyIfDue && !isDue(next, places)) continue;
        if (isLeft && isTaking) {
          passed.left.push(next);
          continue;
        }
        take({ ...next, switchCharges: draftedSwitchCharges(next, state), places });
        ahead.take(next, isTaker && isTaking);
        passed.isPendingTaken ||= isTaker && isTaking;
        made.push({ ...next, prorationCredits: passed.credits.splice(0) });
        if (takesLeft) passed.left.splice(0);
      }
      if (isResume && made.length > 0) invoicedAtResume.add(subscriptionId);
      return made;
    });
    const hasLeft = () => isBehindResume && invoicedAtResume.has(subscriptionId);
    yield { ...drafted, by: (values) => (hasLeft() ? [] : drafted.by(values)) };
  }
  return passed.credits;
}

/** What those so far pass on to the ones behind them: what waits, credits, and what planned cancels have left for the next invoice. */
type Passed = { isPendingTaken: boolean; credits: PlannedCredit[]; left: DraftPart[] };

/** A part with the charges that planned cancels have left for it. */
function joined(part: DraftPart, left: readonly DraftPart[]): DraftPart {
  if (left.length === 0) return part;
  const behind = <T>(of: (one: DraftPart) => readonly T[] | undefined) => left.flatMap((one) => of(one) ?? []);
  return {
    ...part,
    fees: [...part.fees, ...behind(({ fees }) => fees)],
    prepaid: [...part.prepaid, ...behind(({ prepaid }) => prepaid)],
    usages: [...part.usages, ...behind(({ usages }) => usages)],
    addons: [...(part.addons ?? []), ...behind(({ addons }) => addons)],
    held: [...(part.held ?? []), ...behind(({ held }) => held)],
    // What waits for an invoice is on it before its own lines of these types.
    prorations: [...behind(({ prorations }) => prorations), ...(part.prorations ?? [])],
    trueUps: [...behind(({ trueUps }) => trueUps), ...(part.trueUps ?? [])],
    late: [...behind(({ late }) => late), ...part.late],
    pending: [...part.pending, ...behind(({ pending }) => pending)],
    left: [...part.left, ...behind((one) => one.left)],
  };
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
  { subscriptionId, waitsUntil }: Upcoming,
  { back, left: ofSwitch = [], ...part }: ChargedPart,
  { late, pending, left }: Pick<DraftPart, 'late' | 'pending' | 'left'>,
): DraftPart {
  const dueAt = (part.kind === 'proration' ? null : waitsUntil) ?? part.dueAt;
  const later = [...ofSwitch, ...(back?.waived ? [back.waived] : [])];
  return {
    ...part,
    dueAt,
    late,
    left: [...left, ...later],
    pending: [...pending, ...later],
    prorationCredits: back?.credits ?? [],
    subscriptionId,
    condition: null,
    standIn: part.standIn ?? `drafted/${subscriptionId}/${part.dueAt}/${part.kind}/${part.periodStart}`,
    issuedOn: localDateAt(dueAt === NO_DATE ? at : Math.max(at, dueAt), timeZone),
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
