import { z } from '@hono/zod-openapi';
import { fieldsOfPrice, NO_PRICE, type PriceFields } from '../../billing/pricing/price.ts';
import type { Component } from '../../billing/pricing/rating.ts';
import type { ComponentOverride, Overrides } from '../../billing/subscriptions/agreement.ts';
import { overriddenLimits, overriddenPrice } from '../../billing/subscriptions/overrides.ts';
import type { Decimal } from '../../core/decimal.ts';
import { checkComponent, checkRows, type Refuse } from '../plan-checks.ts';
import { decimalWire, nonNegativeInput, textInput } from '../primitives.ts';
import { limitInputs, limitsToWire, limitWires } from './limits.ts';
import { bookToWire, MAX_PRICES, priceRowInput, priceRowToWire, priceRowWire, rowsSent } from './price-books.ts';
import { priceOf, priceOverrideInputs, priceToWire, priceWires } from './prices.ts';
import { repeatedPlaces } from './repeated-places.ts';

const FEE = 'The fee of a period instead of that of the plan.';
const COMPONENTS = 'What usage costs instead: components of the plan by their metric.';
const METRIC = 'A metric that the plan bills.';
const PRICES =
  "Rows of the component's price book: of overrides asked before those of the plan, of a further currency its whole book.";

const componentOverrideInput = z
  .strictObject({
    metric_id: textInput.openapi({ description: METRIC, example: 'metric_01jd3k9x' }),
    ...priceOverrideInputs,
    prices: z
      .array(priceRowInput)
      .min(1)
      .max(MAX_PRICES)
      .optional()
      .openapi({
        description: PRICES,
        example: [{ when: { model: 'gpt-5' }, overage_price: 0.002 }],
      }),
    ...limitInputs('component'),
  })
  .superRefine(({ overage_price, price, prices = [] }, context) => {
    const refuse: Refuse = (path, message) => context.addIssue({ code: 'custom', path, message });
    checkRows(prices, null, refuse);
    if (overage_price === undefined || price === undefined) return;
    refuse(['price'], 'Is the same field as overage_price; send one.');
  });

/** What is agreed on instead of what a plan says (spec/plans#overrides); what it does not name stays. */
export const overridesInput = z
  .strictObject({
    recurring_fee: nonNegativeInput.optional().openapi({ description: FEE, example: 19 }),
    ...limitInputs('plan'),
    components: z
      .array(componentOverrideInput)
      .max(200)
      .superRefine((components, context) => {
        for (const i of repeatedPlaces(components.map(({ metric_id }) => metric_id))) {
          context.addIssue({ code: 'custom', path: [i, 'metric_id'], message: 'Is already listed.' });
        }
      })
      .optional()
      .openapi({ description: COMPONENTS }),
  })
  .openapi({ example: { recurring_fee: 19, components: [{ metric_id: 'metric_01jd3k9x', overage_price: 0.001 }] } });
export type OverridesInput = z.output<typeof overridesInput>;

/** The same as it is read back: what was sent. */
export const overridesWire = z
  .object({
    recurring_fee: decimalWire.optional().openapi({ description: FEE, example: 19 }),
    ...z.object(limitWires('plan')).partial().shape,
    components: z
      .array(
        z.object({
          metric_id: z.string().openapi({ description: METRIC, example: 'metric_01jd3k9x' }),
          ...z.object(priceWires).partial().shape,
          prices: z.array(priceRowWire).optional().openapi({ description: PRICES }),
          ...z.object(limitWires('component')).partial().shape,
        }),
      )
      .optional()
      .openapi({ description: COMPONENTS }),
  })
  .openapi('PlanOverrides');

/** Overrides as they were sent; rows of price books get new ids. */
export function overridesOf(
  { recurring_fee, components, ...limits }: OverridesInput,
  newPriceId: () => string,
): Overrides {
  return {
    ...(recurring_fee !== undefined && { recurringFee: recurring_fee }),
    ...namedLimits(limits),
    ...(components && {
      components: components.map((one): ComponentOverride => {
        const prices = one.prices && { prices: rowsSent(one.prices, newPriceId) };
        return { metricId: one.metric_id, ...priceOf(one), ...prices, ...namedLimits(one) };
      }),
    }),
  };
}

function namedLimits({ minimum_amount, maximum_amount }: Pick<OverridesInput, 'minimum_amount' | 'maximum_amount'>) {
  return {
    ...(minimum_amount !== undefined && { minimumAmount: minimum_amount }),
    ...(maximum_amount !== undefined && { maximumAmount: maximum_amount }),
  };
}

/** Overrides as the API returns them: what they name. */
export function overridesToWire(overrides: Overrides): z.infer<typeof overridesWire> {
  const { recurringFee, components } = overrides;
  return {
    ...(recurringFee !== undefined && { recurring_fee: recurringFee }),
    ...limitsNamed(overrides),
    ...(components && {
      components: components.map((one) => {
        const prices = one.prices && { prices: one.prices.map(priceRowToWire) };
        return { metric_id: one.metricId, ...priceNamed(one), ...prices, ...limitsNamed(one) };
      }),
    }),
  };
}

function limitsNamed({
  minimumAmount,
  maximumAmount,
}: {
  minimumAmount?: Decimal | null;
  maximumAmount?: Decimal | null;
}) {
  return {
    ...(minimumAmount !== undefined && { minimum_amount: minimumAmount }),
    ...(maximumAmount !== undefined && { maximum_amount: maximumAmount }),
  };
}

function priceNamed(named: Partial<PriceFields>) {
  const { pricingModel, ...amounts } = { ...NO_PRICE, pricingModel: 'per_unit' as const, ...named };
  const all = priceToWire({ pricingModel, ...amounts });
  return {
    ...(named.pricingModel !== undefined && { pricing_model: all.pricing_model }),
    ...(named.overagePrice !== undefined && { overage_price: all.overage_price }),
    ...(named.tiers !== undefined && { tiers: all.tiers }),
    ...(named.packageSize !== undefined && { package_size: all.package_size }),
    ...(named.percentage !== undefined && { percentage: all.percentage }),
    ...(named.fixedAmount !== undefined && { fixed_amount: all.fixed_amount }),
    ...(named.perEventMinimum !== undefined && { per_event_minimum: all.per_event_minimum }),
    ...(named.perEventMaximum !== undefined && { per_event_maximum: all.per_event_maximum }),
  };
}

/** Refuses what an override makes of a component, where that is no valid one; `price`: what of its price stays where it is not named. */
export function checkOverriddenComponent(
  component: Component,
  override: ComponentOverride,
  refuse: Refuse,
  price: PriceFields = fieldsOfPrice(component),
): void {
  const limits = limitsToWire(overriddenLimits(component.limits, override));
  const { freeTier: free_tier, rounding, prepaidUnits: prepaid_units } = component;
  const book = bookToWire(component.book);
  if (override.prices) {
    if (component.book) book.prices = override.prices.map(priceRowToWire);
    else refuse(['prices'], 'Is only for a component with group_by.');
  }
  const terms = { free_tier, rounding, prepaid_units, ...book, ...limits };
  checkComponent({ ...priceToWire(overriddenPrice(price, override)), ...terms }, refuse);
}
