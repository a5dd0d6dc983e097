import type { Connection } from '@temporalio/client';
import { TASK_QUEUE } from './workflow-ids.ts';

/** Numbers of Temporal's `TaskQueueType`. */
const TYPES = { workflow: 1, activity: 2 };

/** About how many tasks of our queue Temporal has that no worker has taken yet, by type. */
export async function loadBacklog(
  { workflowService }: Pick<Connection, 'workflowService'>,
  namespace: string,
): Promise<Record<string, number>> {
  const counts = Object.entries(TYPES).map(async ([type, taskQueueType]): Promise<[string, number]> => {
    const asked = { namespace, taskQueue: { name: TASK_QUEUE }, taskQueueType, reportStats: true };
    const { stats } = await workflowService.describeTaskQueue(asked);
    return [type, Number(stats?.approximateBacklogCount ?? 0)];
  });
  return Object.fromEntries(await Promise.all(counts));
}
