import { createHash } from 'node:crypto';
import type { CustomerRef, InvoiceRef, RefundRef, SubscriptionRef, TestClockRef } from '../services/references.ts';
import type { WebhookRetry } from './definitions/messages.ts';

/** The task queue of all workflows. Some of their activities have queues of their own (`definitions/activity-options.ts`). */
export const TASK_QUEUE = 'meterbook';

/** Schedules have the names of the workflows they run. */
export const RECONCILE_SCHEDULE = 'reconcile';
export const PARITY_SCHEDULE = 'parity';
export const VERIFY_CHAIN_SCHEDULE = 'verifyChain';

/** Ids that a person can read in the Temporal UI; the same subject never has two running (spec/service#local-stack, architecture#temporal). */
export function subscriptionWorkflowId({ accountId, subscriptionId }: SubscriptionRef): string {
  return `subscription/${accountId}/${subscriptionId}`;
}

/** Returns the account of a workflow; undefined for one of no account, such as a schedule's. */
export function accountOfWorkflow(workflowId: string): string | undefined {
  return workflowId.split('/')[1];
}

/** The subscription of a workflow id that {@link subscriptionWorkflowId} made. */
export function subscriptionOfWorkflow(workflowId: string): SubscriptionRef {
  const [, accountId = '', subscriptionId = ''] = workflowId.split('/');
  return { accountId, subscriptionId };
}

export function testClockWorkflowId({ accountId, testClockId }: TestClockRef): string {
  return `test-clock/${accountId}/${testClockId}`;
}

/** A redelivery begins a new round, with retries of its own. */
export function webhookRetriesWorkflowId({ accountId, deliveryId, round }: WebhookRetry): string {
  return `webhook-retries/${accountId}/${deliveryId}/${round}`;
}

export function collectionWorkflowId({ accountId, invoiceId }: InvoiceRef): string {
  return `collection/${accountId}/${invoiceId}`;
}

export function refundWorkflowId({ accountId, refundId }: RefundRef): string {
  return `refund/${accountId}/${refundId}`;
}

/** `eventId` is the id of the outbox event that tells it: what a processor sends once more is told once. */
export function processorEventWorkflowId({ accountId, eventId }: { accountId: string; eventId: string }): string {
  return `processor-event/${accountId}/${eventId}`;
}

/** Temporal takes ids of up to 1,000 bytes; 256 code points may have more. */
const MAX_CUSTOMER_ID_BYTES = 800;

export function erasureWorkflowId({ accountId, customerId }: CustomerRef): string {
  const isShort = Buffer.byteLength(customerId) <= MAX_CUSTOMER_ID_BYTES;
  const name = isShort ? customerId : `sha256-${createHash('sha256').update(customerId).digest('hex')}`;
  return `erasure/${accountId}/${name}`;
}
