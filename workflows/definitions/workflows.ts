/** Every workflow type, for the bundler: what it exports here is what the worker can run. */
export { erasure } from './erasure.ts';
export { reconcile } from './reconcile.ts';
export { subscription } from './subscription.ts';
export { testClock } from './test-clock.ts';
export { webhookRetries } from './webhook-retries.ts';
