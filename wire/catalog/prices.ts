import { z } from '@hono/zod-openapi';
import type { Tier } from '../../billing/pricing/model-price.ts';
import { type Price, type PriceFields, priceOfFields } from '../../billing/pricing/price.ts';
import { ZERO } from '../../core/decimal.ts';
import { decimalInput, decimalWire, nonNegativeInput, orNull, percentageInput, unitPriceInput } from '../primitives.ts';

const PRICING_MODELS = ['per_unit', 'tiered', 'volume', 'package', 'percentage'] as const;
const MODEL =
  'How the billable quantity is priced: with tiers tiered or volume; percentage prices each event of a sum; by default per_unit.';

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

/** The fields of a price, as components and rows of price books take them (spec/rating). */
export const priceInputs = {
  pricing_model: z.enum(PRICING_MODELS).nullish().openapi({ description: MODEL, example: 'per_unit' }),
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
};

const priceFieldsInput = z.object(priceInputs);
export type PriceInput = z.output<typeof priceFieldsInput>;

/** The same of an override, where each may be left out: what is left out stays as it was. */
export const priceOverrideInputs = {
  ...priceInputs,
  pricing_model: z
    .enum(PRICING_MODELS)
    .optional()
    .openapi({ description: 'Another pricing model; it replaces all fields of the price.', example: 'per_unit' }),
};
type PriceOverrideInput = z.output<z.ZodObject<typeof priceOverrideInputs>>;

/** The fields of a price that were sent. */
export function priceOf(sent: PriceOverrideInput): Partial<PriceFields> {
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
function tierOf(tier: z.output<typeof tierInput>): Tier {
  return { upTo: tier.up_to, unitPrice: tier.unit_price, flatFee: tier.flat_fee ?? ZERO };
}

/** The price that was sent; by default one per unit. */
export function priceSent(input: PriceInput): Price {
  return priceOfFields({
    pricingModel: input.pricing_model ?? 'per_unit',
    overagePrice: input.overage_price ?? input.price ?? null,
    tiers: input.tiers?.map(tierOf) ?? null,
    packageSize: input.package_size ?? null,
    percentage: input.percentage ?? null,
    fixedAmount: input.fixed_amount ?? ZERO,
    perEventMinimum: input.per_event_minimum ?? null,
    perEventMaximum: input.per_event_maximum ?? null,
  });
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

/** The fields of a price as the API returns them: null what its model does not have. */
export const priceWires = {
  pricing_model: z
    .enum(PRICING_MODELS)
    .nullable()
    .openapi({ description: `${MODEL} Null where only rows have prices.`, example: 'per_unit' }),
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

/** A price as the API returns it. */
export function priceToWire({ tiers, ...fields }: PriceFields) {
  return {
    pricing_model: fields.pricingModel,
    overage_price: fields.overagePrice,
    tiers: tiers?.map((tier) => ({ up_to: tier.upTo, unit_price: tier.unitPrice, flat_fee: tier.flatFee })) ?? null,
    package_size: fields.packageSize,
    percentage: fields.percentage,
    fixed_amount: fields.fixedAmount,
    per_event_minimum: fields.perEventMinimum,
    per_event_maximum: fields.perEventMaximum,
  };
}
