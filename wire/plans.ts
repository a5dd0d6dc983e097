import { z } from '@hono/zod-openapi';
import { BILLING_CALENDARS, type PlanCalendar } from '../billing/periods/calendars.ts';
import { fieldsOfPrice } from '../billing/pricing/price.ts';
import type { Component } from '../billing/pricing/rating.ts';
import type { Feature, Plan } from '../billing/subscriptions/subscription.ts';
import { isoFromInstant } from '../core/instants.ts';
import { canCheckPlan, checkPlan } from './plan-checks.ts';
import {
  currencyCodeInput,
  decimalInput,
  decimalWire,
  instantWire,
  integerInput,
  metadataInput,
  metadataWire,
  nonNegativeInput,
  orNull,
  textInput,
  unitPriceInput,
} from './primitives.ts';

const ROUNDINGS = ['round_down', 'round_up', 'round_nearest', 'no_rounding'] as const;
const PRICING_MODELS = ['per_unit', 'tiered', 'volume', 'package'] as const;

/** A plan's parts may be sent back as they were read. Their ids are the service's own (spec/api#ids): what is sent changes nothing. */
const idAsRead = textInput.optional();

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
const componentInput = z.strictObject({
  component_id: idAsRead.openapi({
    description: 'Taken back as it was read; it changes nothing.',
    example: 'comp_01jd3k9x',
  }),
  metric_id: textInput.openapi({ description: 'The metric whose value is billed.', example: 'metric_01jd3k9x' }),
  pricing_model: z
    .enum(PRICING_MODELS)
    .default('per_unit')
    .openapi({ description: 'How the billable quantity is priced: with tiers tiered or volume.', example: 'per_unit' }),
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
  rounding: z
    .enum(ROUNDINGS)
    .default('no_rounding')
    .openapi({ description: 'How the quantity is rounded, once, half away from zero.', example: 'no_rounding' }),
  prepaid_units: nonNegativeInput
    .optional()
    .openapi({ description: 'Units paid ahead each period, at the own price of so many.', example: 0 }),
});

/** A feature (spec/plans#features): `limit` makes it limit-based, measured by `metric_id` where given. */
const featureInput = z.strictObject({
  feature_id: idAsRead.openapi({
    description: 'Taken back as it was read; it changes nothing.',
    example: 'feat_01jd3k9x',
  }),
  name: textInput.openapi({ description: 'Name of the feature, by which access is asked.', example: 'sso' }),
  included: z.boolean().openapi({ description: 'Whether the plan includes the feature.', example: true }),
  limit: orNull(nonNegativeInput)
    .optional()
    .openapi({ description: 'The most that may be used in a period; null: unlimited.', example: 100 }),
  metric_id: textInput
    .nullable()
    .optional()
    .openapi({ description: 'The metric that the limit is about; null: nothing is measured.', example: null }),
});

export type ComponentInput = z.output<typeof componentInput>;
export type FeatureInput = z.output<typeof featureInput>;

const changeable = {
  name: textInput.openapi({ description: 'Display name of the plan.', example: 'Pro' }),
  recurring_fee: nonNegativeInput.openapi({ description: 'Fee of a period in major units.', example: 29 }),
  components: z
    .array(componentInput)
    .max(200)
    .openapi({ description: 'What usage costs: one component for each billed metric.' }),
  features: z.array(featureInput).max(200).openapi({ description: 'What the plan includes or limits.' }),
  charge_timing: z.enum(['in_arrears', 'in_advance'], 'Must be in_arrears or in_advance.').openapi({
    description: 'Whether the recurring fee is charged at the end (in_arrears) or the start (in_advance) of a period.',
    example: 'in_arrears',
  }),
};

const CALENDAR =
  'What periods are counted by: fixed_days; anniversary, months from the start date; calendar, months from anchor_day on. Fixed for the life of a plan.';
const ANCHOR_DAY =
  'The day of the month on which periods start by calendar, by default 1; in a month that lacks it, its last day. Null by other calendars.';

/** Body of POST /api/plans (spec/plans#versions). */
export const planCreate = z
  .strictObject({
    ...changeable,
    recurring_fee: changeable.recurring_fee
      .optional()
      .openapi({ description: 'Fee of a period in major units.', example: 29 }),
    components: changeable.components
      .default([])
      .openapi({ description: 'What usage costs: one component for each billed metric.' }),
    features: changeable.features.default([]).openapi({ description: 'What the plan includes or limits.' }),
    charge_timing: changeable.charge_timing.default('in_arrears').openapi({
      description:
        'Whether the recurring fee is charged at the end (in_arrears) or the start (in_advance) of a period.',
      example: 'in_arrears',
    }),
    billing_period: z
      .enum(['monthly', 'quarterly', 'annual', 'yearly'], {
        error: ({ input }) => (input === undefined ? undefined : 'Must be one of monthly, quarterly, annual.'),
      })
      .transform((period) => (period === 'yearly' ? 'annual' : period))
      .openapi({
        description: 'Length of a period: 1, 3 or 12 months; by fixed_days 30, 90 or 365 days.',
        example: 'monthly',
      }),
    billing_calendar: z
      .enum(BILLING_CALENDARS, `Must be one of ${BILLING_CALENDARS.join(', ')}.`)
      .default('fixed_days')
      .openapi({ description: CALENDAR, example: 'calendar' }),
    anchor_day: orNull(integerInput(1, 31)).optional().openapi({ description: ANCHOR_DAY, example: 1 }),
    currency: currencyCodeInput
      .optional()
      .openapi({ description: "ISO 4217 code of its prices; by default the account's currency.", example: 'usd' }),
    metadata: metadataInput.default({}).openapi({
      description: "The caller's own texts: up to 50 keys with values of up to 500 characters.",
      example: { team: 'growth' },
    }),
  })
  .superRefine(checkPlan, { when: ({ value }) => canCheckPlan(value) })
  .openapi({
    example: {
      name: 'Pro',
      recurring_fee: 29,
      billing_period: 'monthly',
      components: [{ metric_id: 'metric_01jd3k9x', free_tier: 1000, overage_price: 0.002 }],
      features: [{ name: 'sso', included: true }],
    },
  });
export type PlanCreate = z.output<typeof planCreate>;

/** How the periods of a plan lie, as it was asked for. */
export function planCalendar({ billing_period, billing_calendar, anchor_day }: PlanCreate): PlanCalendar {
  const anchorDay = billing_calendar === 'calendar' ? (anchor_day ?? 1) : null;
  return { billingPeriod: billing_period, billingCalendar: billing_calendar, anchorDay };
}

/** Body of PATCH /api/plans/<id>: what it names makes the next version (spec/plans#versions). */
export const planUpdate = z
  .strictObject(changeable)
  .partial()
  .superRefine(checkPlan, { when: ({ value }) => canCheckPlan(value) })
  .openapi({ example: { recurring_fee: 39 } });
export type PlanUpdate = z.output<typeof planUpdate>;

/** `{plan_id}` in a path. */
export const planPath = z.object({
  plan_id: z.string().openapi({ description: 'Id of a plan.', example: 'plan_01jd3k9x' }),
});

export const PLAN_SYNONYMS = { payment_timing: 'charge_timing' };

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

export const componentWire = z.object({
  component_id: z.string().openapi({ description: 'Id of a price component.', example: 'comp_01jd3k9x' }),
  metric_id: z.string().openapi({ description: 'The metric whose value is billed.', example: 'metric_01jd3k9x' }),
  pricing_model: z
    .enum(PRICING_MODELS)
    .openapi({ description: 'How the billable quantity is priced.', example: 'per_unit' }),
  free_tier: decimalWire.openapi({ description: 'Units that cost nothing, each period.', example: 1000 }),
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
  rounding: z
    .enum(ROUNDINGS)
    .openapi({ description: 'How the quantity is rounded, once, half away from zero.', example: 'no_rounding' }),
  prepaid_units: decimalWire.openapi({
    description: 'Units paid ahead each period, at the own price of so many.',
    example: 0,
  }),
});

const featureWire = z.object({
  feature_id: z
    .string()
    .openapi({ description: 'Id of a feature: one for each name in the account.', example: 'feat_01jd3k9x' }),
  name: z.string().openapi({ description: 'Name of the feature, by which access is asked.', example: 'sso' }),
  included: z.boolean().openapi({ description: 'Whether the plan includes the feature.', example: true }),
  limit: orNull(decimalWire).openapi({
    description: 'The most that may be used in a period; null: unlimited.',
    example: 100,
  }),
  metric_id: z
    .string()
    .nullable()
    .openapi({ description: 'The metric that the limit is about; null: nothing is measured.', example: null }),
});

export const planWire = z
  .object({
    plan_id: z.string().openapi({ description: 'Id of a plan.', example: 'plan_01jd3k9x' }),
    name: z.string().openapi({ description: 'Display name of the plan.', example: 'Pro' }),
    recurring_fee: decimalWire.openapi({ description: 'Fee of a period in major units.', example: 29 }),
    billing_period: z.enum(['monthly', 'quarterly', 'annual']).openapi({
      description: 'Length of a period: 1, 3 or 12 months; by fixed_days 30, 90 or 365 days.',
      example: 'monthly',
    }),
    billing_calendar: z.enum(BILLING_CALENDARS).openapi({ description: CALENDAR, example: 'fixed_days' }),
    anchor_day: z.int().nullable().openapi({ description: ANCHOR_DAY, example: null }),
    currency: z.string().openapi({ description: 'ISO 4217 code of its prices, in lower case.', example: 'usd' }),
    charge_timing: z.enum(['in_arrears', 'in_advance']).openapi({
      description:
        'Whether the recurring fee is charged at the end (in_arrears) or the start (in_advance) of a period.',
      example: 'in_arrears',
    }),
    components: z
      .array(componentWire)
      .openapi({ description: 'What usage costs: one component for each billed metric.' }),
    features: z.array(featureWire).openapi({ description: 'What the plan includes or limits.' }),
    version: z.int().openapi({ description: 'The version of the plan that this is: 1, 2, ...', example: 1 }),
    version_id: z.string().openapi({ description: 'Id of the version of the plan.', example: 'planv_01jd3k9x' }),
    status: z.enum(['active', 'archived']).openapi({
      description: 'archived: nobody can subscribe to it any more; who has it goes on.',
      example: 'active',
    }),
    created_at: instantWire.openapi({ description: 'When this version was made.' }),
    metadata: metadataWire.openapi({
      description: "The caller's own texts: up to 50 keys with values of up to 500 characters.",
      example: { team: 'growth' },
    }),
  })
  .openapi('Plan');

/** The plan, in one of its versions, as the API returns it. Its currency is the lower-case code (spec/api#currencies). */
export function planToWire(plan: Plan): z.infer<typeof planWire> {
  return {
    plan_id: plan.planId,
    name: plan.name,
    recurring_fee: plan.recurringFee,
    billing_period: plan.billingPeriod,
    billing_calendar: plan.billingCalendar,
    anchor_day: plan.anchorDay,
    currency: plan.currency.toLowerCase(),
    charge_timing: plan.chargeTiming,
    components: plan.components.map(componentToWire),
    features: plan.features.map(featureToWire),
    version: plan.version,
    version_id: plan.versionId,
    status: plan.status,
    created_at: isoFromInstant(plan.createdAt),
    metadata: plan.metadata,
  };
}

/** The component as the API returns it. */
export function componentToWire(component: Component): z.infer<typeof componentWire> {
  const { overagePrice, tiers, packageSize } = fieldsOfPrice(component);
  return {
    component_id: component.componentId,
    metric_id: component.metricId,
    pricing_model: component.pricingModel,
    free_tier: component.freeTier,
    overage_price: overagePrice,
    tiers: tiers?.map((tier) => ({ up_to: tier.upTo, unit_price: tier.unitPrice, flat_fee: tier.flatFee })) ?? null,
    package_size: packageSize,
    rounding: component.rounding,
    prepaid_units: component.prepaidUnits,
  };
}

function featureToWire(feature: Feature): z.infer<typeof featureWire> {
  return {
    feature_id: feature.featureId,
    name: feature.name,
    included: feature.included,
    limit: feature.limit,
    metric_id: feature.metricId,
  };
}
