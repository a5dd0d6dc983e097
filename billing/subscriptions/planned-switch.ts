import { currencyOf } from '../../core/currencies.ts';
import type { Instant } from '../../core/instants.ts';
import type { ChargedPart } from '../credits/charged-part.ts';
import type { PlannedProration } from '../credits/proration-credits.ts';
import type { BoundaryCharges } from '../invoices/boundary-charges.ts';
import type { ChargeInTurn } from '../invoices/charges-in-turn.ts';
import type { InvoiceInput } from '../invoices/compute-invoice.ts';
import { invoicedAt } from '../invoices/pending-invoice.ts';
import type { Period } from '../periods/periods.ts';
import { trialBefore } from '../periods/trials.ts';
import { metricOf, newPlanOf, openingOf, planOf, switchedOf, termsOf } from '../state/billing-rules.ts';
import type { Foreseen } from '../state/customer-state.ts';
import { isFree } from './closing-boundaries.ts';
import { type Inheritance, inheritanceOf, type SwitchCharges, switchCharges } from './inheritance.ts';
import type { PrepaidChoice } from './prepaid-changes.ts';
import { heldTerms, type Subscription } from './subscription.ts';
import { isSwitchedWithin, plannedSwitchOf, type SwitchParties, type SwitchTerms, successionOf } from './switch.ts';

/** A switch that is to come at `at`. The new subscription goes by the id and the periods of the old one. */
export type Planned = SwitchTerms & {
  state: Foreseen;
  parties: SwitchParties;
  inheritance: Inheritance;
  at: Instant;
  charge: ChargeInTurn;
  /** The current period is a trial whose usage is not billed. */
  isFree: boolean;
};

/** Returns the switch that is planned within, or with, the current period; null for none. */
export function plannedOf(state: Foreseen, subscription: Subscription, charge: ChargeInTurn): Planned | null {
  const { rules, subscriptions } = state;
  const { plannedSwitch, plannedCancel, status, currentPeriod, subscriptionId } = subscription;
  if (plannedSwitch === null || !isSwitchedWithin(subscription) || status !== 'active') return null;
  const { at } = plannedSwitch;
  if (plannedCancel !== null && plannedCancel.at <= at) return null;
  const newPlan = newPlanOf(rules, subscription);
  const others = subscriptions.filter((one) => one.subscriptionId !== subscriptionId);
  const heldPlanIds = others.map(({ planId }) => planId);
  const terms = plannedSwitchOf(subscription, { newPlan, heldPlanIds });
  if (!terms) return null;
  const { nextPlan } = terms;
  const next = { ...subscription, ...heldTerms(nextPlan), currentPeriod: trialBefore(nextPlan, currentPeriod) };
  const switched = switchedOf(rules, subscriptionId, currentPeriod);
  const opening = openingOf(rules, subscription);
  // A switch that comes after that invoice finds the fee charged.
  const pendingOpening = opening && at < opening.dueAt ? opening : null;
  const parties = { old: subscription, oldPlan: planOf(rules, subscription), next, nextPlan, switched, pendingOpening };
  const { prepaidUnits } = termsOf(rules, subscriptionId);
  const inheritance = inheritanceOf(parties, prepaidUnits, { ...terms, at });
  const carriesOn = successionOf(subscription, nextPlan, at) === 'carries_on';
  const free = carriesOn
    ? isFree(next, currentPeriod, rules, inheritance.switched)
    : isFree(subscription, currentPeriod, rules, switched);
  return { ...terms, state, parties, inheritance, at, charge, isFree: free };
}

/** What the new subscription prepays, by the periods of the old one. */
export function unitsOf({ inheritance: { units, periodIndex: fromPeriod } }: Planned): PrepaidChoice[] {
  return units.map((one) => ({ ...one, fromPeriod }));
}

/** Returns what a planned switch charges and credits. */
export function chargesOf({ state: { customer, rules }, parties, inheritance, at }: Planned): SwitchCharges {
  const places = currencyOf(customer.currency).exponent;
  return switchCharges(parties, inheritance, { at, places, nameOf: (id) => metricOf(rules, id).metricName });
}

/** When the invoice of the current period's end is made. */
export function graceOver({ state: { account }, parties: { old }, isFree }: Planned): Instant {
  return invoicedAt(old.currentPeriod, { account, isFree });
}

type PartOf = { kind: InvoiceInput['kind']; period: Period; dueAt: Instant };

/** Returns a part of the draft with these charges. */
export function partOf(
  charges: BoundaryCharges,
  { kind, period, dueAt }: PartOf,
  back?: PlannedProration,
): ChargedPart {
  return { ...charges, kind, periodStart: period.startsAt, periodEnd: period.endsAt, dueAt, ...(back && { back }) };
}
