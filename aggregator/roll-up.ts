import type { ClickHouseClient } from '@clickhouse/client';
import { findSpanEnd, insertRollups, listRolledSpans } from '../sql/usage-rollups.ts';
import type { UsageProgress } from '../stream/progress.ts';

/** Events in a span: fewer are read one by one as fast, more take longer to roll up while events land beside it. */
export const SPAN_EVENTS = 500_000;

/**
 * Rolls up what has landed, span by span from the beginning; 'more' while there may be another whole span. A span that was
 * cut off is rolled up again: its rows are equal to those that are there, and nobody reads them before it is complete.
 */
export function createRollUp(parts: {
  clickhouse: ClickHouseClient;
  progress: Pick<UsageProgress, 'landedPosition'>;
  spanEvents?: number;
}): { runOnce(): Promise<'more' | undefined> } {
  const { clickhouse, progress, spanEvents = SPAN_EVENTS } = parts;
  let rolledTo = 0n;

  async function runOnce() {
    for (const span of await listRolledSpans(clickhouse, rolledTo)) rolledTo = span.to;
    const to = await findSpanEnd(clickhouse, rolledTo, await progress.landedPosition(), spanEvents);
    if (to === undefined) return undefined;
    await insertRollups(clickhouse, { from: rolledTo, to });
    return 'more' as const;
  }

  return { runOnce };
}
