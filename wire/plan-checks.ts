import type { z } from '@hono/zod-openapi';
import type { PricingModel } from '../billing/pricing/price.ts';
import { type PropertyTexts, rowKey, type Unmatched } from '../billing/pricing/price-book.ts';
import { type Decimal, isDecimal, toPlain } from '../core/decimal.ts';
import { isFields } from '../core/fields.ts';
import { limitErrors, type SentLimits } from './catalog/limits.ts';
import { repeatedPlaces } from './catalog/repeated-places.ts';

type TierShape = { up_to: Decimal | null };
type PriceShape = {
  pricing_model?: PricingModel | null | undefined;
  overage_price?: Decimal | null | undefined;
  price?: Decimal | null | undefined;
  tiers?: TierShape[] | null | undefined;
  package_size?: Decimal | null | undefined;
  percentage?: Decimal | null | undefined;
  fixed_amount?: Decimal | null | undefined;
  per_event_minimum?: Decimal | null | undefined;
  per_event_maximum?: Decimal | null | undefined;
  free_tier?: Decimal | undefined;
  rounding?: string | undefined;
  prepaid_units?: Decimal | undefined;
};
type RowShape = PriceShape & { when: PropertyTexts; from?: string | number | null | undefined };
type ComponentShape = SentLimits &
  PriceShape & {
    group_by?: string[] | null | undefined;
    prices?: RowShape[] | null | undefined;
    unmatched?: Unmatched | null | undefined;
  };
type PlanShape = SentLimits & {
  recurring_fee?: Decimal | undefined;
  billing_calendar?: string;
  anchor_day?: number | null | undefined;
  components?: (ComponentShape & { metric_id: string })[] | undefined;
  features?: { name: string }[] | undefined;
};
export type Refuse = (path: (string | number)[], message: string) => void;

/** A price for every unit together with a price per tier: 400, whatever else is wrong (spec/plans#components). */
export function planContradiction(sent: Record<string, unknown>): string | undefined {
  const components = Array.isArray(sent.components) ? sent.components : [];
  for (const [i, component] of components.entries()) {
    if (!isFields(component)) continue;
    const prices = Array.isArray(component.prices) ? component.prices : [];
    const rows = prices.map((row, j) => [`components.${i}.prices.${j}`, row] as const);
    const all = [[`components.${i}`, component] as const, ...rows];
    const contradictory = all.find(([, price]) => isFields(price) && priceContradiction(price));
    if (contradictory) return `${contradictory[0]} has overage_price together with tiers; send one of them.`;
  }
}

/** The same of one price. */
export function priceContradiction(sent: Record<string, unknown>): string | undefined {
  const isBoth = isSet(sent.tiers) && (isSet(sent.overage_price) || isSet(sent.price));
  return isBoth ? 'There is overage_price together with tiers; send one of them.' : undefined;
}

/** Whether {@link checkPlan} can look at a body whose fields may be bad: it runs beside them, so that all are named at once. */
export function canCheckPlan(value: unknown): value is PlanShape {
  if (!isFields(value)) return false;
  const { components = [], features = [] } = value;
  return areFields(components) && areFields(features) && components.every(canCheckBook);
}

/** Whether {@link checkPrices} can look at a price with these tiers. */
export function canCheckTiers(tiers: unknown): boolean {
  return !isSet(tiers) || areFields(tiers);
}

function canCheckBook({ tiers, group_by: groupBy, prices }: Record<string, unknown>): boolean {
  if (!canCheckTiers(tiers) || (isSet(groupBy) && !Array.isArray(groupBy))) return false;
  if (!isSet(prices)) return true;
  return areFields(prices) && prices.every((row) => isFields(row.when) && canCheckTiers(row.tiers));
}

/** What must hold between the fields of a plan (spec/plans#components); every violation is a field error of its own. */
export function checkPlan(plan: PlanShape, context: z.RefinementCtx): void {
  const refuse: Refuse = (path, message) => context.addIssue({ code: 'custom', path, message });
  if (isSet(plan.anchor_day) && plan.billing_calendar !== 'calendar') {
    refuse(['anchor_day'], 'Is only for billing_calendar calendar.');
  }
  for (const [field, message] of limitErrors(plan, plan.recurring_fee)) refuse([field], message);
  for (const [i, component] of (plan.components ?? []).entries()) {
    checkComponent(component, (field, message) => refuse(['components', i, ...field], message));
  }
  const metrics = (plan.components ?? []).map((component) => component.metric_id);
  for (const i of repeatedPlaces(metrics))
    refuse(['components', i, 'metric_id'], 'Is already billed by another component.');
  const names = (plan.features ?? []).map((feature) => feature.name);
  for (const i of repeatedPlaces(names)) refuse(['features', i, 'name'], 'Is already listed.');
}

/** What must hold between the fields of a component. */
export function checkComponent(component: ComponentShape, refuse: Refuse): void {
  checkBook(component, refuse);
  for (const [field, message] of limitErrors(component)) refuse([field], message);
}

/** Either a price or a price book; a book has a price besides only for what no row prices (spec/price-books#rows). */
function checkBook(component: ComponentShape, refuse: Refuse) {
  const { group_by: groupBy, prices, unmatched } = component;
  if (!isSet(groupBy) && !isSet(prices)) {
    if (isSet(unmatched)) refuse(['unmatched'], 'Is only for a price book: send group_by and prices.');
    return checkPrices(component, refuse);
  }
  if (!isSet(groupBy)) refuse(['group_by'], 'Is required with prices.');
  if (!isSet(prices)) refuse(['prices'], 'Is required with group_by.');
  for (const i of repeatedPlaces(groupBy ?? [])) refuse(['group_by', i], 'Is already listed.');
  for (const field of ['free_tier', 'prepaid_units'] as const) {
    const units = component[field];
    if (isDecimal(units) && !units.isZero()) refuse([field], 'Is not allowed with a price book.');
  }
  if (unmatched === 'price') checkPrices(component, refuse);
  else {
    for (const field of OF_PRICES) {
      if (isSet(component[field])) refuse([field], 'Is only for unmatched: price; rows have their own.');
    }
  }
  checkRows(prices ?? [], groupBy ?? null, refuse);
}

/** What must hold of the rows of a price book; `groupBy` null: which properties they may name is not known. */
export function checkRows(prices: readonly RowShape[], groupBy: readonly string[] | null, refuse: Refuse): void {
  const names = groupBy && new Set(groupBy);
  const places = new Map<string, number>();
  for (const [i, row] of prices.entries()) {
    checkPrices(row, (field, message) => refuse(['prices', i, ...field], message));
    const others = names ? Object.keys(row.when).filter((name) => !names.has(name)) : [];
    for (const name of others) refuse(['prices', i, 'when', name], 'Is not in group_by.');
    const key = rowKey({ when: row.when, from: row.from ?? null });
    const first = places.get(key);
    if (first === undefined) places.set(key, i);
    else refuse(['prices', i], `Has the same when and from as prices.${first}.`);
  }
}

/** What must hold between the fields of a price. */
export function checkPrices(component: PriceShape, refuse: Refuse) {
  const model = component.pricing_model ?? 'per_unit';
  // One that is no text has been refused, and what goes with it is not known.
  if (typeof model !== 'string') return;
  const { overage_price, price, tiers, package_size } = component;
  checkPercentage(component, refuse);
  if (model === 'percentage') return;
  if (isSet(overage_price) && isSet(price)) refuse(['price'], 'Is the same field as overage_price; send one.');
  if (model === 'tiered' || model === 'volume') {
    if (!isSet(tiers)) refuse(['tiers'], `Is required for ${model}.`);
    else checkTiers(tiers, refuse);
  } else {
    if (isSet(tiers)) refuse(['pricing_model'], `Must be tiered or volume where there are tiers; it is ${model}.`);
    else if (!isSet(overage_price) && !isSet(price)) refuse(['overage_price'], 'Required.');
  }
  if ((model === 'package') !== isSet(package_size)) {
    refuse(['package_size'], model === 'package' ? 'Is required for package.' : `Is not allowed for ${model}.`);
  }
}

const OF_EVENTS = ['percentage', 'fixed_amount', 'per_event_minimum', 'per_event_maximum'] as const;

const OF_PRICES = ['pricing_model', 'overage_price', 'price', 'tiers', 'package_size', ...OF_EVENTS] as const;

/** A price of each event by its value leaves nothing for prices and terms of a quantity (spec/rating#percentage). */
function checkPercentage(component: PriceShape, refuse: Refuse) {
  const model = component.pricing_model ?? 'per_unit';
  const { rounding, per_event_minimum: least, per_event_maximum: most } = component;
  if (model !== 'percentage') {
    for (const field of OF_EVENTS)
      if (isSet(component[field])) refuse([field], `Is only for percentage, not ${model}.`);
    return;
  }
  if (!isSet(component.percentage)) refuse(['percentage'], 'Is required for percentage.');
  const none = 'Is not allowed for percentage.';
  for (const field of ['overage_price', 'price', 'tiers', 'package_size'] as const) {
    if (isSet(component[field])) refuse([field], none);
  }
  for (const field of ['free_tier', 'prepaid_units'] as const) {
    const units = component[field];
    if (isDecimal(units) && !units.isZero()) refuse([field], none);
  }
  if (isSet(rounding) && rounding !== 'no_rounding') refuse(['rounding'], none);
  if (isDecimal(least) && isDecimal(most) && least.gt(most)) {
    refuse(
      ['per_event_minimum'],
      `Is ${toPlain(least)}, must not be above per_event_maximum, which is ${toPlain(most)}.`,
    );
  }
}

/** Ascending edges, the last one open (spec/plans#components). */
function checkTiers(tiers: TierShape[], refuse: Refuse) {
  for (const [i, { up_to }] of tiers.entries()) {
    const last = i === tiers.length - 1;
    const previous = tiers[i - 1]?.up_to;
    if (last && up_to !== null) refuse(['tiers', i, 'up_to'], 'The last one must be null.');
    else if (!last && up_to === null) refuse(['tiers', i, 'up_to'], 'Only the last one may be null.');
    else if (isDecimal(up_to) && isDecimal(previous) && up_to.lte(previous)) {
      const message = `Is ${toPlain(up_to)}, must be above tiers.${i - 1}.up_to, which is ${toPlain(previous)}.`;
      refuse(['tiers', i, 'up_to'], message);
    }
  }
}

function isSet<T>(value: T): value is NonNullable<T> {
  return value !== undefined && value !== null;
}

function areFields(value: unknown): value is Record<string, unknown>[] {
  return Array.isArray(value) && value.every(isFields);
}
