import { z } from '@hono/zod-openapi';
import type { Tier } from '../../billing/pricing/model-price.ts';
import { fieldsOfPrice, type PriceFields } from '../../billing/pricing/price.ts';
import type { Component } from '../../billing/pricing/rating.ts';
import { ZERO } from '../../core/decimal.ts';
import {
  decimalInput,
  decimalWire,
  nonNegativeInput,
  orNull,
  percentageInput,
  textInput,
  unitPriceInput,
} from '../primitives.ts';
import { limitInputs, limitsToWire, limitWires } from './limits.ts';

/** A plan's parts may be sent back as they were read. Their ids are the service's own (spec/api#ids): what is sent changes nothing. */
export const idAsRead = textInput.optional();

const ROUNDINGS = ['round_down', 'round_up', 'round_nearest', 'no_rounding'] as const;
const PRICING_MODELS = ['per_unit', 'tiered', 'volume', 'package', 'percentage'] as const;

const tierInput = z.strictObject({
  up_to: orNull(decimalInput.refine((edge) => edge.gt(0), 'Must be greater than 0.')).openapi({
    description: 'Upper edge of the tier, inclusive; null: no end.',
    example: 1000,
  }),
  unit_price: unitPriceInput.openapi({
    description: 'Price of a unit in the tier, up to 12 decimals.',
    example: 0.002,
  }),
  flat_fee: nonNegativeInput
    .optional()
    .openapi({ description: "A tier's fixed price, charged when a quantity above 0 falls in it.", example: 0 }),
});

/** A pricing component (spec/plans#components): `price` is a synonym of `overage_price`, which alone means per_unit. */
export const componentInput = z.strictObject({
  component_id: idAsRead.openapi({
    description: 'Taken back as it was read; it changes nothing.',
    example: 'comp_01jd3k9x',
  }),
  metric_id: textInput.openapi({ description: 'The metric whose value is billed.', example: 'metric_01jd3k9x' }),
  pricing_model: z.enum(PRICING_MODELS).default('per_unit').openapi({
    description:
      'How the billable quantity is priced: with tiers tiered or volume; percentage prices each event of a sum.',
    example: 'per_unit',
  }),
  free_tier: nonNegativeInput
    .optional()
    .openapi({ description: 'Units that cost nothing, each period.', example: 1000 }),
  overage_price: orNull(unitPriceInput).optional().openapi({
    description: 'Price of a unit beyond the free tier, up to 12 decimals; with package of one package.',
    example: 0.002,
  }),
  price: orNull(unitPriceInput)
    .optional()
    .openapi({ description: 'The same as overage_price; send one.', example: 0.002 }),
  tiers: z
    .array(tierInput)
    .min(1, 'Must have at least one tier.')
    .max(100)
    .nullish()
    .openapi({ description: 'Bands of quantity with prices of their own, ascending; null with a single price.' }),
  package_size: orNull(decimalInput.refine((size) => size.gt(0), 'Must be greater than 0.'))
    .optional()
    .openapi({ description: 'Units of a package; each started one is charged.', example: null }),
  percentage: orNull(percentageInput)
    .optional()
    .openapi({ description: 'With percentage: percent of the value of each event, 0 to 100.', example: null }),
  fixed_amount: orNull(unitPriceInput)
    .optional()
    .openapi({ description: 'With percentage: charged for each event besides; by default 0.', example: null }),
  per_event_minimum: orNull(unitPriceInput)
    .optional()
    .openapi({ description: 'With percentage: what each event costs at least; null: no bound.', example: null }),
  per_event_maximum: orNull(unitPriceInput)
    .optional()
    .openapi({ description: 'With percentage: what each event costs at most; null: no bound.', example: null }),
  rounding: z
    .enum(ROUNDINGS)
    .default('no_rounding')
    .openapi({ description: 'How the quantity is rounded, once, half away from zero.', example: 'no_rounding' }),
  prepaid_units: nonNegativeInput
    .optional()
    .openapi({ description: 'Units paid ahead each period, at the own price of so many.', example: 0 }),
  ...limitInputs('component'),
});

export type ComponentInput = z.output<typeof componentInput>;

const { overage_price, price, tiers, package_size } = componentInput.shape;
const { percentage, fixed_amount, per_event_minimum, per_event_maximum } = componentInput.shape;

/** The fields of a component's price, where each may be left out: what is left out stays as it was. */
export const priceInputs = {
  pricing_model: z
    .enum(PRICING_MODELS)
    .optional()
    .openapi({ description: 'Another pricing model; it replaces all fields of the price.', example: 'per_unit' }),
  ...{ overage_price, price, tiers, package_size },
  ...{ percentage, fixed_amount, per_event_minimum, per_event_maximum },
};
type SentPrice = z.output<z.ZodObject<typeof priceInputs>>;

/** The fields of a price that were sent. */
export function priceOf(sent: SentPrice): Partial<PriceFields> {
  const overagePrice = sent.overage_price === undefined ? sent.price : sent.overage_price;
  return {
    ...(sent.pricing_model !== undefined && { pricingModel: sent.pricing_model }),
    ...(overagePrice !== undefined && { overagePrice }),
    ...(sent.tiers !== undefined && { tiers: sent.tiers?.map(tierOf) ?? null }),
    ...(sent.package_size !== undefined && { packageSize: sent.package_size }),
    ...(sent.percentage !== undefined && { percentage: sent.percentage }),
    ...(sent.fixed_amount !== undefined && { fixedAmount: sent.fixed_amount }),
    ...(sent.per_event_minimum !== undefined && { perEventMinimum: sent.per_event_minimum }),
    ...(sent.per_event_maximum !== undefined && { perEventMaximum: sent.per_event_maximum }),
  };
}

/** A tier as it was sent; without a `flat_fee` it has none. */
export function tierOf(tier: z.output<typeof tierInput>): Tier {
  return { upTo: tier.up_to, unitPrice: tier.unit_price, flatFee: tier.flat_fee ?? ZERO };
}

const tierWire = z.object({
  up_to: orNull(decimalWire).openapi({
    description: 'Upper edge of the tier, inclusive; null: no end.',
    example: 1000,
  }),
  unit_price: decimalWire.openapi({ description: 'Price of a unit in the tier.', example: 0.002 }),
  flat_fee: decimalWire.openapi({
    description: "A tier's fixed price, charged when a quantity above 0 falls in it.",
    example: 0,
  }),
});

/** The fields of a price as the API returns them. */
export const priceWires = {
  pricing_model: z
    .enum(PRICING_MODELS)
    .openapi({ description: 'How the billable quantity is priced.', example: 'per_unit' }),
  overage_price: orNull(decimalWire).openapi({
    description: 'Price of a unit beyond the free tier, up to 12 decimals; with package of one package.',
    example: 0.002,
  }),
  tiers: z
    .array(tierWire)
    .nullable()
    .openapi({ description: 'Bands of quantity with prices of their own, ascending; null with a single price.' }),
  package_size: orNull(decimalWire).openapi({
    description: 'Units of a package; each started one is charged.',
    example: null,
  }),
  percentage: orNull(decimalWire).openapi({
    description: 'With percentage: percent of the value of each event; else null.',
    example: null,
  }),
  fixed_amount: orNull(decimalWire).openapi({
    description: 'With percentage: charged for each event besides; else null.',
    example: null,
  }),
  per_event_minimum: orNull(decimalWire).openapi({
    description: 'With percentage: what each event costs at least; null: no bound.',
    example: null,
  }),
  per_event_maximum: orNull(decimalWire).openapi({
    description: 'With percentage: what each event costs at most; null: no bound.',
    example: null,
  }),
};

export const componentWire = z.object({
  component_id: z.string().openapi({ description: 'Id of a price component.', example: 'comp_01jd3k9x' }),
  metric_id: z.string().openapi({ description: 'The metric whose value is billed.', example: 'metric_01jd3k9x' }),
  free_tier: decimalWire.openapi({ description: 'Units that cost nothing, each period.', example: 1000 }),
  ...priceWires,
  rounding: z
    .enum(ROUNDINGS)
    .openapi({ description: 'How the quantity is rounded, once, half away from zero.', example: 'no_rounding' }),
  prepaid_units: decimalWire.openapi({
    description: 'Units paid ahead each period, at the own price of so many.',
    example: 0,
  }),
  ...limitWires('component'),
});

/** The component as the API returns it. */
export function componentToWire(component: Component): z.infer<typeof componentWire> {
  return {
    component_id: component.componentId,
    metric_id: component.metricId,
    free_tier: component.freeTier,
    ...priceToWire(fieldsOfPrice(component)),
    rounding: component.rounding,
    prepaid_units: component.prepaidUnits,
    ...limitsToWire(component),
  };
}

/** A price as the API returns it. */
export function priceToWire(price: PriceFields) {
  const { tiers } = price;
  return {
    pricing_model: price.pricingModel,
    overage_price: price.overagePrice,
    tiers: tiers?.map((tier) => ({ up_to: tier.upTo, unit_price: tier.unitPrice, flat_fee: tier.flatFee })) ?? null,
    package_size: price.packageSize,
    percentage: price.percentage,
    fixed_amount: price.fixedAmount,
    per_event_minimum: price.perEventMinimum,
    per_event_maximum: price.perEventMaximum,
  };
}
