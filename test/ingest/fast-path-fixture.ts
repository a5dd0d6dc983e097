import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createFastPath } from '../../ingest/fast-path.ts';
import { createGroupCommit, type StoreGroup } from '../../ingest/group-commit.ts';
import { trackEndpoint } from '../../ingest/track-endpoint.ts';
import { type Caller, hashKey } from '../../runtime/http/api-key.ts';
import { type ClientTimeouts, createHttpApp, serveHttp } from '../../runtime/http/app.ts';
import { createRateLimiter } from '../../runtime/http/rate-limit.ts';
import { sendJson } from '../../runtime/http/respond.ts';
import { createLog } from '../../runtime/log.ts';
import { waitUntil } from '../stack/wait-until.ts';

export const KEYS = { good: 'key-good', limited: 'key-limited', reading: 'key-reading' };

const NOW = Date.UTC(2026, 10, 20, 10);
const TIMEOUTS = { headersMs: 10_000, requestMs: 30_000, idleMs: 60_000 };

type Settings = { store?: StoreGroup; keptMs?: number; firstPacketMs?: number; timeouts?: ClientTimeouts };

const callerOf = (name: string, more: Partial<Caller>): [string, Caller] => [
  hashKey(name),
  { keyId: name, accountId: 'acct_1', mode: 'live', scopes: ['events:write'], rateLimit: null, ...more },
];
const callers = new Map([
  callerOf(KEYS.good, {}),
  callerOf(KEYS.limited, { rateLimit: 1_000_000 }),
  callerOf(KEYS.reading, { scopes: ['read'] }),
]);

/** What a fast path needs; what is stored stands in `stored`, a character a byte. */
export function fastPathDependencies(store: StoreGroup = async () => {}) {
  const stored: string[] = [];
  const storeAndKeep: StoreGroup = async (partition, events, ...rest) => {
    await store(partition, events, ...rest);
    stored.push(...events.map((row) => Buffer.from(row).toString('latin1')));
  };
  const clock = { now: () => NOW };
  const dependencies = {
    findKey: (hash: string) => callers.get(hash),
    findKnownKey: (hash: string) => callers.get(hash),
    takeRequest: createRateLimiter(clock),
    clock,
    partitions: () => 1,
    groupCommit: createGroupCommit(storeAndKeep, () => {}),
    log: createLog('test', 'silent'),
  };
  return { dependencies, stored };
}

/** The edge's server, with its fast path or without. */
export async function serveTrack(
  hasFastPath: boolean,
  { store, keptMs = 5_000, firstPacketMs = 10_000, timeouts = TIMEOUTS }: Settings = {},
) {
  const { dependencies, stored } = fastPathDependencies(store);
  const { log } = dependencies;
  const toHttp = { connections: 0 };
  const fastPath = createFastPath(dependencies, keptMs, firstPacketMs);
  const counted = {
    take: (socket: Socket, pass: () => void) =>
      fastPath.take(socket, () => {
        toHttp.connections += 1;
        pass();
      }),
    stop: fastPath.stop,
  };
  const app = createHttpApp(log);
  app.get('/last', (c) => sendJson(c, 200, {}));
  const server = await serveHttp(app, { host: '127.0.0.1', port: 0 }, log, {
    shortcuts: [trackEndpoint(dependencies)],
    fastPath: hasFastPath ? counted : undefined,
    timeouts,
    keptMs,
  });
  return { port: server.port, stored, toHttp, stop: server.stop };
}

/** What is different in each answer, and says nothing: ids of requests (they vary in length) and the date. */
export function withoutIds(heard: string): string {
  return (heard.includes('"request_id"') ? heard.replace(/Content-Length: .*/g, 'Content-Length: *') : heard)
    .replace(/X-Request-Id: .*/gi, 'X-Request-Id: *')
    .replace(/Date: .*/g, 'Date: *')
    .replace(/"request_id":"[^"]*"/g, '"request_id":"*"');
}

/** An answer after any `100 Continue`; undefined while it is not whole. */
const WHOLE = /^(?:HTTP\/1\.1 1\d\d.*?\r\n\r\n)*HTTP\/1\.1 [2-5]\d\d(.*?)\r\n\r\n(.*)$/s;

export const GOODBYE = 'GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';

/**
 * Sends packets one after the other, waits for the first answer, then, where the connection lives on, says goodbye. Resolves with all
 * that was heard until the server closed.
 */
export async function converse(port: number, packets: readonly Buffer[], goodbye = GOODBYE): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  let heard = '';
  let [isWhole, isClosed] = [false, false];
  const { promise: answered, resolve } = Promise.withResolvers<void>();
  socket.on('data', (bytes) => {
    heard += bytes.toString('latin1');
    const [, head = '', body = ''] = WHOLE.exec(heard) ?? [];
    const length = /content-length: (\d+)/i.exec(head)?.[1];
    isWhole ||= length !== undefined && body.length >= Number(length);
    if (isWhole) resolve();
  });
  socket.on('error', () => {});
  const closed = once(socket, 'close').then(() => {
    isClosed = true;
    resolve();
  });
  await once(socket, 'connect');
  for (const packet of packets) {
    if (isWhole || isClosed) break;
    await new Promise((sent) => socket.write(packet, sent));
    if (packets.length > 1) await new Promise((later) => setTimeout(later, 1));
  }
  await answered;
  if (!isClosed && !/connection: close/i.test(heard)) socket.write(goodbye);
  await closed;
  return heard;
}

export const EVENT = {
  event_name: 'call',
  customer_id: 'c',
  idempotency_id: 'i',
  time_created: '2026-11-20T09:00:00Z',
};

/** A request as nearly every sender writes it. */
export function plainPost(body: string | Buffer = JSON.stringify(EVENT), key = KEYS.good): Buffer {
  const lines = ['POST /api/track HTTP/1.1', 'Host: a:1', `X-API-KEY: ${key}`, 'Content-Type: application/json'];
  const bytes = Buffer.from(body);
  return Buffer.concat([
    Buffer.from([...lines, `Content-Length: ${bytes.length}`, '', ''].join('\r\n'), 'latin1'),
    bytes,
  ]);
}

/** A connection, and all that is heard on it. */
export async function listenTo(port: number) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  let text = '';
  socket.on('data', (bytes) => {
    text += bytes;
  });
  socket.on('error', () => {});
  const closed = once(socket, 'close');
  await once(socket, 'connect');
  return {
    socket,
    closed,
    /** Waits until what was heard `isEnough`, and gives it. */
    heard: (isEnough: (text: string) => boolean = () => true) => waitUntil(async () => text, isEnough),
  };
}
