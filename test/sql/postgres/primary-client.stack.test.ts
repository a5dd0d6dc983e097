import { type AddressInfo, connect, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createPool } from '../../../sql/postgres/postgres.ts';
import { stack } from '../../stack/api.ts';

test('a connection that breaks while its server is asked fails its query, and nothing else', async () => {
  const { hostname, port, username, password, pathname } = new URL(stack().postgres_url);
  let connections = 0;
  const server = createServer((client) => {
    // The first two are those by which both servers are asked who takes writes.
    const cuts = ++connections > 2;
    const postgres = connect(Number(port), hostname);
    postgres.on('data', (bytes) => client.write(bytes)).on('error', () => {});
    client.on('error', () => {}).on('close', () => postgres.destroy());
    client.on('data', (bytes) => {
      if (cuts && bytes.includes('transaction_read_only')) client.destroy();
      else postgres.write(bytes);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const at = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const pool = createPool(`postgres://${username}:${password}@${at},${at}${pathname}`);
  onTestFinished(async () => {
    await pool.end();
    server.close();
  });
  const uncaught: unknown[] = [];
  const listeners = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException').on('uncaughtException', (error) => uncaught.push(error));
  try {
    await expect(pool.query('SELECT 1')).rejects.toThrow('Connection terminated unexpectedly');
  } finally {
    process.removeAllListeners('uncaughtException');
    for (const listener of listeners) process.on('uncaughtException', listener);
  }
  expect(uncaught).toEqual([]);
});
