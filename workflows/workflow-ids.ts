import { createHash } from 'node:crypto';
import type { CustomerRef, SubscriptionRef, TestClockRef, WebhookRetry } from './definitions/messages.ts';

/** The one task queue: every worker does everything. */
export const TASK_QUEUE = 'meterbook';

/** Id of the schedule that runs the reconcile sweep. */
export const RECONCILE_SCHEDULE = 'reconcile';

/** Ids that a person can read in the Temporal UI; the same subject never has two running (contract 16, design 8). */
export function subscriptionWorkflowId({ accountId, subscriptionId }: SubscriptionRef): string {
  return `subscription/${accountId}/${subscriptionId}`;
}

export function testClockWorkflowId({ accountId, testClockId }: TestClockRef): string {
  return `test-clock/${accountId}/${testClockId}`;
}

/** A redelivery begins a new round, with retries of its own. */
export function webhookRetriesWorkflowId({ accountId, deliveryId, round }: WebhookRetry): string {
  return `webhook-retries/${accountId}/${deliveryId}/${round}`;
}

/** Temporal takes ids of up to 1,000 bytes; 256 code points may have more. */
const MAX_CUSTOMER_ID_BYTES = 800;

export function erasureWorkflowId({ accountId, customerId }: CustomerRef): string {
  const isShort = Buffer.byteLength(customerId) <= MAX_CUSTOMER_ID_BYTES;
  const name = isShort ? customerId : `sha256-${createHash('sha256').update(customerId).digest('hex')}`;
  return `erasure/${accountId}/${name}`;
}
