import type { ClickHouseClient } from '@clickhouse/client';
import type { Log } from '../runtime/log.ts';
import { countDifferingRepeats } from '../sql/clickhouse/usage/usage-repeats.ts';
import type { Claim } from '../stream/claims.ts';
import { endOfMessage, positionOf } from '../stream/positions.ts';

/** The most repeats that one query compares, unless a single message has more. A failed query is retried with half as many. */
const MOST_REPEATS = 50_000;

/** After a query, comparing rests for this many times the duration of the query, so that it does not slow down landing. */
const REST = 9;

export type RepeatComparison = {
  /** Notes the repeats of a batch that has landed. Costs nothing if it has none. */
  add(claim: Claim): void;
  /** Returns true if repeats wait to be compared. */
  isWaiting(): boolean;
  /** Returns true if repeats wait to be compared and comparing does not rest. */
  isDue(): boolean;
  /** Compares a bounded number of the repeats that wait with the first events of their ids. */
  runOnce(): Promise<void>;
};

/** Landed messages of a partition, `from` to `to` inclusive, and how many events in them are repeats. */
export type Stretch = { epoch: number; partition: number; from: number; to: number; repeats: number };

/**
 * Finds repeats that differ from the first event of their id (spec/events#repeats), after their batch has landed: the aggregator
 * itself knows only ids. `onDiffering` is called with their number. The stretches to compare are kept in memory. Repeats that are not
 * compared before the process ends are missing from the metric. A trace is complete, because it compares them itself.
 */
export function createRepeatComparison(parts: {
  clickhouse: ClickHouseClient;
  /** How many the usage stream has. */
  partitions: number;
  log: Log;
  onDiffering(repeats: number): void;
  mostRepeats?: number;
}): RepeatComparison {
  const { clickhouse, partitions, log, onDiffering, mostRepeats = MOST_REPEATS } = parts;
  const waiting: Stretch[] = [];
  let most = mostRepeats;
  let restsUntil = 0;

  function add({ epoch, partition, from, to, counts }: Claim) {
    const repeats = counts.reduce((sum, { repeated }) => sum + repeated, 0);
    if (repeats === 0) return;
    const last = waiting.findLast((stretch) => stretch.partition === partition);
    // What lies between two batches with repeats has landed, and has none.
    if (!last || last.repeats + repeats > mostRepeats) waiting.push({ epoch, partition, from, to, repeats });
    else Object.assign(last, { to, repeats: last.repeats + repeats });
  }

  async function runOnce() {
    if (waiting.length === 0) return;
    const stretches = takeStretches(waiting, most);
    const begunAt = performance.now();
    try {
      const ranges = stretches.map(({ epoch, partition, from, to }) => {
        return { epoch, partition, from: positionOf(from, 0), to: endOfMessage(to) };
      });
      const differing = await countDifferingRepeats(clickhouse, ranges, partitions);
      most = Math.min(mostRepeats, most * 2);
      for (const { accountId, repeats } of differing) {
        log.warn({ account_id: accountId, repeats }, 'repeats differ from the first event of their idempotency id');
        onDiffering(repeats);
      }
    } catch (error) {
      waiting.unshift(...stretches);
      most = Math.max(1, Math.floor(most / 2));
      throw error;
    } finally {
      restsUntil = performance.now() + REST * (performance.now() - begunAt);
    }
  }

  const isWaiting = () => waiting.length > 0;
  return { add, isWaiting, isDue: () => isWaiting() && performance.now() >= restsUntil, runOnce };
}

/**
 * Removes the first stretches from a list and returns them: as many as have at most `most` repeats together. If the first one has
 * more, a part of it is taken, at least one message. Repeats are assumed to be spread evenly over the messages of a stretch.
 */
export function takeStretches(waiting: Stretch[], most: number): Stretch[] {
  const taken: Stretch[] = [];
  let room = most;
  for (let first = waiting[0]; first && first.repeats <= room; first = waiting[0]) {
    taken.push(first);
    waiting.shift();
    room -= first.repeats;
  }
  const [first] = waiting;
  return taken.length > 0 || !first ? taken : [takePart(waiting, first, most)];
}

function takePart(waiting: Stretch[], first: Stretch, most: number): Stretch {
  const messages = first.to - first.from + 1;
  const count = Math.max(1, Math.floor((messages * most) / first.repeats));
  waiting.shift();
  if (count >= messages) return first;
  const [to, repeats] = [first.from + count - 1, Math.min(most, first.repeats - 1)];
  waiting.unshift({ ...first, from: to + 1, repeats: first.repeats - repeats });
  return { ...first, to, repeats };
}
