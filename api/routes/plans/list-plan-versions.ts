import { notFound } from '../../../core/domain-error.ts';
import { findPlan, listPlanVersions as listVersionPage } from '../../../sql/postgres/catalog/plans.ts';
import { planPath, planToWire, planWire } from '../../../wire/plans.ts';
import { operation } from '../../operation.ts';
import { listOf, pageQuery, toPage, windowOf } from '../../pages.ts';

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
  run: ({ caller, params, query, url, read }) =>
    read(async (tx) => {
      const plan = await findPlan(tx, caller.accountId, params.plan_id);
      if (!plan) throw notFound(`plan ${params.plan_id}`);
      const page = await listVersionPage(tx, caller.accountId, plan.planId, windowOf(query));
      return toPage(url, query, page, planToWire);
    }),
});
