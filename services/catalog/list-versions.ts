import { notFound } from '../../core/domain-error.ts';
import { findPlanCurrency, listPlanVersions } from '../../sql/postgres/catalog/plans.ts';
import type { PageWindow } from '../../sql/postgres/page-window.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import type { PlanRef } from '../references.ts';

/** One page of a plan's versions, newest first. @throws DomainError `not_found` for a plan that does not exist */
export async function listVersions(tx: Transaction, { accountId, planId }: PlanRef, window: PageWindow) {
  if ((await findPlanCurrency(tx, accountId, planId)) === undefined) throw notFound(`plan ${planId}`);
  return listPlanVersions(tx, accountId, planId, window);
}
