import { notFound } from '../../core/domain-error.ts';
import { findPricesOf, listPrices } from '../../sql/postgres/catalog/plan-prices.ts';
import type { PageWindow } from '../../sql/postgres/page-window.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import type { PlanRef } from '../references.ts';

/** Of which version and metric rows are wanted, and in which of the plan's currencies. */
export type WantedPrices = {
  version?: number | undefined;
  metricId?: string | undefined;
  currency?: string | undefined;
};

/** One page of the rows of a plan's price books. @throws DomainError `not_found` for a plan, version or currency that does not exist */
export async function listPlanPrices(
  tx: Transaction,
  { accountId, planId }: PlanRef,
  wanted: WantedPrices,
  window: PageWindow,
) {
  const pricesOf = await findPricesOf(tx, accountId, planId, wanted);
  if (pricesOf === undefined) throw notFound(`version of plan ${planId}`);
  return listPrices(tx, accountId, { pricesOf, metricId: wanted.metricId }, window);
}
