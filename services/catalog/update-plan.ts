import type { Limited } from '../../billing/pricing/limits.ts';
import type { Plan } from '../../billing/subscriptions/subscription.ts';
import { invalid, notFound } from '../../core/domain-error.ts';
import { newId } from '../../core/ids.ts';
import type { Instant } from '../../core/instants.ts';
import { insertPlanVersion } from '../../sql/postgres/catalog/plan-versions.ts';
import { findPlan, lockPlan, updatePlanLatestVersion } from '../../sql/postgres/catalog/plans.ts';
import { type AnswerRoom, fixedRoom } from '../../sql/postgres/page-window.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { currencyOptionsOf } from '../../wire/catalog/currency-options.ts';
import { limitErrors, limitsOf, limitsToWire } from '../../wire/catalog/limits.ts';
import { type PlanUpdate, planToWire, planTrial } from '../../wire/plans.ts';
import { type Audited, changed } from '../audit/audited.ts';
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
import { loadPlanToShow, type ShownPlan, showPlan } from './show-plan.ts';

/**
 * Makes the next version of a plan; without changes there is none. One that leaves prices as they are shares the price books of the version
 * before, of which no rows are read for it.
 * @throws DomainError `not_found`; `invalid` for money finer than the currency; `conflict` for a metric that is archived.
 */
export async function updatePlan(
  tx: Transaction,
  { accountId, planId }: PlanRef,
  changes: PlanUpdate,
  { now, room = fixedRoom(), mostPrices = MOST_PLAN_PRICES }: { now: Instant; room?: AnswerRoom; mostPrices?: number },
): Promise<Audited<ShownPlan>> {
  // The lock makes two calls one after another, so that they make n+1 and n+2.
  if (!(await lockPlan(tx, accountId, planId))) throw notFound(`plan ${planId}`);
  const { plan: listed, ...shown } = await loadPlanToShow(tx, { accountId, planId }, room);
  checkPlanMoney(changes, listed.currency);
  await lockPlanMetricsForShare(tx, accountId, changes);
  const before = planToWire(listed);
  const show = (plan: Plan) => showPlan(tx, { accountId, planId }, plan, shown);
  if (Object.keys(changes).length === 0) return { before, after: before, answer: await show(listed) };
  if (changes.components || changes.currency_options !== undefined) {
    const latest = await findPlan(tx, accountId, planId);
    if (!latest) throw new Error(`plan ${planId} is gone, although it is locked`);
    const next = await nextVersion(tx, accountId, latest, changes, now);
    await checkCurrencies(tx, accountId, next);
    checkPriceCount(next, mostPrices);
    await saveVersion(tx, accountId, next, { sharesPriceBooks: false });
    return changed(planToWire(latest), planToWire(next));
  }
  const next = await nextVersion(tx, accountId, listed, changes, now);
  await checkCurrencies(tx, accountId, withoutComponents(next));
  await saveVersion(tx, accountId, next, { sharesPriceBooks: true });
  return { before, after: planToWire(next), answer: await show(next) };
}

async function nextVersion(
  tx: Transaction,
  accountId: string,
  latest: Plan,
  changes: PlanUpdate,
  now: Instant,
): Promise<Plan> {
  const { limits: _limits, currencyOptions, trial: _trial, ...kept } = latest;
  const options = changes.currency_options;
  return {
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
}

async function saveVersion(
  tx: Transaction,
  accountId: string,
  next: Plan,
  sharing: { sharesPriceBooks: boolean },
): Promise<void> {
  await insertPlanVersion(tx, accountId, next, sharing);
  await insertCurrencies(tx, accountId, next, sharing);
  await updatePlanLatestVersion(tx, accountId, next.planId, next.version);
}

/** The plan without its components, in each of its currencies: they are as they were when they were checked. */
function withoutComponents({ currencyOptions, ...plan }: Plan): Plan {
  const options = Object.entries(currencyOptions ?? {}).map(([currency, { components: _components, ...option }]) => {
    return [currency, option] as const;
  });
  return { ...plan, components: [], currencyOptions: Object.fromEntries(options) };
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
