import { type Decimal, ZERO } from '../../core/decimal.ts';
import type { Instant } from '../../core/instants.ts';
import type { BoundaryInput } from '../invoices/boundary-charges.ts';
import type { SwitchedPeriod } from '../periods/usage-windows.ts';
import type { PrepaidCharge, ProrationCharge } from '../pricing/charges.ts';
import type { Component } from '../pricing/rating.ts';
import { type PrepaidChoice, prepaidUnitsIn } from './prepaid-changes.ts';
import type { Plan, UsageBehavior } from './subscription.ts';
import {
  movedUnits,
  newUnits,
  type Proration,
  prorationOf,
  type SwitchParties,
  successionOf,
  switchCharge,
  switchedPeriod,
} from './switch.ts';

/** A switch that happens at `at`, or is foreseen for then. */
type SwitchAt = { at: Instant; usageBehavior: UsageBehavior };

/**
 * What the subscription that a switch begins has from the old one (spec/subscriptions#switch). `periodIndex`: the old one's period that becomes its first, from which on it
 * prepays `units` by its own choice; `billingIndex`: its billing period that becomes the first. `switched` is null where it begins with the next period.
 */
export type Inheritance = {
  periodIndex: number;
  billingIndex: number;
  units: { metricId: string; units: Decimal }[];
  switched: SwitchedPeriod | null;
};

/** What goes along with a switch; `choices` are the old one's own prepaid units. */
export function inheritanceOf(
  parties: SwitchParties,
  choices: readonly PrepaidChoice[],
  { at, usageBehavior: behavior }: SwitchAt,
): Inheritance {
  const { old, oldPlan, nextPlan } = parties;
  const { index, billing, trial } = old.currentPeriod;
  const succession = successionOf(old, nextPlan, at);
  const [periodIndex, billingIndex] =
    succession === 'carries_on' ? [index, billing.index] : [index + 1, billing.index + 1];
  const unitsIn = (period: number) => (component: Component) => prepaidUnitsIn(component, choices, period);
  const isOwn = (id: string) => choices.some(({ metricId }) => metricId === id);
  const units = movedUnits(oldPlan, nextPlan, { unitsOf: unitsIn(periodIndex), isOwn });
  const terms = { at, behavior, unitsOf: trial ? () => ZERO : unitsIn(index) };
  return {
    periodIndex,
    billingIndex,
    units,
    switched: succession === 'at_period_end' ? null : switchedPeriod(parties, terms),
  };
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

/** The old period where a switch closes it: without the usage that goes along with the switch. */
export function closedBySwitch(
  boundary: BoundaryInput,
  { nextPlan, usageBehavior }: { nextPlan: Plan; usageBehavior: UsageBehavior },
): BoundaryInput {
  if (usageBehavior === 'reset_usage') return boundary;
  const moves = (id: string) => nextPlan.components.some(({ metricId }) => metricId === id);
  const windows = boundary.windows.filter(({ metricId, prepaidUnits }) => prepaidUnits !== null || !moves(metricId));
  return { ...boundary, windows };
}
