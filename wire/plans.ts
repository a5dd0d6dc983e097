import { z } from '@hono/zod-openapi';
import type { Component } from '../billing/pricing/rating.ts';
import type { Feature, Plan } from '../billing/subscriptions/subscription.ts';
import { isoFromInstant } from '../core/instants.ts';
import { canCheckPlan, checkPlan } from './plan-checks.ts';
import {
  currencyCodeInput,
  decimalInput,
  decimalWire,
  instantWire,
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
  up_to: orNull(decimalInput.refine((edge) => edge.gt(0), 'Must be greater than 0.')),
  unit_price: unitPriceInput,
  flat_fee: nonNegativeInput.optional(),
});

/** A pricing component (spec/plans#components): `price` is a synonym of `overage_price`, which alone means per_unit. */
const componentInput = z.strictObject({
  component_id: idAsRead,
  metric_id: textInput,
  pricing_model: z.enum(PRICING_MODELS).default('per_unit'),
  free_tier: nonNegativeInput.optional(),
  overage_price: orNull(unitPriceInput).optional(),
  price: orNull(unitPriceInput).optional(),
  tiers: z.array(tierInput).min(1, 'Must have at least one tier.').max(100).nullish(),
  package_size: orNull(decimalInput.refine((size) => size.gt(0), 'Must be greater than 0.')).optional(),
  rounding: z.enum(ROUNDINGS).default('no_rounding'),
  prepaid_units: nonNegativeInput.optional(),
});

/** A feature (spec/plans#features): `limit` makes it limit-based, measured by `metric_id` where given. */
const featureInput = z.strictObject({
  feature_id: idAsRead,
  name: textInput,
  included: z.boolean(),
  limit: orNull(nonNegativeInput).optional(),
  metric_id: textInput.nullable().optional(),
});

export type ComponentInput = z.output<typeof componentInput>;
export type FeatureInput = z.output<typeof featureInput>;

const changeable = {
  name: textInput,
  recurring_fee: nonNegativeInput,
  components: z.array(componentInput).max(200),
  features: z.array(featureInput).max(200),
  charge_timing: z.enum(['in_arrears', 'in_advance'], 'Must be in_arrears or in_advance.'),
};

/** Body of POST /api/plans (spec/plans#versions). */
export const planCreate = z
  .strictObject({
    ...changeable,
    recurring_fee: changeable.recurring_fee.optional(),
    components: changeable.components.default([]),
    features: changeable.features.default([]),
    charge_timing: changeable.charge_timing.default('in_arrears'),
    billing_period: z
      .enum(['monthly', 'quarterly', 'annual', 'yearly'], {
        error: ({ input }) => (input === undefined ? undefined : 'Must be one of monthly, quarterly, annual.'),
      })
      .transform((period) => (period === 'yearly' ? 'annual' : period)),
    currency: currencyCodeInput.optional(),
    metadata: metadataInput.default({}),
  })
  .superRefine(checkPlan, { when: ({ value }) => canCheckPlan(value) });

/** Body of PATCH /api/plans/<id>: what it names makes the next version (spec/plans#versions). */
export const planUpdate = z
  .strictObject(changeable)
  .partial()
  .superRefine(checkPlan, { when: ({ value }) => canCheckPlan(value) });

/** `{plan_id}` in a path. */
export const planPath = z.object({ plan_id: z.string() });

export const PLAN_SYNONYMS = { payment_timing: 'charge_timing' };

const tierWire = z.object({ up_to: orNull(decimalWire), unit_price: decimalWire, flat_fee: decimalWire });

export const componentWire = z.object({
  component_id: z.string(),
  metric_id: z.string(),
  pricing_model: z.enum(PRICING_MODELS),
  free_tier: decimalWire,
  overage_price: orNull(decimalWire),
  tiers: z.array(tierWire).nullable(),
  package_size: orNull(decimalWire),
  rounding: z.enum(ROUNDINGS),
  prepaid_units: decimalWire,
});

const featureWire = z.object({
  feature_id: z.string(),
  name: z.string(),
  included: z.boolean(),
  limit: orNull(decimalWire),
  metric_id: z.string().nullable(),
});

export const planWire = z
  .object({
    plan_id: z.string(),
    name: z.string(),
    recurring_fee: decimalWire,
    billing_period: z.enum(['monthly', 'quarterly', 'annual']),
    currency: z.string().openapi({ example: 'usd' }),
    charge_timing: z.enum(['in_arrears', 'in_advance']),
    components: z.array(componentWire),
    features: z.array(featureWire),
    version: z.int(),
    version_id: z.string(),
    status: z.enum(['active', 'archived']),
    created_at: instantWire,
    metadata: metadataWire,
  })
  .openapi('Plan');

/** The plan, in one of its versions, as the API returns it. Its currency is the lower-case code (spec/api#currencies). */
export function planToWire(plan: Plan): z.infer<typeof planWire> {
  return {
    plan_id: plan.planId,
    name: plan.name,
    recurring_fee: plan.recurringFee,
    billing_period: plan.billingPeriod,
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
  return {
    component_id: component.componentId,
    metric_id: component.metricId,
    pricing_model: component.pricingModel,
    free_tier: component.freeTier,
    overage_price: component.overagePrice,
    tiers:
      component.tiers?.map((tier) => ({ up_to: tier.upTo, unit_price: tier.unitPrice, flat_fee: tier.flatFee })) ??
      null,
    package_size: component.packageSize,
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
