import type { Metric } from '../../billing/catalog/metrics.ts';
import type { Component } from '../../billing/pricing/rating.ts';
import type { Feature, Plan } from '../../billing/subscriptions/subscription.ts';
import { currencyOf } from '../../core/currencies.ts';
import { type Decimal, ZERO } from '../../core/decimal.ts';
import { conflict, type FieldMessages, invalid, notFound } from '../../core/domain-error.ts';
import { newId } from '../../core/ids.ts';
import { lockMetricsForShare } from '../../sql/postgres/catalog/metrics.ts';
import { upsertFeatureIds } from '../../sql/postgres/catalog/plan-versions.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import type { ComponentInput } from '../../wire/catalog/components.ts';
import type { FeatureInput } from '../../wire/catalog/features.ts';
import { limitsOf, type SentLimits } from '../../wire/catalog/limits.ts';
import { bookSent } from '../../wire/catalog/price-books.ts';
import { priceSent } from '../../wire/catalog/prices.ts';

type PlanInput = PlanMoney & { components?: ComponentInput[] | undefined; features?: FeatureInput[] | undefined };

type SentTiers = { tiers?: { flat_fee?: Decimal | undefined }[] | null | undefined };

/** What is money of a plan, or of what is agreed on in its place. */
type PlanMoney = SentLimits & {
  recurring_fee?: Decimal | undefined;
  components?: (SentLimits & SentTiers & { prices?: SentTiers[] | null | undefined })[] | undefined;
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
  const money: [string, Decimal | null | undefined][] = [['recurring_fee', plan.recurring_fee], ...limitsIn(plan, '')];
  for (const [i, component] of (plan.components ?? []).entries()) {
    money.push(...limitsIn(component, `components.${i}.`));
    money.push(...flatFeesIn(component, `components.${i}.`));
    for (const [j, row] of (component.prices ?? []).entries()) {
      money.push(...flatFeesIn(row, `components.${i}.prices.${j}.`));
    }
  }
  return decimalsErrors(money, currency);
}

function decimalsErrors(money: readonly [string, Decimal | null | undefined][], currency: string): FieldMessages {
  const { exponent } = currencyOf(currency);
  const bad = money.filter(([, amount]) => amount && (amount.decimalPlaces() ?? 0) > exponent);
  const messages = [`Must have at most ${exponent} decimals in ${currency}.`];
  return Object.fromEntries(bad.map(([field]) => [field, messages]));
}

/** What its currency and its metric have against a price. */
export function priceErrors(
  price: SentTiers & PricedBy,
  { currency, metric }: { currency: string; metric: Metric | undefined },
): FieldMessages {
  const message = metric && percentageRefusal(price, metric);
  return { ...decimalsErrors(flatFeesIn(price, ''), currency), ...(message && { pricing_model: [message] }) };
}

/** Events have a value of their own where the metric is their sum (spec/rating#percentage). */
function percentageRefusal({ pricing_model }: PricedBy, { aggregationType }: Metric): string | undefined {
  if (pricing_model !== 'percentage' || aggregationType === 'sum') return;
  return `Is only for metrics that are a sum; this one is ${aggregationType}.`;
}

function flatFeesIn({ tiers }: SentTiers, path: string): [string, Decimal | undefined][] {
  return (tiers ?? []).map((tier, i) => [`${path}tiers.${i}.flat_fee`, tier.flat_fee]);
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

type PricedBy = { pricing_model?: string | null | undefined };

/** Components and rows by percentage of what is no sum. */
export function percentageErrors(
  components: readonly (PricedBy & { metric_id: string; prices?: readonly PricedBy[] | null | undefined })[],
  metrics: readonly Metric[],
): FieldMessages {
  const bad = [...components.entries()].flatMap(([i, component]) => {
    const metric = metrics.find(({ metricId }) => metricId === component.metric_id);
    if (!metric) return [];
    const rows = (component.prices ?? []).map((row, j) => [`components.${i}.prices.${j}`, row] as const);
    return [[`components.${i}`, component] as const, ...rows].flatMap(([path, price]) => {
      const message = percentageRefusal(price, metric);
      return message === undefined ? [] : [[`${path}.pricing_model`, [message]]];
    });
  });
  return Object.fromEntries(bad);
}

/** New components of a plan version. */
export function componentsOf(inputs: ComponentInput[]): Component[] {
  return inputs.map((input) => ({
    componentId: newId('comp'),
    metricId: input.metric_id,
    ...(input.group_by && input.unmatched !== 'price' ? { pricingModel: null } : priceSent(input)),
    freeTier: input.free_tier ?? ZERO,
    rounding: input.rounding,
    prepaidUnits: input.prepaid_units ?? ZERO,
    ...limitsOf(input),
    ...bookSent(input, newPriceId),
  }));
}

/** The id of a new row of a price book. */
export function newPriceId(): string {
  return newId('price');
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

/** Rows that the price books of a plan may have in all, unless the operator says otherwise (`PLAN_PRICES_MAX`). */
export const MOST_PLAN_PRICES = 5_000;

/** Refuses more rows in the price books of a plan, in all of its currencies, than there may be. @throws DomainError `invalid` */
export function checkPriceCount(
  { components, currencyOptions = {} }: Pick<Plan, 'components' | 'currencyOptions'>,
  most: number,
): void {
  const own = components.map(({ book }) => book?.rows.length ?? 0);
  const further = Object.values(currencyOptions).flatMap((option) =>
    (option.components ?? []).map(({ prices }) => prices?.length ?? 0),
  );
  const count = [...own, ...further].reduce((sum, rows) => sum + rows, 0);
  if (count > most) throw invalid({ components: [`Their price books may have ${most} rows in all, not ${count}.`] });
}
