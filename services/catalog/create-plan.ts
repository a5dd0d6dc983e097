import type { Plan } from '../../billing/subscriptions/subscription.ts';
import { ZERO } from '../../core/decimal.ts';
import { newId } from '../../core/ids.ts';
import type { Instant } from '../../core/instants.ts';
import { loadAccount } from '../../sql/postgres/accounts/accounts.ts';
import { insertPlanVersion } from '../../sql/postgres/catalog/plan-versions.ts';
import { insertPlan } from '../../sql/postgres/catalog/plans.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { currencyOptionsOf } from '../../wire/catalog/currency-options.ts';
import { limitsOf } from '../../wire/catalog/limits.ts';
import { type PlanCreate, planCalendar, planToWire, planTrial } from '../../wire/plans.ts';
import { created } from '../audit/audited.ts';
import { checkCurrencies, insertCurrencies } from './agree-version.ts';
import {
  checkPlanMoney,
  checkPriceCount,
  componentsOf,
  featuresOf,
  lockPlanMetricsForShare,
  MOST_PLAN_PRICES,
  newPriceId,
} from './plan-parts.ts';

/**
 * Makes a plan in its first version.
 * @throws DomainError `invalid` for money finer than its currency; `not_found`, `conflict` for a metric that is unknown or archived.
 */
export async function createPlan(
  tx: Transaction,
  accountId: string,
  wanted: PlanCreate,
  { now, mostPrices = MOST_PLAN_PRICES }: { now: Instant; mostPrices?: number },
) {
  const currency = wanted.currency ?? (await loadAccount(tx, accountId)).defaultCurrency;
  checkPlanMoney(wanted, currency);
  await lockPlanMetricsForShare(tx, accountId, wanted);
  const plan: Plan = {
    planId: newId('plan'),
    name: wanted.name,
    recurringFee: wanted.recurring_fee ?? ZERO,
    ...limitsOf(wanted),
    ...planCalendar(wanted),
    currency,
    chargeTiming: wanted.charge_timing,
    components: componentsOf(wanted.components),
    features: await featuresOf(tx, accountId, wanted.features),
    version: 1,
    versionId: newId('planv'),
    status: 'active',
    createdAt: now,
    metadata: wanted.metadata,
    ...currencyOptionsOf(wanted.currency_options, newPriceId),
    ...planTrial(wanted),
  };
  checkPriceCount(plan, mostPrices);
  await checkCurrencies(tx, accountId, plan);
  await insertPlan(tx, accountId, plan);
  await insertPlanVersion(tx, accountId, plan);
  await insertCurrencies(tx, accountId, plan);
  return created(planToWire(plan));
}
