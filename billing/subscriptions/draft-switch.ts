import { currencyOf } from '../../core/currencies.ts';
import { type Decimal, roundHalfAwayFromZero, sum } from '../../core/decimal.ts';
import type { Instant } from '../../core/instants.ts';
import type { Addon } from '../catalog/addons.ts';
import type { CollectedFee, SwitchCharge } from '../credits/charged-fee.ts';
import type { ChargedPart } from '../credits/charged-part.ts';
import type { LineCredited } from '../credits/credited-waiting.ts';
import { plannedCredit } from '../credits/credits.ts';
import type { PlannedCredit } from '../credits/planned-credits.ts';
import {
  creditOfDowngrade,
  isGivenTo,
  type PlannedProration,
  placeOf,
  plannedProration,
} from '../credits/proration-credits.ts';
import { chargedByLine } from '../credits/switch-charges.ts';
import { feeShareLeft } from '../discounts/discounts.ts';
import { type BoundaryCharges, type BoundaryInput, joinCharges } from '../invoices/boundary-charges.ts';
import { isChargedAhead, type PendingOpening } from '../invoices/charged-ahead.ts';
import type { ChargeInTurn } from '../invoices/charges-in-turn.ts';
import type { NewInvoiceLine } from '../invoices/invoice.ts';
import { prepaidLine, prorationLine } from '../invoices/invoice-lines.ts';
import { headOfEnd, openingPart } from '../invoices/opening-invoice.ts';
import { withCredited } from '../periods/usage-windows.ts';
import { pausesOf, segmentsOf, switchChargesOf } from '../state/billing-rules.ts';
import type { Foreseen } from '../state/customer-state.ts';
import { changed, type NeedsUsage } from '../state/usage-question.ts';
import type { DowngradePart, Ending } from './cancel.ts';
import { closingBoundaries, openingInput, plannedEnding } from './closing-boundaries.ts';
import { closedBySwitch } from './inheritance.ts';
import { chargesOf, graceOver, type Planned, partOf, plannedOf, unitsOf } from './planned-switch.ts';
import type { Subscription } from './subscription.ts';
import { successionOf, successorPeriod, switchEnding } from './switch.ts';

/** A downgrade that carries a period on is planned for `at`. `pendingOpening`: what will then still have to charge the fee. */
export type PlannedDowngrade = {
  at: Instant;
  pendingOpening: PendingOpening | null;
  /** What it credits, by what has been charged when that is asked for first. */
  credited(): AfterSwitch;
};

/** What a planned switch leaves at `at` for the customer's next invoice. What another `take`s is not on that of its own period any more. */
export type LeftBySwitch = { at: Instant; take(): NewInvoiceLine[] };

/** What a planned switch comes to: its invoices, when it closes the period (null: it does not), what it credits, and what it leaves. */
type SwitchDraft = {
  parts: NeedsUsage<ChargedPart[]>;
  closesAt: Instant | null;
  isFree: boolean;
  downgrade: PlannedDowngrade | null;
  left: LeftBySwitch | null;
};

/**
 * What a subscription with a planned switch would be invoiced (spec/invoices#draft): the proration where it is invoiced
 * by itself, and the invoice of the period's end, or of the switch where that closes the period at `closesAt` (else null); `isFree`:
 * it is a trial whose usage is not billed. Null where none is planned. The new subscription is not there yet: lines name the old one.
 */
export function switchParts(state: Foreseen, subscription: Subscription, charge: ChargeInTurn): SwitchDraft | null {
  const planned = plannedOf(state, subscription, charge);
  if (planned === null) return null;
  const { at, isFree } = planned;
  const succession = successionOf(subscription, planned.nextPlan, at);
  if (succession !== 'carries_on') {
    const closesAt = succession === 'closes' ? at : null;
    return { parts: closedParts(planned), closesAt, isFree, downgrade: null, left: null };
  }
  const downgrade = downgradeOf(planned);
  let isTaken = false;
  const take = () => {
    if (isTaken) return [];
    isTaken = true;
    return linesLeftBy(planned);
  };
  const parts = partsWithin(planned, downgrade, () => isTaken);
  return { parts, closesAt: null, isFree, downgrade, left: { at, take } };
}

/** Units that only the new plan prepays, and the difference where it waits, each rounded once. */
function linesLeftBy(planned: Planned): NewInvoiceLine[] {
  const { prepaid, difference, proration } = chargesOf(planned);
  const places = currencyOf(planned.state.customer.currency).exponent;
  const units = prepaid.map((charge) => {
    const line = prepaidLine(charge);
    return { ...line, amount: roundHalfAwayFromZero(line.amount, places) };
  });
  const waits = proration.direction === 'charge' && planned.invoicingBehavior !== 'invoice_now';
  return waits ? [...units, { ...prorationLine(difference), amount: proration.amount }] : units;
}

/** What the switch credits; null for one that does not make the period cheaper. */
function downgradeOf(planned: Planned): PlannedDowngrade | null {
  const { direction, amount } = chargesOf(planned).proration;
  if (direction !== 'credit') return null;
  const { at, parties } = planned;
  let known: AfterSwitch | null = null;
  const credited = () => {
    known ??= creditedAt(planned, amount);
    return known;
  };
  return { at, pendingOpening: parties.pendingOpening, credited };
}

function partsWithin(
  planned: Planned,
  downgrade: PlannedDowngrade | null,
  isTaken: () => boolean,
): NeedsUsage<ChargedPart[]> {
  const { state, parties, inheritance } = planned;
  const { customer, rules } = state;
  const { old, next } = parties;
  const { switched } = inheritance;
  if (!switched) throw new Error('a switch within a period leaves nothing to it');
  const cuts = { pauses: pausesOf(rules, old.subscriptionId), ending: plannedEnding(next) };
  const closure = { ...cuts, closes: true, switched };
  return changed(closingBoundaries({ customer, subscription: next, closure }, rules), ([found]) => {
    if (!found) throw new Error('a switch without a period');
    const credited = downgrade?.credited() ?? null;
    const less = credited && { ...cuts, switched: withCredited(switched, credited.parts) };
    const boundary = less ? { ...found, ended: segmentsOf(rules, next, next.currentPeriod, less) } : found;
    const switchCharges = [...(boundary.switchCharges ?? []), ...chargedByItself(planned)];
    const charges = planned.charge({ ...boundary, prepaidUnits: unitsOf(planned), switchCharges });
    const kind = boundary.next === null ? 'closing' : 'period';
    const endsAt = closure.ending?.at ?? old.currentPeriod.endsAt;
    const dueAt = endsAt < old.currentPeriod.endsAt ? endsAt : graceOver(planned);
    const { after, own, joined } = prorationOfSwitch(planned, charges, { credited, isTaken: isTaken() });
    const back = closure.ending && backAtEnd(planned, { boundary, ending: closure.ending, dueAt }, after);
    const credits = [...after.credits, ...(back?.credits ?? [])];
    const head = headOfEnd(boundary, kind);
    const closing = { kind: head.kind, period: head.period ?? old.currentPeriod, dueAt };
    const { waiting: left } = after;
    const end = { ...partOf(joined, closing, { credits, waived: back?.waived ?? null }), left };
    if (!own) return [end];
    const first = partOf(own, { ...closing, kind: 'proration', dueAt: planned.at });
    return [{ ...first, standIn: ownInvoiceOf(planned) }, end];
  });
}

/**
 * What an end behind a switch finds of it: what it has credited, and what of its charge waits for the next invoice or is on an
 * invoice of its own.
 */
type AfterSwitch = {
  parts: DowngradePart[];
  ofLines: readonly LineCredited[];
  credits: PlannedCredit[];
  waiting: NewInvoiceLine[];
  charged: CollectedFee[];
};

/**
 * What the switch charges, joined to what the period's end does: units that only the new plan prepays, and the difference for the rest of the period,
 * where that is not credited or on an invoice of its `own`; `isTaken`: but for what another invoice has taken.
 */
function prorationOfSwitch(
  planned: Planned,
  ended: BoundaryCharges,
  { credited, isTaken }: { credited: AfterSwitch | null; isTaken: boolean },
) {
  const { invoicingBehavior } = planned;
  const { prepaid, difference, proration } = chargesOf(planned);
  const { direction, amount } = proration;
  const charges = isTaken ? ended : { ...ended, prepaid: [...ended.prepaid, ...prepaid] };
  if (direction !== 'charge') return { after: credited ?? NOTHING_LEFT, own: null, joined: charges };
  if (invoicingBehavior === 'invoice_now') {
    const own = { fees: [], prepaid: [], usages: [], addons: [], prorations: [difference], trueUps: [] };
    return { after: { ...NOTHING_LEFT, charged: chargedByItself(planned) }, own, joined: charges };
  }
  const waiting = isTaken ? [] : [{ ...prorationLine(difference), amount }];
  return { after: { ...NOTHING_LEFT, waiting }, own: null, joined: charges };
}

/** The charge of a planned switch that is invoiced by itself, as the invoice behind it finds it; none for others. */
function chargedByItself(planned: Planned): SwitchCharge[] {
  const { difference, proration } = chargesOf(planned);
  if (proration.direction !== 'charge' || planned.invoicingBehavior !== 'invoice_now') return [];
  const of = { subscriptionId: planned.parties.old.subscriptionId, periodStart: planned.at };
  const line = { ...prorationLine(difference), ...of, amount: proration.amount };
  return [chargedByLine(line, ownInvoiceOf(planned), planned.state)];
}

const NOTHING_LEFT: AfterSwitch = { parts: [], ofLines: [], credits: [], waiting: [], charged: [] };

/** Stands for the id of the invoice that a planned switch is to make. */
function ownInvoiceOf({ parties: { old } }: Planned): string {
  return `switch/${old.subscriptionId}`;
}

function creditedAt({ state, parties, at }: Planned, wanted: Decimal): AfterSwitch {
  const { customer, payer, rules, pending, discounts, chargedFeesOf } = state;
  const { currency } = customer;
  const { subscriptionId, currentPeriod } = parties.old;
  const period = segmentsOf(rules, parties.old, currentPeriod, parties);
  const isAhead = isChargedAhead({ plan: parties.oldPlan, pendingOpening: parties.pendingOpening });
  // What was charged of an earlier billing period stays.
  const ofSwitches = parties.switched ? switchChargesOf(rules, subscriptionId) : [];
  const charged = isAhead ? chargedFeesOf(subscriptionId) : ofSwitches;
  const feeShare = feeShareLeft(discounts, { subscriptionId, planId: parties.oldPlan.planId });
  const before = { charged, pending: pending.lines, period, feeShare };
  const of = { currency, taxRate: payer.taxRate };
  const { parts, description, ofLines } = creditOfDowngrade(of, parties, wanted, before);
  const credits = parts
    .filter((part) => isGivenTo(part, payer))
    .map(({ amount, tax }, i) =>
      plannedCredit(`${subscriptionId}/${placeOf(i)}`, { amount: amount.plus(tax), currency, description, at }),
    );
  return { ...NOTHING_LEFT, parts, ofLines, credits };
}

/** What a cancel that is planned behind the switch, in the same period, gives back of what was charged by then. */
function backAtEnd(
  planned: Planned,
  { dueAt, ...end }: { boundary: BoundaryInput; ending: Ending; dueAt: Instant },
  { parts, waiting, charged }: AfterSwitch,
): PlannedProration {
  const { state, parties } = planned;
  const { old, next } = parties;
  const { customer, payer, pending, chargedFeesOf, invoiceAtHand } = state;
  const creditedOf = (id: string) =>
    sum(parts.flatMap(({ invoiceId, amount, tax }) => (invoiceId === id ? [amount, tax] : [])));
  const fees = chargedFeesOf(old.subscriptionId);
  const left = fees.map((fee) => ({ ...fee, left: fee.left.minus(creditedOf(fee.invoiceId)) }));
  return plannedProration(
    { customer, subscription: next, ...end },
    {
      payer,
      pending: { lines: [...pending.lines, ...waiting] },
      chargedFeesOf: () => [...left, ...charged],
      invoiceAtHand: (invoiceId) => (invoiceId === ownInvoiceOf(planned) ? null : invoiceAtHand(invoiceId)),
    },
    dueAt,
  );
}

function closedParts(planned: Planned): NeedsUsage<ChargedPart[]> {
  const { state, parties, at } = planned;
  const { customer, rules } = state;
  const { old, nextPlan } = parties;
  const { currentPeriod: period } = old;
  const isAtEnd = successionOf(old, nextPlan, at) === 'at_period_end';
  const ending = isAtEnd ? null : switchEnding(at, period);
  const closure = { pauses: pausesOf(rules, old.subscriptionId), ending, closes: true };
  return changed(closingBoundaries({ customer, subscription: old, closure }, rules), ([boundary]) => {
    if (!boundary) throw new Error('a switch without a period');
    const ended = planned.charge(
      isAtEnd ? { ...boundary, next: null } : closedBySwitch(boundary, { ...planned, nextPlan }),
    );
    const { first, begun } = beginningOf(planned);
    const charges = begun ? joinCharges(ended, begun) : ended;
    if (!ending) {
      const opens = begun !== null && planned.isFree;
      const head = opens ? ({ kind: 'opening', period: first } as const) : ({ kind: 'period', period } as const);
      return [partOf(charges, { ...head, dueAt: graceOver(planned) })];
    }
    const back = plannedProration({ customer, subscription: old, boundary, ending }, state, at);
    const closing = { kind: 'closing', period, dueAt: at } as const;
    return [partOf(charges, begun ? { kind: 'opening', period: first, dueAt: at } : closing, back)];
  });
}

/** The first period of the new subscription, and what is due at its start; null for nothing. */
function beginningOf(planned: Planned) {
  const { state, parties, inheritance, at } = planned;
  const { customer, rules } = state;
  const { old, next, nextPlan } = parties;
  const begins = successorPeriod(old, nextPlan, at, customer.timeZone);
  const billing = { ...begins.billing, index: inheritance.billingIndex };
  const first = { ...begins, index: inheritance.periodIndex, billing };
  const start = openingInput({ ...next, currentPeriod: first }, rules);
  // One that is charged once is on the old period's lines, unless that is a trial.
  const isBehindTrial = old.currentPeriod.trial !== undefined;
  const isCharged = (kind: Addon['kind']) => kind === 'one_time' && !isBehindTrial;
  const addons = start.addons?.filter(({ kind, to }) => !isCharged(kind) && to === null) ?? [];
  const input = { ...start, addons, prepaidUnits: unitsOf(planned) };
  return { first, begun: openingPart(input, customer, isBehindTrial) };
}
