import { startOwnStack } from '../../test/stack/own-stack.ts';
import { benchBatchMemory } from './batch-memory.ts';
import { benchBatchPath } from './batch-path.ts';
import { benchBatchRate } from './batch-rate.ts';
import { benchSinglesBeside } from './singles-beside.ts';

/**
 * What batches cost (spec/events#batches): the edge alone over a bare server, `events` a round; then, with a whole stack, the way to ClickHouse,
 * single events beside large batches, and the edge's memory.
 */
export async function benchBatch(events: number): Promise<void> {
  await benchBatchRate(events);
  // Each with a stack of its own, so that none waits for what another has left to land.
  for (const part of [benchBatchPath, benchSinglesBeside, benchBatchMemory]) {
    const stack = await startOwnStack();
    try {
      await part(stack.file(), events);
    } finally {
      await stack.stop();
    }
  }
}
