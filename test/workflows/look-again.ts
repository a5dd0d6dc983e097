import { Connection, WorkflowClient } from '@temporalio/client';
import type { StackFile } from '../../local/stack-file.ts';
import { lookAgainSignal } from '../../workflows/definitions/messages.ts';
import { webhookRetriesWorkflowId } from '../../workflows/workflow-ids.ts';
import { withPostgres } from '../stack/accounts.ts';
import { waitUntil } from '../stack/wait-until.ts';

/** Asks a stack's Temporal. */
export async function inTemporal<T>(at: StackFile, ask: (client: WorkflowClient) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address: at.temporal_address });
  try {
    return await ask(new WorkflowClient({ connection }));
  } finally {
    await connection.close();
  }
}

/** Has workflows learn what a test has changed in the records; those that are still to be started once they are. */
export async function lookAgain(at: StackFile, ...workflowIds: string[]): Promise<void> {
  await inTemporal(at, async (client) => {
    const tell = (id: string) =>
      client
        .getHandle(id)
        .signal(lookAgainSignal)
        .then(() => true)
        .catch(() => false);
    await Promise.all(workflowIds.map((id) => waitUntil(() => tell(id), Boolean)));
  });
}

/** Has a delivery whose first attempt failed be tried again now instead of in 5 s. */
export async function retryNow(at: StackFile, accountId: string, deliveryId: string): Promise<void> {
  const sql = 'UPDATE webhook_deliveries SET next_attempt_at = now() WHERE account_id = $1 AND delivery_id = $2';
  await withPostgres((postgres) => postgres.query(sql, [accountId, deliveryId]), at);
  await lookAgain(at, webhookRetriesWorkflowId({ accountId, deliveryId, round: 1, dueAt: 0 }));
}
