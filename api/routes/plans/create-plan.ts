import type { Plan } from '../../../billing/subscriptions/subscription.ts';
import { ZERO } from '../../../core/decimal.ts';
import { newId } from '../../../core/ids.ts';
import { loadAccount } from '../../../sql/postgres/accounts/accounts.ts';
import { insertPlanVersion } from '../../../sql/postgres/catalog/plan-versions.ts';
import { insertPlan } from '../../../sql/postgres/catalog/plans.ts';
import { planContradiction } from '../../../wire/plan-checks.ts';
import { PLAN_SYNONYMS, planCreate, planToWire, planWire } from '../../../wire/plans.ts';
import { operation } from '../../operation.ts';
import { checkPlanMoney, componentsOf, featuresOf, lockPlanMetricsForShare } from '../../plan-parts.ts';

export const createPlan = operation({
  id: 'createPlan',
  method: 'post',
  path: '/api/plans',
  tag: 'Plans',
  summary: 'Create a plan',
  description:
    'A fee each period, components that price usage by metric, and features. All are optional: without a fee it is usage only, without components it is flat. overage_price alone prices each unit beyond the free tier; tiers or a package_size need their pricing_model.',
  scope: 'write',
  body: planCreate,
  synonyms: PLAN_SYNONYMS,
  contradiction: planContradiction,
  success: 201,
  response: planWire,
  errors: [404, 409],
  run: ({ caller: { accountId }, body, now, write }) =>
    write(async (tx) => {
      const currency = body.currency ?? (await loadAccount(tx, accountId)).defaultCurrency;
      checkPlanMoney(body, currency);
      await lockPlanMetricsForShare(tx, accountId, body);
      const plan: Plan = {
        planId: newId('plan'),
        name: body.name,
        recurringFee: body.recurring_fee ?? ZERO,
        billingPeriod: body.billing_period,
        currency,
        chargeTiming: body.charge_timing,
        components: componentsOf(body.components),
        features: await featuresOf(tx, accountId, body.features),
        version: 1,
        versionId: newId('planv'),
        status: 'active',
        createdAt: now,
        metadata: body.metadata,
      };
      await insertPlan(tx, accountId, plan);
      await insertPlanVersion(tx, accountId, plan);
      return planToWire(plan);
    }),
});
