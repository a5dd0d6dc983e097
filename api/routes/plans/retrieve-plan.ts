import { notFound } from '../../../core/domain-error.ts';
import { findPlanShown } from '../../../sql/postgres/catalog/plans.ts';
import { planPath, planToWire, planWire } from '../../../wire/plans.ts';
import { operation } from '../../operation.ts';

export const retrievePlan = operation({
  id: 'retrievePlan',
  method: 'get',
  path: '/api/plans/{plan_id}',
  tag: 'Plans',
  summary: 'Retrieve a plan in its latest version',
  scope: 'read',
  params: planPath,
  success: 200,
  response: planWire,
  run: ({ caller, params, read }, { responseMaxBytes }) =>
    read(async (tx) => {
      const plan = await findPlanShown(tx, caller.accountId, params.plan_id, responseMaxBytes);
      if (!plan) throw notFound(`plan ${params.plan_id}`);
      return planToWire(plan);
    }),
});
