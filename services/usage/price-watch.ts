import { randomUUID } from 'node:crypto';
import type { ClickHouseClient } from '@clickhouse/client';
import { combinationKey } from '../../billing/pricing/price-book.ts';
import type { Instant } from '../../core/instants.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log.ts';
import { isRefusedQuestion, OF_A_WATCH } from '../../sql/clickhouse/clickhouse.ts';
import {
  type LandedCombination,
  type LookedAt,
  listAccountsLanded,
  listLandedCombinations,
  listLandedOf,
  type Stretch,
} from '../../sql/clickhouse/metrics/landed-combinations.ts';
import { inParts } from '../../sql/clickhouse/query-parameters.ts';
import { findMissingPrices, type MissingPrice } from '../../sql/postgres/catalog/missing-prices.ts';
import {
  advancePriceWatch,
  claimPriceWatch,
  deleteHoldersLookedAt,
  endPriceWatch,
  type HolderToLookAt,
  insertAccountBehind,
  listAccountsBehind,
  listHoldersToLookAt,
  listWatchedPriceBooks,
  renewPriceWatch,
  updateAccountBehind,
  type WatchedBook,
} from '../../sql/postgres/catalog/price-watch.ts';
import { type HeldRecord, listHeldOf, listHoldersOf } from '../../sql/postgres/invoices/held-combinations.ts';
import { inReading, inSnapshot, inTransaction, type Pool, type Transaction } from '../../sql/postgres/postgres.ts';
import type { UsageProgress } from '../../stream/progress.ts';
import { countHeld, type HeldWindows, loadHeldWindows } from './held-windows.ts';
import { KnownPrices } from './known-prices.ts';
import { halvesOf, strideTo } from './stretches.ts';
import { tellMissingPrices } from './tell-missing-prices.ts';

type WatchDependencies = {
  postgres: Pool;
  clickhouse: ClickHouseClient;
  progress: Pick<UsageProgress, 'landedPosition'>;
  clock: Clock;
  log: Log;
};

/** Another worker goes on where the one that watches has died. */
const CLAIM_SECONDS = 3;
const RENEW_MS = 1_000;
/** Subscriptions looked at in one round, and asked about together. */
const HOLDERS = 200;
/** So few accounts are asked about, whether anything of them has landed or not. */
const FEW_ACCOUNTS = 8;
/** Told at once of one subscription's windows; what is beyond is told when it lands again, or is billed. */
const MOST = 10_000;
const TOLD_TOGETHER = 500;
/**
 * An account whose question failed is asked about again after a rest, which doubles with each failure that follows within the longest rest:
 * a machine that is busy for a moment must not delay an event as much as a question that always fails.
 */
const [FIRST_REST_MS, LONGEST_REST_MS] = [1_000, 30_000];
/** Combinations known as told: some megabytes. */
const MAX_KNOWN = 20_000;

/**
 * Looks for usage that no row of a price book prices, and tells of each combination once (spec/price-books#unmatched): through what has landed since the
 * last look, and through the subscriptions that are to be looked at whatever lands. One worker does at a time; what a dead one has not told, the
 * next one finds.
 */
export class PriceWatch {
  readonly #on: WatchDependencies;
  readonly #worker = randomUUID();
  readonly #prices = new KnownPrices();
  readonly #told = new Set<string>();
  /** Accounts whose last question failed: how long they rest, and until when. */
  readonly #resting = new Map<string, { restMs: number; until: Instant }>();

  constructor(dependencies: WatchDependencies) {
    this.#on = dependencies;
  }

  /** `more`: there is more to look at right now. */
  async lookOnce(): Promise<'more' | undefined> {
    const { postgres } = this.#on;
    const resting = this.#accountsAtRest();
    const [priceBooks, holders] = await Promise.all([
      listWatchedPriceBooks(postgres),
      listHoldersToLookAt(postgres, resting, HOLDERS),
    ]);
    if (priceBooks.length + holders.length === 0) {
      await endPriceWatch(postgres, this.#worker);
      return undefined;
    }
    const claim = await claimPriceWatch(postgres, this.#worker, CLAIM_SECONDS);
    if (!claim) return undefined;
    // The lists may be older than a subscription that the other worker has looked at, and would never look at again.
    if (!claim.wasOwn) return 'more';
    const renewing = setInterval(() => {
      renewPriceWatch(postgres, this.#worker, CLAIM_SECONDS).catch(() => {}); // the next claim reports it
    }, RENEW_MS);
    try {
      return await this.#look(claim.looksFrom, { priceBooks, holders, resting });
    } finally {
      clearInterval(renewing);
    }
  }

  async #look(from: bigint | null, { priceBooks, holders, resting }: ToLookAt): Promise<'more' | undefined> {
    const { postgres, progress } = this.#on;
    // A subscription that comes to another book from here on is looked at by itself, whatever has landed until then.
    const landed = await progress.landedPosition();
    await this.#lookAtHolders(holders);
    const above = from ?? landed;
    const upTo = strideTo(above, landed);
    const behind = await listAccountsBehind(postgres);
    const ofAccount = Map.groupBy(priceBooks, ({ accountId }) => accountId);
    for (const accountId of behind.keys()) ofAccount.delete(accountId);
    if (above < upTo) await this.#lookThroughAll({ above, upTo }, ofAccount);
    if (from === null || above < upTo) await advancePriceWatch(postgres, this.#worker, upTo);
    const late = [...behind].filter(([accountId]) => !resting.includes(accountId));
    for (const [accountId, position] of late) await this.#catchUp(accountId, { above: position, upTo }, priceBooks);
    return upTo < landed || holders.length === HOLDERS ? 'more' : undefined;
  }

  #accountsAtRest(): string[] {
    const now = this.#on.clock.now();
    for (const [accountId, { until }] of this.#resting) {
      if (until + LONGEST_REST_MS <= now) this.#resting.delete(accountId);
    }
    return [...this.#resting].flatMap(([accountId, { until }]) => (until > now ? [accountId] : []));
  }

  /** Whether it was done: a question that ClickHouse refuses is one account's failure alone, and tried again once that has rested. */
  async #alone(accountId: string, work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (err) {
      if (!isRefusedQuestion(err)) throw err;
      this.#on.log.error({ err, accountId }, 'prices could not be looked for');
      this.#rest(accountId);
      return false;
    }
  }

  /** Several questions of one round may fail: they count as one failure. */
  #rest(accountId: string): void {
    const now = this.#on.clock.now();
    const last = this.#resting.get(accountId);
    if (last && last.until > now) return;
    const restMs = Math.min(last ? 2 * last.restMs : FIRST_REST_MS, LONGEST_REST_MS);
    this.#resting.set(accountId, { restMs, until: now + restMs });
  }

  async #lookAtHolders(holders: readonly HolderToLookAt[]): Promise<void> {
    const { postgres } = this.#on;
    for (const [accountId, some] of Map.groupBy(holders, (one) => one.accountId)) {
      const ids = [...new Set(some.map(({ subscriptionId }) => subscriptionId))];
      await this.#alone(accountId, async () => {
        const { billed, windows } = await inSnapshot(postgres, accountId, async (tx) => ({
          billed: await listHeldOf(tx, accountId, ids),
          windows: await loadHeldWindows(tx, accountId, ids, NOTHING_BILLED),
        }));
        await this.#tell(accountId, [...billed, ...(await this.#count(accountId, windows))]);
        const seqs = some.map(({ seq }) => seq);
        await inTransaction(postgres, accountId, (tx) => deleteHoldersLookedAt(tx, accountId, seqs));
      });
    }
  }

  /** Asked together where that goes well, else account by account; who fails stays behind. */
  async #lookThroughAll(stretch: Stretch, ofAccount: ReadonlyMap<string, readonly WatchedBook[]>): Promise<void> {
    const { clickhouse, postgres } = this.#on;
    const ids = [...ofAccount.keys()];
    const landed = ids.length > FEW_ACCOUNTS ? await listAccountsLanded(clickhouse, ids, stretch) : new Set(ids);
    const asked = [...ofAccount].filter(([accountId]) => landed.has(accountId));
    const questions = (
      await Promise.all(asked.map(([accountId, priceBooks]) => this.#questionsOf(accountId, priceBooks)))
    ).flat();
    const found = await listLandedCombinations(clickhouse, questions, stretch).catch((error) => {
      if (!isRefusedQuestion(error)) throw error;
      return questions.map(() => null);
    });
    const answered = questions.map((question, i) => ({ question, combinations: found[i] ?? null }));
    for (const [accountId, own] of Map.groupBy(answered, ({ question }) => question.accountId)) {
      const isDone = await this.#alone(accountId, async () => {
        for (const { question, combinations } of own) await this.#judge(question, combinations, stretch);
      });
      if (!isDone) await inTransaction(postgres, accountId, (tx) => insertAccountBehind(tx, accountId, stretch.above));
    }
  }

  /** Looks through what an account has stayed behind by, a stride at a time. */
  async #catchUp(accountId: string, { above, upTo: goal }: Stretch, priceBooks: readonly WatchedBook[]): Promise<void> {
    const own = priceBooks.filter((book) => book.accountId === accountId);
    const stretch = { above, upTo: strideTo(above, goal) };
    const isDone = await this.#alone(accountId, async () => {
      for (const question of await this.#questionsOf(accountId, own)) await this.#judge(question, null, stretch);
    });
    if (!isDone) return;
    const reached = { above, upTo: stretch.upTo < goal ? stretch.upTo : null };
    await inTransaction(this.#on.postgres, accountId, (tx) => updateAccountBehind(tx, accountId, reached));
  }

  async #questionsOf(accountId: string, priceBooks: readonly WatchedBook[]): Promise<WatchedQuestion[]> {
    const metrics = await inReading(this.#on.postgres, accountId, (tx) =>
      this.#prices.metricsOf(tx, accountId, priceBooks),
    );
    const alike = Map.groupBy(priceBooks, ({ metricId, groupBy }) => JSON.stringify([metricId, groupBy]));
    return [...alike.values()].flatMap((some) => {
      const metric = metrics.get(some[0]?.metricId ?? '');
      return metric ? [{ accountId, metric, groupBy: some[0]?.groupBy ?? [], priceBooks: some }] : [];
    });
  }

  /** Tells what has landed, no plan has a price for and was never told. `landed`: null where it is not known yet. */
  async #judge(
    question: WatchedQuestion,
    landed: readonly LandedCombination[] | null,
    stretch: Stretch,
  ): Promise<void> {
    const combinations = landed ?? (await listLandedCombinations(this.#on.clickhouse, [question], stretch))[0] ?? null;
    if (combinations === null) {
      for (const half of halvesOf(stretch)) await this.#judge(question, null, half);
      return;
    }
    if (combinations.length === 0) return;
    const missing = await inReading(this.#on.postgres, question.accountId, (tx) =>
      this.#neverTold(tx, question, combinations),
    );
    if (missing.length > 0) await this.#lookFor(question, missing, stretch);
  }

  /** What some plan has no price for, and was never told. */
  async #neverTold(
    tx: Transaction,
    { accountId, metric: { metricId }, groupBy, priceBooks }: WatchedQuestion,
    combinations: readonly LandedCombination[],
  ): Promise<MissingPrice[]> {
    const keyed = combinations.map((one) => ({ ...one, key: combinationKey(groupBy, one.texts) }));
    const unpriced: MissingPrice[] = [];
    for (const [planId, ofPlan] of Map.groupBy(priceBooks, (book) => book.planId)) {
      const since = await this.#prices.pricedSince(tx, ofPlan, keyed);
      const without = keyed.filter(({ first }, i) => first < (since[i] ?? Number.POSITIVE_INFINITY));
      unpriced.push(...without.map(({ texts: group }) => ({ planId, metricId, group })));
    }
    const unknown = unpriced.filter((one) => !this.#told.has(toldKey(accountId, one)));
    const told = new Set(await findMissingPrices(tx, accountId, unknown));
    this.#keepTold(accountId, told);
    return unknown.filter((one) => !told.has(one));
  }

  /** Who has used what is missing, and whether that is held: then it is told. Of many users the first who holds it tells for all. */
  async #lookFor(question: WatchedQuestion, missing: readonly MissingPrice[], stretch: Stretch): Promise<void> {
    const { accountId } = question;
    const { clickhouse, postgres } = this.#on;
    const combinations = missing.map(({ group }) => group);
    const used = await listLandedOf(clickhouse, { ...question, combinations }, stretch);
    if (used === null) {
      for (const half of halvesOf(stretch)) await this.#lookFor(question, missing, half);
      return;
    }
    const timesOf = timesByCustomer(used);
    const holders = await inReading(postgres, accountId, async (tx) => {
      const versions = await this.#versionsWithout(tx, question, used);
      return listHoldersOf(tx, accountId, [...timesOf.keys()], versions);
    });
    for (const some of inParts(holders, HOLDERS)) {
      const ids = some.map(({ subscriptionId }) => subscriptionId);
      const spans = some.flatMap(({ subscriptionId, customerId }) => {
        const times = timesOf.get(customerId);
        return times ? [{ subscriptionId, ...times }] : [];
      });
      const again = { spans, isWanted: () => true };
      const windows = await inSnapshot(postgres, accountId, (tx) => loadHeldWindows(tx, accountId, ids, again));
      const landed = await this.#count(accountId, windows, stretch.above);
      const untold = landed.filter((one) => !this.#told.has(toldKey(accountId, one)));
      // Only what is told of is counted whole, once for ever.
      const telling = new Set(untold.map(({ subscriptionId }) => subscriptionId));
      const own = windows.filter(({ subscriptionId }) => telling.has(subscriptionId));
      await this.#tell(accountId, await this.#count(accountId, own));
      if (missing.every((one) => this.#told.has(toldKey(accountId, one)))) return;
    }
  }

  /** The plan versions that have no price for some of what was used. */
  async #versionsWithout(
    tx: Transaction,
    { groupBy, priceBooks }: WatchedQuestion,
    used: readonly LandedCombination[],
  ): Promise<WatchedBook[]> {
    const keyed = used.map((one) => ({ ...one, key: combinationKey(groupBy, one.texts) }));
    const without: WatchedBook[] = [];
    for (const book of priceBooks) {
      const since = await this.#prices.pricedSince(tx, [book], keyed);
      if (keyed.some(({ first }, i) => first < (since[i] ?? Number.POSITIVE_INFINITY))) without.push(book);
    }
    return without;
  }

  #count(accountId: string, windows: readonly HeldWindows[], above?: bigint): Promise<HeldRecord[]> {
    const bounds = { most: MOST, limits: OF_A_WATCH, ...(above !== undefined && { above }) };
    return countHeld(this.#on.clickhouse, accountId, windows, bounds);
  }

  async #tell(accountId: string, held: readonly HeldRecord[]): Promise<void> {
    for (const some of inParts(held, TOLD_TOGETHER)) {
      await inTransaction(this.#on.postgres, accountId, (tx) => tellMissingPrices(tx, accountId, some));
      this.#keepTold(accountId, some);
    }
  }

  #keepTold(accountId: string, told: Iterable<MissingPrice>): void {
    if (this.#told.size > MAX_KNOWN) this.#told.clear();
    for (const one of told) this.#told.add(toldKey(accountId, one));
  }
}

type ToLookAt = {
  priceBooks: readonly WatchedBook[];
  holders: readonly HolderToLookAt[];
  resting: readonly string[];
};

/** The price books of one metric that group alike. */
type WatchedQuestion = LookedAt & { metric: { metricId: string }; priceBooks: readonly WatchedBook[] };

/** From when to when each customer has used any of these. */
function timesByCustomer(used: readonly LandedCombination[]): Map<string, { from: Instant; to: Instant }> {
  const times = new Map<string, { from: Instant; to: Instant }>();
  for (const { customerId, first, last } of used) {
    const { from = first, to = last } = times.get(customerId) ?? {};
    times.set(customerId, { from: Math.min(from, first), to: Math.max(to, last) });
  }
  return times;
}

/** Periods that are not billed, alone. */
const NOTHING_BILLED = { spans: [], isWanted: () => false };

function toldKey(accountId: string, { planId, metricId, group }: MissingPrice): string {
  const names = Object.keys(group).toSorted();
  return `${accountId} ${planId} ${metricId} ${names.join(' ')} ${combinationKey(names, group)}`;
}
