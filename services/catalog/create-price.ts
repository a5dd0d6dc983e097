import type { PriceRow } from '../../billing/pricing/price-book.ts';
import { conflict, type FieldMessages, invalid, notFound } from '../../core/domain-error.ts';
import { newId } from '../../core/ids.ts';
import type { Instant } from '../../core/instants.ts';
import { findMetric } from '../../sql/postgres/catalog/metrics.ts';
import {
  type BookOfVersion,
  countPlanPrices,
  findPriceBooks,
  insertPriceRows,
} from '../../sql/postgres/catalog/plan-prices.ts';
import { findPlanCurrency, lockPlan } from '../../sql/postgres/catalog/plans.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { lockClocksForShare } from '../../sql/postgres/subscriptions/test-clocks.ts';
import type { PriceAdd } from '../../wire/catalog/added-prices.ts';
import { MAX_PRICES, priceRowToWire, rowSent } from '../../wire/catalog/price-books.ts';
import type { Audited } from '../audit/audited.ts';
import type { PlanRef } from '../references.ts';
import { MOST_PLAN_PRICES, priceErrors } from './plan-parts.ts';

type PriceRowWire = ReturnType<typeof priceRowToWire>;

/**
 * Adds a row to the price books of a metric in all versions of a plan that lack it (spec/price-books#additions).
 * @throws DomainError `not_found` for the plan or the metric; `invalid` naming each field that fits none of the price books; `conflict`
 * where there is no such book, and where each has a row with this `when` and `from`.
 */
export async function createPrice(
  tx: Transaction,
  { accountId, planId }: PlanRef,
  { metric_id: metricId, currency: wanted, ...sent }: PriceAdd,
  { now, mostPrices = MOST_PLAN_PRICES }: { now: Instant; mostPrices?: number },
): Promise<Audited<PriceRowWire>> {
  // Under the lock no version is made: each has the row, by being there or by being made of one that has it.
  const own = (await lockPlan(tx, accountId, planId)) ? await findPlanCurrency(tx, accountId, planId) : undefined;
  if (own === undefined) throw notFound(`plan ${planId}`);
  const currency = wanted ?? own;
  const metric = await findMetric(tx, accountId, metricId);
  const added = { at: now, on: await lockClocksForShare(tx, accountId) };
  const row: PriceRow = { ...rowSent(sent, newId('price')), addition: added };
  const priceBooks = await findPriceBooks(tx, accountId, { planId, metricId, currency }, row);
  const such = priceBooks.filter(({ groupBy }) => Object.keys(row.when).every((name) => groupBy.includes(name)));
  const lacking = such.filter(({ hasRow }) => !hasRow);
  const errors = { ...priceErrors(sent, { currency, metric }), ...bookErrors(row, priceBooks, lacking) };
  if (Object.keys(errors).length > 0) throw invalid(errors);
  const isFull = lacking.length > 0 && (await countPlanPrices(tx, accountId, planId)) >= mostPrices;
  if (isFull)
    throw invalid({
      metric_id: [`The price books of the plan have ${mostPrices} rows in all, the most there may be.`],
    });
  if (!metric) throw notFound(`metric ${metricId}`);
  if (such.length === 0) {
    throw conflict(`No version of the plan has a price book of metric ${metricId} in ${currency}.`);
  }
  if (lacking.length === 0) throw conflict('The price book has a row with this when and from already.');
  const rows = lacking.map(({ versionId }) => ({ versionId, metricId, rows: [row] }));
  await insertPriceRows(tx, accountId, rows);
  const answer = priceRowToWire(row);
  return { before: null, after: { plan_id: planId, metric_id: metricId, currency, ...answer }, answer };
}

function bookErrors(
  { when }: PriceRow,
  priceBooks: readonly BookOfVersion[],
  lacking: readonly BookOfVersion[],
): FieldMessages {
  if (priceBooks.length === 0) return {};
  const unknown = Object.keys(when).filter((name) => priceBooks.every(({ groupBy }) => !groupBy.includes(name)));
  const errors: FieldMessages = Object.fromEntries(unknown.map((name) => [`when.${name}`, ['Is not in group_by.']]));
  const isFull = lacking.some(({ rowCount }) => rowCount >= MAX_PRICES);
  if (isFull) errors.metric_id = [`Its price book has ${MAX_PRICES} rows, the most there may be.`];
  return errors;
}
