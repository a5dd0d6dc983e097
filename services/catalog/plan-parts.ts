import type { Metric } from '../../billing/catalog/metrics.ts';
import { priceOfFields } from '../../billing/pricing/price.ts';
import type { Component } from '../../billing/pricing/rating.ts';
import type { Feature } from '../../billing/subscriptions/subscription.ts';
import { currencyOf } from '../../core/currencies.ts';
import { type Decimal, ZERO } from '../../core/decimal.ts';
import { conflict, type FieldMessages, invalid, notFound } from '../../core/domain-error.ts';
import { newId } from '../../core/ids.ts';
import { lockMetricsForShare } from '../../sql/postgres/catalog/metrics.ts';
import { upsertFeatureIds } from '../../sql/postgres/catalog/plan-versions.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { type ComponentInput, tierOf } from '../../wire/catalog/components.ts';
import type { FeatureInput } from '../../wire/catalog/features.ts';
import { limitsOf, type SentLimits } from '../../wire/catalog/limits.ts';

type PlanInput = PlanMoney & { components?: ComponentInput[] | undefined; features?: FeatureInput[] | undefined };

/** What is money of a plan, or of what is agreed on in its place. */
type PlanMoney = SentLimits & {
  recurring_fee?: Decimal | undefined;
  components?: (SentLimits & { tiers?: { flat_fee?: Decimal | undefined }[] | null | undefined })[] | undefined;
};

/**
 * Makes sure that money of a plan has no more decimals than its currency; unit prices may have more (spec/api#numbers).
 * @throws DomainError `invalid` naming each such field.
 */
export function checkPlanMoney(plan: PlanMoney, currency: string): void {
  const errors = moneyErrors(plan, currency);
  if (Object.keys(errors).length > 0) throw invalid(errors);
}

/** The fields that have more decimals than the currency. */
export function moneyErrors(plan: PlanMoney, currency: string): FieldMessages {
  const { exponent } = currencyOf(currency);
  const money: [string, Decimal | null | undefined][] = [['recurring_fee', plan.recurring_fee], ...limitsIn(plan, '')];
  for (const [i, component] of (plan.components ?? []).entries()) {
    money.push(...limitsIn(component, `components.${i}.`));
    for (const [j, tier] of (component.tiers ?? []).entries())
      money.push([`components.${i}.tiers.${j}.flat_fee`, tier.flat_fee]);
  }
  const bad = money.filter(([, amount]) => amount && (amount.decimalPlaces() ?? 0) > exponent);
  const messages = [`Must have at most ${exponent} decimals in ${currency}.`];
  return Object.fromEntries(bad.map(([field]) => [field, messages]));
}

function limitsIn(
  { minimum_amount, maximum_amount }: SentLimits,
  path: string,
): [string, Decimal | null | undefined][] {
  return [
    [`${path}minimum_amount`, minimum_amount],
    [`${path}maximum_amount`, maximum_amount],
  ];
}

/**
 * Makes sure that all metrics a plan names exist and are active, and keeps them so until the transaction ends.
 * @throws DomainError `invalid` for a percentage of a metric that is no sum; `not_found`; `conflict` for an archived one.
 */
export async function lockPlanMetricsForShare(tx: Transaction, accountId: string, plan: PlanInput): Promise<void> {
  const named = [...(plan.components ?? []), ...(plan.features ?? [])].flatMap((part) => part.metric_id ?? []);
  const metrics = await lockMetricsForShare(tx, accountId, named);
  const errors = percentageErrors(plan.components ?? [], metrics);
  if (Object.keys(errors).length > 0) throw invalid(errors);
  const missing = named.find((id) => !metrics.some((metric) => metric.metricId === id));
  if (missing !== undefined) throw notFound(`metric ${missing}`);
  const archived = metrics.find((metric) => metric.status === 'archived');
  if (archived) throw conflict(`Metric ${archived.metricId} is archived.`);
}

/** Components by percentage of what is no sum: events have a value of their own where the metric is their sum (spec/rating#percentage). */
export function percentageErrors(
  components: readonly { metric_id: string; pricing_model?: string | undefined }[],
  metrics: readonly Metric[],
): FieldMessages {
  const bad = [...components.entries()].flatMap(([i, { pricing_model, metric_id }]) => {
    const metric = metrics.find(({ metricId }) => metricId === metric_id);
    if (pricing_model !== 'percentage' || !metric || metric.aggregationType === 'sum') return [];
    return [
      [`components.${i}.pricing_model`, [`Is only for metrics that are a sum; this one is ${metric.aggregationType}.`]],
    ];
  });
  return Object.fromEntries(bad);
}

/** New components of a plan version. */
export function componentsOf(inputs: ComponentInput[]): Component[] {
  return inputs.map((input) => ({
    componentId: newId('comp'),
    metricId: input.metric_id,
    ...priceOfFields({
      pricingModel: input.pricing_model,
      overagePrice: input.overage_price ?? input.price ?? null,
      tiers: input.tiers?.map(tierOf) ?? null,
      packageSize: input.package_size ?? null,
      percentage: input.percentage ?? null,
      fixedAmount: input.fixed_amount ?? ZERO,
      perEventMinimum: input.per_event_minimum ?? null,
      perEventMaximum: input.per_event_maximum ?? null,
    }),
    freeTier: input.free_tier ?? ZERO,
    rounding: input.rounding,
    prepaidUnits: input.prepaid_units ?? ZERO,
    ...limitsOf(input),
  }));
}

/** The features of a plan version; a name keeps its id throughout the account (spec/plans#features). */
export async function featuresOf(tx: Transaction, accountId: string, inputs: FeatureInput[]): Promise<Feature[]> {
  const names = inputs.map((input) => input.name);
  const ids = await upsertFeatureIds(tx, accountId, names);
  return inputs.map((input) => {
    const featureId = ids.get(input.name);
    if (featureId === undefined) throw new Error(`feature ${input.name} has no id`);
    const { name, included, limit = null, metric_id: metricId = null } = input;
    return { featureId, name, included, limit, metricId };
  });
}
