import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { Connection, Client as TemporalClient } from '@temporalio/client';
import { expect, inject, test } from 'vitest';
import { createLog } from '../../runtime/log.ts';
import { createClickHouse } from '../../sql/clickhouse/clickhouse.ts';
import { createPool } from '../../sql/postgres/postgres.ts';
import { connectStream } from '../../stream/connection.ts';
import { stack } from '../stack/api.ts';

/** What a page in a browser of this machine can send to any port of the stack. */
type Sent = { method: string; path: string; body?: string; headers: Record<string, string> };
type Heard = { status: number; text: string };

const ATTEMPTS: Omit<Sent, 'headers'>[] = [
  { method: 'GET', path: '/?query=SELECT+40+%2B+2' },
  { method: 'GET', path: '/?query=SELECT+*+FROM+file(%27/etc/passwd%27,LineAsString)' },
  { method: 'POST', path: '/?query=CREATE+TABLE+default.page+(a+Int8)+ENGINE=Memory' },
  { method: 'POST', path: '/', body: 'CREATE TABLE default.page (a Int8) ENGINE = Memory' },
  { method: 'POST', path: '/', body: 'CONNECT {}\r\nPUB usage.0 4\r\npage\r\nPING\r\n' },
  { method: 'POST', path: '/api/v1/namespaces/default/workflows/page', body: workflow() },
  { method: 'POST', path: '/v1/customers', body: '{"customer_id": "page", "name": "page"}' },
  { method: 'POST', path: '/api/track', body: '{"customer_id": "page", "event_name": "page"}' },
];

/** As the page's own requests, as a form of it, and after its name has been pointed to this machine. */
const DISGUISES: ((port: number) => Record<string, string>)[] = [
  () => ({ origin: 'https://page.example', 'content-type': 'text/plain' }),
  () => ({ origin: 'null', 'content-type': 'application/x-www-form-urlencoded' }),
  (port) => ({ host: `page.example:${port}`, 'content-type': 'application/json' }),
  (port) => ({ host: `page.example:${port}`, authorization: `Basic ${Buffer.from('meterbook:').toString('base64')}` }),
  () => ({
    authorization: `Basic ${Buffer.from('meterbook:meterbook').toString('base64')}`,
    origin: 'https://page.example',
  }),
];

function workflow(): string {
  return JSON.stringify({ workflowType: { name: 'page' }, taskQueue: { name: 'page' } });
}

test('a web page gets nothing done at any port of the stack', async () => {
  const { pids, clickhouse_url, nats_url, postgres_url, temporal_address, temporal_ui_url } = stack();
  // The launcher of a stack under test is the test's own process.
  const { launcher: _, ...others } = pids;
  const addresses = Object.values(others).flatMap((pid) => listeners(pid ?? 0));
  expect(addresses.length).toBeGreaterThanOrEqual(10);
  expect(addresses.filter(({ host }) => !host.startsWith('127.'))).toEqual([]);

  const open = addresses.filter(({ host }) => host === '127.0.0.1').map(({ port }) => port);
  const ports = new Set([...open, Number(new URL(temporal_ui_url ?? '').port)]);
  for (const port of ports) {
    for (const attempt of ATTEMPTS) {
      for (const disguise of DISGUISES) {
        const { status, text } = await send(port, { ...attempt, headers: disguise(port) });
        const what = `${attempt.method} ${attempt.path} to ${port}, as ${JSON.stringify(disguise(port))}`;
        expect(text, what).not.toMatch(/root:|\b42\n/);
        if (attempt.method === 'POST') expect(status, `${what}: ${text}`).not.toBeLessThan(400);
      }
    }
  }
  const clickhouse = createClickHouse(clickhouse_url);
  const postgres = createPool(postgres_url);
  const stream = await connectStream(nats_url, 'test', createLog('test', 'silent'));
  const temporal = await Connection.connect({ address: temporal_address });
  try {
    const tables = await clickhouse.query({ query: 'EXISTS TABLE default.page', format: 'JSONCompactEachRow' });
    expect(await tables.json()).toEqual([[0]]);
    await expect(new TemporalClient({ connection: temporal }).workflow.getHandle('page').describe()).rejects.toThrow();
    expect((await postgres.query("SELECT FROM customers WHERE customer_id = 'page'")).rows).toEqual([]);
  } finally {
    await Promise.all([clickhouse.close(), postgres.end(), stream.close(), temporal.close()]);
  }
});

test('engines that can have a password let nobody in without it', async () => {
  const { clickhouse_url, nats_url, postgres_url } = stack();
  for (const url of [clickhouse_url, nats_url, postgres_url].map((text) => new URL(text))) {
    expect(url.password.length, url.protocol).toBeGreaterThanOrEqual(24);
    for (const password of ['', 'guess', url.username]) {
      const stranger = Object.assign(new URL(url), { password }).href;
      await expect(enter(url.protocol, stranger), stranger).rejects.toThrow(/auth|password/i);
    }
    await enter(url.protocol, url.href);
  }
});

test('passwords stand in no argument and in no log', () => {
  const { pids, clickhouse_url, nats_url, postgres_url } = stack();
  const logs = join(inject('dataDir'), 'logs');
  const seen = [
    ...Object.values(pids).map((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8')),
    ...readdirSync(logs).map((name) => readFileSync(join(logs, name), 'utf8')),
  ].join('\n');
  for (const { password } of [clickhouse_url, nats_url, postgres_url].map((text) => new URL(text)))
    expect(seen.includes(password)).toBe(false);
});

async function enter(protocol: string, url: string): Promise<void> {
  if (protocol === 'nats:') return (await connectStream(url, 'test', createLog('test', 'silent'))).close();
  const client = protocol === 'http:' ? createClickHouse(url) : createPool(url);
  try {
    await ('command' in client ? client.command({ query: 'SELECT 1' }) : client.query('SELECT 1'));
  } finally {
    await ('command' in client ? client.close() : client.end());
  }
}

/** Its answer; status 599 where the port has no HTTP for it. */
function send(port: number, { method, path, body, headers }: Sent): Promise<Heard> {
  return new Promise((resolve) => {
    const nothing = { status: 599, text: '' };
    const outgoing = request(
      { host: '127.0.0.1', port, method, path, headers, agent: false, timeout: 5_000 },
      (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part) => parts.push(part));
        answer.on('close', () => resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(parts).toString() }));
      },
    );
    outgoing.on('error', () => resolve(nothing));
    outgoing.on('timeout', () => outgoing.destroy(new Error('no answer')));
    outgoing.end(body);
  });
}

const LISTENS = '0A';

/** Where a process listens, as the kernel has it. */
function listeners(pid: number): { host: string; port: number }[] {
  const folder = `/proc/${pid}/fd`;
  const links = readdirSync(folder).map((fd) => {
    try {
      return readlinkSync(`${folder}/${fd}`);
    } catch {
      return ''; // closed meanwhile
    }
  });
  const sockets = new Set(links.map((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1]));
  return ['tcp', 'tcp6'].flatMap((kind) => {
    const rows = readFileSync(`/proc/net/${kind}`, 'utf8').trim().split('\n').slice(1);
    return rows.flatMap((row) => {
      const [, local = '', , state, , , , , , inode] = row.trim().split(/\s+/);
      const [address = '', port = ''] = local.split(':');
      return state === LISTENS && sockets.has(inode)
        ? [{ host: hostOf(address), port: Number.parseInt(port, 16) }]
        : [];
    });
  });
}

/** The kernel writes an address of IPv4 as one number of its own byte order. */
function hostOf(hex: string): string {
  return hex.length === 8 ? [...Buffer.from(hex, 'hex')].reverse().join('.') : hex;
}
