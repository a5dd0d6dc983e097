import type { CountedCombination } from '../../billing/metering/aggregate.ts';
import { isHolding } from '../../billing/metering/billed-usage.ts';
import { type Holder, hasNewRows, heldAgain, heldUnbilled } from '../../billing/metering/held-now.ts';
import type { HeldUsage } from '../../billing/pricing/held-usage.ts';
import { eachBy, type NeedsUsage } from '../../billing/snapshot/usage-question.ts';
import { ZERO } from '../../core/decimal.ts';
import { notFound } from '../../core/domain-error.ts';
import { isBooked } from '../../sql/clickhouse/metrics/book-usage.ts';
import type { MetricQuestion } from '../../sql/clickhouse/metrics/metric-query.ts';
import { listUnpricedUsage } from '../../sql/clickhouse/metrics/unpriced-usage.ts';
import { findPlan } from '../../sql/postgres/catalog/plans.ts';
import { findCustomer } from '../../sql/postgres/customers/customers.ts';
import { listBilledUsage } from '../../sql/postgres/invoices/billed-usage.ts';
import {
  type HeldFilter,
  type HeldRecord,
  listHeldCombinations,
  listHolders,
  listNewlyPriced,
} from '../../sql/postgres/invoices/held-combinations.ts';
import { COUNT_CAP, type PageOf, type PageWindow } from '../../sql/postgres/page-window.ts';
import { inReading, inSnapshot, type Transaction } from '../../sql/postgres/postgres.ts';
import { listPendingPeriods } from '../../sql/postgres/subscriptions/pending-invoices.ts';
import { findSubscriptions } from '../../sql/postgres/subscriptions/subscriptions.ts';
import type { UsageReader } from '../dependencies.ts';
import { loadBillingRules } from '../snapshot/load-billing-rules.ts';

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
  for await (const some of heldWindows(sources, accountId, filter, () => most - seen)) {
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
export async function* heldWindows(
  sources: UsageReader,
  accountId: string,
  filter: HeldFilter,
  room: () => number,
): AsyncGenerator<HeldRecord[]> {
  let before: string | null = null;
  for (;;) {
    const slice: Slice = await inSnapshot(sources.postgres, accountId, (tx) =>
      loadSlice(tx, accountId, filter, before),
    );
    if (slice.held.length > 0) yield await countSlice(sources, accountId, slice, { ...filter, most: room() });
    if (slice.next === null) return;
    before = slice.next;
  }
}

/** What subscriptions hold, as far as it depends on usage; `next`: where the slice after it begins, null for none. */
type Slice = { held: { customerId: string; held: NeedsUsage<HeldUsage[]> }[]; next: string | null };

async function loadSlice(
  tx: Transaction,
  accountId: string,
  filter: HeldFilter,
  before: string | null,
): Promise<Slice> {
  const holders = await listHolders(tx, accountId, filter, { before, limit: HOLDERS_AT_ONCE });
  const next = holders.length < HOLDERS_AT_ONCE ? null : (holders.at(-1)?.seq ?? null);
  const ids = holders.map(({ subscriptionId }) => subscriptionId);
  if (ids.length === 0) return { held: [], next };
  const [found, newlyPriced] = await Promise.all([
    findSubscriptions(tx, accountId, ids),
    listNewlyPriced(tx, accountId, ids),
  ]);
  const byId = new Map(found.map((one) => [one.subscriptionId, one]));
  const customerIds = [...new Set(found.map(({ customerId }) => customerId))];
  const [periods, read] = await Promise.all([
    listPendingPeriods(tx, accountId, customerIds),
    listBilledUsage(tx, accountId, newlyPriced),
  ]);
  const pending = periods.flatMap(({ subscriptionId, ...one }) => {
    const owner = byId.get(subscriptionId);
    return owner ? { ...one, owner, successor: null } : [];
  });
  const rules = await loadBillingRules(tx, accountId, found, { pending, billed: read });
  const pendingOf = Map.groupBy(pending, ({ owner }) => owner.subscriptionId);
  const billedOf = Map.groupBy(read, ({ subscriptionId }) => subscriptionId);
  const held = ids.flatMap((id) => {
    const subscription = byId.get(id);
    if (!subscription) return [];
    const holder: Holder = { subscription, pending: pendingOf.get(id) ?? [] };
    const counted = (billedOf.get(id) ?? []).filter((one) => isHolding(one.book) && hasNewRows(one, rules));
    const needed = [...counted.map((one) => heldAgain(one, rules)), heldUnbilled(holder, rules)];
    return needed.map((one) => ({ customerId: subscription.customerId, held: one }));
  });
  return { held, next };
}

/** Asks for what has no price, and for nothing else. */
async function countSlice(
  { clickhouse }: UsageReader,
  accountId: string,
  { held }: Slice,
  { planId, most }: HeldFilter & { most: number },
): Promise<HeldRecord[]> {
  const questions = held.flatMap(({ customerId, held: { questions: own } }) =>
    own.map((question): MetricQuestion => ({ ...question, accountId, customerId })),
  );
  const asked = questions.filter(isBooked).filter(({ book }) => book.holds);
  const found = await listUnpricedUsage(clickhouse, asked, most);
  const combinationsOf = new Map<MetricQuestion, CountedCombination[] | undefined>(
    asked.map((one, i) => [one, found[i]]),
  );
  const values = questions.map((question) => {
    return { value: ZERO, eventsCount: ZERO, combinations: combinationsOf.get(question) ?? [] };
  });
  const needed = held.map((one) => one.held);
  const records = [...eachBy(needed, values)].flatMap((some, i): HeldRecord[] => {
    const customerId = held[i]?.customerId ?? '';
    return some.map((one) => ({ ...one, customerId }));
  });
  return planId == null ? records : records.filter((one) => one.planId === planId);
}
