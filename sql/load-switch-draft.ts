import { type BoundaryCharges, boundaryCharges, joinCharges } from '../billing/boundary-charges.ts';
import type { InvoiceInput } from '../billing/compute-invoice.ts';
import { currencyOf } from '../billing/currencies.ts';
import { type Instant, localDateAt } from '../billing/instants.ts';
import type { Metric } from '../billing/metrics.ts';
import { openingPart } from '../billing/opening-invoice.ts';
import type { Pause } from '../billing/pauses.ts';
import type { Period } from '../billing/periods.ts';
import { prepaidUnitsIn } from '../billing/prepaid-changes.ts';
import type { Component } from '../billing/rating.ts';
import type { Customer, Subscription } from '../billing/subscription.ts';
import {
  carryOn,
  movedUnits,
  newUnits,
  prorationOf,
  type SwitchParties,
  successionOf,
  successorPeriod,
  switchCharge,
  switchEnding,
} from '../billing/switch.ts';
import { loadPlannedBack, type PlannedBack, plannedCredit } from './load-give-backs.ts';
import {
  type InvoiceSources,
  loadBoundaries,
  loadOwnTerms,
  type OwnTerms,
  plannedEnding,
} from './load-invoice-inputs.ts';
import { findPlannedSwitch, loadDowngradeCredit, loadSwitchedFrom, type SwitchTerms } from './load-switch.ts';
import { findMetrics } from './metrics.ts';
import { inTransaction } from './postgres.ts';

/**
 * What an invoice would charge, before late usage and what waits. `closesAt`: when it will be made, the grace apart. `back`: what is given back then,
 * before it is made.
 */
export type ChargedPart = BoundaryCharges &
  Pick<InvoiceInput, 'kind' | 'periodStart' | 'periodEnd'> & { closesAt: Instant; back?: PlannedBack };

type Question = { customer: Customer; subscription: Subscription; pauses: readonly Pause[]; upTo?: bigint };
type Planned = Question &
  SwitchTerms & {
    parties: SwitchParties;
    /** What the old subscription prepays and has attached, and the metrics of the new plan. */
    own: OwnTerms;
    metrics: Metric[];
    at: number;
    sources: InvoiceSources;
    accountId: string;
  };

/**
 * What a subscription with a planned switch would be invoiced (contract 8, draft_invoice): the proration where it is invoiced
 * by itself, and the invoice of the period's end, or of the switch where that closes the period; null where none is planned.
 * The new subscription is not there yet: lines name the old one.
 */
export async function loadSwitchParts(
  sources: InvoiceSources,
  accountId: string,
  question: Question,
): Promise<ChargedPart[] | null> {
  const { subscription, customer } = question;
  const { switchAt: at, cancelAt, status } = subscription;
  if (at === null || status !== 'active' || (cancelAt !== null && cancelAt <= at)) return null;
  const planned = await inTransaction(sources.postgres, accountId, async (tx) => {
    const terms = await findPlannedSwitch(tx, accountId, { subscription, customer });
    if (!terms) return null;
    const left = await loadSwitchedFrom(tx, accountId, subscription);
    const metricIds = terms.nextPlan.components.map(({ metricId }) => metricId);
    const own = await loadOwnTerms(tx, accountId, subscription.subscriptionId);
    return { ...terms, ...left, own, metrics: await findMetrics(tx, accountId, metricIds) };
  });
  if (!planned) return null;
  const { old, oldPlan, carried, ...terms } = planned;
  const { planId, version, versionId, billingPeriod, chargeTiming } = terms.nextPlan;
  const next = { ...subscription, planId, version, versionId, billingPeriod, chargeTiming };
  const parties = { old, oldPlan, next, nextPlan: terms.nextPlan, carried };
  const all = { ...question, ...terms, parties, at, sources, accountId };
  return successionOf(subscription, terms.nextPlan, at) === 'carries_on' ? carriedParts(all) : closedParts(all);
}

async function carriedParts(planned: Planned): Promise<ChargedPart[]> {
  const { parties, at, customer, sources, accountId, pauses, upTo, usageBehavior: behavior } = planned;
  const { old, oldPlan, next, nextPlan } = parties;
  const { index } = old.currentPeriod;
  const { prepaidUnits } = planned.own;
  const unitsOf = (component: Component) => prepaidUnitsIn(component, prepaidUnits, index);
  const isOwn = (id: string) => prepaidUnits.some(({ metricId }) => metricId === id);
  const moved = movedUnits(oldPlan, nextPlan, { unitsOf, isOwn });
  const on = localDateAt(at, customer.timeZone);
  const carried = carryOn(parties, { at, on, behavior, unitsOf });
  const closure = { pauses, ending: plannedEnding(next, customer), closes: true, carried };
  const [boundary] = await loadBoundaries(sources, accountId, customer, next, closure, upTo);
  if (!boundary) throw new Error('a switch without a period');
  const own = moved.map((units) => ({ ...units, fromPeriod: index }));
  const charges = boundaryCharges({ ...boundary, prepaidUnits: [...prepaidUnits, ...own] });
  const charge = switchCharge(parties, at, on);
  const { direction, amount } = prorationOf(charge, currencyOf(customer.currency).exponent);
  const nameOf = (id: string) => planned.metrics.find(({ metricId }) => metricId === id)?.metricName ?? '';
  const withUnits = { ...charges, prepaid: [...charges.prepaid, ...newUnits(parties, moved, nameOf)] };
  const kind = boundary.next === null ? 'closing' : 'period';
  const closing: PartOf = { kind, period: old.currentPeriod, closesAt: closure.ending?.at ?? old.currentPeriod.endsAt };
  if (direction === 'credit') {
    const credit = await inTransaction(sources.postgres, accountId, (tx) =>
      loadDowngradeCredit(tx, accountId, customer, { parties, wanted: amount, lock: false }),
    );
    const whole = { ...credit, amount: credit.amount.plus(credit.tax), currency: customer.currency, at };
    const credits = credit.amount.gt(0) ? [plannedCredit(old.subscriptionId, whole)] : [];
    return [partOf(withUnits, closing, { credits, waived: null })];
  }
  if (direction === 'none') return [partOf(withUnits, closing)];
  const proration = { fees: [], prepaid: [], usages: [], addons: [], prorations: [charge] };
  if (planned.invoicingBehavior === 'add_to_next_invoice') {
    return [partOf(joinCharges(proration, withUnits), closing)];
  }
  return [partOf(proration, { ...closing, kind: 'proration', closesAt: at }), partOf(withUnits, closing)];
}

async function closedParts(planned: Planned): Promise<ChargedPart[]> {
  const { parties, at, customer, sources, accountId, pauses, upTo, usageBehavior, own, metrics } = planned;
  const { old, nextPlan } = parties;
  const isAtEnd = successionOf(old, nextPlan, at) === 'at_period_end';
  const ending = isAtEnd ? null : switchEnding(at, localDateAt(at, customer.timeZone));
  const closure = { pauses, ending, closes: true };
  const [boundary] = await loadBoundaries(sources, accountId, customer, old, closure, upTo);
  if (!boundary) throw new Error('a switch without a period');
  const moves = !isAtEnd && usageBehavior === 'transfer_to_new_subscription';
  const movedMetrics = moves ? nextPlan.components.map(({ metricId }) => metricId) : [];
  const ended = boundaryCharges({ ...boundary, next: null, movedMetrics });

  const first = { ...successorPeriod(old, nextPlan, at, customer.timeZone), index: old.currentPeriod.index + 1 };
  // One that is charged once is on the old period's lines.
  const addons = own.addons.filter(({ kind, to }) => kind !== 'one_time' && to === null);
  const opening = { subscriptionId: old.subscriptionId, plan: nextPlan, first, metrics, ...own, addons };
  const begun = openingPart(opening, { currency: customer.currency });
  const charges = begun ? joinCharges(ended, begun) : ended;
  if (!ending) return [partOf(charges, { kind: 'period', period: old.currentPeriod, closesAt: at })];
  const back = await loadPlannedBack(sources, accountId, { customer, subscription: old, boundary, ending });
  const closing = { kind: 'closing', period: old.currentPeriod, closesAt: at } as const;
  return [partOf(charges, begun ? { kind: 'opening', period: first, closesAt: at } : closing, back)];
}

type PartOf = { kind: InvoiceInput['kind']; period: Period; closesAt: Instant };

function partOf(charges: BoundaryCharges, { kind, period, closesAt }: PartOf, back?: PlannedBack): ChargedPart {
  return { ...charges, kind, periodStart: period.startsAt, periodEnd: period.endsAt, closesAt, ...(back && { back }) };
}
