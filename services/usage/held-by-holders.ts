import type { Metric } from '../../billing/catalog/metrics.ts';
import { type BilledUsage, isHolding } from '../../billing/metering/billed-usage.ts';
import { hasNewRows } from '../../billing/metering/held-now.ts';
import type { BillingRules } from '../../billing/state/billing-rules.ts';
import {
  countUnpricedUsage,
  type SharedQuestion,
  sumUnpricedUsage,
} from '../../sql/clickhouse/metrics/unpriced-counts.ts';
import { inParts } from '../../sql/clickhouse/query-parameters.ts';
import { type HeldFilter, type HeldRecord, listNewlyPriced } from '../../sql/postgres/invoices/held-combinations.ts';
import { type FoundHolder, type HolderWindow, listHolders } from '../../sql/postgres/invoices/holders.ts';
import { inSnapshot, type Transaction } from '../../sql/postgres/postgres.ts';
import type { UsageReader } from '../dependencies.ts';
import { countHeld, type HeldWindows, loadHeldWindows } from './held-windows.ts';

/** Subscriptions that are asked about together: a statement for each price book among them, or a few. */
const HOLDERS_AT_ONCE = 200;

/** `most`: of what holders that are asked about together hold, so many are listed; `planId`: only what that plan bills. */
export type WantedHeld = { most: number; planId?: string | null | undefined };

/** What these hold, in their order: of periods that are not billed, and of billed ones whose price book has had rows added since. */
export async function listHeldByHolders(
  { postgres, clickhouse }: UsageReader,
  accountId: string,
  holders: readonly FoundHolder[],
  { most, planId }: WantedHeld,
): Promise<HeldRecord[]> {
  const found: HeldRecord[] = [];
  for (const some of inParts(holders, HOLDERS_AT_ONCE)) {
    const windows = await inSnapshot(postgres, accountId, (tx) => loadWindows(tx, accountId, some));
    found.push(...(await countHeld(clickhouse, accountId, windows, { most })));
  }
  return planId == null ? found : found.filter((one) => one.planId === planId);
}

/** A question about the customers of holders that are alike. */
type AskedOfAlike = { members: readonly FoundHolder[]; question: SharedQuestion & { metric: Metric } };

/** `asked`: about those of them that are like others. */
export type FoundHolders = { holders: readonly FoundHolder[]; asked: readonly AskedOfAlike[] };

/**
 * What is asked about holders that are like others, for what no row prices: one of those that are alike is loaded, in the snapshot in which they were found,
 * and tells it of all.
 */
async function loadQuestionsOfAlike(
  tx: Transaction,
  accountId: string,
  holders: readonly FoundHolder[],
): Promise<AskedOfAlike[]> {
  const alike = Map.groupBy(
    holders.filter((holder) => holder.alike !== null),
    (holder) => holder.alike,
  );
  const asked: AskedOfAlike[] = [];
  for (const some of inParts([...alike.values()], HOLDERS_AT_ONCE)) {
    const firsts = some.flatMap(([first]) => first ?? []);
    const membersOf = new Map(some.map((members) => [members[0]?.subscriptionId, members]));
    for (const { subscriptionId, held } of await loadWindows(tx, accountId, firsts)) {
      const members = membersOf.get(subscriptionId) ?? [];
      const customerIds = members.map(({ customerId }) => customerId);
      for (const { book, ...question } of held.questions) {
        if (book?.holds) asked.push({ members, question: { ...question, accountId, book, customerIds } });
      }
    }
  }
  return asked;
}

/** Found at once, some megabytes of them. */
const HOLDERS_FOUND = 10_000;

type FoundInTurn = FoundHolders & { first: readonly FoundHolder[] };

/** The holders of an account, newest first, some after others; `first`: so many as `listedFirst` says, of which what is alike is not looked for. */
export async function* findHoldersInTurn(
  { postgres }: UsageReader,
  accountId: string,
  filter: HeldFilter = {},
  listedFirst = 0,
): AsyncGenerator<FoundInTurn> {
  let before: string | null = null;
  do {
    const window: HolderWindow = { before, limit: HOLDERS_FOUND };
    const apart: number = before === null ? listedFirst : 0;
    const found: FoundInTurn = await inSnapshot(postgres, accountId, async (tx) => {
      const all = await listHolders(tx, accountId, filter, window);
      const holders = all.slice(apart);
      return { first: all.slice(0, apart), holders, asked: await loadQuestionsOfAlike(tx, accountId, holders) };
    });
    yield found;
    const isLast = found.first.length + found.holders.length < HOLDERS_FOUND;
    before = isLast ? null : (found.holders.at(-1)?.seq ?? null);
  } while (before !== null);
}

/** How many combinations each of these holds, in their order. Those that are like no other are listed. */
export async function countHeldByHolders(
  sources: UsageReader,
  accountId: string,
  { holders, asked }: FoundHolders,
  wanted: WantedHeld,
): Promise<number[]> {
  const questions = asked.map(({ question }) => question);
  const counts = await countUnpricedUsage(sources.clickhouse, questions);
  const own = holders.filter(({ alike }) => alike === null);
  const listed = await listHeldByHolders(sources, accountId, own, wanted);
  const heldBy = new Map<string, number>();
  const add = (id: string, held: number) => heldBy.set(id, (heldBy.get(id) ?? 0) + held);
  for (const [i, { members }] of asked.entries()) {
    for (const { subscriptionId, customerId } of members) add(subscriptionId, counts[i]?.get(customerId) ?? 0);
  }
  for (const { subscriptionId } of listed) add(subscriptionId, 1);
  return holders.map(({ subscriptionId }) => heldBy.get(subscriptionId) ?? 0);
}

/** Events that are held, of a combination. */
export type HeldEvents = Pick<HeldRecord, 'planId' | 'metricId' | 'group' | 'eventsCount'>;

/**
 * How many events these hold, by combination, for what watches all of them; what is held in several windows is there in parts. Of what is asked in one
 * statement at most `most` combinations are counted.
 */
export async function* countHeldEvents(
  sources: UsageReader,
  accountId: string,
  { holders, asked }: FoundHolders,
  most: number,
): AsyncGenerator<HeldEvents[]> {
  const own = holders.filter(({ alike }) => alike === null);
  for (const some of inParts(own, HOLDERS_AT_ONCE)) yield listHeldByHolders(sources, accountId, some, { most });
  for (const [planId, ofPlan] of Map.groupBy(asked, ({ members }) => members[0]?.planId ?? '')) {
    const questions = ofPlan.map(({ question }) => question);
    const sums = await sumUnpricedUsage(sources.clickhouse, questions, most);
    yield sums.map(({ question, texts, events }) => {
      return { planId, metricId: question.metric.metricId, group: texts, eventsCount: events };
    });
  }
}

async function loadWindows(
  tx: Transaction,
  accountId: string,
  holders: readonly FoundHolder[],
): Promise<HeldWindows[]> {
  const ids = holders.map(({ subscriptionId }) => subscriptionId);
  const spans = await listNewlyPriced(tx, accountId, ids);
  const isWanted = (billed: BilledUsage, rules: Pick<BillingRules, 'plans'>) =>
    isHolding(billed.book) && hasNewRows(billed, rules);
  return loadHeldWindows(tx, accountId, ids, { spans, isWanted });
}
