import { inSpan } from '../runtime/tracing.ts';
import { inTransaction, type Pool } from '../sql/postgres/postgres.ts';
import {
  claimWaitingClocks,
  listAccountsWithWaitingClocks,
  updateClocksStarted,
} from '../sql/postgres/subscriptions/test-clocks.ts';
import type { WorkflowClient } from './client.ts';

/**
 * Clocks of one account that advance beside each other. Hundreds of workflows that begin at once would keep Temporal, and so everybody's
 * calls, busy for a minute; the others wait in Postgres, at no cost.
 */
const OF_ONE_ACCOUNT = 4;

type Dependencies = { postgres: Pool; workflows: Pick<WorkflowClient, 'advanceClock'> };

/** Has clocks of an account advance that wait for it, as far as it has a place. A repeat after a failure does no harm. */
export async function startClocks({ postgres, workflows }: Dependencies, accountId: string): Promise<void> {
  await inTransaction(postgres, accountId, async (tx) => {
    const clocks = await claimWaitingClocks(tx, accountId, OF_ONE_ACCOUNT);
    if (clocks.length === 0) return;
    const starts = clocks.map(({ testClockId, traceContext: parent }) => {
      const options = { kind: 'producer', parent, attributes: { test_clock_id: testClockId } } as const;
      return inSpan('advance test clock', options, () => workflows.advanceClock({ accountId, testClockId }));
    });
    await Promise.all(starts);
    await updateClocksStarted(
      tx,
      accountId,
      clocks.map(({ testClockId }) => testClockId),
    );
  });
}

/** {@link startClocks} of every account that has clocks waiting: for what an outage has left. */
export async function startWaitingClocksOnce(dependencies: Dependencies): Promise<void> {
  for (const accountId of await listAccountsWithWaitingClocks(dependencies.postgres)) {
    await startClocks(dependencies, accountId);
  }
}
