import { currencyOf } from '../../core/currencies.ts';
import type { Instant } from '../../core/instants.ts';
import type { ChargedPart } from '../credits/charged-part.ts';
import { plannedCredit } from '../credits/credits.ts';
import { creditOfDowngrade, type PlannedProration, plannedProration } from '../credits/proration-credits.ts';
import {
  type BoundaryCharges,
  type BoundaryInput,
  boundaryCharges,
  joinCharges,
} from '../invoices/boundary-charges.ts';
import { isChargedAhead } from '../invoices/charged-ahead.ts';
import type { InvoiceInput } from '../invoices/compute-invoice.ts';
import { openingPart } from '../invoices/opening-invoice.ts';
import type { Period } from '../periods/periods.ts';
import type { Component } from '../pricing/rating.ts';
import type { CustomerSnapshot } from '../snapshot/customer-snapshot.ts';
import { changed, type NeedsUsage } from '../snapshot/usage-question.ts';
import { carriedStretches, closingBoundaries, openingInput, plannedEnding } from './closing-boundaries.ts';
import { prepaidUnitsIn } from './prepaid-changes.ts';
import type { Subscription } from './subscription.ts';
import {
  carryOn,
  movedUnits,
  newUnits,
  plannedSwitchOf,
  prorationOf,
  type SwitchParties,
  type SwitchTerms,
  successionOf,
  successorPeriod,
  switchCharge,
  switchEnding,
} from './switch.ts';

/** A switch that is to come at `at`. */
type Planned = SwitchTerms & { snapshot: CustomerSnapshot; parties: SwitchParties; at: Instant };

/**
 * What a subscription with a planned switch would be invoiced (spec/invoices#draft): the proration where it is invoiced
 * by itself, and the invoice of the period's end, or of the switch where that closes the period at `closesAt` (else null); null
 * where none is planned. The new subscription is not there yet: lines name the old one.
 */
export function switchParts(
  snapshot: CustomerSnapshot,
  subscription: Subscription,
): { parts: NeedsUsage<ChargedPart[]>; closesAt: Instant | null } | null {
  const { rules, subscriptions } = snapshot;
  const { plannedSwitch, plannedCancel, status, currentPeriod, subscriptionId } = subscription;
  if (plannedSwitch === null || status !== 'active') return null;
  const { at } = plannedSwitch;
  if (plannedCancel !== null && plannedCancel.at <= at) return null;
  const newPlan = rules.latestPlanOf(plannedSwitch.newPlanId);
  const others = subscriptions.filter((one) => one.subscriptionId !== subscriptionId);
  const heldPlanIds = others.map(({ planId }) => planId);
  const terms = plannedSwitchOf(subscription, { newPlan, heldPlanIds });
  if (!terms) return null;
  const { nextPlan } = terms;
  const { planId, version, versionId, billingPeriod, chargeTiming } = nextPlan;
  const next = { ...subscription, planId, version, versionId, billingPeriod, chargeTiming };
  const carried = currentPeriod.index === 0 ? rules.carriedOf(subscriptionId) : null;
  const pendingOpening = rules.pendingOpeningOf(subscription);
  const parties = { old: subscription, oldPlan: rules.planOf(subscription), next, nextPlan, carried, pendingOpening };
  const planned = { ...terms, snapshot, parties, at };
  const succession = successionOf(subscription, nextPlan, at);
  const closesAt = succession === 'closes' ? at : null;
  return { parts: succession === 'carries_on' ? carriedParts(planned) : closedParts(planned), closesAt };
}

function carriedParts(planned: Planned): NeedsUsage<ChargedPart[]> {
  const { snapshot, parties, at, usageBehavior: behavior } = planned;
  const { customer, rules } = snapshot;
  const { old, oldPlan, next, nextPlan } = parties;
  const { index } = old.currentPeriod;
  const { prepaidUnits } = rules.termsOf(old.subscriptionId);
  const unitsOf = (component: Component) => prepaidUnitsIn(component, prepaidUnits, index);
  const isOwn = (id: string) => prepaidUnits.some(({ metricId }) => metricId === id);
  const moved = movedUnits(oldPlan, nextPlan, { unitsOf, isOwn });
  const carried = carryOn(parties, { at, behavior, unitsOf });
  const pauses = rules.pausesOf(old.subscriptionId);
  const closure = { pauses, ending: plannedEnding(next), closes: true, carried };
  return changed(closingBoundaries({ customer, subscription: next, closure }, rules), ([boundary]) => {
    if (!boundary) throw new Error('a switch without a period');
    const own = moved.map((units) => ({ ...units, fromPeriod: index }));
    const charges = boundaryCharges({ ...boundary, prepaidUnits: [...prepaidUnits, ...own] });
    const nameOf = (id: string) => rules.metricOf(id).metricName;
    const withUnits = { ...charges, prepaid: [...charges.prepaid, ...newUnits(parties, moved, nameOf)] };
    const kind = boundary.next === null ? 'closing' : 'period';
    const dueAt =
      closure.ending && closure.ending.at < old.currentPeriod.endsAt ? closure.ending.at : graceOver(planned);
    return withProration(planned, withUnits, { kind, period: old.currentPeriod, dueAt });
  });
}

/** The invoice of the period's end, with the difference for the rest of it: charged, credited, or on an invoice of its own. */
function withProration(planned: Planned, charges: BoundaryCharges, closing: PartOf): ChargedPart[] {
  const { snapshot, parties, at } = planned;
  const { customer, rules, pending, chargedFeesOf } = snapshot;
  const { old } = parties;
  const charge = switchCharge(parties, at);
  const { direction, amount } = prorationOf(charge, currencyOf(customer.currency).exponent);
  if (direction === 'none') return [partOf(charges, closing)];
  if (direction === 'credit') {
    const stretches = carriedStretches(parties.carried?.stretches ?? [], rules);
    const isAhead = isChargedAhead({ plan: parties.oldPlan, pendingOpening: parties.pendingOpening });
    const charged = isAhead ? chargedFeesOf(old.subscriptionId) : rules.switchChargesOf(old.subscriptionId);
    const before = { charged, pending: pending.lines, stretches };
    const { parts, description } = creditOfDowngrade(customer, parties, amount, before);
    const { currency } = customer;
    const credits = parts.map(({ invoiceId, amount: part, tax }) =>
      plannedCredit(invoiceId ?? old.subscriptionId, { amount: part.plus(tax), currency, description, at }),
    );
    return [partOf(charges, closing, { credits, waived: null })];
  }
  const proration = { fees: [], prepaid: [], usages: [], addons: [], prorations: [charge] };
  if (planned.invoicingBehavior === 'add_to_next_invoice') return [partOf(joinCharges(proration, charges), closing)];
  return [partOf(proration, { ...closing, kind: 'proration', dueAt: at }), partOf(charges, closing)];
}

function closedParts(planned: Planned): NeedsUsage<ChargedPart[]> {
  const { snapshot, parties, at } = planned;
  const { customer, rules } = snapshot;
  const { old, nextPlan } = parties;
  const isAtEnd = successionOf(old, nextPlan, at) === 'at_period_end';
  const ending = isAtEnd ? null : switchEnding(at, old.currentPeriod);
  const closure = { pauses: rules.pausesOf(old.subscriptionId), ending, closes: true };
  return changed(closingBoundaries({ customer, subscription: old, closure }, rules), ([boundary]) => {
    if (!boundary) throw new Error('a switch without a period');
    const { ended, begun, first } = endAndBeginning(planned, boundary, isAtEnd);
    const charges = begun ? joinCharges(ended, begun) : ended;
    if (!ending) return [partOf(charges, { kind: 'period', period: old.currentPeriod, dueAt: graceOver(planned) })];
    const back = plannedProration({ customer, subscription: old, boundary, ending }, snapshot);
    const closing = { kind: 'closing', period: old.currentPeriod, dueAt: at } as const;
    return [partOf(charges, begun ? { kind: 'opening', period: first, dueAt: at } : closing, back)];
  });
}

/** What the old plan still bills, and what is due at the start of the new one. */
function endAndBeginning({ snapshot, parties, at, usageBehavior }: Planned, boundary: BoundaryInput, isAtEnd: boolean) {
  const { customer, rules } = snapshot;
  const { old, nextPlan } = parties;
  const moves = !isAtEnd && usageBehavior === 'transfer_to_new_subscription';
  const movedMetrics = moves ? nextPlan.components.map(({ metricId }) => metricId) : [];
  const ended = boundaryCharges({ ...boundary, next: null, movedMetrics });
  const first = { ...successorPeriod(old, nextPlan, at, customer.timeZone), index: old.currentPeriod.index + 1 };
  const start = openingInput({ ...parties.next, currentPeriod: first }, rules);
  // One that is charged once is on the old period's lines.
  const addons = start.addons?.filter(({ kind, to }) => kind !== 'one_time' && to === null) ?? [];
  return { ended, first, begun: openingPart({ ...start, addons }, { currency: customer.currency }) };
}

/** When the invoice of the current period's end is made. */
function graceOver({ snapshot: { account }, parties: { old } }: Planned): Instant {
  return old.currentPeriod.endsAt + account.invoiceGraceSeconds * 1000;
}

type PartOf = { kind: InvoiceInput['kind']; period: Period; dueAt: Instant };

function partOf(charges: BoundaryCharges, { kind, period, dueAt }: PartOf, back?: PlannedProration): ChargedPart {
  return { ...charges, kind, periodStart: period.startsAt, periodEnd: period.endsAt, dueAt, ...(back && { back }) };
}
