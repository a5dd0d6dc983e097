import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createHttpApp, serveHttp } from '../../runtime/http/app.ts';
import { requestTally } from '../../runtime/http/request-tallies.ts';
import { sendJson } from '../../runtime/http/respond.ts';
import { createProcessRegistry } from '../../runtime/process-metrics.ts';

const registry = createProcessRegistry('tested');
const linesOf = async (family: string) =>
  (await registry.metrics()).split('\n').filter((line) => line.startsWith(family));

async function counts(): Promise<Map<string, number>> {
  const lines = (await linesOf('meterbook_http_requests_total{')).map((line) => line.split('} '));
  return new Map(lines.map(([labels, count]) => [`${labels}}`, Number(count)]));
}

test('requests are counted by the pattern of their path; every unknown path is one route', async () => {
  const log = pino({ level: 'silent' });
  const app = createHttpApp(log);
  app.get('/things/:id', (c) => sendJson(c, 200, {}));
  app.get('/alias/:id', (c) => {
    c.set('route', '/named');
    return sendJson(c, 201, {});
  });
  const server = await serveHttp(app, { host: '127.0.0.1', port: 0 }, log);
  const paths = ['/things/1', '/things/2', '/alias/1', ...[1, 2, 3].map((n) => `/nothing/${n}`), '/x\\y', '/%2e%2e/x'];
  // Tallies are the process's: other test files have counted there, too.
  const before = await counts();
  for (const path of paths) await (await fetch(`http://127.0.0.1:${server.port}${path}`)).text();
  await server.stop();
  const counted = [...(await counts())].map(([kind, count]) => [kind, count - (before.get(kind) ?? 0)] as const);
  const of = (route: string, status: number) =>
    `meterbook_http_requests_total{process="tested",route="${route}",method="GET",status="${status}"}`;
  expect(Object.fromEntries(counted.filter(([, count]) => count > 0))).toEqual({
    [of('/named', 201)]: 1,
    [of('/things/:id', 200)]: 2,
    [of('none', 404)]: 5,
  });
});

test('how long they took is a histogram by route', async () => {
  const tally = requestTally({ route: '/timed', method: 'GET', status: 200 });
  for (const ms of [1, 30, 30, 20_000]) tally.add(ms);
  requestTally({ route: '/timed', method: 'GET', status: 500 }).add(300);
  const name = 'meterbook_http_request_duration_seconds';
  const of = '{process="tested",route="/timed"';
  const lines = (await linesOf(name)).filter((line) => line.includes('/timed'));
  const within = (le: string) => lines.find((line) => line.includes(`le="${le}"`))?.split(' ')[1];
  expect(['0.005', '0.025', '0.05', '0.25', '0.5', '10', '+Inf'].map(within)).toEqual([
    '1',
    '1',
    '3',
    '3',
    '4',
    '4',
    '5',
  ]);
  expect(lines).toContain(`${name}_count${of}} 5`);
  expect(Number(lines.find((line) => line.startsWith(`${name}_sum`))?.split(' ')[1])).toBeCloseTo(20.361);
  expect((await linesOf(`${name}_count${of}`)).length).toBe(1);
});

test('CPU, memory and event-loop delay are told with the name of the process', async () => {
  for (const family of [
    'process_cpu_seconds_total',
    'process_resident_memory_bytes',
    'nodejs_eventloop_lag_p99_seconds',
  ])
    expect(await linesOf(`${family}{process="tested"} `)).toHaveLength(1);
});
