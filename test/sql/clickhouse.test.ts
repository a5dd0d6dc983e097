import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { answerOf } from '../../runtime/http/errors.ts';
import { createClickHouse } from '../../sql/clickhouse/clickhouse.ts';

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
