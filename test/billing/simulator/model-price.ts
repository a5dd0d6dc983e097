import {
  add,
  ceiling,
  compare,
  divide,
  type Fraction,
  floor,
  fraction,
  least,
  multiply,
  NOUGHT,
  nearest,
  notBelowNought,
  subtract,
  whole,
} from './fractions.ts';
import type { LifeComponent, LifeEvent, LifeMetric, LifeTier } from './life.ts';

/** What so many units cost: exact, with what fell into each tier. */
export type ModelPrice = { billable: Fraction; amount: Fraction; tiers: { quantity: Fraction; amount: Fraction }[] };

/** A metric's value, and how many events it was made of. */
export type ModelUsage = { value: Fraction; events: number };

export function priceOf(component: LifeComponent, quantity: Fraction): ModelPrice {
  const rounded = roundUnits(component.rounding, quantity);
  const billable = notBelowNought(subtract(rounded, fraction(component.freeTier)));
  const tiers = tiersOf(component, billable);
  if (component.tiers !== null) {
    return { billable, tiers, amount: tiers.reduce((total, tier) => add(total, tier.amount), NOUGHT) };
  }
  const price = fraction(component.price ?? 'none');
  const { packageSize } = component;
  const times = packageSize === null ? billable : whole(ceiling(divide(billable, fraction(packageSize))));
  return { billable, tiers, amount: multiply(price, times) };
}

/** What usage costs of which so many units were paid ahead. */
export function priceAboveUnits(component: LifeComponent, quantity: Fraction, prepaid: Fraction): Fraction {
  const ahead = prepaid.n === 0n ? NOUGHT : priceOf(component, prepaid).amount;
  return notBelowNought(subtract(priceOf(component, quantity).amount, ahead));
}

function roundUnits(rounding: LifeComponent['rounding'], quantity: Fraction): Fraction {
  if (rounding === 'no_rounding') return quantity;
  const round = { round_down: floor, round_up: ceiling, round_nearest: nearest }[rounding];
  return whole(round(quantity));
}

function tiersOf({ pricingModel, tiers }: LifeComponent, billable: Fraction): ModelPrice['tiers'] {
  if (tiers === null || billable.n === 0n) return [];
  if (pricingModel === 'volume') {
    const tier = tiers.find(({ upTo }) => upTo === null || compare(billable, fraction(upTo)) <= 0);
    return tier ? [{ quantity: billable, amount: tierAmount(tier, billable) }] : [];
  }
  // How much of all units lies at or below each edge, and so how much lies between two.
  const below = tiers.map(({ upTo }) => (upTo === null ? billable : least(billable, fraction(upTo))));
  return tiers.flatMap((tier, i) => {
    const quantity = subtract(below[i] ?? NOUGHT, below[i - 1] ?? NOUGHT);
    return quantity.n > 0n ? [{ quantity, amount: tierAmount(tier, quantity) }] : [];
  });
}

function tierAmount({ unitPrice, flatFee }: LifeTier, quantity: Fraction): Fraction {
  return add(multiply(fraction(unitPrice), quantity), fraction(flatFee));
}

/** The value of a metric over the events from `from` to before `to`. */
export function usageOf(metric: LifeMetric, events: readonly LifeEvent[], from: number, to: number): ModelUsage {
  const counted = events.filter((one) => one.eventName === metric.eventName && one.time >= from && one.time < to);
  const values = counted.flatMap(({ value }) => (value === null ? [] : [fraction(value)]));
  return { value: aggregated(metric, counted.length, values), events: counted.length };
}

function aggregated({ aggregation }: LifeMetric, count: number, values: Fraction[]): Fraction {
  switch (aggregation) {
    case 'count':
      return whole(count);
    case 'sum':
      return values.reduce(add, NOUGHT);
    case 'max':
      return [...values].sort(compare).at(-1) ?? NOUGHT;
    case 'unique':
      return whole(new Set(values.map(({ n, d }) => `${n}/${d}`)).size);
  }
}
