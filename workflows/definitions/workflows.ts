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
