import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test, vi } from 'vitest';
import { answerOf } from '../../runtime/http/errors.ts';
import { askClickHouseAtOnce, createClickHouse } from '../../sql/clickhouse/clickhouse.ts';

test('a ClickHouse that hangs is one that is away: 503, once its time is over', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await new Promise((resolve) => silent.once('listening', resolve));
  const { port } = silent.address() as AddressInfo;
  const clickhouse = createClickHouse(`http://127.0.0.1:${port}`, undefined, 50);
  try {
    const error = await clickhouse.query({ query: 'SELECT 1' }).catch((e: unknown) => e);
    expect(answerOf(error, 'req_1')).toMatchObject({ status: 503, headers: { 'Retry-After': '1' } });
  } finally {
    await clickhouse.close();
    silent.closeAllConnections();
    silent.close();
  }
});

test('a question goes out at once: the client waits for no timer', async () => {
  askClickHouseAtOnce();
  const server = createServer((_, response) => response.end('{"one":1}\n')).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const clickhouse = createClickHouse(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  try {
    const answer = await clickhouse.query({ query: 'SELECT 1 AS one', format: 'JSONEachRow' });
    expect(await answer.json()).toEqual([{ one: 1 }]);
  } finally {
    vi.useRealTimers();
    await clickhouse.close();
    server.closeAllConnections();
    server.close();
  }
});
