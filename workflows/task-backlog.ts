import type { Connection } from '@temporalio/client';
import {
  CALL_TASK_QUEUE,
  CLOCK_TASK_QUEUE,
  PAYMENT_TASK_QUEUE,
  WEBHOOK_TASK_QUEUE,
} from './definitions/activity-options.ts';
import { TASK_QUEUE } from './workflow-ids.ts';

/** Numbers of Temporal's `TaskQueueType`, and the queues that have tasks of it. */
const TYPES = {
  workflow: { taskQueueType: 1, queues: [TASK_QUEUE] },
  activity: {
    taskQueueType: 2,
    queues: [TASK_QUEUE, CALL_TASK_QUEUE, PAYMENT_TASK_QUEUE, CLOCK_TASK_QUEUE, WEBHOOK_TASK_QUEUE],
  },
};

/** Returns about how many tasks of our queues Temporal has that no worker has taken yet, by type. */
export async function loadBacklog(
  { workflowService }: Pick<Connection, 'workflowService'>,
  namespace: string,
): Promise<Record<string, number>> {
  const backlogOf = async (taskQueueType: number, name: string) => {
    const asked = { namespace, taskQueue: { name }, taskQueueType, reportStats: true };
    const { stats } = await workflowService.describeTaskQueue(asked);
    return Number(stats?.approximateBacklogCount ?? 0);
  };
  const counts = Object.entries(TYPES).map(async ([type, { taskQueueType, queues }]): Promise<[string, number]> => {
    const backlogs = await Promise.all(queues.map((name) => backlogOf(taskQueueType, name)));
    return [type, backlogs.reduce((sum, backlog) => sum + backlog, 0)];
  });
  return Object.fromEntries(await Promise.all(counts));
}
