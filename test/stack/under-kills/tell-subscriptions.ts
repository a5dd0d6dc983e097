import { Connection, WorkflowClient } from '@temporalio/client';
import type { Stack } from '../../../local/start-stack.ts';
import { lookAgainSignal } from '../../../workflows/definitions/messages.ts';
import { subscriptionWorkflowId } from '../../../workflows/workflow-ids.ts';

/** Has the workflows of subscriptions learn what a test has changed in the records. */
export async function tellSubscriptions(stack: Stack, accountId: string, ids: readonly string[]): Promise<void> {
  const connection = await Connection.connect({ address: stack.file().temporal_address });
  try {
    const client = new WorkflowClient({ connection });
    const handles = ids.map((subscriptionId) =>
      client.getHandle(subscriptionWorkflowId({ accountId, subscriptionId })),
    );
    await Promise.all(handles.map((handle) => handle.signal(lookAgainSignal)));
  } finally {
    await connection.close();
  }
}
