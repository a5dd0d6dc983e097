import type { Plan } from '../../billing/subscriptions/subscription.ts';
import { notFound } from '../../core/domain-error.ts';
import { LeftOut } from '../../core/left-out.ts';
import type { JsonText, Written } from '../../runtime/exact-json.ts';
import { writeEntries } from '../../runtime/written-entries.ts';
import { findPricesOf, listRowsInParts } from '../../sql/postgres/catalog/plan-prices.ts';
import { findPlanWithoutRows } from '../../sql/postgres/catalog/plans.ts';
import type { AnswerRoom } from '../../sql/postgres/page-window.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { priceRowToWire } from '../../wire/catalog/price-books.ts';
import { planToWire } from '../../wire/plans.ts';
import type { PlanRef } from '../references.ts';

type PlanWire = ReturnType<typeof planToWire>;

/** A plan as the API answers it. Its large price books are the texts of their rows. */
export type ShownPlan = Written<PlanWire>;

/** Returns a plan as it is retrieved. @throws DomainError `not_found` */
export async function loadShownPlan(tx: Transaction, ref: PlanRef, room: AnswerRoom): Promise<ShownPlan> {
  const { plan, ...shown } = await loadPlanToShow(tx, ref, room);
  return showPlan(tx, ref, plan, shown);
}

/** How many bytes of the rows of a plan are shown: none if the plan does not fit into an answer with them. */
type ShownBytes = { rowBytes: number };

/**
 * Reads a plan without its large price books. What is large waits for room, so a change reads the plan before it changes anything.
 * @throws DomainError `not_found`
 */
export async function loadPlanToShow(
  tx: Transaction,
  { accountId, planId }: PlanRef,
  room: AnswerRoom,
): Promise<{ plan: Plan } & ShownBytes> {
  const found = await findPlanWithoutRows(tx, accountId, planId);
  if (!found) throw notFound(`plan ${planId}`);
  if (found.bytes > room.bytes) room.needMore();
  return { plan: found.plan, rowBytes: found.bytes <= room.mostBytes ? room.mostBytes : 0 };
}

/** Returns a plan that was read without its large price books as the API answers it: with their rows (spec/api#large-members). */
export async function showPlan(
  tx: Transaction,
  { accountId, planId }: PlanRef,
  plan: Plan,
  { rowBytes }: ShownBytes,
): Promise<ShownPlan> {
  const { version } = plan;
  const listed = planToWire(plan);
  const isLarge = ({ prices }: { prices?: unknown }) => prices instanceof LeftOut;
  const withRows = async <C extends { metric_id: string; prices?: unknown }>(components: C[], currency?: string) => {
    if (!components.some(isLarge)) return components;
    const pricesOf = await findPricesOf(tx, accountId, planId, { version, currency });
    const shown: (C | (C & { prices: JsonText[] }))[] = [];
    for (const component of components) {
      const book = pricesOf !== undefined && isLarge(component) && { pricesOf, metricId: component.metric_id };
      const rows = book && (await writeEntries(listRowsInParts(tx, accountId, book, priceRowToWire), rowBytes));
      shown.push(rows ? { ...component, prices: rows } : component);
    }
    return shown;
  };
  if (rowBytes === 0) return listed;
  const options = listed.currency_options && Object.entries(listed.currency_options);
  const currencies: [string, object][] = [];
  for (const [code, option] of options ?? []) {
    const { components } = option;
    currencies.push([
      code,
      components ? { ...option, components: await withRows(components, code.toUpperCase()) } : option,
    ]);
  }
  return {
    ...listed,
    components: await withRows(listed.components),
    currency_options: options && Object.fromEntries(currencies),
  };
}
