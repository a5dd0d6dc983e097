import type { ClickHouseClient } from '@clickhouse/client';
import { findSpanEnd, insertRollups, listRolledSpans, type SpanSize } from '../sql/clickhouse/usage/usage-rollups.ts';
import { insertTexts } from '../sql/clickhouse/usage/usage-texts.ts';
import type { UsageProgress } from '../stream/progress.ts';

/**
 * Of fewer events reading one by one is as fast, more take longer to roll up while events land beside it. Properties bound its
 * memory: a sender may give each event many that no other has.
 */
const SPAN: SpanSize = { events: 500_000, numbers: 4_000_000 };

/** A span that could not be rolled up is tried with half of it, down to this. */
const LEAST_PART = 1 / 512;

/**
 * Rolls up what has landed, span by span from the beginning; 'more' while there may be another whole span. A span that was
 * cut off is rolled up again: its rows are equal to those that are there, and nobody reads them before it is complete.
 */
export function createRollUp(parts: {
  clickhouse: ClickHouseClient;
  progress: Pick<UsageProgress, 'landedPosition'>;
  span?: SpanSize;
}): { runOnce(): Promise<'more' | undefined> } {
  const { clickhouse, progress, span: whole = SPAN } = parts;
  let rolledTo = 0n;
  let part = 1;

  async function runOnce() {
    for (const span of await listRolledSpans(clickhouse, rolledTo)) rolledTo = span.to;
    const size = { events: Math.ceil(whole.events * part), numbers: Math.ceil(whole.numbers * part) };
    const to = await findSpanEnd(clickhouse, rolledTo, await progress.landedPosition(), size);
    if (to === undefined) return undefined;
    try {
      await insertTexts(clickhouse, { from: rolledTo, to });
      await insertRollups(clickhouse, { from: rolledTo, to });
      part = Math.min(1, part * 2);
    } catch (error) {
      part = Math.max(LEAST_PART, part / 2);
      throw error;
    }
    return 'more' as const;
  }

  return { runOnce };
}
