/** Every workflow type, for the bundler: what it exports here is what the worker can run. */
export { collection } from './collection.ts';
export { erasure } from './erasure.ts';
export { parity } from './parity.ts';
export { processorEvent } from './processor-event.ts';
export { reconcile } from './reconcile.ts';
export { refund } from './refund.ts';
export { subscription } from './subscription.ts';
export { testClock } from './test-clock.ts';
export { verifyChain } from './verify-chain.ts';
export { webhookRetries } from './webhook-retries.ts';

/**
 * Temporal's library writes down a stack for each promise of a workflow, of ten frames translated to our files: a sixth of what its code takes
 * of the processor. Two frames say where an error was thrown; what a workflow waits for is in its details (subscription-story.ts).
 */
Error.stackTraceLimit = 2;
