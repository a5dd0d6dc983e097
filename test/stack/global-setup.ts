import type { TestProject } from 'vitest/node';
import { findStack } from '../../cli/stack-address.ts';
import { startOwnStack } from './own-stack.ts';

/**
 * One stack for all stack tests of a run. With `TEST_STACK=running` the tests speak to the stack that runs on `DATA_DIR`
 * instead (quick development).
 */
// biome-ignore lint/style/noDefaultExport: vitest reads the default export
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (process.env.TEST_STACK === 'running') {
    project.provide('stack', await findStack());
    return undefined;
  }
  const stack = await startOwnStack();
  project.provide('stack', stack.file());
  return () => stack.stop();
}
