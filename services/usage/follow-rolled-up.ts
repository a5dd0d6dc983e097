import type { ClickHouseClient } from '@clickhouse/client';
import type { RolledUp } from '../../sql/clickhouse/metrics/rollup-query.ts';
import {
  customerKey,
  EVENTS_A_NAMING,
  listRolledSpans,
  propertyKey,
} from '../../sql/clickhouse/usage/usage-rollups.ts';

/** Without news of the newest span its events are read one by one: no more than that. */
const REFRESH_MS = 15_000;

/** A statement about rollups takes 5 ms longer to plan: as long as this many events to read. */
const LARGE_EVENTS = 60_000;

const NONE: ReadonlySet<bigint> = new Set();

/** Knows the spans as of some seconds ago; looks again, beside a question, when it is asked. A failure is the next one's to mend. */
export function followRolledUp(clickhouse: ClickHouseClient, largeEvents = LARGE_EVENTS): RolledUp {
  const ends: bigint[] = [];
  /** Known events by customer. */
  const events = new Map<string, number>();
  /** Where the first span begins that has no rollups of the customer: from there on it is read event by event. */
  const leftOutFrom = new Map<string, bigint>();
  /** Ends of the spans of which all texts of a property are told. */
  const textSpans = new Map<string, Set<bigint>>();
  let lookedAt = Number.NEGATIVE_INFINITY;

  async function refresh() {
    lookedAt = performance.now();
    const known = ends.length;
    const added = await listRolledSpans(clickhouse, ends.at(-1));
    // Of two looks at once the second one to return has nothing to add.
    if (ends.length !== known) return;
    for (const span of added) {
      ends.push(span.to);
      for (const key of span.large) events.set(key, (events.get(key) ?? 0) + EVENTS_A_NAMING);
      for (const key of span.texts) textSpans.set(key, (textSpans.get(key) ?? new Set()).add(span.to));
      for (const key of span.leftOut) if (!leftOutFrom.has(key)) leftOutFrom.set(key, span.from);
    }
  }

  return {
    refresh,
    textSpansOf: ({ accountId, customerId, eventName, property }) =>
      textSpans.get(propertyKey(accountId, customerId, eventName, property)) ?? NONE,
    spansOf: ({ accountId, customerId, upTo }) => {
      if (performance.now() - lookedAt > REFRESH_MS) refresh().catch(() => {});
      const key = customerKey(accountId, customerId);
      if ((events.get(key) ?? 0) < largeEvents) return [];
      const bounds = [upTo, leftOutFrom.get(key)].filter((bound) => bound !== undefined);
      return bounds.length === 0 ? ends : ends.filter((end) => bounds.every((bound) => end <= bound));
    },
  };
}
