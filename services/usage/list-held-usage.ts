import { notFound } from '../../core/domain-error.ts';
import { findPlan } from '../../sql/postgres/catalog/plans.ts';
import { findCustomer } from '../../sql/postgres/customers/customers.ts';
import {
  type HeldFilter,
  type HeldRecord,
  listHeldCombinations,
} from '../../sql/postgres/invoices/held-combinations.ts';
import type { FoundHolder } from '../../sql/postgres/invoices/holders.ts';
import { COUNT_CAP, type PageOf, type PageWindow } from '../../sql/postgres/page-window.ts';
import { inReading, type Transaction } from '../../sql/postgres/postgres.ts';
import type { UsageReader } from '../dependencies.ts';
import {
  countHeldByHolders,
  type FoundHolders,
  findHoldersInTurn,
  listHeldByHolders,
  type WantedHeld,
} from './held-by-holders.ts';

/** Of the newest all is listed at once: most accounts have no more holders, and a first page wants no more. */
const LISTED_FIRST = 100;

/**
 * One page of what an account holds for want of a price (spec/price-books#unmatched): of billed periods as they were billed, then of those that
 * are not, newest subscriptions first. @throws DomainError `not_found` for a customer or a plan that there is not
 */
export async function listHeldUsage(
  sources: UsageReader,
  accountId: string,
  filter: HeldFilter,
  window: PageWindow,
  listedFirst = LISTED_FIRST,
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
  for await (const { held, list } of heldInTurn(sources, accountId, filter, { listedFirst, room: () => most - seen })) {
    if (seen < to && seen + held > from) page.push(...(await list(Math.max(0, from - seen), to - seen)));
    seen += held;
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

/** What some holders hold: how many combinations, and these from one place in their order to before another. */
type Held = { held: number; list(from: number, to: number): Promise<HeldRecord[]> };

/** What is held of windows that have to be counted, newest subscriptions first; of some holders at most `room` is listed. */
async function* heldInTurn(
  sources: UsageReader,
  accountId: string,
  filter: HeldFilter,
  { listedFirst, room }: { listedFirst: number; room: () => number },
): AsyncGenerator<Held> {
  for await (const { first, ...found } of findHoldersInTurn(sources, accountId, filter, listedFirst)) {
    const wanted = { planId: filter.planId, most: room() };
    yield* await Promise.all([listed(sources, accountId, first, wanted), counted(sources, accountId, found, wanted)]);
  }
}

async function listed(
  sources: UsageReader,
  accountId: string,
  holders: readonly FoundHolder[],
  wanted: WantedHeld,
): Promise<Held> {
  const records = await listHeldByHolders(sources, accountId, holders, wanted);
  return { held: records.length, list: async (from, to) => records.slice(from, to) };
}

async function counted(
  sources: UsageReader,
  accountId: string,
  found: FoundHolders,
  wanted: WantedHeld,
): Promise<Held> {
  const counts = await countHeldByHolders(sources, accountId, found, wanted);
  let held = 0;
  const placed = found.holders.flatMap((holder, i) => {
    const from = held;
    held += counts[i] ?? 0;
    return held > from ? { holder, from, to: held } : [];
  });
  const list = async (from: number, to: number) => {
    const there = placed.filter((one) => one.to > from && one.from < to);
    const [first] = there;
    if (!first) return [];
    const own = there.map(({ holder }) => holder);
    const records = await listHeldByHolders(sources, accountId, own, wanted);
    return records.slice(Math.max(0, from - first.from), to - first.from);
  };
  return { held, list };
}
