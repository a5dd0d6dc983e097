import type { Limited } from '../../billing/pricing/limits.ts';
import type { Plan } from '../../billing/subscriptions/subscription.ts';
import { invalid, notFound } from '../../core/domain-error.ts';
import { newId } from '../../core/ids.ts';
import type { Instant } from '../../core/instants.ts';
import { insertPlanVersion } from '../../sql/postgres/catalog/plan-versions.ts';
import { findPlan, lockPlan, updatePlanLatestVersion } from '../../sql/postgres/catalog/plans.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { currencyOptionsOf } from '../../wire/catalog/currency-options.ts';
import { limitErrors, limitsOf, limitsToWire } from '../../wire/catalog/limits.ts';
import { type PlanUpdate, planToWire, planTrial } from '../../wire/plans.ts';
import { changed } from '../audit/audited.ts';
import type { PlanRef } from '../references.ts';
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
 * Makes the next version of a plan; without changes there is none. One that leaves prices as they are shares the price books of the version before.
 * @throws DomainError `not_found`; `invalid` for money finer than the currency; `conflict` for a metric that is archived.
 */
export async function updatePlan(
  tx: Transaction,
  { accountId, planId }: PlanRef,
  changes: PlanUpdate,
  { now, mostPrices = MOST_PLAN_PRICES }: { now: Instant; mostPrices?: number },
) {
  // The lock makes two calls one after another, so that they make n+1 and n+2.
  const latest = (await lockPlan(tx, accountId, planId)) && (await findPlan(tx, accountId, planId));
  if (!latest) throw notFound(`plan ${planId}`);
  checkPlanMoney(changes, latest.currency);
  await lockPlanMetricsForShare(tx, accountId, changes);
  const before = planToWire(latest);
  if (Object.keys(changes).length === 0) return changed(before, before);
  const { limits: _limits, currencyOptions, trial: _trial, ...kept } = latest;
  const options = changes.currency_options;
  const next: Plan = {
    ...kept,
    ...limitsAfter(latest, changes),
    ...planTrial(changes, latest),
    ...(options === undefined ? currencyOptions && { currencyOptions } : currencyOptionsOf(options, newPriceId)),
    name: changes.name ?? latest.name,
    recurringFee: changes.recurring_fee ?? latest.recurringFee,
    chargeTiming: changes.charge_timing ?? latest.chargeTiming,
    components: changes.components ? componentsOf(changes.components) : latest.components,
    features: changes.features ? await featuresOf(tx, accountId, changes.features) : latest.features,
    version: latest.version + 1,
    versionId: newId('planv'),
    createdAt: now,
  };
  await checkCurrencies(tx, accountId, next);
  const sharing = { sharesPriceBooks: !changes.components && options === undefined };
  if (!sharing.sharesPriceBooks) checkPriceCount(next, mostPrices);
  await insertPlanVersion(tx, accountId, next, sharing);
  await insertCurrencies(tx, accountId, next, sharing);
  await updatePlanLatestVersion(tx, accountId, planId, next.version);
  return changed(before, planToWire(next));
}

/** The limits of the next version, which what is not changed must agree with. @throws DomainError `invalid` */
function limitsAfter(latest: Plan, { minimum_amount, maximum_amount, recurring_fee }: PlanUpdate): Limited {
  const before = limitsToWire(latest);
  const sent = {
    minimum_amount: minimum_amount === undefined ? before.minimum_amount : minimum_amount,
    maximum_amount: maximum_amount === undefined ? before.maximum_amount : maximum_amount,
  };
  const errors = limitErrors(sent, recurring_fee ?? latest.recurringFee);
  if (errors.length > 0) throw invalid(Object.fromEntries(errors.map(([field, message]) => [field, [message]])));
  return limitsOf(sent);
}
