import { priceOfFields } from '../../../billing/pricing/price.ts';
import type { Component } from '../../../billing/pricing/rating.ts';
import type { Feature, Plan } from '../../../billing/subscriptions/subscription.ts';
import { type Decimal, decimal } from '../../../core/decimal.ts';
import type { Instant } from '../../../core/instants.ts';

/** A plan joined with one of its versions; the version's own time is its `created_at`. */
export type PlanRow = {
  plan_id: string;
  version: number;
  version_id: string;
  name: string;
  recurring_fee: string;
  billing_period: Plan['billingPeriod'];
  currency: string;
  charge_timing: Plan['chargeTiming'];
  status: Plan['status'];
  metadata: Record<string, string>;
  created_at: Instant;
};

/** Numbers inside `tiers` come as exact decimals. */
export type ComponentRow = {
  version_id: string;
  component_id: string;
  metric_id: string;
  pricing_model: Component['pricingModel'];
  free_tier: string;
  overage_price: string | null;
  tiers: { up_to: Decimal | null; unit_price: Decimal; flat_fee: Decimal }[] | null;
  package_size: string | null;
  rounding: Component['rounding'];
  prepaid_units: string;
};

export type FeatureRow = {
  version_id: string;
  feature_id: string;
  name: string;
  included: boolean;
  usage_limit: string | null;
  metric_id: string | null;
};

/** The plan of a version, with what hangs on that version. */
export function planFromRow(row: PlanRow, parts: Pick<Plan, 'components' | 'features'>): Plan {
  return {
    planId: row.plan_id,
    name: row.name,
    recurringFee: decimal(row.recurring_fee),
    billingPeriod: row.billing_period,
    currency: row.currency,
    chargeTiming: row.charge_timing,
    ...parts,
    version: row.version,
    versionId: row.version_id,
    status: row.status,
    createdAt: row.created_at,
    metadata: row.metadata,
  };
}

/** What hangs on a plan version. */
export function planPartsFromRows(components: readonly ComponentRow[], features: readonly FeatureRow[]) {
  return { components: components.map(componentFromRow), features: features.map(featureFromRow) };
}

function componentFromRow(row: ComponentRow): Component {
  return {
    componentId: row.component_id,
    metricId: row.metric_id,
    ...priceOfFields({
      pricingModel: row.pricing_model,
      overagePrice: row.overage_price === null ? null : decimal(row.overage_price),
      tiers:
        row.tiers?.map((tier) => ({ upTo: tier.up_to, unitPrice: tier.unit_price, flatFee: tier.flat_fee })) ?? null,
      packageSize: row.package_size === null ? null : decimal(row.package_size),
    }),
    freeTier: decimal(row.free_tier),
    rounding: row.rounding,
    prepaidUnits: decimal(row.prepaid_units),
  };
}

function featureFromRow(row: FeatureRow): Feature {
  return {
    featureId: row.feature_id,
    name: row.name,
    included: row.included,
    limit: row.usage_limit === null ? null : decimal(row.usage_limit),
    metricId: row.metric_id,
  };
}
