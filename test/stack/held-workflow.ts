import { Client, Connection } from '@temporalio/client';
import { stack } from './api.ts';

/**
 * Does `work` while the workflow of this id cannot run: one that nobody serves has its place. So no sweep of the stack, which
 * starts what the records say should run, comes between.
 */
export async function withoutWorkflow<T>(workflowId: string, work: () => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address: stack().temporal_address });
  try {
    const held = await new Client({ connection }).workflow.start('held', {
      ...{ workflowId, taskQueue: 'served-by-nobody', args: [] },
      workflowIdConflictPolicy: 'TERMINATE_EXISTING',
    });
    try {
      return await work();
    } finally {
      await held.terminate('held, for a test');
    }
  } finally {
    await connection.close();
  }
}
