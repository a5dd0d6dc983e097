import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What these tests do is done to all that is on the shared stack: they come first, while that is little. */
const FIRST = ['test/cli/backup.stack.test.ts', 'test/services/chain-heads.stack.test.ts'];

/**
 * They take from half a minute to two, and begin while much else is left to do: one of them alone at the end would keep one core.
 * Those that compute stand between those that wait for what they have killed.
 */
const LONGEST = [
  'test/console/pages.stack.test.ts',
  'test/kill.stack.test.ts',
  'test/workflows/away-and-lost.stack.test.ts',
  'test/docs/pages.stack.test.ts',
  'test/local/start-stack.stack.test.ts',
  'test/workflows/replay.stack.test.ts',
  'test/upgrade/upgrade.stack.test.ts',
  'test/sql/metric-query.stack.test.ts',
  'test/console/writes.stack.test.ts',
  'test/api/customers/deletion-races.stack.test.ts',
  'test/aggregator/repartition.stack.test.ts',
  'test/workflows/payments/collection.stack.test.ts',
  'test/cli/start.stack.test.ts',
];
const TURNS = [...FIRST, ...LONGEST];

/** vitest's own order, but for {@link FIRST} and {@link LONGEST}. */
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
