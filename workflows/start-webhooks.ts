import type { Stoppable } from '../runtime/lifecycle.ts';
import type { DeliveryDependencies } from '../services/webhooks/deliver-webhook.ts';
import { createWebhookActivities } from './activities/activities.ts';
import type { WorkflowClient } from './client.ts';
import { WEBHOOK_TASK_QUEUE } from './definitions/activity-options.ts';
import { startOverdueRetries, startWebhookDispatch, startWebhookHandOver } from './webhook-dispatch.ts';
import { startWorker } from './worker.ts';

/** Retries at once: each waits for a receiver. */
const CONCURRENT_RETRIES = 200;

type Config = {
  temporalAddress: string;
  temporalNamespace: string;
  /** First attempts, and retries, that one account has under way at once in this worker. */
  webhooksOfOneAccount: number;
};

/** All that sends webhooks in a worker process. Its parts stop side by side: each waits for receivers, together once. */
export function startWebhooks(
  { temporalAddress, temporalNamespace, webhooksOfOneAccount }: Config,
  dependencies: DeliveryDependencies & { workflows: WorkflowClient },
): Stoppable {
  const parts = [
    startWorker({
      temporalAddress,
      temporalNamespace,
      taskQueue: WEBHOOK_TASK_QUEUE,
      activities: createWebhookActivities(dependencies, webhooksOfOneAccount),
      activitiesAtOnce: CONCURRENT_RETRIES,
      log: dependencies.log,
    }),
    startWebhookDispatch(dependencies, webhooksOfOneAccount),
    startWebhookHandOver(dependencies),
    startOverdueRetries(dependencies),
  ];
  return {
    name: 'webhooks',
    stop: async () => {
      await Promise.all(parts.map((part) => part.stop()));
    },
  };
}
