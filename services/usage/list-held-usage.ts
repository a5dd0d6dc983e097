import { notFound } from '../../core/domain-error.ts';
import { canonicalJson } from '../../runtime/exact-json.ts';
import { findPlanCurrency } from '../../sql/postgres/catalog/plans.ts';
import { findCustomer } from '../../sql/postgres/customers/customers.ts';
import {
  type HeldFilter,
  type HeldRecord,
  listHeldCombinations,
} from '../../sql/postgres/invoices/held-combinations.ts';
import type { FoundHolder } from '../../sql/postgres/invoices/holders.ts';
import {
  COUNT_CAP,
  type PageOf,
  type PageWindow,
  type Place,
  startOf,
  wrongPlace,
} from '../../sql/postgres/page-window.ts';
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

/** First part of a place behind usage that is counted; places of billed usage begin with a subscription. */
const COUNTED = 'counted';

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
  const { limit, offset, after } = window;
  const isBehindBilled = after?.[0] === COUNTED;
  const billed = await inReading(sources.postgres, accountId, async (tx) => {
    await assertThere(tx, accountId, filter);
    return listHeldCombinations(tx, accountId, filter, isBehindBilled ? { limit: 1, offset: 0 } : window);
  });
  const { count } = billed;
  // What comes behind has no number that it could be found by: `next` goes on to it.
  if (billed.isCapped && !after) return { ...billed, hasNext: billed.hasNext || billed.results.length > 0 };
  const found = isBehindBilled ? [] : billed.results.map((held, i) => ({ held, place: billed.places[i] ?? [] }));
  const wanted = billed.hasNext && !isBehindBilled ? 0 : limit + 1;
  const countedTo = COUNT_CAP + 1 - count;
  // Only so many are listed of some holders: what is counted, or what the page has.
  const room = () => (after ? COUNT_CAP + limit + 1 : Math.max(countedTo, offset + limit + 1 - count) - seen);
  let seen = 0;
  for await (const { held, list, passed } of heldInTurn(sources, accountId, filter, { listedFirst, room })) {
    const from = isBehindBilled ? await passed(after) : Math.max(0, (after ? 0 : offset - count) - seen);
    const to = Math.min(held, from + wanted - found.length);
    if (from < to) found.push(...(await list(from, to)));
    seen += held;
    if (seen >= countedTo && found.length >= wanted) break;
  }
  const results = found.slice(0, limit);
  const total = count + seen;
  const isCapped = billed.isCapped || total > COUNT_CAP;
  return {
    results: results.map(({ held }) => held),
    places: results.map(({ place }) => place),
    count: isCapped ? COUNT_CAP : total,
    isCapped,
    hasNext: found.length > limit || (billed.hasNext && !isBehindBilled),
  };
}

async function assertThere(tx: Transaction, accountId: string, { customerId, planId }: HeldFilter): Promise<void> {
  if (customerId != null && !(await findCustomer(tx, accountId, customerId))) throw notFound(`customer ${customerId}`);
  if (planId != null && (await findPlanCurrency(tx, accountId, planId)) === undefined) throw notFound(`plan ${planId}`);
}

type PlacedRecord = { held: HeldRecord; place: Place };

/**
 * What some holders hold: how many combinations, these from one place in their order to before another, and how many of them come before or at
 * a place.
 */
type HeldByHolders = {
  held: number;
  list(from: number, to: number): Promise<PlacedRecord[]>;
  passed(place: Place): Promise<number>;
};

/** What is held of windows that have to be counted, newest subscriptions first; of some holders at most `room` is listed. */
async function* heldInTurn(
  sources: UsageReader,
  accountId: string,
  filter: HeldFilter,
  { listedFirst, room }: { listedFirst: number; room: () => number },
): AsyncGenerator<HeldByHolders> {
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
): Promise<HeldByHolders> {
  const records = await listHeldByHolders(sources, accountId, holders, wanted);
  const placed = placedRecords(holders, records);
  const spans = [...Map.groupBy(placed, ({ place }) => place[1])].map(([seq = '', own]) => ({ seq, held: own.length }));
  const list = async (from: number, to: number) => placed.slice(from, to);
  return { held: records.length, list, passed: (place) => countPassed(spans, list, place) };
}

async function counted(
  sources: UsageReader,
  accountId: string,
  found: FoundHolders,
  wanted: WantedHeld,
): Promise<HeldByHolders> {
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
    return placedRecords(own, records).slice(Math.max(0, from - first.from), to - first.from);
  };
  const spans = placed.map(({ holder: { seq }, from, to }) => ({ seq, held: to - from }));
  return { held, list, passed: (place) => countPassed(spans, list, place) };
}

/** The records of holders with their places: the holder's, what the record is about, and its number among the holder's. */
function placedRecords(holders: readonly FoundHolder[], records: readonly HeldRecord[]): PlacedRecord[] {
  const seqOf = new Map(holders.map(({ subscriptionId, seq }) => [subscriptionId, seq]));
  const numbers = new Map<string, number>();
  return records.map((held) => {
    const number = numbers.get(held.subscriptionId) ?? 0;
    numbers.set(held.subscriptionId, number + 1);
    return { held, place: [COUNTED, seqOf.get(held.subscriptionId) ?? '', nameOf(held), String(number)] };
  });
}

function nameOf({ metricId, windowStart, group }: HeldRecord): string {
  return canonicalJson([metricId, windowStart, group]);
}

/** How many records of holders, which hold so many each and are in their order, come before or at a place. */
async function countPassed(
  spans: readonly { seq: string; held: number }[],
  list: HeldByHolders['list'],
  [_, seq = '', ...after]: Place,
): Promise<number> {
  if (!/^\d{1,18}$/.test(seq)) throw wrongPlace();
  const before = spans.filter((span) => BigInt(span.seq) > BigInt(seq)).reduce((sum, { held }) => sum + held, 0);
  const own = spans.find((span) => span.seq === seq);
  if (!own) return before;
  const names = (await list(before, before + own.held)).map(({ held }) => nameOf(held));
  return before + Math.min(own.held, startOf(names, { limit: 0, offset: 0, after }));
}
