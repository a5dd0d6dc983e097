import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { prepareStack } from '../../cli/prepare-stack.ts';
import { findStack } from '../../cli/stack-address.ts';
import { startStack } from '../../local/start-stack.ts';
import { systemClock } from '../../runtime/clock.ts';
import { loadLauncherConfig } from '../../runtime/config.ts';

/**
 * One stack for all stack tests of a run: its own folder and free ports, so that it runs beside others and leaves
 * nothing. With `TEST_STACK=running` the tests speak to the stack that runs on `DATA_DIR` instead (quick development).
 */
// biome-ignore lint/style/noDefaultExport: vitest reads the default export
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (process.env.TEST_STACK === 'running') {
    project.provide('stack', await findStack());
    return undefined;
  }
  const dataDir = await mkdtemp(join(tmpdir(), 'meterbook-test-'));
  // Postgres does not run as root: its own user must be able to walk to its folder.
  await chmod(dataDir, 0o755);
  const lines: string[] = [];
  try {
    const stack = await startStack({
      ...loadLauncherConfig(),
      dataDir,
      port: 0,
      log: (line) => lines.push(line),
      prepare: (stores) => prepareStack(stores, { dataDir, apiKey: undefined, clock: systemClock }),
    });
    project.provide('stack', stack.file());
    return async () => {
      await stack.stop();
      await rm(dataDir, { recursive: true, force: true });
    };
  } catch (error) {
    console.error(`The stack did not start; its logs are in ${dataDir}.\n${lines.join('\n')}`);
    throw error;
  }
}
