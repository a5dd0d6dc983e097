import type { Registry } from '@prometheus-io/client';
import { nameAtMost } from '../core/domain-error.ts';
import { createProcessors } from '../outbound/processors/configured.ts';
import { createConnections } from '../outbound/processors/connections.ts';
import { createSecretCipher } from '../runtime/cipher.ts';
import type { ProcessConfig } from '../runtime/config.ts';
import type { FairTurns } from '../runtime/fair-turns.ts';
import { createHttpApp, serveHttp } from '../runtime/http/app.ts';
import { createRateLimiter } from '../runtime/http/rate-limit.ts';
import { addServiceEndpoints } from '../runtime/http/service-endpoints.ts';
import { startKeyRing } from '../runtime/key-ring.ts';
import {
  createShell,
  type Shell,
  type ShellParts,
  type Started,
  type Stoppable,
  shellParts,
} from '../runtime/lifecycle.ts';
import type { Log } from '../runtime/log.ts';
import { addPoolMetrics, addQueueMetric, createProcessRegistry } from '../runtime/process-metrics.ts';
import { patiently, repeat } from '../runtime/repeat.ts';
import { type Shares, watchShares } from '../runtime/shares/watch-shares.ts';
import { startTracing } from '../runtime/tracing.ts';
import { watchCipher } from '../runtime/watched-cipher.ts';
import { createAccessSources } from '../services/entitlements/access-sources.ts';
import { LOOK_MS } from '../services/entitlements/known-usage.ts';
import { waitingEvents } from '../services/usage/find-waiting.ts';
import { followRolledUp } from '../services/usage/follow-rolled-up.ts';
import { rememberSubjects } from '../services/usage/remembered-subjects.ts';
import { createClickHouse, createClickHouseDatabase, pingClickHouse } from '../sql/clickhouse/clickhouse.ts';
import { migrate } from '../sql/migrate.ts';
import { apiKeySource } from '../sql/postgres/accounts/api-keys.ts';
import { grantStore } from '../sql/postgres/payments/processor-connections.ts';
import { connectionTurns } from '../sql/postgres/pool.ts';
import { createSharedPool, pingPostgres } from '../sql/postgres/postgres.ts';
import { connectStream } from '../stream/connection.ts';
import { followProgress, type UsageProgress } from '../stream/progress.ts';
import { connectWorkflows } from '../workflows/client.ts';
import { countedRedemptions } from './coupon-redemptions.ts';
import { createRenderer } from './documents/start-renderer.ts';
import { KEY_FORMER_MS, keyFormerOperations } from './idempotency/key-former-operations.ts';
import { addOpenApi } from './openapi/document.ts';
import { addConsole } from './pages/console.ts';
import { addDocs } from './pages/docs.ts';
import { addPortalPage } from './pages/portal.ts';
import { addPortal, portalLinkTurns } from './portal/portal-endpoints.ts';
import { addConnectionCallback } from './processors/connection-callback.ts';
import { addProcessorHooks } from './processors/processor-hooks.ts';
import { addPublicUrl } from './public-url.ts';
import { createRequestTurns } from './request-turns.ts';
import { addOperations } from './router.ts';
import { OPERATIONS } from './routes.ts';
import { addSessions } from './sessions/session-endpoints.ts';
import { clickHouseTurns, shareClickHouse } from './shared-clickhouse.ts';
import { createThread } from './thread/start-thread.ts';
import { countUnsentAnswers } from './unsent-answers.ts';

/** A caller is answered 503 rather than left to wait longer than this for usage, while connections to Postgres wait too. */
const USAGE_LIMIT_MS = 15_000;

/** The API: every operation but the intake of events. */
export function createApi(config: ProcessConfig, overrides?: Partial<ShellParts>): Shell {
  nameAtMost(config.maxNamedFields);
  const parts = shellParts('api', config.logLevel, overrides);
  return createShell(parts.log, (started) => assemble(config, parts, started));
}

async function assemble(config: ProcessConfig, { clock, log }: ShellParts, started: Started): Promise<void> {
  started(await startTracing('api', config.traceEndpoint));
  const engines = await openEngines(config, { clock, log }, started);
  const { postgres, clickhouse, stream, progress, workflows } = engines;
  const keys = await startKeyRing(apiKeySource(postgres), clock, log);
  started({ name: 'keys', stop: () => keys.stop() });

  const app = createHttpApp(log);
  addPublicUrl(app, config);
  const registry = createProcessRegistry('api');
  addPoolMetrics(registry, 'api', postgres);
  const checks = [
    { name: 'postgres', check: () => pingPostgres(postgres) },
    { name: 'clickhouse', check: () => pingClickHouse(clickhouse) },
    { name: 'nats', check: () => stream.nats.rtt() },
    { name: 'temporal', check: () => workflows.ready() },
  ];
  addServiceEndpoints(app, checks, registry);
  addOpenApi(app);
  const rolledUp = followRolledUp(clickhouse);
  const processors = createProcessors(config.loadProcessors, config.outboundProxy);
  const cipher = watchCipher(createSecretCipher(config.loadEncryptionKeys), registry, log);
  started(repeat('former operations', log, KEY_FORMER_MS, () => keyFormerOperations(postgres, cipher)));
  const access = createAccessSources({ postgres, clickhouse, rolledUp, progress }, clock);
  started(repeat('known usage', log, LOOK_MS, () => access.usage.refreshIfAsked()));
  const { thread, renderer } = startThreads(config, progress, log, started);
  const [linkTurns, requestTurns, questions] = [portalLinkTurns(), createRequestTurns(), clickHouseTurns()];
  const shares = {
    ...requestTurns.shares,
    ...{ connections: connectionTurns(postgres), clickhouse: questions },
    ...{ thread: thread.turns, documents: renderer.turns, portal_links: linkTurns },
  };
  started(watchTurns(registry, log, shares));
  const dependencies = {
    postgres,
    clickhouseOf: shareClickHouse(clickhouse, questions),
    countUnsent: countUnsentAnswers(),
    requestTurns,
    countRedemptions: countedRedemptions(registry),
    findWaiting: waitingEvents(stream, progress),
    ...{ rolledUp, progress, workflows, access, thread, renderer, linkTurns, processors, cipher, clock, log },
    subjects: rememberSubjects(),
    connections: createConnections(processors, grantStore(postgres, cipher), clock),
    findKey: keys.findKey,
    takeRequest: createRateLimiter(clock, config.accountLimits),
    ...settingsOf(config),
  };
  addConnectionCallback(app, dependencies);
  addProcessorHooks(app, dependencies);
  addSessions(app, dependencies);
  addPortal(app, dependencies);
  addOperations(app, OPERATIONS, dependencies);
  addConsole(app);
  addPortalPage(app, dependencies);
  addDocs(app);
  started(await serveHttp(app, config, log, { keptMs: config.keepAliveMs }));
}

/** The threads that do what would hold up the event loop; each begins with its first work. */
function startThreads(config: ProcessConfig, progress: UsageProgress, log: Log, started: Started) {
  const { databaseUrl, clickhouseUrl, clickhouseCluster, logLevel, responseMaxBytes } = config;
  const { documentsKeptBytes: mostKeptBytes } = config;
  const usageLimitMs = USAGE_LIMIT_MS;
  const thread = createThread(
    { databaseUrl, clickhouseUrl, clickhouseCluster, usageLimitMs, logLevel, responseMaxBytes },
    progress,
    log,
  );
  started({ name: 'thread', stop: thread.stop });
  const renderer = createRenderer({ databaseUrl, mostKeptBytes, logLevel }, log);
  started({ name: 'renderer', stop: renderer.stop });
  return { thread, renderer };
}

/** Shows who waits for a share of this process. */
function watchTurns(
  registry: Registry,
  log: Log,
  shares: Shares & Record<'clickhouse' | 'thread', FairTurns>,
): Stoppable {
  addQueueMetric(registry, 'api', {
    name: 'meterbook_clickhouse_waiting_questions',
    help: 'Questions of accounts that wait for their turn to ask ClickHouse.',
    depth: shares.clickhouse.waiting,
  });
  addQueueMetric(registry, 'api', {
    name: 'meterbook_thread_waiting_answers',
    help: 'Answers about large customers that wait for their turn in the thread.',
    depth: shares.thread.waiting,
  });
  return watchShares(registry, 'api', log, shares);
}

/** What calls take from the configuration as it is. */
function settingsOf(config: ProcessConfig) {
  const { webhookAllowPrivate, webhookLimits, trustedProxies, accountLimits } = config;
  const { maxKeptRefusalBytes, responseMaxBytes, mostPrices } = config;
  const limits = { accountLimits, maxKeptRefusalBytes, responseMaxBytes, mostPrices };
  return { webhookAllowPrivate, webhookLimits, trustedProxies, ...limits };
}

/** Connections to the engines, once their tables and streams are there. */
async function openEngines(config: ProcessConfig, { clock, log }: ShellParts, started: Started) {
  const { databaseUrl, clickhouseUrl, clickhouseCluster, natsUrl } = config;
  const postgres = createSharedPool(databaseUrl, config.accountLimits.rowLockWaitMs);
  started({ name: 'postgres', stop: () => postgres.end() });
  const clickhouse = createClickHouse(clickhouseUrl, clickhouseCluster, USAGE_LIMIT_MS);
  started({ name: 'clickhouse', stop: () => clickhouse.close() });
  const stream = await connectStream(natsUrl, 'api', log);
  started({ name: 'stream', stop: () => stream.close() });
  await patiently('databases', log, async () => {
    await createClickHouseDatabase(clickhouseUrl, clickhouseCluster);
    const migrated = createClickHouse(clickhouseUrl, clickhouseCluster);
    await migrate(postgres, migrated, clickhouseCluster).finally(() => migrated.close());
  });
  const progress = await patiently('usage stream', log, () => followProgress(stream, clock));
  started({ name: 'progress', stop: async () => progress.close() });
  const workflows = connectWorkflows(config);
  started({ name: 'temporal', stop: () => workflows.close() });
  return { postgres, clickhouse, stream, progress, workflows };
}
