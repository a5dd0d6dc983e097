import { conflict, notFound } from '../../core/domain-error.ts';
import { findPlan, lockPlan, updatePlanArchived } from '../../sql/postgres/catalog/plans.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { planToWire } from '../../wire/plans.ts';
import { changed } from '../audit/audited.ts';
import type { PlanRef } from '../references.ts';

/** Archives a plan: it takes no new subscriptions. @throws DomainError `not_found`; `conflict` where it is archived already */
export async function archivePlan(tx: Transaction, { accountId, planId }: PlanRef) {
  const plan = (await lockPlan(tx, accountId, planId)) && (await findPlan(tx, accountId, planId));
  if (!plan) throw notFound(`plan ${planId}`);
  if (plan.status === 'archived') throw conflict('The plan is archived already.');
  await updatePlanArchived(tx, accountId, planId);
  return changed(planToWire(plan), planToWire({ ...plan, status: 'archived' }));
}
