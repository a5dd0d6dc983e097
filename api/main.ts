import { createProcessors } from '../outbound/processors/configured.ts';
import { createConnections } from '../outbound/processors/connections.ts';
import { createSecretCipher } from '../runtime/cipher.ts';
import { systemClock } from '../runtime/clock.ts';
import { loadProcessConfig } from '../runtime/config.ts';
import { createHttpApp, serveHttp } from '../runtime/http/app.ts';
import { createRateLimiter } from '../runtime/http/rate-limit.ts';
import { addServiceEndpoints } from '../runtime/http/service-endpoints.ts';
import { startKeyRing } from '../runtime/key-ring.ts';
import { runProcess } from '../runtime/lifecycle.ts';
import { createLog } from '../runtime/log.ts';
import { addPoolMetrics, addQueueMetric, createProcessRegistry } from '../runtime/process-metrics.ts';
import { patiently, repeat } from '../runtime/repeat.ts';
import { startTracing } from '../runtime/tracing.ts';
import { watchCipher } from '../runtime/watched-cipher.ts';
import { createAccessSources } from '../services/entitlements/access-sources.ts';
import { LOOK_MS } from '../services/entitlements/known-usage.ts';
import { rememberSubjects } from '../services/usage/remembered-subjects.ts';
import {
  askClickHouseAtOnce,
  createClickHouse,
  createClickHouseDatabase,
  pingClickHouse,
} from '../sql/clickhouse/clickhouse.ts';
import { followRolledUp } from '../sql/clickhouse/metrics/rolled-up.ts';
import { migrate } from '../sql/migrate.ts';
import { apiKeySource } from '../sql/postgres/accounts/api-keys.ts';
import { grantStore } from '../sql/postgres/payments/processor-connections.ts';
import { createPool, pingPostgres } from '../sql/postgres/postgres.ts';
import { connectStream } from '../stream/connection.ts';
import { followProgress } from '../stream/progress.ts';
import { connectWorkflows } from '../workflows/client.ts';
import { KEY_FORMER_MS, keyFormerOperations } from './idempotency/key-former-operations.ts';
import { addOpenApi } from './openapi/document.ts';
import { addProcessorHooks } from './processors/processor-hooks.ts';
import { addOperations } from './router.ts';
import { addConnectionCallback } from './routes/payment-providers/finish-connection.ts';
import { OPERATIONS } from './routes.ts';
import { shareClickHouse } from './shared-clickhouse.ts';
import { countUnsentAnswers } from './unsent-answers.ts';

/** Longer than the gateway keeps a connection that it does not use: only it closes them, so none closes under its request. */
const KEPT_MS = 75_000;

const config = loadProcessConfig();
/** A caller is answered 503 rather than left to wait longer than this for usage, while connections to Postgres wait too. */
const USAGE_LIMIT_MS = 15_000;

const log = createLog('api', config.logLevel);

askClickHouseAtOnce();
await runProcess(log, async (started) => {
  started(await startTracing('api', config.traceEndpoint));
  const postgres = createPool(config.databaseUrl);
  started({ name: 'postgres', stop: () => postgres.end() });
  const clickhouse = createClickHouse(config.clickhouseUrl, config.clickhouseCluster, USAGE_LIMIT_MS);
  started({ name: 'clickhouse', stop: () => clickhouse.close() });
  const stream = await connectStream(config.natsUrl, 'api', log);
  started({ name: 'stream', stop: () => stream.close() });
  await patiently('databases', log, async () => {
    await createClickHouseDatabase(config.clickhouseUrl, config.clickhouseCluster);
    const migrated = createClickHouse(config.clickhouseUrl, config.clickhouseCluster);
    await migrate(postgres, migrated, config.clickhouseCluster).finally(() => migrated.close());
  });
  const progress = await patiently('usage stream', log, () => followProgress(stream, systemClock));
  started({ name: 'progress', stop: async () => progress.close() });
  const workflows = connectWorkflows(config);
  started({ name: 'temporal', stop: () => workflows.close() });
  const keys = await startKeyRing(apiKeySource(postgres), systemClock, log);
  started({ name: 'keys', stop: () => keys.stop() });

  const app = createHttpApp(log);
  const checks = [
    { name: 'postgres', check: () => pingPostgres(postgres) },
    { name: 'clickhouse', check: () => pingClickHouse(clickhouse) },
    { name: 'nats', check: () => stream.nats.rtt() },
    { name: 'temporal', check: () => workflows.ready() },
  ];
  const registry = createProcessRegistry('api');
  addPoolMetrics(registry, 'api', postgres);
  addServiceEndpoints(app, checks, registry);
  addOpenApi(app, OPERATIONS);
  const rolledUp = followRolledUp(clickhouse);
  const clock = systemClock;
  const processors = createProcessors(config.loadProcessors);
  const cipher = watchCipher(createSecretCipher(config.loadEncryptionKeys), registry, log);
  started(repeat('former operations', log, KEY_FORMER_MS, () => keyFormerOperations(postgres, cipher)));
  const connections = createConnections(processors, grantStore(postgres, cipher), clock);
  const access = createAccessSources({ postgres, clickhouse, rolledUp, progress }, clock);
  started(repeat('known usage', log, LOOK_MS, () => access.usage.refreshIfAsked()));
  const dependencies = {
    postgres,
    clickhouseOf: shareClickHouse(clickhouse, (depth) =>
      addQueueMetric(registry, 'api', {
        name: 'meterbook_clickhouse_waiting_questions',
        help: 'Questions of accounts that wait for their turn to ask ClickHouse.',
        depth,
      }),
    ),
    countUnsent: countUnsentAnswers(),
    rolledUp,
    progress,
    workflows,
    subjects: rememberSubjects(),
    access,
    processors,
    connections,
    cipher,
    findKey: keys.findKey,
    takeRequest: createRateLimiter(clock),
    webhookAllowPrivate: config.webhookAllowPrivate,
    clock,
    log,
  };
  addConnectionCallback(app, dependencies);
  addProcessorHooks(app, dependencies);
  addOperations(app, OPERATIONS, dependencies);
  started(await serveHttp(app, config, log, { keptMs: KEPT_MS }));
});
