import { Registry } from '@prometheus-io/client';
import { systemClock } from '../runtime/clock.ts';
import { loadProcessConfig } from '../runtime/config.ts';
import { createHttpApp, serveHttp } from '../runtime/http/app.ts';
import { addServiceEndpoints } from '../runtime/http/service-endpoints.ts';
import { startKeyRing } from '../runtime/key-ring.ts';
import { runProcess } from '../runtime/lifecycle.ts';
import { createLog } from '../runtime/log.ts';
import { apiKeySource } from '../sql/api-keys.ts';
import { createClickHouse } from '../sql/clickhouse.ts';
import { createPool } from '../sql/postgres.ts';
import { connectWorkflows } from '../workflows/client.ts';
import { addOpenApi } from './openapi.ts';
import { addOperations } from './router.ts';
import { OPERATIONS } from './routes.ts';

const config = loadProcessConfig();
const log = createLog('api', config.logLevel);

await runProcess(log, async (started) => {
  const postgres = createPool(config.databaseUrl);
  started({ name: 'postgres', stop: () => postgres.end() });
  const clickhouse = createClickHouse(config.clickhouseUrl);
  started({ name: 'clickhouse', stop: () => clickhouse.close() });
  const workflows = connectWorkflows(config);
  started({ name: 'temporal', stop: () => workflows.close() });
  const keys = await startKeyRing(apiKeySource(postgres), systemClock, log);
  started({ name: 'keys', stop: async () => keys.stop() });

  const app = createHttpApp(log);
  const checks = [
    { name: 'postgres', check: () => postgres.query('SELECT 1') },
    { name: 'clickhouse', check: () => clickhouse.query({ query: 'SELECT 1', format: 'TabSeparated' }) },
    { name: 'temporal', check: () => workflows.ready() },
  ];
  addServiceEndpoints(app, checks, new Registry());
  addOpenApi(app, OPERATIONS);
  addOperations(app, OPERATIONS, { postgres, clickhouse, workflows, findKey: keys.findKey, clock: systemClock, log });
  started(await serveHttp(app, config.host, config.port));
});
