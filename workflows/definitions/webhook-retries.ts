import { proxyActivities, setCurrentDetails, sleep } from '@temporalio/workflow';
import type { WebhookActivities } from '../activities/activities.ts';
import { UNTIL_DONE, WEBHOOK_TASK_QUEUE } from './activity-options.ts';
import type { WebhookRetry } from './messages.ts';
import { readableInstant, workflowTime } from './workflow-time.ts';

const { retryDelivery } = proxyActivities<WebhookActivities>({ ...UNTIL_DONE, taskQueue: WEBHOOK_TASK_QUEUE });

/** The retries of a delivery whose first attempt failed: waits and tries, on the schedule, until it is over (spec/webhooks#events). */
export async function webhookRetries({ dueAt, ...delivery }: WebhookRetry): Promise<void> {
  let next: number | null = dueAt;
  while (next !== null) {
    setCurrentDetails(`Next attempt at ${readableInstant(next)}`);
    await sleep(Math.max(1, next - workflowTime()));
    next = await retryDelivery(delivery);
  }
}
