import type { ClickHouseClient } from '@clickhouse/client';
import { largeKey, listRolledSpans } from './usage-rollups.ts';

/** Which of the usage is counted beforehand. Whether it is asked or not, answers are the same. */
export type RolledUp = {
  /** Ends of the spans, ascending, by which a question about the customer is answered sooner; none above `upTo`. */
  spansOf(question: { accountId: string; customerId: string; upTo?: bigint }): readonly bigint[];
  /** Looks for spans that were added. */
  refresh(): Promise<void>;
};

/** Without news of the newest span its events are read one by one: no more than that. */
const REFRESH_MS = 15_000;

/** Knows the spans as of some seconds ago; looks again, beside a question, when it is asked. A failure is the next one's to mend. */
export function followRolledUp(clickhouse: ClickHouseClient): RolledUp {
  const ends: bigint[] = [];
  const large = new Set<string>();
  let lookedAt = Number.NEGATIVE_INFINITY;

  async function refresh() {
    lookedAt = performance.now();
    const known = ends.length;
    const added = await listRolledSpans(clickhouse, ends.at(-1));
    // Of two looks at once the second one to return has nothing to add.
    if (ends.length !== known) return;
    for (const span of added) {
      ends.push(span.to);
      for (const key of span.large) large.add(key);
    }
  }

  return {
    refresh,
    spansOf: ({ accountId, customerId, upTo }) => {
      if (performance.now() - lookedAt > REFRESH_MS) refresh().catch(() => {});
      if (!large.has(largeKey(accountId, customerId))) return [];
      return upTo === undefined ? ends : ends.filter((end) => end <= upTo);
    },
  };
}
