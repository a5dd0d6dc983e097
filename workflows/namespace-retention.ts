import { msToTs, tsToMs } from '@temporalio/common/lib/time.js';
import type { NativeConnection } from '@temporalio/worker';
import type { Log } from '../runtime/log.ts';

/** For people who look into what happened: a workflow that ended is in the Temporal UI for at least this. */
const KEPT_MS = 7 * 86_400_000;

/** Has the namespace keep ended workflows for {@link KEPT_MS}; a longer time stays. A server that refuses it is left alone. */
export async function keepEndedWorkflows(connection: NativeConnection, namespace: string, log: Log): Promise<void> {
  try {
    const { config } = await connection.workflowService.describeNamespace({ namespace });
    const kept = config?.workflowExecutionRetentionTtl;
    if (kept && tsToMs(kept) >= KEPT_MS) return;
    const wanted = { workflowExecutionRetentionTtl: msToTs(KEPT_MS) };
    await connection.workflowService.updateNamespace({ namespace, config: wanted });
  } catch (error) {
    log.warn({ err: error }, "the namespace's retention cannot be set");
  }
}
