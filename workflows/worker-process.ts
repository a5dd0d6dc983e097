import type { ClickHouseClient } from '@clickhouse/client';
import type { Registry } from '@prometheus-io/client';
import { createProcessors } from '../outbound/processors/configured.ts';
import { createConnections } from '../outbound/processors/connections.ts';
import { createSecretCipher } from '../runtime/cipher.ts';
import type { ProcessConfig } from '../runtime/config.ts';
import { createHttpApp, serveHttp } from '../runtime/http/app.ts';
import { addServiceEndpoints } from '../runtime/http/service-endpoints.ts';
import { createShell, type Shell, type ShellParts, type Started, shellParts } from '../runtime/lifecycle.ts';
import type { Log } from '../runtime/log.ts';
import { addPoolMetrics, createProcessRegistry } from '../runtime/process-metrics.ts';
import { patiently, repeat } from '../runtime/repeat.ts';
import { watchShares } from '../runtime/shares/watch-shares.ts';
import { startTracing } from '../runtime/tracing.ts';
import { watchCipher } from '../runtime/watched-cipher.ts';
import { countHeldUsage } from '../services/usage/count-held-usage.ts';
import { followRolledUp } from '../services/usage/follow-rolled-up.ts';
import { PriceWatch } from '../services/usage/price-watch.ts';
import { BookRollUp } from '../services/usage/roll-up-price-books.ts';
import { shareQuestions } from '../services/usage/share-questions.ts';
import {
  CLOSING_REQUEST_MS,
  createClickHouse,
  createClickHouseDatabase,
  OF_A_CLOSING,
  pingClickHouse,
} from '../sql/clickhouse/clickhouse.ts';
import { findUsages } from '../sql/clickhouse/metrics/metric-by-window.ts';
import { migrate } from '../sql/migrate.ts';
import { grantStore } from '../sql/postgres/payments/processor-connections.ts';
import { connectionTurns } from '../sql/postgres/pool.ts';
import { createSharedPool, type Pool, pingPostgres } from '../sql/postgres/postgres.ts';
import { loadLedgerImbalance } from '../sql/postgres/record-totals.ts';
import { checkSecrets } from '../sql/postgres/secrets/sealed-secrets.ts';
import { updateRetriesHandedOut } from '../sql/postgres/webhooks/webhook-sending.ts';
import { connectStream, type StreamConnection } from '../stream/connection.ts';
import { followProgress, type UsageProgress } from '../stream/progress.ts';
import { establishStreams } from '../stream/streams.ts';
import { createActivities } from './activities/activities.ts';
import { createWorkerShares, type WorkerShares } from './activities/worker-shares.ts';
import { connectWorkflows, type WorkflowClient } from './client.ts';
import { loadCountedTo } from './counted-to.ts';
import { loadBundle } from './kept-bundle.ts';
import { relayOnce } from './outbox-relay.ts';
import { startWaitingClocksOnce } from './start-clocks.ts';
import { createWebhookShares, startWebhooks } from './start-webhooks.ts';
import { createWorkerSlots, sharesOfSlots, startWorkers } from './start-workers.ts';
import { startAccountSweep } from './sweeps/account-sweep.ts';
import { startChainSweeps } from './sweeps/chain-sweeps.ts';
import { recordChargesOnce } from './sweeps/charges-sweep.ts';
import { sweepErasuresOnce } from './sweeps/erasure-sweep.ts';
import { pastDueSweep } from './sweeps/past-due-sweep.ts';
import { sweepOutdatedOnce } from './sweeps/retention-sweep.ts';
import { sectionsSweep } from './sweeps/sections-sweep.ts';
import { watchSecrets } from './watch-secrets.ts';
import { installRuntime, type RunningWorker } from './worker.ts';
import { createWorkerMetrics, type WorkerMetrics } from './worker-metrics.ts';

/** A new subscription's workflow starts within this; an idle look costs one read of an empty index. */
const RELAY_PAUSE_MS = 100;
/** Events of deleted customers that arrive late are gone within about this; an idle look reads one index. */
const ERASURE_SWEEP_PAUSE_MS = 10_000;
/** The whole ledger is read for it. */
const LEDGER_CHECK_PAUSE_MS = 60_000;
/** Every row with a secret is read and decrypted for it. */
const SECRETS_CHECK_PAUSE_MS = 60_000;
/** Usage without a price is told within 5 s of its landing; where nobody has a price book that is held by, a look reads two indexes. */
const PRICE_WATCH_PAUSE_MS = 1_000;
/** Another worker may have counted meanwhile. */
const HELD_COUNT_PAUSE_MS = 15_000;
/** Until it is counted beforehand usage is read event by event: for a minute that is no loss. */
const BOOK_ROLL_UP_PAUSE_MS = 60_000;
/** Invoices are recorded when they are issued: only an upgrade leaves any to look for. */
const CHARGES_PAUSE_MS = 60 * 60_000;
/** What outlives its time by this does no harm. */
const RETENTION_SWEEP_PAUSE_MS = 10 * 60_000;
/** A lost workflow is rare, and its subscription's next boundary is usually days away. */
const RECONCILE_EVERY_MS = 5 * 60_000;
/** Clocks begin with the event of their call, or when another one has arrived: this finds what an outage has left. */
const WAITING_CLOCKS_PAUSE_MS = 2_000;
/** Where Temporal has lost what it knew, it knows it again soon after this. */
const SCHEDULES_PAUSE_MS = 15_000;

/** The worker: runs the workflows and their activities, publishes the outbox, sends webhooks, and sweeps. */
export function createWorkerProcess(config: ProcessConfig, overrides?: Partial<ShellParts>): Shell {
  const parts = shellParts('worker', config.logLevel, overrides);
  return createShell(parts.log, (started) => assemble(config, parts, started));
}

async function assemble(config: ProcessConfig, { clock, log }: ShellParts, started: Started): Promise<void> {
  started(await startTracing('worker', config.traceEndpoint));
  installRuntime(log);
  const { clickhouseUrl, clickhouseCluster } = config;
  const registry = createProcessRegistry('worker');
  const { postgres, shares, slots, webhookShares } = openShares(config, registry, log, started);
  const clickhouse = createClickHouse(clickhouseUrl, clickhouseCluster);
  started({ name: 'clickhouse', stop: () => clickhouse.close() });
  const patientClickHouse = createClickHouse(clickhouseUrl, clickhouseCluster, CLOSING_REQUEST_MS);
  started({ name: 'patient clickhouse', stop: () => patientClickHouse.close() });
  const workflows = connectWorkflows(config);
  started({ name: 'temporal', stop: () => workflows.close() });

  let stream: StreamConnection | undefined;
  let worker: RunningWorker | undefined;
  const metrics = createWorkerMetrics(registry, postgres, workflows);
  const app = createHttpApp(log);
  const decrypting = createSecretCipher(config.loadEncryptionKeys);
  const secrets = watchSecrets(registry, log, clock, (now) => checkSecrets(postgres, decrypting, now));
  const checks = [
    { name: 'postgres', check: () => pingPostgres(postgres) },
    { name: 'clickhouse', check: () => pingClickHouse(clickhouse) },
    { name: 'nats', check: async () => present(stream).nats.rtt() },
    { name: 'temporal', check: () => workflows.ready() },
    { name: 'worker', check: () => assertPolling(worker) },
    { name: 'encryption keys', check: async () => secrets.assertKeys() },
  ];
  addServiceEndpoints(app, checks, registry);
  started(await serveHttp(app, config, log));

  const bundling = loadBundle();
  // It is awaited below; until then its failure is nobody's.
  bundling.catch(() => {});
  const connection = await connectStream(config.natsUrl, 'worker', log);
  stream = connection;
  started({ name: 'stream', stop: () => connection.close() });
  await patiently('databases', log, async () => {
    await createClickHouseDatabase(clickhouseUrl, clickhouseCluster);
    await migrate(postgres, clickhouse, clickhouseCluster);
  });
  const progress = await patiently('usage stream', log, async () => {
    await establishStreams(connection.jsm, config, await loadCountedTo(postgres, clickhouse));
    return followProgress(connection, clock);
  });
  started({ name: 'progress', stop: async () => progress.close() });

  const cipher = watchCipher(decrypting, registry, log);
  await patiently('secrets', log, () => secrets.check());
  started(repeat('secrets', log, SECRETS_CHECK_PAUSE_MS, () => secrets.check()));
  const processors = createProcessors(config.loadProcessors, config.outboundProxy);
  const usage = { clickhouse: patientClickHouse, limits: OF_A_CLOSING, rolledUp: followRolledUp(clickhouse) };
  const activities = createActivities({
    ...{ postgres, progress, workflows, metrics, clock, log },
    connections: createConnections(processors, grantStore(postgres, cipher), clock),
    ...usage,
    askUsages: shareQuestions((questions) => findUsages(usage, questions)),
    ...{ shares, closingsAtOnce: config.closingsAtOnce },
    chainHeadsFile: config.chainWitnesses.file,
  });
  worker = startWorkers(config, { bundle: await bundling, activities, slots, log });
  started(worker);
  const { webhookAllowPrivate, outboundProxy } = config;
  started(
    startWebhooks(config, webhookShares, {
      ...{ postgres, workflows, cipher, clock, metrics, webhookAllowPrivate, outboundProxy, log },
    }),
  );
  startSweeps({ clock, postgres, clickhouse, progress, workflows, metrics, shares, log }, started);
  startChainSweeps({ postgres, clock, log, witnesses: config.chainWitnesses }, started);
  await patiently('schedules', log, () => keepSchedules({ postgres, workflows, log }));
}

/** The pool of this process and what else accounts share of it; metrics and the log show who waits. */
function openShares(config: ProcessConfig, registry: Registry, log: Log, started: Started) {
  const { databaseUrl, closingsAtOnce, accountLimits } = config;
  const postgres = createSharedPool(databaseUrl);
  started({ name: 'postgres', stop: () => postgres.end() });
  addPoolMetrics(registry, 'worker', postgres);
  const shares = createWorkerShares(closingsAtOnce);
  const slots = createWorkerSlots(accountLimits.activitiesAtOnce);
  const webhookShares = createWebhookShares(config.webhooksOfOneAccount);
  const { clockSteps, steps, closings, sweeps } = shares;
  const waited = {
    ...{ clock_steps: clockSteps, steps: steps.ofAccounts, closings: closings.ofAccounts, sweeps },
    ...sharesOfSlots(slots),
    ...webhookShares,
  };
  started(watchShares(registry, 'worker', log, { connections: connectionTurns(postgres), ...waited }));
  return { postgres, shares, slots, webhookShares };
}

/** Where Temporal does not have them it is new, or its database was lost: then it is told all that should run. */
async function keepSchedules({
  postgres,
  workflows,
  log,
}: Pick<Swept, 'postgres' | 'workflows' | 'log'>): Promise<void> {
  await workflows.scheduleParity();
  await workflows.scheduleVerifyChain();
  if (!(await workflows.scheduleReconcile(RECONCILE_EVERY_MS))) return;
  log.warn('Temporal knows nothing: it is told what should run');
  await updateRetriesHandedOut(postgres, null);
}

type Swept = {
  clock: ShellParts['clock'];
  postgres: Pool;
  clickhouse: ClickHouseClient;
  progress: UsageProgress;
  workflows: WorkflowClient;
  metrics: WorkerMetrics;
  shares: WorkerShares;
  log: Log;
};

/** What is looked at again and again, by no workflow. */
function startSweeps(
  { clock, postgres, clickhouse, progress, workflows, metrics, shares, log }: Swept,
  started: Started,
): void {
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
  for (const sweep of [pastDueSweep(postgres), sectionsSweep({ postgres, clock, log })]) {
    started(startAccountSweep(sweep, shares.sweeps, log));
  }
  const watch = new PriceWatch({ postgres, clickhouse, progress, clock, log });
  started(repeat('price watch', log, PRICE_WATCH_PAUSE_MS, () => watch.lookOnce()));
  started(repeat('held usage', log, HELD_COUNT_PAUSE_MS, () => countHeldUsage({ postgres, clickhouse, log })));
  const rollUp = new BookRollUp({ postgres, clickhouse, progress });
  started(repeat('roll up price books', log, BOOK_ROLL_UP_PAUSE_MS, () => rollUp.rollUpOnce()));
  started(
    repeat('waiting clocks', log, WAITING_CLOCKS_PAUSE_MS, () => startWaitingClocksOnce({ postgres, workflows })),
  );
  started(
    repeat('schedules', log, SCHEDULES_PAUSE_MS, async () => {
      if (!(await workflows.isReconcileScheduled())) await keepSchedules({ postgres, workflows, log });
    }),
  );
  started(repeat('charges', log, CHARGES_PAUSE_MS, () => recordChargesOnce({ postgres, log })));
  started(repeat('retention sweep', log, RETENTION_SWEEP_PAUSE_MS, () => sweepOutdatedOnce({ postgres, log })));
}

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
