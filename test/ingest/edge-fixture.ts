import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { type AddressInfo, BlockList, type Socket } from 'node:net';
import { Registry } from '@prometheus-io/client';
import { unavailable } from '../../core/domain-error.ts';
import { BATCH } from '../../ingest/batch/batch-endpoint.ts';
import { CLOUD_EVENTS } from '../../ingest/cloudevents/events-endpoint.ts';
import { createFastPath } from '../../ingest/fast-path.ts';
import { forwardToApi } from '../../ingest/forward.ts';
import { addGateway } from '../../ingest/gateway.ts';
import { createGroupCommit } from '../../ingest/group-commit.ts';
import { createBodyRoom } from '../../ingest/intake/body-room.ts';
import { createIntakeCounts } from '../../ingest/intake/intake-counts.ts';
import { intakeEndpoint } from '../../ingest/intake/intake-endpoint.ts';
import { LAGO_BATCH } from '../../ingest/lago/batch-endpoint.ts';
import { ingestChecks } from '../../ingest/readiness.ts';
import { trackEndpoint } from '../../ingest/track-endpoint.ts';
import { openUsagePublisher } from '../../ingest/usage-publisher.ts';
import { systemClock } from '../../runtime/clock.ts';
import { type Caller, hashKey } from '../../runtime/http/api-key.ts';
import { createHttpApp, type ListenAt, serveHttp } from '../../runtime/http/app.ts';
import type { TrustedProxies } from '../../runtime/http/connecting-address.ts';
import { createRateLimiter } from '../../runtime/http/rate-limit.ts';
import { createLog } from '../../runtime/log.ts';
import { ensureStreams, type StreamSettings } from '../../stream/streams.ts';
import { waitUntil } from '../stack/wait-until.ts';

export const LIVE_KEY = 'key-of-a-live-account';
export const TEST_KEY = 'key-of-a-test-account';
export const READ_KEY = 'key-that-may-only-read';
/** The database that knows this one is away. */
export const UNKNOWABLE_KEY = 'key-nobody-can-look-up';

/** As long as the edge keeps idle connections: none closes under a test's request. */
const KEPT_MS = 75_000;

const callers = new Map<string, Caller>([
  [
    hashKey(LIVE_KEY),
    { keyId: 'key_1', accountId: 'acct_live', mode: 'live', scopes: ['events:write'], rateLimit: null },
  ],
  [
    hashKey(TEST_KEY),
    { keyId: 'key_2', accountId: 'acct_test', mode: 'test', scopes: ['events:write', 'read'], rateLimit: null },
  ],
  [
    hashKey(READ_KEY),
    { keyId: 'key_3', accountId: 'acct_live', mode: 'live', scopes: ['read', 'write', 'admin'], rateLimit: null },
  ],
]);

/** The edge as ingest/edge.ts puts it together, with keys of its own and a stand-in for the API behind the gateway. */
export async function startEdge(
  natsUrl: string,
  settings: StreamSettings,
  listenAt: ListenAt = { host: '127.0.0.1', port: 0 },
  trustedProxies: TrustedProxies = new BlockList(),
) {
  const log = createLog('test', 'silent');
  const api = await startStandIn();
  const publisher = openUsagePublisher(natsUrl, settings, log, ({ jsm }) => ensureStreams(jsm, settings));
  const findKey = async (hash: string) => {
    if (hash === hashKey(UNKNOWABLE_KEY)) throw unavailable('API keys cannot be checked right now.');
    return callers.get(hash);
  };
  const accepted = { events: 0 };
  const groupCommit = createGroupCommit(publisher.storeGroup, (events) => {
    accepted.events += events;
  });
  const registry = new Registry();
  const takeRequest = createRateLimiter(systemClock);
  const findKnownKey = (hash: string) => callers.get(hash);
  const dependencies = {
    findKey,
    findKnownKey,
    takeRequest,
    clock: systemClock,
    partitions: publisher.partitions,
    groupCommit,
    counts: createIntakeCounts(registry),
    bodies: createBodyRoom(32 * 2 ** 20, 3_000),
    log,
  };
  const app = createHttpApp(log);
  const others = { apiUrl: api.url, aggregatorUrl: api.url, workerUrl: api.url };
  addGateway(app, others, ingestChecks(publisher, { loaded: () => true }, log), registry);
  const server = await serveHttp(app, listenAt, log, {
    shortcuts: [
      trackEndpoint(dependencies),
      ...[BATCH, CLOUD_EVENTS, LAGO_BATCH].map((endpoint) => intakeEndpoint(endpoint, dependencies)),
      forwardToApi(app, { apiUrl: api.url, trustedProxies }, log),
    ],
    fastPath: createFastPath(dependencies, KEPT_MS),
    keptMs: KEPT_MS,
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    api,
    accepted,
    heldBytes: groupCommit.heldBytes,
    bodyBytes: dependencies.bodies.taken,
    stop: async () => {
      await server.stop();
      await publisher.close();
      api.server.closeAllConnections();
      api.server.close();
    },
  };
}

/** What the stand-in for the API was asked; it answers by the first word of the path. */
async function startStandIn() {
  const asked: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[] = [];
  const readiness = { status: 200, body: {} };
  const hanging = new Set<IncomingMessage>();
  const used = new WeakSet<Socket>();
  const server: Server = createServer(async (incoming, outgoing) => {
    const { socket } = incoming;
    if (incoming.url === '/closed-when-reused' && used.has(socket)) return socket.destroy();
    used.add(socket);
    if (incoming.url === '/break-off') {
      outgoing.writeHead(200, { 'Content-Length': '10' });
      return outgoing.write('half', () => socket.destroy());
    }
    if (incoming.url === '/hang') {
      socket.once('close', () => hanging.delete(incoming));
      return hanging.add(incoming);
    }
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    asked.push({ method: incoming.method ?? '', url: incoming.url ?? '', headers: incoming.headers, body });
    if (incoming.url === '/readyz') return outgoing.writeHead(readiness.status).end(JSON.stringify(readiness.body));
    if (incoming.url === '/metrics.json') return outgoing.end('[]');
    if (incoming.url === '/redirect') return outgoing.writeHead(302, { Location: 'https://example.com/' }).end();
    outgoing.writeHead(201, { 'Content-Type': 'application/json', 'X-Request-Id': 'from-api' }).end(body || '{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, server, readiness, hanging };
}

/** An answer in full. */
export type Answer = { status: number; body: Record<string, unknown>; headers: Headers };

/** POSTs a body (an object, or text as it is) to the edge. */
export async function post(
  url: string,
  body: unknown,
  key: string | undefined = LIVE_KEY,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const text = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
  const all = { 'Content-Type': 'application/json', ...(key && { 'X-API-KEY': key }), ...headers };
  const answer = await fetch(url, { method: 'POST', body: text as string, headers: all });
  const answered = await answer.text();
  return { status: answer.status, body: answered === '' ? {} : JSON.parse(answered), headers: answer.headers };
}

/** As {@link post}, for tests that are not about time: it sends again what a busy machine has not read or stored in time. */
export function postPatiently(...request: Parameters<typeof post>): Promise<Answer> {
  return waitUntil(
    () => post(...request),
    ({ status }) => status !== 503,
  );
}

/** POSTs `body` in chunks without a length, as fetch never would for a text; resolves with the status. */
export function postChunked(url: string, body: Buffer, key: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json', 'X-API-KEY': key };
    const sent = request(url, { method: 'POST', headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    sent.on('error', reject);
    for (let i = 0; i < body.length; i += 8_192) sent.write(body.subarray(i, i + 8_192));
    sent.end();
  });
}
