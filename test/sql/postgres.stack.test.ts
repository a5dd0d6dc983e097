import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answerOf } from '../../runtime/http/errors.ts';
import { createPool, inReading, inTransaction, type Pool } from '../../sql/postgres/postgres.ts';
import { stack } from '../stack/api.ts';
import { waitUntil } from '../stack/wait-until.ts';

let pool: Pool;
let other: Pool;

beforeAll(() => {
  pool = createPool(stack().postgres_url);
  other = createPool(stack().postgres_url);
});
afterAll(() => Promise.all([pool.end(), other.end()]));

test('a connection that breaks while it is in use fails its transaction, not the process, and the next one works', async () => {
  const uncaught: unknown[] = [];
  const note = (error: unknown) => uncaught.push(error);
  process.on('uncaughtException', note);
  try {
    const work = inTransaction(pool, 'acct_none', async (tx) => {
      const { rows } = await tx.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      await other.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
      // No query is under way when the connection ends.
      await waitUntil(
        () => other.query('SELECT 1 FROM pg_stat_activity WHERE pid = $1', [rows[0]?.pid]),
        (found) => found.rowCount === 0,
      );
      await new Promise((resolve) => setTimeout(resolve, 100));
      await tx.query('SELECT 1');
    });
    const error = await work.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Error);
    expect(answerOf(error, 'req_1')).toMatchObject({ status: 503 });
    expect(await inTransaction(pool, 'acct_none', async () => 'works')).toBe('works');
    expect(uncaught).toEqual([]);
  } finally {
    process.off('uncaughtException', note);
  }
});

test('a transaction whose account cannot be set shows nothing: its statements go out behind that, and are refused', async () => {
  const seen: unknown[] = [];
  // Postgres refuses a NUL in any text.
  const work = inTransaction(pool, 'acct\0none', async (tx) => {
    seen.push(await tx.query('SELECT account_id FROM accounts'));
  });
  await expect(work).rejects.toThrow(/invalid byte sequence/);
  expect(seen).toEqual([]);
  expect(await inTransaction(pool, 'acct_none', async () => 'works')).toBe('works');
});

test('statements of a transaction that do not wait for each other answer each its own, also behind one that fails', async () => {
  const ask = (n: number) =>
    inTransaction(pool, 'acct_none', async (tx) => {
      const answers = [1, 2, 3].map((i) => tx.query<{ n: number }>('SELECT $1::int AS n', [i * n]));
      return (await Promise.all(answers)).map(({ rows }) => rows[0]?.n);
    });
  const failing = inTransaction(pool, 'acct_none', (tx) =>
    Promise.all([tx.query('SELECT $1::int / 0', [1]), tx.query('SELECT $1::int AS n', [1])]),
  );
  await expect(failing).rejects.toMatchObject({ code: '22012' });
  // Fewer than the pool has connections: nobody waits for one.
  const all = await Promise.all([1, 2, 3, 4].map(ask));
  expect(all).toEqual([1, 2, 3, 4].map((n) => [n, 2 * n, 3 * n]));
});

test('where BEGIN fails on a connection that lives on, nothing is changed outside of a transaction, and nothing read is told', async () => {
  const failsToBegin = {
    connect: async () => {
      const client = await pool.connect();
      const query = client.query.bind(client) as (text: unknown, values?: unknown) => Promise<unknown>;
      const failing = (text: unknown, values?: unknown) =>
        query(String(text).startsWith('BEGIN') ? 'SELECT 1 / 0' : text, values);
      const release = (broken?: Error | boolean) => client.release(broken);
      return Object.assign(Object.create(client), { query: failing, release });
    },
  } as Pool;
  let changes = 0;
  const change = async () => {
    changes += 1;
  };
  await expect(inTransaction(failsToBegin, 'acct_none', change)).rejects.toThrow('division by zero');
  expect(changes).toBe(0);
  const read = inReading(failsToBegin, 'acct_none', (tx) => tx.query('SELECT account_id FROM accounts'));
  await expect(read).rejects.toThrow('division by zero');
});

test('a Postgres that falls silent holds nobody for ever: what waits for it is told, and goes on over another connection', async () => {
  const { hostname, port } = new URL(stack().postgres_url);
  const way = await startSilentWay(hostname, Number(port));
  const url = new URL(stack().postgres_url);
  url.host = `127.0.0.1:${way.port}`;
  const silenced = createPool(url.href, 4_000);
  try {
    const work = inTransaction(silenced, 'acct_none', async (tx) => {
      await tx.query('SELECT 1');
      way.fallSilent();
      await tx.query('SELECT 2');
    });
    const error = await work.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ message: 'Query read timeout' });
    expect(answerOf(error, 'req_1')).toMatchObject({ status: 503 });
    expect(await inTransaction(silenced, 'acct_none', async () => 'works')).toBe('works');
  } finally {
    way.close();
    await silenced.end();
  }
});

/** A way to Postgres whose connections of now say nothing any more once it falls silent, and do not end either. */
async function startSilentWay(host: string, port: number) {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    const onward = connect(port, host);
    for (const end of [socket, onward]) {
      open.add(end);
      end.on('error', () => {});
    }
    socket.pipe(onward).pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    fallSilent: () => {
      for (const end of open) end.unpipe().pause();
    },
    close: () => {
      for (const end of open) end.destroy();
      server.close();
    },
  };
}
