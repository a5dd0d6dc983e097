import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What these tests do is done to all that is on the shared stack: they come first, while that is little. */
const FIRST = ['test/cli/backup.stack.test.ts', 'test/services/chain-heads.stack.test.ts'];

/**
 * They take longest, or wait for most of their time for what they have killed or taken away, and begin while much else is left to do: few of
 * them at the end would keep no core busy. Those that compute stand between those that wait.
 */
const LONG = [
  'test/console/pages.stack.test.ts',
  'test/kill.stack.test.ts',
  'test/workflows/away-and-lost.stack.test.ts',
  'test/docs/pages.stack.test.ts',
  'test/stream/nats-cluster.stack.test.ts',
  'test/local/start-stack.stack.test.ts',
  'test/workflows/replay.stack.test.ts',
  'test/upgrade/upgrade.stack.test.ts',
  'test/sql/metric-query.stack.test.ts',
  'test/console/writes.stack.test.ts',
  'test/ingest/edge-faults.stack.test.ts',
  'test/api/customers/deletion-races.stack.test.ts',
  'test/aggregator/repartition.stack.test.ts',
  'test/workflows/payments/collection.stack.test.ts',
  'test/cli/start.stack.test.ts',
  'test/aggregator/full-stream.stack.test.ts',
  'test/stream/epochs.stack.test.ts',
  'test/aggregator/engines-away.stack.test.ts',
  'test/local/full-disk.stack.test.ts',
];
const TURNS = [...FIRST, ...LONG];

/** vitest's own order, but for {@link FIRST} and {@link LONG}. */
export class Sequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => turnOf(a) - turnOf(b));
  }
}

function turnOf({ moduleId }: TestSpecification): number {
  const turn = TURNS.findIndex((path) => moduleId.endsWith(path));
  return turn === -1 ? TURNS.length : turn;
}
