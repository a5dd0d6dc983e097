import { updatePlan as update } from '../../../services/catalog/update-plan.ts';
import { planContradiction } from '../../../wire/plan-checks.ts';
import { PLAN_SYNONYMS, planPath, planUpdate, planWire } from '../../../wire/plans.ts';
import { operation } from '../../operation.ts';

export const updatePlan = operation({
  id: 'updatePlan',
  method: 'patch',
  path: '/api/plans/{plan_id}',
  tag: 'Plans',
  summary: 'Make the next version of a plan',
  description: 'Subscriptions stay on the version they started on. A body without fields makes no version.',
  scope: 'write',
  audit: 'plan.updated',
  params: planPath,
  body: planUpdate,
  synonyms: PLAN_SYNONYMS,
  contradiction: planContradiction,
  success: 200,
  response: planWire,
  errors: [409],
  run: ({ caller: { accountId }, params: { plan_id: planId }, body, now, room, write }, { mostPrices }) =>
    write((tx) => update(tx, { accountId, planId }, body, { now, room, mostPrices })),
});
