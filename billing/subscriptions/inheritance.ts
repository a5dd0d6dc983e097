import type { Decimal } from '../../core/decimal.ts';
import type { Instant } from '../../core/instants.ts';
import type { BoundaryInput } from '../invoices/boundary-charges.ts';
import type { CarriedPeriod } from '../periods/carried-period.ts';
import type { PrepaidCharge, ProrationCharge } from '../pricing/charges.ts';
import type { Component } from '../pricing/rating.ts';
import { type PrepaidChoice, prepaidUnitsIn } from './prepaid-changes.ts';
import type { Plan, UsageBehavior } from './subscription.ts';
import {
  carryOn,
  movedUnits,
  newUnits,
  type Proration,
  prorationOf,
  type SwitchParties,
  successionOf,
  switchCharge,
  switchEnding,
} from './switch.ts';

/** A switch that happens at `at`, or is foreseen for then. */
type SwitchAt = { at: Instant; usageBehavior: UsageBehavior };

/**
 * What the subscription that a switch begins has from the old one (spec/subscriptions#switch). `periodIndex`: the old one's period that becomes its first, from which on it
 * prepays `units` by its own choice. `carried` is null where it begins with the next period.
 */
export type Inheritance = {
  periodIndex: number;
  units: { metricId: string; units: Decimal }[];
  carried: CarriedPeriod | null;
};

/** What goes along with a switch; `choices` are the old one's own prepaid units. */
export function inheritanceOf(
  parties: SwitchParties,
  choices: readonly PrepaidChoice[],
  { at, usageBehavior: behavior }: SwitchAt,
): Inheritance {
  const { old, oldPlan, nextPlan } = parties;
  const { index } = old.currentPeriod;
  const succession = successionOf(old, nextPlan, at);
  const periodIndex = succession === 'carries_on' ? index : index + 1;
  const unitsIn = (period: number) => (component: Component) => prepaidUnitsIn(component, choices, period);
  const isOwn = (id: string) => choices.some(({ metricId }) => metricId === id);
  const units = movedUnits(oldPlan, nextPlan, { unitsOf: unitsIn(periodIndex), isOwn });
  const carried = succession === 'at_period_end' ? null : carryOn(parties, { at, behavior, unitsOf: unitsIn(index) });
  return { periodIndex, units, carried };
}

/** What a switch that carries a period on charges for the rest of it: units that only the new plan prepays, and what it costs more. */
export type SwitchCharges = { prepaid: PrepaidCharge[]; difference: ProrationCharge; proration: Proration };

/** The charges of such a switch; `places`: decimals of the currency. */
export function switchCharges(
  parties: SwitchParties,
  { units }: Inheritance,
  { at, places, nameOf }: { at: Instant; places: number; nameOf(metricId: string): string },
): SwitchCharges {
  const difference = switchCharge(parties, at);
  return { prepaid: newUnits(parties, units, nameOf), difference, proration: prorationOf(difference, places) };
}

/** The old period where a switch closes it: billed up to then, without the usage that goes along with the switch. */
export function closedBySwitch(
  boundary: BoundaryInput,
  { nextPlan, at, usageBehavior }: SwitchAt & { nextPlan: Plan },
): BoundaryInput {
  if (boundary.ended === null) throw new Error('a switch closes no period');
  const moves = usageBehavior === 'transfer_to_new_subscription';
  const movedMetrics = moves ? nextPlan.components.map(({ metricId }) => metricId) : [];
  return { ...boundary, ending: switchEnding(at, boundary.ended), next: null, movedMetrics };
}
