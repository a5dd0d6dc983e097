import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What these test is done to all that is on the shared stack: they come first, while that is little. */
const FIRST = ['test/cli/backup.stack.test.ts'];

/** vitest's own order, but for {@link FIRST}. */
export class Sequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => turnOf(a) - turnOf(b));
  }
}

/** Unit tests are done before any stack test. */
function turnOf({ project, moduleId }: TestSpecification): number {
  if (project.name !== 'stack') return 0;
  return FIRST.some((path) => moduleId.endsWith(path)) ? 1 : 2;
}
