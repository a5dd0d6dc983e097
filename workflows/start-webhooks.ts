import { type FairTurns, fairTurns } from '../runtime/fair-turns.ts';
import type { Stoppable } from '../runtime/lifecycle.ts';
import type { DeliveryDependencies } from '../services/webhooks/deliver-webhook.ts';
import { createWebhookActivities } from './activities/activities.ts';
import type { WorkflowClient } from './client.ts';
import { WEBHOOK_TASK_QUEUE } from './definitions/activity-options.ts';
import {
  FIRST_ATTEMPTS_AT_ONCE,
  startOverdueRetries,
  startWebhookDispatch,
  startWebhookHandOver,
} from './webhook-dispatch.ts';
import { startWorker } from './worker.ts';

/** Retries at once: each waits for a receiver. */
const CONCURRENT_RETRIES = 200;

type Config = {
  temporalAddress: string;
  temporalNamespace: string;
  /** First attempts, and retries, that one account has under way at once in this worker. */
  webhooksOfOneAccount: number;
};

/** The turns of accounts that send webhooks, by their names in metrics and in the log. */
export type WebhookShares = Record<'webhook_attempts' | 'webhook_retries', FairTurns>;

/** An attempt beyond its account's share begins later and waits in the records. */
export function createWebhookShares(ofOne: number): WebhookShares {
  return {
    webhook_attempts: fairTurns({ atOnce: FIRST_ATTEMPTS_AT_ONCE, ofOne, waitingOfOne: 0 }),
    webhook_retries: fairTurns({ atOnce: CONCURRENT_RETRIES, ofOne, waitingOfOne: 0 }),
  };
}

/** All that sends webhooks in a worker process. Its parts stop side by side: each waits for receivers, together once. */
export function startWebhooks(
  { temporalAddress, temporalNamespace, webhooksOfOneAccount }: Config,
  shares: WebhookShares,
  dependencies: DeliveryDependencies & { workflows: WorkflowClient },
): Stoppable {
  const parts = [
    startWorker({
      temporalAddress,
      temporalNamespace,
      taskQueue: WEBHOOK_TASK_QUEUE,
      activities: createWebhookActivities(dependencies, shares.webhook_retries),
      activitiesAtOnce: CONCURRENT_RETRIES,
      log: dependencies.log,
    }),
    startWebhookDispatch(dependencies, shares.webhook_attempts, webhooksOfOneAccount),
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
