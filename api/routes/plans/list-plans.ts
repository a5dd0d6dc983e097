import { listPlans as listPlanPage } from '../../../sql/postgres/catalog/plans.ts';
import { planToWire, planWire } from '../../../wire/plans.ts';
import { operation } from '../../operation.ts';
import { listOf, pageQuery } from '../../pages.ts';

export const listPlans = operation({
  id: 'listPlans',
  method: 'get',
  path: '/api/plans',
  tag: 'Plans',
  summary: 'List plans in their latest versions, newest first',
  scope: 'read',
  query: pageQuery,
  success: 200,
  response: listOf(planWire),
  run: ({ caller, listing, read }) =>
    read(async (tx) => listing.answer(await listPlanPage(tx, caller.accountId, listing.window), planToWire)),
});
