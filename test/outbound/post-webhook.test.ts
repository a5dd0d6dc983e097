import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type LookupFunction } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { type PostOptions, postWebhook } from '../../outbound/post-webhook.ts';
import { publicLookup } from '../../outbound/public-address.ts';

/** Receivers as they should not be (B6): each on a server of this machine. */
const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

function listening(server: Server | ReturnType<typeof createTcpServer>): Promise<number> {
  closers.push(() => {
    server.close();
    if ('closeAllConnections' in server) server.closeAllConnections();
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

async function receiver(answer: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listening(createServer(answer))}/`;
}

/** For what ends by the deadline alone: short, so that the tests are. */
const SOON = { deadlineMs: 300 };
/** For what ends by itself, also on a busy machine. */
const DEADLINE_MS = 30_000;

function post(url: string, options: Partial<PostOptions> = {}) {
  const signal = new AbortController().signal;
  return postWebhook(new URL(url), '{}', {}, { allowPrivate: true, signal, deadlineMs: DEADLINE_MS, ...options });
}

describe('a receiver that', () => {
  test.each([200, 204, 301, 400, 410, 429, 500])('answers %i', async (status) => {
    expect(await post(await receiver((_, response) => response.writeHead(status).end()))).toEqual({
      statusCode: status,
    });
  });

  test('redirects is not followed', async () => {
    let followed = 0;
    const target = await receiver((_, response) => {
      followed += 1;
      response.end();
    });
    for (const status of [301, 302, 303, 307, 308]) {
      const url = new URL(await receiver((_, response) => response.writeHead(status, { location: target }).end()));
      expect(await post(url.href)).toEqual({ statusCode: status });
      // A receiver outside, as far as the sender knows, that leads inside.
      url.hostname = 'hooks.example';
      const lookup: LookupFunction = (_, { all }, done) =>
        all ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4);
      expect(await post(url.href, { allowPrivate: false, lookup })).toEqual({ statusCode: status });
    }
    expect(followed).toBe(0);
  });

  test('hangs is given up at the deadline', async () => {
    expect(await post(await receiver(() => {}), SOON)).toEqual({ error: 'No answer within 0.3 s.' });
  });

  test('takes the connection and says nothing is given up, too', async () => {
    const port = await listening(createTcpServer(() => {}));
    expect(await post(`http://127.0.0.1:${port}/`, SOON)).toEqual({ error: 'No answer within 0.3 s.' });
    expect(await post(`https://127.0.0.1:${port}/`, SOON)).toEqual({ error: 'No answer within 0.3 s.' });
  });

  test('drips its headers is given up', async () => {
    const port = await listening(
      createTcpServer((socket) => {
        socket.on('error', () => {});
        socket.write('HTTP/1.1 200 OK\r\n');
        const timer = setInterval(() => socket.write('X-Drip: drop\r\n'), 20);
        socket.on('close', () => clearInterval(timer));
      }),
    );
    expect(await post(`http://127.0.0.1:${port}/`, SOON)).toEqual({ error: 'No answer within 0.3 s.' });
  });

  test('drips its body has answered, and is cut off', async () => {
    const { promise: cutOff, resolve } = Promise.withResolvers<void>();
    const url = await receiver((_, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('.'), 20);
      response.on('close', () => {
        clearInterval(timer);
        resolve();
      });
    });
    expect(await post(url)).toEqual({ statusCode: 200 });
    await cutOff;
  });

  test('answers 100 MB has answered; little of it is read', async () => {
    const chunk = Buffer.alloc(1 << 20);
    let sent = 0;
    const { promise: cutOff, resolve } = Promise.withResolvers<void>();
    const url = await receiver((_, response) => {
      const more = () => {
        while (sent < 100 && response.write(chunk)) sent += 1;
      };
      response.on('drain', more);
      response.on('error', () => {});
      response.on('close', resolve);
      response.writeHead(200);
      more();
    });
    expect(await post(url)).toEqual({ statusCode: 200 });
    await cutOff;
    expect(sent).toBeLessThan(50);
  });

  test('is not there, breaks off, or speaks another language', async () => {
    const gone = createTcpServer();
    const port = await listening(gone);
    await new Promise((resolve) => gone.close(resolve));
    expect(await post(`http://127.0.0.1:${port}/`)).toEqual({ error: 'The connection was refused.' });
    const breaking = await listening(createTcpServer((socket) => socket.once('data', () => socket.destroy())));
    expect(await post(`http://127.0.0.1:${breaking}/`)).toEqual({ error: 'The connection was broken off.' });
    const other = await listening(createTcpServer((socket) => void socket.on('error', () => {}).end('220 smtp\r\n')));
    expect(await post(`http://127.0.0.1:${other}/`)).toEqual({ error: 'The answer is not HTTP.' });
  });
});

describe('addresses of the inside', () => {
  const resolvingTo = (...answers: string[][]): LookupFunction =>
    publicLookup(async () => (answers.shift() ?? []).map((address) => ({ address, family: 4 })));

  test('not a byte goes there, by a literal or by a name', async () => {
    let connections = 0;
    const server = createTcpServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    const port = await listening(server);
    const refused = { error: 'The host has a private address.' };
    for (const host of ['127.0.0.1', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]', '[::1]', '0', 'localhost']) {
      expect(await post(`http://${host}:${port}/`, { allowPrivate: false })).toEqual(refused);
    }
    const named = { allowPrivate: false, lookup: resolvingTo(['127.0.0.1']) };
    expect(await post(`http://hooks.example:${port}/`, named)).toEqual(refused);
    expect(connections).toBe(0);
  });

  test('a name server that does not answer is told from a receiver that does not', async () => {
    const failing = (code: string) =>
      publicLookup(async () => {
        throw Object.assign(new Error(code), { code, syscall: 'queryA' });
      });
    const errors = {
      ENOTFOUND: 'does not exist',
      ECONNREFUSED: 'could not be resolved',
      ETIMEOUT: 'could not be resolved',
    };
    for (const [code, error] of Object.entries(errors)) {
      const outcome = await post('http://hooks.example/', { allowPrivate: false, lookup: failing(code) });
      expect(outcome).toEqual({ error: `The host name ${error}.` });
    }
  });

  test('a name is asked for once per attempt, so that a change of its answer is seen, or changes nothing', async () => {
    let connections = 0;
    const port = await listening(
      createTcpServer((socket) => {
        connections += 1;
        socket.destroy();
      }),
    );
    // Public when it is looked up first: a connection to that address is made, never one to the second answer.
    const lookup = resolvingTo(['192.0.2.1'], ['127.0.0.1']);
    const first = await post(`http://hooks.example:${port}/`, { allowPrivate: false, lookup, ...SOON });
    expect(first).not.toEqual({ error: 'The host has a private address.' });
    const second = await post(`http://hooks.example:${port}/`, { allowPrivate: false, lookup });
    expect(second).toEqual({ error: 'The host has a private address.' });
    expect(connections).toBe(0);
  });
});

test('a sending that is given up says so', async () => {
  const giveUp = new AbortController();
  const url = await receiver(() => giveUp.abort());
  expect(await post(url, { signal: giveUp.signal })).toBe('aborted');
});
