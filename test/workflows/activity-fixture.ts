import { Registry } from '@prometheus-io/client';
import { systemClock } from '../../runtime/clock.ts';
import { createLog } from '../../runtime/log.ts';
import { followRolledUp } from '../../services/usage/follow-rolled-up.ts';
import { createClickHouse, OF_A_CLOSING } from '../../sql/clickhouse/clickhouse.ts';
import { inTransaction, type Pool } from '../../sql/postgres/postgres.ts';
import { updateClockTime } from '../../sql/postgres/subscriptions/test-clocks.ts';
import { followProgress } from '../../stream/progress.ts';
import type { ActivityDependencies } from '../../workflows/activities/dependencies.ts';
import { createWorkerShares } from '../../workflows/activities/worker-shares.ts';
import { connectWorkflows } from '../../workflows/client.ts';
import { createWorkerMetrics } from '../../workflows/worker-metrics.ts';
import { stack } from '../stack/api.ts';
import { eventually } from '../stack/clocks.ts';
import { patientPool } from '../stack/own-database.ts';
import { patientStream } from '../stream/patient-stream.ts';

/** What activities work with, for tests that run them straight, without a workflow. */
export async function connectActivities(): Promise<{ dependencies: ActivityDependencies; close(): Promise<void> }> {
  const log = createLog('test', 'silent');
  const postgres = patientPool(stack().postgres_url);
  const clickhouse = createClickHouse(stack().clickhouse_url);
  const stream = await patientStream(stack().nats_url);
  const progress = await followProgress(stream, systemClock);
  const workflows = connectWorkflows({ temporalAddress: stack().temporal_address, temporalNamespace: 'default' });
  const metrics = createWorkerMetrics(new Registry(), postgres, workflows);
  const rolledUp = followRolledUp(clickhouse);
  const connections = { find: async () => undefined };
  const stores = { postgres, clickhouse, limits: OF_A_CLOSING, rolledUp, progress, connections };
  const dependencies = {
    ...stores,
    workflows,
    metrics,
    closingsAtOnce: 3,
    shares: createWorkerShares(3),
    clock: systemClock,
    log,
  };
  const close = async () => {
    progress.close();
    await Promise.all([postgres.end(), clickhouse.close(), stream.close(), workflows.close()]);
  };
  return { dependencies, close };
}

/** Waits until the workflows of an account have been started: those that still are to be would be told the new time of a clock. */
export function relayed({ postgres }: { postgres: Pool }, accountId: string): Promise<unknown> {
  const notRelayed = 'SELECT 1 FROM outbox_events WHERE account_id = $1 AND relayed_at IS NULL LIMIT 1';
  return eventually(
    () => postgres.query(notRelayed, [accountId]),
    ({ rowCount }) => rowCount === 0,
  );
}

/** Sets the clock without its workflow, so that nobody but the test does what is due. */
export async function setClock({ postgres }: { postgres: Pool }, accountId: string, clock: string, to: number) {
  await relayed({ postgres }, accountId);
  await inTransaction(postgres, accountId, (tx) => updateClockTime(tx, accountId, clock, to));
}
