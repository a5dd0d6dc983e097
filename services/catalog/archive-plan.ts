import type { Plan } from '../../billing/subscriptions/subscription.ts';
import { conflict, notFound } from '../../core/domain-error.ts';
import { lockPlan, updatePlanArchived } from '../../sql/postgres/catalog/plans.ts';
import type { AnswerRoom } from '../../sql/postgres/page-window.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { planToWire } from '../../wire/plans.ts';
import type { Audited } from '../audit/audited.ts';
import type { PlanRef } from '../references.ts';
import { loadPlanToShow, type ShownPlan, showPlan } from './show-plan.ts';

/** Archives a plan: it takes no new subscriptions. @throws DomainError `not_found`; `conflict` where it is archived already */
export async function archivePlan(
  tx: Transaction,
  { accountId, planId }: PlanRef,
  room: AnswerRoom,
): Promise<Audited<ShownPlan>> {
  if (!(await lockPlan(tx, accountId, planId))) throw notFound(`plan ${planId}`);
  const { plan, ...shown } = await loadPlanToShow(tx, { accountId, planId }, room);
  if (plan.status === 'archived') throw conflict('The plan is archived already.');
  await updatePlanArchived(tx, accountId, planId);
  const archived: Plan = { ...plan, status: 'archived' };
  const answer = await showPlan(tx, { accountId, planId }, archived, shown);
  return { before: planToWire(plan), after: planToWire(archived), answer };
}
