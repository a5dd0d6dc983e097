import { conflict, notFound } from '../../../core/domain-error.ts';
import { findPlan, lockPlan, updatePlanArchived } from '../../../sql/postgres/catalog/plans.ts';
import { planPath, planToWire, planWire } from '../../../wire/plans.ts';
import { operation } from '../../operation.ts';

export const archivePlan = operation({
  id: 'archivePlan',
  method: 'post',
  path: '/api/plans/{plan_id}/archive',
  tag: 'Plans',
  summary: 'Archive a plan: it takes no new subscriptions',
  description: 'Those that are there go on, and a switch to it that is planned already is still made.',
  scope: 'write',
  params: planPath,
  success: 200,
  response: planWire,
  errors: [409],
  run: ({ caller: { accountId }, params: { plan_id }, write }) =>
    write(async (tx) => {
      const plan = (await lockPlan(tx, accountId, plan_id)) && (await findPlan(tx, accountId, plan_id));
      if (!plan) throw notFound(`plan ${plan_id}`);
      if (plan.status === 'archived') throw conflict('The plan is archived already.');
      await updatePlanArchived(tx, accountId, plan_id);
      return planToWire({ ...plan, status: 'archived' });
    }),
});
