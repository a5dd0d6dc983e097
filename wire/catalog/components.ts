import { z } from '@hono/zod-openapi';
import { fieldsOfPrice } from '../../billing/pricing/price.ts';
import type { Component } from '../../billing/pricing/rating.ts';
import { decimalWire, nonNegativeInput, textInput } from '../primitives.ts';
import { limitInputs, limitsToWire, limitWires } from './limits.ts';
import { bookInputs, bookToWire, bookWires } from './price-books.ts';
import { priceInputs, priceToWire, priceWires } from './prices.ts';

/** A plan's parts may be sent back as they were read. Their ids are the service's own (spec/api#ids): what is sent changes nothing. */
export const idAsRead = textInput.optional();

const ROUNDINGS = ['round_down', 'round_up', 'round_nearest', 'no_rounding'] as const;

/** A pricing component (spec/plans#components): `price` is a synonym of `overage_price`, which alone means per_unit. */
export const componentInput = z.strictObject({
  component_id: idAsRead.openapi({
    description: 'Taken back as it was read; it changes nothing.',
    example: 'comp_01jd3k9x',
  }),
  metric_id: textInput.openapi({ description: 'The metric whose value is billed.', example: 'metric_01jd3k9x' }),
  free_tier: nonNegativeInput
    .optional()
    .openapi({ description: 'Units that cost nothing, each period.', example: 1000 }),
  ...priceInputs,
  ...bookInputs,
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

export const componentWire = z.object({
  component_id: z.string().openapi({ description: 'Id of a price component.', example: 'comp_01jd3k9x' }),
  metric_id: z.string().openapi({ description: 'The metric whose value is billed.', example: 'metric_01jd3k9x' }),
  free_tier: decimalWire.openapi({ description: 'Units that cost nothing, each period.', example: 1000 }),
  ...priceWires,
  ...bookWires,
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
    ...priceToWire(fieldsOfPrice(component)),
    free_tier: component.freeTier,
    ...bookToWire(component.book),
    rounding: component.rounding,
    prepaid_units: component.prepaidUnits,
    ...limitsToWire(component),
  };
}
