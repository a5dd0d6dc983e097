import type { Decimal } from '../../core/decimal.ts';
import type { Instant } from '../../core/instants.ts';
import { askTogetherBy } from '../../runtime/ask-together.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { CustomerQuestion } from '../../sql/clickhouse/metrics/metric-by-customer.ts';
import type { TouchedUsage } from '../../sql/clickhouse/metrics/touched-usage.ts';
import type { Position } from '../../stream/positions.ts';

/** A metric's value for one customer in one interval: what is kept. */
export type UsageQuestion = Omit<CustomerQuestion, 'above'>;

/** Where values come from. */
export type ValueSource = {
  /** Up to which position everything accepted by `asOf` can be queried. */
  landed(): Promise<{ position: Position; asOf: Instant }>;
  /** Whose events lie above one position and up to another; null where they are too many to tell. */
  touched(stretch: { above: Position; upTo: Position }): Promise<TouchedUsage[] | null>;
  /** Values of one account's usage up to a position, each above the question's own `above` where it has one; in their order. */
  values(questions: CustomerQuestion[], upTo: Position): Promise<Decimal[]>;
};

/** A value with every event accepted by `asOf`. */
type KnownValue = { value: Decimal; asOf: Instant };

export type KnownUsage = {
  ask(question: UsageQuestion): Promise<KnownValue>;
  /**
   * Brings what is known up to date every {@link REFRESH_MS}, however long that takes, while anything was asked in the last
   * seconds; to be called every {@link LOOK_MS}.
   */
  refreshIfAsked(): Promise<void>;
};

/** How often values are brought up to date: with what landing takes, an event shows well within a second (spec/access#freshness). */
const REFRESH_MS = 200;
/** How often it is looked whether that is due. */
export const LOOK_MS = 40;
/** An answer may be this old: after an idle time the first check refreshes. */
const FRESH_MS = 400;
const REFRESHED_AFTER_USE_MS = 5_000;
const FORGOTTEN_AFTER_MS = 60_000;
/** Of 2 KB or so each. */
const MAX_KNOWN = 20_000;
/** Sizes of all news that are kept together: some ten megabytes. */
const MAX_NEWS = 100_000;
/** Values of one account asked anew: a huge customer's holds up only those of its account. */
const ASK = { atOnce: 1, most: 50 };

type Landed = { position: Position; asOf: Instant; readAt: Instant };
/** `value` counts exactly what lies at or below the position of `landed`. */
type Known = { value: Decimal; landed: Landed };
/** `asking`: under way, ends when `known` is newer or cannot be had. */
type Entry = { question: UsageQuestion; usedAt: Instant; known?: Known; asking?: Promise<void> };

type Behind = { entry: Entry; known: Known };

/** Whose usage one refresh found to have grown since the one before, `after`; `size` grows with how many they are. */
type News = { after: Landed; size: number; isTouched(question: UsageQuestion): boolean };

/**
 * Values of usage, kept in memory and brought up to date by what has landed since, so that a check seldom waits for the
 * ClickHouse. Counts and sums are added to, from the new events alone; a max or unique of a customer that was touched is
 * asked anew when it is next wanted. Each account's values are asked for by themselves, and nobody waits for another account's.
 * Not shared: each process knows for itself.
 */
export function keepKnownUsage(source: ValueSource, clock: Clock): KnownUsage {
  return new KeptUsage(source, clock);
}

class KeptUsage implements KnownUsage {
  readonly #source: ValueSource;
  readonly #clock: Clock;
  /** In the order of last use. */
  readonly #entries = new Map<string, Entry>();
  /** Of the last minute, oldest first and without a gap up to the latest. */
  readonly #news: News[] = [];
  readonly #askAnew: (question: UsageQuestion) => Promise<Known>;
  #latest: Landed | undefined;
  #refreshing: Promise<Landed> | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(source: ValueSource, clock: Clock) {
    this.#source = source;
    this.#clock = clock;
    this.#askAnew = askTogetherBy(
      ({ accountId }: UsageQuestion) => accountId,
      async (asked): Promise<Known[]> => {
        const landed = await this.#fresh();
        const values = await source.values(asked, landed.position);
        return values.map((value) => ({ value, landed }));
      },
      ASK,
    );
  }

  #isFresh({ readAt }: Landed): boolean {
    return this.#clock.now() - readAt <= FRESH_MS;
  }

  async #fresh(): Promise<Landed> {
    return this.#latest && this.#isFresh(this.#latest) ? this.#latest : this.#refresh();
  }

  #refresh(): Promise<Landed> {
    this.#refreshing ??= this.#refreshOnce().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #refreshOnce(): Promise<Landed> {
    const readAt = this.#clock.now();
    const next = { ...(await this.#source.landed()), readAt };
    this.#forgetUnused(readAt - FORGOTTEN_AFTER_MS);
    const before = this.#latest;
    const isFar = !before || readAt - before.readAt > FORGOTTEN_AFTER_MS || next.position < before.position;
    // What touched anybody in a minute nobody asked in is not worth looking through; a stream that begins anew is another.
    if (isFar) {
      this.#entries.clear();
      this.#news.length = 0;
    } else {
      const found = await this.#findNews(before, next);
      this.#bringUpToDate(found, next);
      this.#remember(found, next);
    }
    this.#latest = next;
    return next;
  }

  #remember(found: News, next: Landed): void {
    this.#news.push(found);
    let size = this.#news.reduce((sum, one) => sum + one.size, 0);
    for (const { after, size: own } of [...this.#news]) {
      if (size <= MAX_NEWS && next.readAt - after.readAt <= FORGOTTEN_AFTER_MS) break;
      this.#news.shift();
      size -= own;
    }
  }

  /** As of the last refresh, unless what came since touches it: an answer may take longer than many refreshes. */
  #caughtUp(question: UsageQuestion, known: Known): Known {
    const from = this.#news.findIndex(({ after }) => after === known.landed);
    const isTouched = from < 0 || this.#news.slice(from).some((one) => one.isTouched(question));
    return isTouched || !this.#latest ? known : { value: known.value, landed: this.#latest };
  }

  #bringUpToDate({ after, isTouched }: News, next: Landed): void {
    const behind: Behind[] = [];
    for (const entry of this.#entries.values()) {
      const { question, known, asking } = entry;
      if (!known || asking) continue;
      if (known.landed === after && !isTouched(question)) entry.known = { value: known.value, landed: next };
      else if (isAdditive(question)) behind.push({ entry, known });
    }
    for (const own of Map.groupBy(behind, ({ entry }) => entry.question.accountId).values()) {
      const adding = this.#addNews(own, next);
      for (const { entry } of own) this.#keepAsking(entry, adding);
    }
  }

  /** What fails is forgotten, and asked anew when it is next wanted. */
  async #addNews(own: Behind[], next: Landed): Promise<void> {
    const questions = own.map(({ entry, known }) => ({ ...entry.question, above: known.landed.position }));
    try {
      const values = await this.#source.values(questions, next.position);
      for (const [i, { entry, known }] of own.entries()) {
        const news = values[i];
        if (!news) throw new Error('a question about usage has no answer');
        const value = known.value.plus(news);
        entry.known = this.#caughtUp(entry.question, { value, landed: next });
      }
    } catch (error) {
      for (const { entry } of own) delete entry.known;
      throw error;
    }
  }

  #keepAsking(entry: Entry, asking: Promise<void>): Promise<void> {
    const ended = asking.finally(() => delete entry.asking);
    // Nobody may be waiting for it.
    ended.catch(() => {});
    entry.asking = ended;
    return ended;
  }

  async #findNews(after: Landed, next: Landed): Promise<News> {
    if (next.position === after.position) return { after, size: 0, isTouched: () => false };
    const touched = await this.#source.touched({ above: after.position, upTo: next.position });
    if (touched === null) return { after, size: 0, isTouched: () => true };
    const names = new Map<string, Set<string>>();
    for (const { accountId, customerId, eventName } of touched) {
      const key = customerKey(accountId, customerId);
      names.set(key, (names.get(key) ?? new Set()).add(eventName));
    }
    const isTouched = ({ accountId, customerId, metric: { eventName } }: UsageQuestion) => {
      const own = names.get(customerKey(accountId, customerId));
      return own !== undefined && (eventName === null || own.has(eventName));
    };
    return { after, size: touched.length, isTouched };
  }

  #forgetUnused(since: Instant) {
    for (const [key, { usedAt }] of this.#entries) {
      if (usedAt >= since) break;
      this.#entries.delete(key);
    }
  }

  /** The entry of a question, now the last used one. */
  #use(question: UsageQuestion): Entry {
    const key = keyOf(question);
    const entry = this.#entries.get(key) ?? { question, usedAt: this.#askedAt };
    entry.usedAt = this.#askedAt;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= MAX_KNOWN) break;
      this.#entries.delete(oldest);
    }
    return entry;
  }

  async ask(question: UsageQuestion): Promise<KnownValue> {
    const now = this.#clock.now();
    this.#askedAt = now;
    if (!this.#latest || !this.#isFresh(this.#latest)) await this.#refresh();
    const entry = this.#use(question);
    // What was under way before may be too old; what begins now is not.
    while (!entry.known || entry.known.landed.readAt < now - FRESH_MS) {
      await (entry.asking ?? this.#keepAsking(entry, this.#askFor(entry)));
    }
    return { value: entry.known.value, asOf: entry.known.landed.asOf };
  }

  async #askFor(entry: Entry): Promise<void> {
    entry.known = this.#caughtUp(entry.question, await this.#askAnew(entry.question));
  }

  async refreshIfAsked(): Promise<void> {
    const now = this.#clock.now();
    const isDue = !this.#latest || now - this.#latest.readAt >= REFRESH_MS;
    if (isDue && now - this.#askedAt <= REFRESHED_AFTER_USE_MS) await this.#refresh();
  }
}

/** What new events add to the value is all that is needed of them. */
function isAdditive({ metric: { aggregationType } }: UsageQuestion): boolean {
  return aggregationType === 'count' || aggregationType === 'sum';
}

function customerKey(accountId: string, customerId: string): string {
  return `${accountId} ${customerId}`;
}

/** A metric's rule never changes, so its id stands for it; the zone is only for its time filter. */
function keyOf({ accountId, customerId, metric, timeZone, start, end, excluded = [] }: UsageQuestion): string {
  const zone = metric.timeFilter === null ? '' : timeZone;
  const without = excluded.map(({ startsAt, endsAt }) => [startsAt, endsAt]);
  return JSON.stringify([accountId, customerId, metric.metricId, zone, start, end, without]);
}
