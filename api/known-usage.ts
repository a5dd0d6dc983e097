import type { Decimal } from '../billing/decimal.ts';
import type { Instant } from '../billing/instants.ts';
import { askTogether } from '../runtime/ask-together.ts';
import type { Clock } from '../runtime/clock.ts';
import type { CustomerQuestion } from '../sql/metric-by-customer.ts';
import type { TouchedUsage } from '../sql/touched-usage.ts';
import type { Position } from '../stream/positions.ts';

/** A metric's value for one customer in one interval: what is kept. */
export type UsageQuestion = Omit<CustomerQuestion, 'above'>;

/** Where values come from. */
export type ValueSource = {
  /** Up to which position everything accepted by `asOf` can be queried. */
  landed(): Promise<{ position: Position; asOf: Instant }>;
  /** Whose events lie above one position and up to another. */
  touched(stretch: { above: Position; upTo: Position }): Promise<TouchedUsage[]>;
  /** Values of usage up to a position, each above the question's own `above` where it has one; in their order. */
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

/** How often values are brought up to date: with what landing takes, an event shows well within a second (contract 12). */
const REFRESH_MS = 200;
/** How often it is looked whether that is due. */
export const LOOK_MS = 40;
/** An answer may be this old: after an idle time the first check refreshes. */
const FRESH_MS = 400;
const REFRESHED_AFTER_USE_MS = 5_000;
const FORGOTTEN_AFTER_MS = 60_000;
/** Of 2 KB or so each. */
const MAX_KNOWN = 20_000;
/** Values asked anew: a huge customer's holds up only those that are in the same statement. */
const ASK = { atOnce: 2, most: 50 };

type Landed = { position: Position; asOf: Instant; readAt: Instant };
/** `value` counts exactly what lies at or below the position of `landed`. */
type Known = { value: Decimal; landed: Landed };
type Entry = { question: UsageQuestion; usedAt: Instant; known?: Known; asking?: Promise<Known> };

/**
 * Values of usage, kept in memory and brought up to date by what has landed since, so that a check seldom waits for the
 * usage store. Counts and sums are added to, from the new events alone; a max or unique of a customer that was touched is
 * asked anew when it is next wanted. Not shared: each process knows for itself.
 */
export function keepKnownUsage(source: ValueSource, clock: Clock): KnownUsage {
  /** In the order of last use. */
  const entries = new Map<string, Entry>();
  let latest: Landed | undefined;
  let refreshing: Promise<Landed> | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;

  const isFresh = ({ readAt }: Landed) => clock.now() - readAt <= FRESH_MS;

  const askAnew = askTogether(async (asked: UsageQuestion[]): Promise<Known[]> => {
    const landed = await fresh();
    const values = await source.values(asked, landed.position);
    return values.map((value) => ({ value, landed }));
  }, ASK);

  async function fresh(): Promise<Landed> {
    return latest && isFresh(latest) ? latest : refresh();
  }

  function refresh(): Promise<Landed> {
    refreshing ??= refreshOnce().finally(() => {
      refreshing = undefined;
    });
    return refreshing;
  }

  async function refreshOnce(): Promise<Landed> {
    const readAt = clock.now();
    const next = { ...(await source.landed()), readAt };
    forgetUnused(readAt - FORGOTTEN_AFTER_MS);
    const before = latest;
    const isFar = !before || readAt - before.readAt > FORGOTTEN_AFTER_MS || next.position < before.position;
    // What touched anybody in a minute nobody asked in is not worth looking through; a stream that begins anew is another.
    if (isFar) entries.clear();
    else await bringUpToDate(before, next);
    latest = next;
    return next;
  }

  async function bringUpToDate(before: Landed, next: Landed): Promise<void> {
    const known = [...entries.values()].flatMap((entry) => (entry.known ? { entry, ...entry.known } : []));
    const isTouched = next.position === before.position ? () => false : await touchedBetween(before, next);
    const isBehind = (one: (typeof known)[number]) => one.landed !== before || isTouched(one.entry.question);
    const added = known.filter((one) => isBehind(one) && isAdditive(one.entry.question));
    const questions = added.map(({ entry, landed }) => ({ ...entry.question, above: landed.position }));
    const values = await source.values(questions, next.position);
    for (const [i, { entry, value }] of added.entries()) {
      entry.known = { value: value.plus(values[i] as Decimal), landed: next };
    }
    for (const one of known) if (!isBehind(one)) one.entry.known = { value: one.value, landed: next };
  }

  async function touchedBetween(before: Landed, next: Landed): Promise<(question: UsageQuestion) => boolean> {
    const touched = await source.touched({ above: before.position, upTo: next.position });
    const names = new Map<string, Set<string>>();
    for (const { accountId, customerId, eventName } of touched) {
      const key = customerKey(accountId, customerId);
      names.set(key, (names.get(key) ?? new Set()).add(eventName));
    }
    return ({ accountId, customerId, metric: { eventName } }) => {
      const own = names.get(customerKey(accountId, customerId));
      return own !== undefined && (eventName === null || own.has(eventName));
    };
  }

  function forgetUnused(since: Instant) {
    for (const [key, { usedAt }] of entries) {
      if (usedAt >= since) break;
      entries.delete(key);
    }
  }

  /** The entry of a question, now the last used one. */
  function use(question: UsageQuestion): Entry {
    const key = keyOf(question);
    const entry = entries.get(key) ?? { question, usedAt: askedAt };
    entry.usedAt = askedAt;
    entries.delete(key);
    entries.set(key, entry);
    for (const oldest of entries.keys()) {
      if (entries.size <= MAX_KNOWN) break;
      entries.delete(oldest);
    }
    return entry;
  }

  async function ask(question: UsageQuestion): Promise<KnownValue> {
    askedAt = clock.now();
    if (!latest || !isFresh(latest)) await refresh();
    const entry = use(question);
    if (!entry.known || !isFresh(entry.known.landed)) {
      entry.asking ??= askAnew(question).finally(() => delete entry.asking);
      const answer = await entry.asking;
      if (!entry.known || entry.known.landed.position <= answer.landed.position) entry.known = answer;
    }
    return { value: entry.known.value, asOf: entry.known.landed.asOf };
  }

  return {
    ask,
    refreshIfAsked: async () => {
      const now = clock.now();
      const isDue = !latest || now - latest.readAt >= REFRESH_MS;
      if (isDue && now - askedAt <= REFRESHED_AFTER_USE_MS) await refresh();
    },
  };
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
