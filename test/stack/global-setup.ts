import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { findStack } from '../../cli/stack-address.ts';
import { loadLauncherConfig } from '../../runtime/config.ts';
import { braintreeEnvironment, startFakeBraintree } from '../processors/braintree-server.ts';
import { startFakeStripe, stripeEnvironment } from '../processors/stripe-server.ts';
import { startOwnStack } from './own-stack.ts';

const BUILD_CONSOLE = join(import.meta.dirname, '../../console/build/main.ts');

/**
 * One stack for all stack tests of a run. With `TEST_STACK=running` the tests speak to the stack that runs on `DATA_DIR`
 * instead (quick development). Either serves the console as it is built here.
 */
// biome-ignore lint/style/noDefaultExport: vitest reads the default export
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  // Once for all workers, which would take the folder from each other.
  await promisify(execFile)(process.execPath, [BUILD_CONSOLE]);
  if (process.env.TEST_STACK === 'running') {
    project.provide('stack', await findStack());
    project.provide('dataDir', loadLauncherConfig().dataDir);
    return undefined;
  }
  const stripe = await startFakeStripe();
  const braintree = await startFakeBraintree();
  const stack = await startOwnStack({ ...stripeEnvironment(stripe), ...braintreeEnvironment(braintree) });
  project.provide('stack', stack.file());
  project.provide('dataDir', stack.dataDir);
  project.provide('stripeUrl', stripe.url);
  project.provide('braintreeUrl', braintree.url);
  return async () => {
    await stack.stop();
    await Promise.all([stripe.stop(), braintree.stop()]);
  };
}
