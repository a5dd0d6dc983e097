import type { SubscriptionRef, TestClockRef } from './definitions/messages.ts';

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
