import { loadShownPlan } from '../../../services/catalog/show-plan.ts';
import { planPath, planWire } from '../../../wire/plans.ts';
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
  run: ({ caller: { accountId }, params: { plan_id: planId }, room, read }) =>
    read((tx) => loadShownPlan(tx, { accountId, planId }, room)),
});
