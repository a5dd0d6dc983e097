import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHttpApp, serveHttp } from '../../runtime/http/app.ts';
import { readBodyObject } from '../../runtime/http/body.ts';
import { sendJson } from '../../runtime/http/respond.ts';

/** For clients that are slow on purpose, and only for them: a busy machine would make others as slow. */
const HASTY = { headersMs: 700, requestMs: 1_000, idleMs: 20_000 };
const PATIENT = { headersMs: 60_000, requestMs: 60_000, idleMs: 120_000 };

const lines: Record<string, unknown>[] = [];
const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(JSON.parse(line)) });

let underWay = 0;

/** A server like those of our processes. */
async function serve(timeouts = PATIENT) {
  const app = createHttpApp(log);
  app.post('/echo', async (c) => sendJson(c, 200, await readBodyObject(c, 1_024)));
  app.get('/slow', async (c) => {
    underWay += 1;
    await sleep(200);
    return sendJson(c, 200, {});
  });
  app.get('/broken', () => {
    throw new Error('a bug');
  });
  return serveHttp(app, { host: '127.0.0.1', port: 0 }, log, { timeouts });
}

let server: Awaited<ReturnType<typeof serve>>;
let hasty: typeof server;
beforeAll(async () => {
  server = await serve();
  hasty = await serve(HASTY);
});
afterAll(() => Promise.all([server.stop(), hasty.stop()]));

/** Sends bytes as they are; gives everything that came back until the server closed. */
async function converse(send: (socket: Socket) => Promise<void> | void, to = server): Promise<string> {
  const socket = connect(to.port, '127.0.0.1');
  let heard = '';
  socket.on('data', (bytes) => {
    heard += bytes;
  });
  socket.on('error', () => {});
  await once(socket, 'connect');
  const closed = closeOf(socket);
  await send(socket);
  await closed;
  return heard;
}

/** Resolves also where the other side has cut the connection off. */
const closeOf = (socket: Socket) =>
  new Promise<void>((resolve) => {
    if (socket.closed) resolve();
    else socket.once('close', () => resolve());
  });

const head = (line: string, host = 'a', ...more: string[]) =>
  [`${line} HTTP/1.1`, `Host: ${host}`, 'Connection: close', ...more, '', ''].join('\r\n');

const bodyOf = (heard: string) => JSON.parse(heard.slice(heard.indexOf('\r\n\r\n'))) as Record<string, string>;

test.each<[string, number, (socket: Socket) => Promise<void> | void]>([
  ['garbage', 400, (socket) => void socket.write('\x16\x03\x01 hello\r\n\r\n')],
  [
    'two lengths',
    400,
    (socket) => void socket.write('POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'),
  ],
  [
    'a length and chunks: the makings of a smuggled request',
    400,
    (socket) =>
      void socket.write(
        'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      ),
  ],
  [
    'a header line that is folded into a name',
    400,
    (socket) => void socket.write('GET / HTTP/1.1\r\nHo st: a\r\n\r\n'),
  ],
  [
    'a header of 100 KB',
    431,
    (socket) => void socket.write(`GET /slow HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`),
  ],
  ['no host', 400, (socket) => void socket.write('GET /slow HTTP/1.1\r\nConnection: close\r\n\r\n')],
  ['a host that is none', 400, (socket) => void socket.write(head('GET /slow', 'a b/../c'))],
  ['no path', 400, (socket) => void socket.write(head('OPTIONS *'))],
  ['a path with dots', 404, (socket) => void socket.write(head('GET /a/../slow'))],
  ['a path with encoded dots', 404, (socket) => void socket.write(head('GET /a/%2E%2e/slow'))],
  ['a path with a dot', 404, (socket) => void socket.write(head('GET /./slow'))],
  ['a path with backslashes', 404, (socket) => void socket.write(head('GET /a\\..\\slow'))],
  ['a target on another server, with dots', 404, (socket) => void socket.write(head('GET http://b/a/../slow'))],
  ['a tunnel', 405, (socket) => void socket.write(head('CONNECT a:80'))],
  ['an unknown expectation', 417, (socket) => void socket.write(head('POST /echo', 'a', 'Expect: luck'))],
  [
    'a transfer encoding of which chunks are only a part',
    400,
    (socket) => void socket.write(`${head('POST /echo', 'a', 'Transfer-Encoding: gzip, chunked')}0\r\n\r\n`),
  ],
  [
    'headers that never end',
    408,
    async (socket) => {
      socket.write('GET /slow HTTP/1.1\r\nHost: a\r\n');
      for (let i = 0; i < 40 && socket.writable; i++) {
        socket.write(`X-${i}: x\r\n`);
        await sleep(50);
      }
    },
  ],
  [
    'a body that trickles',
    408,
    async (socket) => {
      socket.write('POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n');
      for (let i = 0; i < 40 && socket.writable; i++) {
        socket.write(' ');
        await sleep(50);
      }
    },
  ],
])('%s is %i in the shape of every error, and the connection ends', async (_what, status, send) => {
  let heard = '';
  // Who still writes when the other side has closed may lose what it had answered.
  while (heard === '') heard = await converse(send, status === 408 ? hasty : server);
  expect(heard).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(heard).toMatch(/^x-request-id: req_/im);
  expect(bodyOf(heard)).toEqual({
    detail: expect.any(String),
    code: expect.stringMatching(/^[a-z_]+$/),
    request_id: expect.stringMatching(/^req_/),
  });
});

test.each(['/slow?next=/a/../b', '/slow?a=..', '/slow?b=\\', '/.well-known', '/...', '/a..b'])(
  '%s is a path',
  async (path) => {
    const heard = await converse((socket) => void socket.write(head(`GET ${path}`)));
    expect(heard).toMatch(path.startsWith('/slow') ? /^HTTP\/1.1 200 / : /There is nothing at this path/);
  },
);

test('300 clients that never finish their headers take nothing from the others, and are all gone soon', async () => {
  const slow = Array.from({ length: 300 }, () => connect(hasty.port, '127.0.0.1'));
  for (const socket of slow) socket.on('error', () => {}).write('GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ');
  let status = 408;
  // On a machine that stands still for so long it is slow itself.
  while (status === 408) ({ status } = await fetch(`http://127.0.0.1:${hasty.port}/slow`));
  expect(status).toBe(200);
  await Promise.all(slow.map((socket) => closeOf(socket.resume())));
});

test('one line per request, with who and what, without headers, queries or bodies', async () => {
  lines.length = 0;
  const headers = { 'X-API-KEY': 'mb_test_secret', 'Content-Type': 'application/json', 'X-Request-Id': 'mine-7' };
  await fetch(`http://127.0.0.1:${server.port}/echo?token=secret-in-query`, {
    method: 'POST',
    headers,
    body: '{"a":"secret-in-body"}',
  });
  expect(lines).toEqual([
    expect.objectContaining({ request_id: 'mine-7', method: 'POST', path: '/echo', status: 200, msg: 'request' }),
  ]);
  expect(JSON.stringify(lines)).not.toContain('secret');
});

test('a bug is 500: one line at error with its stack, nothing of it for the caller', async () => {
  lines.length = 0;
  const answer = await fetch(`http://127.0.0.1:${server.port}/broken`);
  expect(answer.status).toBe(500);
  expect(await answer.text()).not.toContain('a bug');
  expect(lines.length).toBe(1);
  expect(lines[0]).toMatchObject({ level: 50, status: 500, err: { message: 'a bug', stack: expect.any(String) } });
});

test.each(['Content-Length: 1000', 'Transfer-Encoding: chunked'])(
  'a client that goes away in the middle of its body (%s) has asked for nothing, and is no failure of ours',
  async (framing) => {
    lines.length = 0;
    // What has come so far would be a good body.
    const part = framing.startsWith('T') ? '7\r\n{"a":1}\r\n' : '{"a":1}';
    await converse(async (socket) => {
      socket.write(`POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${framing}\r\n\r\n${part}`);
      await sleep(50);
      socket.destroy();
    });
    while (lines.length === 0) await sleep(10);
    expect(lines).toMatchObject([{ level: 30, status: 400 }]);
  },
);

test('a stop answers what is under way, refuses no connection half-way, and ends', async () => {
  const stopping = await serve();
  const agent = new Agent({ keepAlive: true });
  const ask = () =>
    new Promise<number | string>((resolve) => {
      const sent = request({ port: stopping.port, path: '/slow', agent }, (answer) => {
        answer.resume().on('end', () => resolve(`${answer.statusCode} ${answer.headers.connection}`));
      });
      sent.on('error', (error: Error & { code: string }) => resolve(error.code)).end();
    });
  underWay = 0;
  const first = Promise.all(Array.from({ length: 20 }, ask));
  while (underWay < 20) await sleep(5);
  const startedAt = performance.now();
  const stopped = stopping.stop();
  expect(new Set(await first)).toEqual(new Set(['200 keep-alive']));
  await stopped;
  expect(performance.now() - startedAt).toBeLessThan(4_500);
  agent.destroy();
  await expect(fetch(`http://127.0.0.1:${stopping.port}/slow`)).rejects.toThrow('fetch failed');
});
