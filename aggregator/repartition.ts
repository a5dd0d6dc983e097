import type { ClickHouseClient } from '@clickhouse/client';
import type { Log } from '../runtime/log.ts';
import {
  type Difference,
  exchangeUsageEvents,
  listDifferences,
  mendCopy,
  takeUpRepartition,
} from '../sql/clickhouse/usage/repartition-usage.ts';
import { endOfMessage } from '../stream/positions.ts';
import type { UsageProgress } from '../stream/progress.ts';

/** What is left to copy while landing is paused: a second or two. */
const COPIED_IN_PAUSE = 200_000;

/**
 * Repartitions what a release before has left, a step at a time; 'more' while there is another. Nothing to do from then on.
 * Wherever it is cut off, the next process goes on.
 */
export function createRepartition(parts: {
  clickhouse: ClickHouseClient;
  cluster?: string | undefined;
  progress: Pick<UsageProgress, 'landedSequences'>;
  log: Log;
}): { runOnce(): Promise<'more' | undefined> } {
  const { progress, log } = parts;
  let isDone = false;
  let isTakenUp = false;
  let left: Difference[] = [];

  async function step() {
    if (!isTakenUp) {
      const state = await takeUpRepartition(parts);
      isDone = state === 'done';
      isTakenUp = state === 'ready';
      return isTakenUp ? ('more' as const) : undefined;
    }
    const next = left.shift();
    if (next) {
      await mendCopy(parts, next);
      return 'more' as const;
    }
    left = await listDifferences(parts);
    const rows = left.reduce((sum, difference) => sum + difference.rows, 0);
    log.info({ rows, stretches: left.length }, 'usage events are being repartitioned: left to copy');
    if (rows > COPIED_IN_PAUSE) return 'more' as const;
    await exchangeUsageEvents(parts, () => progress.landedSequences().sequences.map(endOfMessage));
    log.info('usage events are repartitioned');
    isTakenUp = false;
    return 'more' as const;
  }

  async function runOnce() {
    if (isDone) return undefined;
    try {
      return await step();
    } catch (error) {
      isTakenUp = false;
      left = [];
      log.error({ err: error }, 'usage events cannot be repartitioned, trying again');
      return undefined;
    }
  }

  return { runOnce };
}
