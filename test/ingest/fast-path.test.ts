import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createFastPath } from '../../ingest/fast-path.ts';
import type { StoreGroup } from '../../ingest/group-commit.ts';
import { howMany } from '../how-many.ts';
import { waitUntil } from '../stack/wait-until.ts';
import {
  converse,
  EVENT,
  fastPathDependencies,
  GOODBYE,
  KEYS,
  listenTo,
  plainPost,
  serveTrack,
  withoutIds,
} from './fast-path-fixture.ts';

type Fixture = Awaited<ReturnType<typeof serveTrack>>;
let express: Fixture;
let plain: Fixture;
beforeAll(async () => {
  [express, plain] = await Promise.all([serveTrack(true), serveTrack(false)]);
});
afterAll(() => Promise.all([express.stop(), plain.stop()]));

/** The same packets to the server with the fast path and to the one without: the same is heard, and the same stored. */
async function expectTheSame(packets: readonly Buffer[]): Promise<string> {
  const before = [express.stored.length, plain.stored.length];
  const [heard, wanted] = await Promise.all([converse(express.port, packets), converse(plain.port, packets)]);
  expect(withoutIds(heard)).toBe(withoutIds(wanted));
  expect(express.stored.slice(before[0])).toEqual(plain.stored.slice(before[1]));
  return heard;
}

const withId = (idempotency_id: string) => JSON.stringify({ ...EVENT, idempotency_id });
const idsIn = (heard: string) => [...heard.matchAll(/"idempotency_id":"(.)"/g)].map(([, id]) => id);

const bodies = fc.oneof(
  fc
    .record({ id: fc.string({ unit: 'grapheme', maxLength: 20 }), value: fc.jsonValue({ maxDepth: 1 }) })
    .map(({ id, value }) => JSON.stringify({ ...EVENT, idempotency_id: id, properties: { value } })),
  fc.constantFrom(
    JSON.stringify(EVENT),
    JSON.stringify({ ...EVENT, customer_id: '\u0001', extra: 1 }),
    withId('ü😀"\\'),
    JSON.stringify({ ...EVENT, properties: { n: 1e21 } }),
    JSON.stringify(EVENT).replace('}', ',"properties":{"n":0.10,"m":12345678901234567890,"s":"1e3"}}'),
    `${'['.repeat(11)}${']'.repeat(11)}`,
    '[]',
    '{',
    '',
  ),
);

describe('as without the fast path', () => {
  test('whatever the body is', async () => {
    const keys = fc.constantFrom(KEYS.good, KEYS.good, KEYS.limited, KEYS.reading, 'key-unknown');
    const property = fc.asyncProperty(bodies, keys, async (body, key) => {
      await expectTheSame([plainPost(body, key)]);
    });
    await fc.assert(property, { numRuns: howMany(40, 100) });
  });

  test('a body that is not UTF-8', async () => {
    expect(await expectTheSame([plainPost(Buffer.from('7b22ff223a317d', 'hex'))])).toContain('400 Bad Request');
  });

  test('whatever the head is', async () => {
    const lines = fc.constantFrom(
      ...Array<string>(6).fill('POST /api/track HTTP/1.1'),
      ...[
        'POST /api/track/ HTTP/1.1',
        'POST /track?x=1 HTTP/1.1',
        'POST /api/track HTTP/1.0',
        'GET /api/track HTTP/1.1',
      ],
      ...['POST  /api/track HTTP/1.1', 'post /api/track HTTP/1.1', 'POST /api/../track HTTP/1.1', 'POST /x HTTP/1.1'],
    );
    const header = fc.constantFrom(
      ...['Accept: */*', 'User-Agent: a b  c', 'Connection: Keep-Alive', 'Connection: close', 'Connection: upgrade'],
      ...['X-Request-Id: mine', 'traceparent: x', 'Expect: 100-continue', 'Expect: x', 'Transfer-Encoding: chunked'],
      ...[
        'Host: b',
        'Host: ',
        'X-API-KEY: other',
        'Authorization: Bearer other',
        'authorization: basic x',
        'x-api-key:key-good',
        'Content-Type: text/plain',
        'Content-Length: 5',
      ],
      ...[
        'Content-Length: +5',
        ' folded',
        'Bad Name: x',
        'No colon',
        'Value: \xfc',
        'Value: \x00',
        'Value: a\nHost: c',
      ],
      ...['Content-Type: application/json; charset=utf-8', 'X-API-KEY:  key-good \t', 'Content-Encoding: gzip', ': x'],
    );
    const body = JSON.stringify(EVENT);
    const headers = fc.tuple(
      fc.constantFrom('Host: a:1', 'Host: a:1', 'host: A', 'Host: a b', ''),
      fc.constantFrom(
        `X-API-KEY: ${KEYS.good}`,
        `x-api-key: ${KEYS.good}`,
        `X-API-KEY:\t${KEYS.good}`,
        `Authorization: BEARER ${KEYS.good}`,
        '',
      ),
      fc.constantFrom(
        'Content-Type: application/json',
        'content-type: Application/JSON',
        'Content-Type: text/plain',
        '',
      ),
      fc.constantFrom(
        `Content-Length: ${body.length}`,
        `content-length: ${body.length}`,
        `Content-Length:${body.length} `,
      ),
      fc.array(header, { maxLength: 2 }),
    );
    const property = fc.asyncProperty(lines, headers, fc.nat(), async (line, [a, b, c, d, more], rotation) => {
      const written = [a, b, c, d, ...more].filter((text) => text !== '');
      const at = rotation % written.length;
      const head = [line, ...written.slice(at), ...written.slice(0, at), '', ''].join('\r\n');
      await expectTheSame([Buffer.from(head + body, 'latin1')]);
    });
    await fc.assert(property, { numRuns: howMany(80, 200) });
  });

  test('wherever the request is cut', async () => {
    const post = plainPost();
    for (let at = 1; at < post.length; at += 5) await expectTheSame([post.subarray(0, at), post.subarray(at)]);
  });

  test('requests that come in one packet', async () => {
    const three = ['x', 'y', 'z'].map((id) => plainPost(withId(id)));
    const heard = await expectTheSame([Buffer.concat([...three, Buffer.from(GOODBYE)])]);
    expect(idsIn(heard)).toEqual(['x', 'y', 'z']);
  });

  test('a refused event, then good ones on the same connection', async () => {
    const goodbye = Buffer.concat([plainPost(), Buffer.from(GOODBYE)]).toString();
    const heard = await converse(express.port, [plainPost('{}')], goodbye);
    expect(heard.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 422', 'HTTP/1.1 200', 'HTTP/1.1 200']);
  });
});

/** A store that is done when it is told. */
function slowStore() {
  const { promise, resolve: finish } = Promise.withResolvers<void>();
  let begun = false;
  const store: StoreGroup = () => {
    begun = true;
    return promise;
  };
  return { store, finish, isStoring: async () => begun };
}

/** A fast path, and a connection of it whose other side reads nothing. */
function takeUnread(store?: StoreGroup) {
  const { dependencies, stored } = fastPathDependencies(store);
  const fastPath = createFastPath(dependencies, 5_000);
  const unread = new Duplex({ read: () => {}, write: () => {} });
  const ofSockets = { setTimeout: () => unread, destroySoon: () => unread.end() };
  const socket = Object.assign(unread, ofSockets) as unknown as Socket;
  const toHttp = { connections: 0 };
  fastPath.take(socket, () => {
    toHttp.connections += 1;
  });
  return { fastPath, socket, stored, toHttp };
}

describe('the fast path itself', () => {
  test("serves plain events, one after another, without Node's server", async () => {
    const fixture = await serveTrack(true);
    const client = await listenTo(fixture.port);
    for (let i = 1; i <= 3; i++) {
      client.socket.write(plainPost());
      await client.heard((text) => text.split('"queued"').length > i);
    }
    expect(fixture.stored).toHaveLength(3);
    expect(fixture.toHttp.connections).toBe(0);
    await fixture.stop();
  });

  test('an event that could not be stored is 503 with Retry-After, and the connection goes on', async () => {
    const store: StoreGroup = async (_partition, events) => {
      if (Buffer.from(events[0] ?? []).includes('lost')) throw new Error('away');
    };
    const fixture = await serveTrack(true, { store });
    const client = await listenTo(fixture.port);
    client.socket.write(plainPost(withId('lost')));
    const refused = await client.heard((text) => text.includes('}'));
    expect(refused).toMatch(/^HTTP\/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nX-Request-Id: req_/);
    expect(refused).toContain('"code":"unavailable"');
    client.socket.write(plainPost());
    await client.heard((text) => text.includes('"queued"'));
    expect(fixture.toHttp.connections).toBe(0);
    await fixture.stop();
  });

  test('what comes before its predecessor is answered waits, and is answered after it', async () => {
    const { store, isStoring, finish } = slowStore();
    const fixture = await serveTrack(true, { store });
    const client = await listenTo(fixture.port);
    client.socket.write(plainPost(withId('x')));
    await waitUntil(isStoring, Boolean);
    client.socket.write(plainPost(withId('y')));
    client.socket.write(Buffer.concat([plainPost(withId('z')), Buffer.from(GOODBYE)]));
    finish();
    await client.closed;
    const heard = await client.heard();
    expect(idsIn(heard)).toEqual(['x', 'y', 'z']);
    expect(heard.endsWith('{}')).toBe(true);
    await fixture.stop();
  });

  test('a sender that has gone, or says no more, before its answer', async () => {
    const { store, isStoring, finish } = slowStore();
    const fixture = await serveTrack(true, { store });
    const [gone, quiet] = [await listenTo(fixture.port), await listenTo(fixture.port)];
    gone.socket.write(plainPost(), () => gone.socket.resetAndDestroy());
    quiet.socket.end(plainPost());
    await Promise.all([gone.closed, waitUntil(isStoring, Boolean)]);
    finish();
    await quiet.closed;
    expect(await quiet.heard()).toContain('"queued"');
    await fixture.stop();
  });

  test('a kept connection without requests is closed', async () => {
    const fixture = await serveTrack(true, { keptMs: 50 });
    const client = await listenTo(fixture.port);
    client.socket.write(plainPost());
    await client.closed;
    expect(await client.heard()).toContain('"queued"');
    expect(fixture.toHttp.connections).toBe(0);
    await fixture.stop();
  });

  test("a connection that never says anything is told so by Node's server", async () => {
    const timeouts = { headersMs: 200, requestMs: 400, idleMs: 60_000 };
    const fixture = await serveTrack(true, { firstPacketMs: 50, timeouts });
    const client = await listenTo(fixture.port);
    await client.closed;
    expect(await client.heard()).toContain('408 Request Timeout');
    await fixture.stop();
  });

  test("a request that was handed over and stops coming is told so by Node's server", async () => {
    const timeouts = { headersMs: 200, requestMs: 400, idleMs: 60_000 };
    const fixture = await serveTrack(true, { timeouts });
    const client = await listenTo(fixture.port);
    client.socket.write('POST /api/track HTTP/1.1\r\nHost: edge\r\nContent-Length: 10\r\n\r\n{');
    await client.closed;
    expect(await client.heard()).toContain('408 Request Timeout');
    expect(fixture.toHttp.connections).toBe(1);
    await fixture.stop();
  });

  test('a stop closes what is idle, and what is under way after its answer', async () => {
    const { store, isStoring, finish } = slowStore();
    const fixture = await serveTrack(true, { store });
    const [idle, busy] = [await listenTo(fixture.port), await listenTo(fixture.port)];
    busy.socket.write(plainPost());
    await waitUntil(isStoring, Boolean);
    const stopped = fixture.stop();
    await idle.closed;
    finish();
    await Promise.all([busy.closed, stopped]);
    expect(await busy.heard()).toMatch(/Connection: close\r\n\r\n.*"queued"/s);
  });

  test('what is sent behind the last answer of a stop is not taken: nobody would answer it', async () => {
    const { store, isStoring, finish } = slowStore();
    const { fastPath, socket, stored, toHttp } = takeUnread(store);
    socket.push(plainPost(withId('x')));
    await waitUntil(isStoring, Boolean);
    fastPath.stop();
    finish();
    await waitUntil(async () => socket.writableEnded, Boolean);
    socket.push(plainPost(withId('y')));
    await waitUntil(
      async () => socket.readableLength,
      (length) => length === 0,
    );
    expect([stored.length, toHttp.connections]).toEqual([1, 0]);
    socket.destroy();
  });

  test("a sender that does not read its answer is left to Node's server at a stop", async () => {
    const { fastPath, socket, stored, toHttp } = takeUnread();
    socket.push(plainPost());
    await waitUntil(async () => socket.writableLength, Boolean);
    fastPath.stop();
    expect([stored.length, toHttp.connections]).toEqual([1, 1]);
    socket.destroy();
  });
});
