import { createProcessors } from '../outbound/processors/configured.ts';
import { createConnections } from '../outbound/processors/connections.ts';
import { createSecretCipher } from '../runtime/cipher.ts';
import { systemClock } from '../runtime/clock.ts';
import { loadProcessConfig } from '../runtime/config.ts';
import { createHttpApp, serveHttp } from '../runtime/http/app.ts';
import { addServiceEndpoints } from '../runtime/http/service-endpoints.ts';
import { runProcess } from '../runtime/lifecycle.ts';
import { createLog } from '../runtime/log.ts';
import { addPoolMetrics, createProcessRegistry } from '../runtime/process-metrics.ts';
import { patiently, repeat } from '../runtime/repeat.ts';
import { startTracing } from '../runtime/tracing.ts';
import { watchCipher } from '../runtime/watched-cipher.ts';
import {
  askClickHouseAtOnce,
  createClickHouse,
  createClickHouseDatabase,
  pingClickHouse,
} from '../sql/clickhouse/clickhouse.ts';
import { followRolledUp } from '../sql/clickhouse/metrics/rolled-up.ts';
import { CLOSING_REQUEST_MS, OF_A_CLOSING } from '../sql/clickhouse/question-limits.ts';
import { migrate } from '../sql/migrate.ts';
import { grantStore } from '../sql/postgres/payments/processor-connections.ts';
import { createPool, type Pool, pingPostgres } from '../sql/postgres/postgres.ts';
import { loadLedgerImbalance } from '../sql/postgres/record-totals.ts';
import { checkSecrets } from '../sql/postgres/secrets/sealed-secrets.ts';
import { connectStream, type StreamConnection } from '../stream/connection.ts';
import { followProgress } from '../stream/progress.ts';
import { establishStreams } from '../stream/streams.ts';
import { createActivities } from './activities/activities.ts';
import { connectWorkflows, type WorkflowClient } from './client.ts';
import { loadCountedTo } from './counted-to.ts';
import { sweepErasuresOnce } from './erasure-sweep.ts';
import { relayOnce } from './outbox-relay.ts';
import { publishPastDueOnce } from './past-due-sweep.ts';
import { sweepOutdatedOnce } from './retention-sweep.ts';
import { startWebhooks } from './start-webhooks.ts';
import { watchSecrets } from './watch-secrets.ts';
import { bundleApart, CONCURRENT_ACTIVITIES, installRuntime, type RunningWorker, startWorker } from './worker.ts';
import { createWorkerMetrics } from './worker-metrics.ts';
import { TASK_QUEUE } from './workflow-ids.ts';

/** A new subscription's workflow starts within this; an idle look costs one read of an empty index. */
const RELAY_PAUSE_MS = 100;
/** Events of deleted customers that arrive late are gone within about this; an idle look reads one index. */
const ERASURE_SWEEP_PAUSE_MS = 10_000;
/** The whole ledger is read for it. */
const LEDGER_CHECK_PAUSE_MS = 60_000;
/** Every row with a secret is read and decrypted for it. */
const SECRETS_CHECK_PAUSE_MS = 60_000;
/** Invoices become past due at the begin of a day; an idle look reads one index. */
const PAST_DUE_PAUSE_MS = 30_000;
/** What outlives its time by this does no harm. */
const RETENTION_SWEEP_PAUSE_MS = 10 * 60_000;
/** A lost workflow is rare, and its subscription's next boundary is usually days away. */
const RECONCILE_EVERY_MS = 5 * 60_000;

const config = loadProcessConfig();
const log = createLog('worker', config.logLevel);

askClickHouseAtOnce();
await runProcess(log, async (started) => {
  started(await startTracing('worker', config.traceEndpoint));
  installRuntime(log);
  const postgres = createPool(config.databaseUrl);
  started({ name: 'postgres', stop: () => postgres.end() });
  const clickhouse = createClickHouse(config.clickhouseUrl, config.clickhouseCluster);
  started({ name: 'clickhouse', stop: () => clickhouse.close() });
  const patientClickHouse = createClickHouse(config.clickhouseUrl, config.clickhouseCluster, CLOSING_REQUEST_MS);
  started({ name: 'patient clickhouse', stop: () => patientClickHouse.close() });
  const workflows = connectWorkflows(config);
  started({ name: 'temporal', stop: () => workflows.close() });

  let stream: StreamConnection | undefined;
  let worker: RunningWorker | undefined;
  const registry = createProcessRegistry('worker');
  addPoolMetrics(registry, 'worker', postgres);
  const metrics = createWorkerMetrics(registry, postgres, workflows);
  const app = createHttpApp(log);
  const checks = [
    { name: 'postgres', check: () => pingPostgres(postgres) },
    { name: 'clickhouse', check: () => pingClickHouse(clickhouse) },
    { name: 'nats', check: async () => present(stream).nats.rtt() },
    { name: 'temporal', check: () => workflows.ready() },
    { name: 'worker', check: () => assertPolling(worker) },
    { name: 'encryption keys', check: async () => secrets.assertKeys() },
  ];
  const decrypting = createSecretCipher(config.loadEncryptionKeys);
  const secrets = watchSecrets(registry, log, systemClock, (now) => checkSecrets(postgres, decrypting, now));
  addServiceEndpoints(app, checks, registry);
  started(await serveHttp(app, config, log));

  const bundling = bundleApart();
  // It is awaited below; until then its failure is nobody's.
  bundling.catch(() => {});
  const connection = await connectStream(config.natsUrl, 'worker', log);
  stream = connection;
  started({ name: 'stream', stop: () => connection.close() });
  await patiently('databases', log, async () => {
    await createClickHouseDatabase(config.clickhouseUrl, config.clickhouseCluster);
    await migrate(postgres, clickhouse, config.clickhouseCluster);
  });
  const progress = await patiently('usage stream', log, async () => {
    await establishStreams(connection.jsm, config, await loadCountedTo(postgres, clickhouse));
    return followProgress(connection, systemClock);
  });
  started({ name: 'progress', stop: async () => progress.close() });

  const rolledUp = followRolledUp(clickhouse);
  const cipher = watchCipher(decrypting, registry, log);
  await patiently('secrets', log, () => secrets.check());
  started(repeat('secrets', log, SECRETS_CHECK_PAUSE_MS, () => secrets.check()));
  const processors = createProcessors(config.loadProcessors);
  const connections = createConnections(processors, grantStore(postgres, cipher), systemClock);
  const activities = createActivities({
    connections,
    postgres,
    clickhouse: patientClickHouse,
    limits: OF_A_CLOSING,
    rolledUp,
    progress,
    workflows,
    metrics,
    clock: systemClock,
    log,
  });
  worker = startWorker({
    ...config,
    ...{ taskQueue: TASK_QUEUE, bundle: await bundling, activities, activitiesAtOnce: CONCURRENT_ACTIVITIES, log },
  });
  started(worker);
  const { webhookAllowPrivate } = config;
  const sending = { postgres, workflows, cipher, clock: systemClock, metrics, webhookAllowPrivate, log };
  started(startWebhooks(config, sending));
  started(repeat('outbox relay', log, RELAY_PAUSE_MS, async () => relayRound(postgres, workflows)));
  started(
    repeat('ledger check', log, LEDGER_CHECK_PAUSE_MS, async () => {
      metrics.ledgerImbalance.set(await loadLedgerImbalance(postgres));
    }),
  );
  started(
    repeat('erasure sweep', log, ERASURE_SWEEP_PAUSE_MS, async () => {
      await sweepErasuresOnce({ postgres, clickhouse, workflows });
    }),
  );
  started(
    repeat('past due', log, PAST_DUE_PAUSE_MS, async () => {
      return (await publishPastDueOnce(postgres)) > 0 ? 'more' : undefined;
    }),
  );
  started(repeat('retention sweep', log, RETENTION_SWEEP_PAUSE_MS, () => sweepOutdatedOnce({ postgres, log })));
  await patiently('parity schedule', log, () => workflows.scheduleParity());
  await patiently('reconcile schedule', log, () => workflows.scheduleReconcile(RECONCILE_EVERY_MS));
});

/** What could not be published waits for the longer pause after a failure. */
async function relayRound(postgres: Pool, workflows: WorkflowClient): Promise<'more' | undefined> {
  const { claimed, failure } = await relayOnce({ postgres, workflows });
  if (failure !== undefined) throw failure;
  return claimed > 0 ? 'more' : undefined;
}

function present<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('starting');
  return part;
}

async function assertPolling(worker: RunningWorker | undefined) {
  if (!present(worker).isPolling()) throw new Error('reconnecting');
}
