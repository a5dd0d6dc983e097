import { randomUUID } from 'node:crypto';
import { BlockList } from 'node:net';
import type { ClickHouseClient } from '@clickhouse/client';
import { z } from '@hono/zod-openapi';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SharedDependencies } from '../../api/dependencies.ts';
import { operation } from '../../api/operation.ts';
import { createRequestTurns } from '../../api/request-turns.ts';
import { addOperations } from '../../api/router.ts';
import { shareClickHouse } from '../../api/shared-clickhouse.ts';
import { countUnsentAnswers } from '../../api/unsent-answers.ts';
import { systemClock } from '../../runtime/clock.ts';
import { createHttpApp, serveHttp } from '../../runtime/http/app.ts';
import { createRateLimiter } from '../../runtime/http/rate-limit.ts';
import { createLog } from '../../runtime/log.ts';
import { askRows, createClickHouse, createClickHouseDatabase } from '../../sql/clickhouse/clickhouse.ts';
import { startUsageEngines, type UsageEngines } from '../stack/usage-engines.ts';
import { waitUntil } from '../stack/wait-until.ts';

/** The API's router and a real ClickHouse, with an operation that asks for ever: what is shared, and what ends. */
let engines: UsageEngines;
let client: ClickHouseClient;
let server: Awaited<ReturnType<typeof serveHttp>>;
let mark: string;
let leave: AbortController;

/** Hours of work, unless somebody ends it. */
const endless = () => `SELECT sum(sipHash64(number)) AS n FROM numbers(10000000000000) WHERE '${mark}' != ''`;
const ask = (path: string, sql: () => string) =>
  operation({
    ...{ id: 'askForEver', method: 'get', path, tag: 'Metrics', summary: path, scope: 'read', success: 200 },
    response: z.object({ rows: z.array(z.unknown()) }),
    run: async (_call, { clickhouse }) => ({
      rows: await askRows(clickhouse, { sql: sql(), params: {} }, { max_execution_time: 3600 }),
    }),
  });

beforeAll(async () => {
  engines = await startUsageEngines();
  await createClickHouseDatabase(engines.clickhouseUrl);
  client = createClickHouse(engines.clickhouseUrl);
  const log = createLog('test', 'silent');
  const app = createHttpApp(log);
  const caller = { keyId: 'key_1', mode: 'live' as const, scopes: ['read' as const], rateLimit: null };
  const dependencies: Partial<SharedDependencies> = {
    clickhouseOf: shareClickHouse(client),
    countUnsent: countUnsentAnswers(),
    requestTurns: createRequestTurns(),
    countRedemptions: (_, __, call) => call,
    // The key names its account.
    findKey: async (key) => ({ ...caller, accountId: key }),
    takeRequest: createRateLimiter(systemClock),
    responseMaxBytes: 1 << 20,
    clock: systemClock,
    trustedProxies: new BlockList(),
  };
  const operations = [ask('/api/endless', endless), ask('/api/quick', () => 'SELECT 7 AS n')];
  addOperations(app, operations, dependencies as SharedDependencies);
  server = await serveHttp(app, { host: '127.0.0.1', port: 0 }, log);
});

afterAll(async () => {
  await server?.stop();
  await client?.close();
  await engines?.stop();
});

beforeEach(() => {
  mark = randomUUID();
  leave = new AbortController();
});

afterEach(async () => {
  leave.abort();
  await waitUntil(running, (n) => n === 0);
});

const get = (account: string, path: string) =>
  fetch(`http://127.0.0.1:${server.port}${path}`, { headers: { 'X-API-KEY': account }, signal: leave.signal });

/** Asks in the background; what it ends with is nobody's business. */
function flood(account: string, times: number): void {
  for (let i = 0; i < times; i++) get(account, '/api/endless').catch(() => {});
}

async function running(): Promise<number> {
  const query = `SELECT count() AS n FROM system.processes WHERE query LIKE '%${mark}%' AND query NOT LIKE '%processes%'`;
  const answer = await client.query({ query, format: 'JSONEachRow' });
  return Number((await answer.json<{ n: string }>())[0]?.n);
}

describe('one client of ClickHouse for all accounts', () => {
  test('what a caller who went away has asked, is waiting for and would ask, ends at the server', async () => {
    flood('a', 8);
    await waitUntil(running, (n) => n === 3);
    leave.abort();
    await waitUntil(running, (n) => n === 0);
  });

  test('an account that floods has half of the places; others are answered while it waits', async () => {
    flood('a', 40);
    await waitUntil(running, (n) => n === 3);
    for (const account of ['b', 'c', 'b']) {
      const answer = await get(account, '/api/quick');
      expect([answer.status, await answer.json()]).toEqual([200, { rows: [{ n: 7 }] }]);
    }
    expect(await running()).toBe(3);
  });

  test('beyond what one account may wait with it is told to come back, and nobody else', async () => {
    // Of 3 that run, 200 that wait and one more only that one is answered.
    const asked = Array.from({ length: 204 }, () => get('a', '/api/endless'));
    for (const one of asked) one.catch(() => {});
    const refused = await Promise.race(asked);
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await refused.json()).toMatchObject({ code: 'too_many_at_once' });
    expect((await get('b', '/api/quick')).status).toBe(200);
  });
});
