import { condition, proxyActivities, setCurrentDetails, setHandler } from '@temporalio/workflow';
import type { WebhookActivities } from '../activities/activities.ts';
import { UNTIL_DONE, WEBHOOK_TASK_QUEUE } from './activity-options.ts';
import { lookAgainSignal, type WebhookRetry } from './messages.ts';
import { readableInstant, workflowTime } from './workflow-time.ts';

const { retryDelivery } = proxyActivities<WebhookActivities>({ ...UNTIL_DONE, taskQueue: WEBHOOK_TASK_QUEUE });

/** The retries of a delivery whose first attempt failed: waits and tries, on the schedule, until it is over (spec/webhooks#events). */
export async function webhookRetries({ dueAt, ...delivery }: WebhookRetry): Promise<void> {
  let isAsked = false;
  setHandler(lookAgainSignal, () => {
    isAsked = true;
  });
  let next: number | null = dueAt;
  while (next !== null) {
    setCurrentDetails(`Next attempt at ${readableInstant(next)}`);
    await condition(() => isAsked, Math.max(1, next - workflowTime()));
    isAsked = false;
    next = await retryDelivery(delivery);
  }
}
