import { type BilledUsage, isHolding } from '../../billing/metering/billed-usage.ts';
import { hasNewRows } from '../../billing/metering/held-now.ts';
import type { BillingRules } from '../../billing/snapshot/billing-rules.ts';
import { notFound } from '../../core/domain-error.ts';
import { findPlan } from '../../sql/postgres/catalog/plans.ts';
import { findCustomer } from '../../sql/postgres/customers/customers.ts';
import {
  type HeldFilter,
  type HeldRecord,
  listHeldCombinations,
  listHolders,
  listNewlyPriced,
} from '../../sql/postgres/invoices/held-combinations.ts';
import { COUNT_CAP, type PageOf, type PageWindow } from '../../sql/postgres/page-window.ts';
import { inReading, inSnapshot, type Transaction } from '../../sql/postgres/postgres.ts';
import type { UsageReader } from '../dependencies.ts';
import { countHeld, type HeldWindows, loadHeldWindows } from './held-windows.ts';

/** Subscriptions that are asked about together: a statement for each price book among them, or a few. */
const HOLDERS_AT_ONCE = 200;

/**
 * One page of what an account holds for want of a price (spec/price-books#unmatched): of billed periods as they were billed, then of those that
 * are not, newest subscriptions first. @throws DomainError `not_found` for a customer or a plan that there is not
 */
export async function listHeldUsage(
  sources: UsageReader,
  accountId: string,
  filter: HeldFilter,
  window: PageWindow,
): Promise<PageOf<HeldRecord>> {
  const billed = await inReading(sources.postgres, accountId, async (tx) => {
    await assertThere(tx, accountId, filter);
    return listHeldCombinations(tx, accountId, filter, window);
  });
  if (billed.isCapped) return billed;
  const { limit, offset } = window;
  const { results, count } = billed;
  const from = Math.max(0, offset - count);
  const to = Math.max(0, offset + limit - count);
  // One more than is counted, or than the page has, tells that there are more.
  const most = Math.max(COUNT_CAP - count, to) + 1;
  const page: HeldRecord[] = [...results];
  let seen = 0;
  for await (const some of countedHeld(sources, accountId, filter, () => most - seen)) {
    page.push(...some.slice(Math.max(0, from - seen), Math.max(0, to - seen)));
    seen += some.length;
    if (seen >= most) break;
  }
  const total = count + seen;
  const isCapped = total > COUNT_CAP;
  return { results: page, count: isCapped ? COUNT_CAP : total, isCapped, hasNext: total > offset + limit };
}

async function assertThere(tx: Transaction, accountId: string, { customerId, planId }: HeldFilter): Promise<void> {
  if (customerId != null && !(await findCustomer(tx, accountId, customerId))) throw notFound(`customer ${customerId}`);
  if (planId != null && !(await findPlan(tx, accountId, planId))) throw notFound(`plan ${planId}`);
}

/**
 * What is held of windows that have to be counted, slice by slice of subscriptions, at most `room` of a slice: periods that are not billed, and
 * billed ones whose price book has had rows added since.
 */
export async function* countedHeld(
  { postgres, clickhouse }: UsageReader,
  accountId: string,
  filter: HeldFilter,
  room: () => number,
): AsyncGenerator<HeldRecord[]> {
  const { planId } = filter;
  let before: string | null = null;
  do {
    const slice: Slice = await inSnapshot(postgres, accountId, (tx) => loadSlice(tx, accountId, filter, before));
    const held = await countHeld(clickhouse, accountId, slice.windows, { most: room() });
    yield planId == null ? held : held.filter((one) => one.planId === planId);
    before = slice.next;
  } while (before !== null);
}

/** `next`: where the slice after it begins, null for none. */
type Slice = { windows: HeldWindows[]; next: string | null };

async function loadSlice(
  tx: Transaction,
  accountId: string,
  filter: HeldFilter,
  before: string | null,
): Promise<Slice> {
  const holders = await listHolders(tx, accountId, filter, { before, limit: HOLDERS_AT_ONCE });
  const ids = holders.map(({ subscriptionId }) => subscriptionId);
  const spans = await listNewlyPriced(tx, accountId, ids);
  const isWanted = (billed: BilledUsage, rules: Pick<BillingRules, 'planOf'>) =>
    isHolding(billed.book) && hasNewRows(billed, rules);
  const windows = await loadHeldWindows(tx, accountId, ids, { spans, isWanted });
  return { windows, next: holders.length < HOLDERS_AT_ONCE ? null : (holders.at(-1)?.seq ?? null) };
}
