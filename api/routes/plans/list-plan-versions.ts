import { listVersions } from '../../../services/catalog/list-versions.ts';
import { planPath, planToWire, planWire } from '../../../wire/plans.ts';
import { operation } from '../../operation.ts';
import { listOf, pageQuery } from '../../pages.ts';

export const listPlanVersions = operation({
  id: 'listPlanVersions',
  method: 'get',
  path: '/api/plans/{plan_id}/versions',
  tag: 'Plans',
  summary: "List a plan's versions, newest first",
  scope: 'read',
  params: planPath,
  query: pageQuery,
  success: 200,
  response: listOf(planWire),
  run: async ({ caller: { accountId }, params: { plan_id: planId }, listing, read }) => {
    const page = await read((tx) => listVersions(tx, { accountId, planId }, listing.window));
    return listing.answer(page, planToWire);
  },
});
