import type { Plan } from '../../../billing/subscriptions/subscription.ts';
import { notFound } from '../../../core/domain-error.ts';
import { newId } from '../../../core/ids.ts';
import { insertPlanVersion } from '../../../sql/postgres/catalog/plan-versions.ts';
import { findPlan, lockPlan, updatePlanLatestVersion } from '../../../sql/postgres/catalog/plans.ts';
import { planContradiction } from '../../../wire/plan-checks.ts';
import { PLAN_SYNONYMS, planPath, planToWire, planUpdate, planWire } from '../../../wire/plans.ts';
import { operation } from '../../operation.ts';
import { checkPlanMoney, componentsOf, featuresOf, lockPlanMetricsForShare } from '../../plan-parts.ts';

export const updatePlan = operation({
  id: 'updatePlan',
  method: 'patch',
  path: '/api/plans/{plan_id}',
  tag: 'Plans',
  summary: 'Make the next version of a plan',
  description: 'Subscriptions stay on the version they started on. A body without fields makes no version.',
  scope: 'write',
  params: planPath,
  body: planUpdate,
  synonyms: PLAN_SYNONYMS,
  contradiction: planContradiction,
  success: 200,
  response: planWire,
  errors: [409],
  run: ({ caller: { accountId }, params: { plan_id }, body, now, write }) =>
    write(async (tx) => {
      // The lock makes two calls one after another, so that they make n+1 and n+2.
      const latest = (await lockPlan(tx, accountId, plan_id)) && (await findPlan(tx, accountId, plan_id));
      if (!latest) throw notFound(`plan ${plan_id}`);
      checkPlanMoney(body, latest.currency);
      await lockPlanMetricsForShare(tx, accountId, body);
      if (Object.keys(body).length === 0) return planToWire(latest);
      const next: Plan = {
        ...latest,
        name: body.name ?? latest.name,
        recurringFee: body.recurring_fee ?? latest.recurringFee,
        chargeTiming: body.charge_timing ?? latest.chargeTiming,
        components: body.components ? componentsOf(body.components) : latest.components,
        features: body.features ? await featuresOf(tx, accountId, body.features) : latest.features,
        version: latest.version + 1,
        versionId: newId('planv'),
        createdAt: now,
      };
      await insertPlanVersion(tx, accountId, next);
      await updatePlanLatestVersion(tx, accountId, plan_id, next.version);
      return planToWire(next);
    }),
});
