import type { Metric } from '../../billing/catalog/metrics.ts';
import { fieldsOfPrice, type PriceFields } from '../../billing/pricing/price.ts';
import type { Component } from '../../billing/pricing/rating.ts';
import type { ComponentOverride, Overrides } from '../../billing/subscriptions/agreement.ts';
import {
  moneylessPrice,
  overriddenLimits,
  overriddenPlan,
  overrideOf,
  planInCurrency,
} from '../../billing/subscriptions/overrides.ts';
import type { Plan } from '../../billing/subscriptions/subscription.ts';
import { type FieldMessages, invalid, notFound } from '../../core/domain-error.ts';
import { newId } from '../../core/ids.ts';
import type { Instant } from '../../core/instants.ts';
import { findMetrics } from '../../sql/postgres/catalog/metrics.ts';
import { insertPlanVersion, takeAgreedVersion } from '../../sql/postgres/catalog/plan-versions.ts';
import { findPlanIn } from '../../sql/postgres/catalog/plans.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { limitErrors, limitsToWire } from '../../wire/catalog/limits.ts';
import { checkOverriddenComponent, overridesToWire } from '../../wire/catalog/overrides.ts';
import { moneyErrors, percentageErrors } from './plan-parts.ts';

/**
 * A plan as one subscription agrees on it, which is not stored yet: its version is 0. `plan` is an offered version, or one of its currencies.
 * @throws DomainError `invalid` naming each field, under `path`, that makes no valid plan; `not_found` for an unknown metric.
 */
export async function agreedPlan(
  tx: Transaction,
  accountId: string,
  plan: Plan,
  overrides: Overrides,
  path = 'overrides',
): Promise<Plan> {
  const metrics = await findNamedMetrics(tx, accountId, plan, [overrides]);
  const errors = errorsOfOverrides(plan, overrides, { path, currency: plan.currency, metrics, priceOf: fieldsOfPrice });
  throwIfAny(errors, plan, [overrides], metrics);
  const { version, versionId, agreement } = plan;
  const basedOn = agreement?.basedOn ?? { version, versionId };
  return { ...overriddenPlan(plan, overrides), version: 0, agreement: { basedOn, overrides } };
}

/** Stores such a plan as a version of its own (spec/plans#agreed-versions), and answers that; any other as it is. */
export async function storeAgreed(tx: Transaction, accountId: string, plan: Plan, now: Instant): Promise<Plan> {
  return plan.version === 0 ? insertAgreed(tx, accountId, { ...plan, createdAt: now }) : plan;
}

/** Stores a version that has been made in each of its further currencies; `sharesPriceBooks` as of `insertPlanVersion`. */
export async function insertCurrencies(
  tx: Transaction,
  accountId: string,
  plan: Plan,
  sharing: { sharesPriceBooks?: boolean } = {},
): Promise<void> {
  for (const [currency, option] of Object.entries(plan.currencyOptions ?? {})) {
    const agreement = { basedOn: { version: plan.version, versionId: plan.versionId }, overrides: null };
    await insertAgreed(tx, accountId, { ...planInCurrency(plan, currency, option), agreement }, sharing);
  }
}

async function insertAgreed(
  tx: Transaction,
  accountId: string,
  plan: Plan,
  sharing: { sharesPriceBooks?: boolean } = {},
): Promise<Plan> {
  const { currencyOptions: _options, ...priced } = plan;
  const version = await takeAgreedVersion(tx, accountId, plan.planId);
  const components = await withAddedPrices(tx, accountId, priced);
  const agreed = { ...priced, components, version, versionId: newId('planv') };
  await insertPlanVersion(tx, accountId, agreed, sharing);
  return agreed;
}

/**
 * Makes sure that each of a plan's currencies prices all that the plan does.
 * @throws DomainError `invalid` naming each field that does not; `not_found` for an unknown metric.
 */
export async function checkCurrencies(tx: Transaction, accountId: string, plan: Plan): Promise<void> {
  const errors: FieldMessages = {};
  const metrics = await findNamedMetrics(tx, accountId, plan, Object.values(plan.currencyOptions ?? {}));
  for (const [currency, option] of Object.entries(plan.currencyOptions ?? {})) {
    const path = `currency_options.${currency.toLowerCase()}`;
    if (currency === plan.currency) errors[path] = ['Is the currency of the plan itself.'];
    if (plan.recurringFee.gt(0) && !option.recurringFee) errors[`${path}.recurring_fee`] = ['Required.'];
    for (const { metricId } of plan.components) {
      if (!overrideOf(option, metricId)) errors[`${path}.components`] = [`Must price metric ${metricId}, too.`];
    }
    for (const [i, { metricId, prices }] of (option.components ?? []).entries()) {
      const isBook = plan.components.some((component) => component.metricId === metricId && component.book);
      if (isBook && !prices) errors[`${path}.components.${i}.prices`] = ['Is required for a component with group_by.'];
    }
    const unlimited = withoutLimits(plan);
    Object.assign(errors, errorsOfOverrides(unlimited, option, { path, currency, metrics, priceOf: moneylessPrice }));
  }
  throwIfAny(errors, plan, Object.values(plan.currencyOptions ?? {}), metrics);
}

function withoutLimits({ limits: _limits, ...plan }: Plan): Plan {
  return { ...plan, components: plan.components.map(({ limits: _own, ...component }) => component) };
}

/** The metrics that overrides price by percentage (only sums can be), and those that the plan does not bill. */
async function findNamedMetrics(
  tx: Transaction,
  accountId: string,
  plan: Plan,
  all: readonly Overrides[],
): Promise<Metric[]> {
  const unbilled = (metricId: string) => !plan.components.some((component) => component.metricId === metricId);
  const components = all.flatMap((one) => one.components ?? []);
  const ids = components.filter((one) => isByPercentage(one) || unbilled(one.metricId)).map(({ metricId }) => metricId);
  return findMetrics(tx, accountId, [...new Set(ids)]);
}

function isByPercentage({ pricingModel, prices = [] }: ComponentOverride): boolean {
  return [pricingModel, ...prices.map(({ price }) => price.pricingModel)].includes('percentage');
}

/**
 * The components with the price books of the offered version as they are, now that the plan is locked: rows may have been added since it
 * was read, and what is added from here on finds this version.
 */
async function withAddedPrices(tx: Transaction, accountId: string, { agreement, ...plan }: Plan) {
  const { planId, currency, components } = plan;
  if (!agreement?.overrides || components.every(({ book }) => !book)) return components;
  const offered = await findPlanIn(tx, accountId, { planId, version: agreement.basedOn.version, currency });
  if (!offered) throw new Error(`plan ${planId} has lost version ${agreement.basedOn.version}`);
  return overriddenPlan(offered, agreement.overrides).components;
}

const NOT_BILLED = 'Is not billed by the plan.';

/** Throws what is wrong: where that is only that a metric is not billed, and there is none of the name, `not_found`. */
function throwIfAny(errors: FieldMessages, plan: Plan, all: readonly Overrides[], known: readonly Metric[]): void {
  const messages = Object.values(errors).flat();
  if (messages.length === 0) return;
  const names = all.flatMap(({ components = [] }) => components.map(({ metricId }) => metricId));
  const unknown = names.find((name) => [...plan.components, ...known].every(({ metricId }) => metricId !== name));
  if (unknown !== undefined && messages.every((message) => message === NOT_BILLED)) throw notFound(`metric ${unknown}`);
  throw invalid(errors);
}

type Checked = {
  path: string;
  currency: string;
  metrics: readonly Metric[];
  priceOf(component: Component): PriceFields;
};

/** What is wrong with overrides of a plan; `priceOf`: what of a component's price stays where it is not named. */
function errorsOfOverrides(
  plan: Plan,
  overrides: Overrides,
  { path, currency, metrics, priceOf }: Checked,
): FieldMessages {
  const errors: [string, string[]][] = [];
  const fee = overrides.recurringFee ?? plan.recurringFee;
  const limits = limitsToWire(overriddenLimits(plan.limits, overrides));
  for (const [field, message] of limitErrors(limits, fee)) errors.push([`${path}.${field}`, [message]]);
  for (const [i, override] of (overrides.components ?? []).entries()) {
    const at = `${path}.components.${i}`;
    const component = plan.components.find(({ metricId }) => metricId === override.metricId);
    if (!component) errors.push([`${at}.metric_id`, [NOT_BILLED]]);
    else {
      const refuse = (field: (string | number)[], message: string) =>
        errors.push([`${at}.${field.join('.')}`, [message]]);
      checkOverriddenComponent(component, override, refuse, priceOf(component));
    }
  }
  const sent = overridesToWire(overrides);
  const others = { ...moneyErrors(sent, currency), ...percentageErrors(sent.components ?? [], metrics) };
  return Object.fromEntries([
    ...errors,
    ...Object.entries(others).map(([field, messages]) => [`${path}.${field}`, messages]),
  ]);
}
