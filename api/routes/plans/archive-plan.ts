import { archivePlan as archive } from '../../../services/catalog/archive-plan.ts';
import { planPath, planWire } from '../../../wire/plans.ts';
import { operation } from '../../operation.ts';

export const archivePlan = operation({
  id: 'archivePlan',
  method: 'post',
  path: '/api/plans/{plan_id}/archive',
  tag: 'Plans',
  summary: 'Archive a plan: it takes no new subscriptions',
  description: 'Those that are there go on, and a switch to it that is planned already is still made.',
  scope: 'write',
  audit: 'plan.archived',
  params: planPath,
  success: 200,
  response: planWire,
  errors: [409],
  run: ({ caller: { accountId }, params: { plan_id: planId }, room, write }) =>
    write((tx) => archive(tx, { accountId, planId }, room)),
});
