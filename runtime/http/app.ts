import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createNetServer, type Server as NetServer, type Socket } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { matchedRoutes } from 'hono/route';
import { newId } from '../../core/ids.ts';
import type { Stoppable } from '../lifecycle.ts';
import type { Log } from '../log.ts';
import { inSpan } from '../tracing.ts';
import type { Admitted } from './api-key.ts';
import { answerBrokenRequests, flawOf, refuse } from './broken-requests.ts';
import { errorResponse, HttpError } from './errors.ts';
import { logRequest, tellablePath } from './request-log.ts';
import { dropUnreadBody } from './unread-body.ts';

/** What a request carries through its handlers. `quiet`: it is logged at debug, since somebody else tells of it, or asks often. */
export type HttpEnvironment = {
  Variables: {
    requestId: string;
    admitted: Admitted;
    cause: unknown;
    quiet: boolean | undefined;
    /** The operation's path, where it answers under several. */
    route: string | undefined;
    /** Computes the URL of the request as the caller sees it; undefined in a process that makes no links. */
    publicUrl: (() => URL) | undefined;
  };
};
export type HttpApp = Hono<HttpEnvironment>;

/** A request id we take over from the caller (the gateway, a load balancer): short and printable. */
const FOREIGN_REQUEST_ID = /^[\w.:-]{1,128}$/;

/** The request id that the caller sent, where it may be taken over. */
export function foreignRequestId(given: string | undefined): string | undefined {
  return given && FOREIGN_REQUEST_ID.test(given) ? given : undefined;
}

/** The base of every HTTP server here: request ids, errors by one table (spec/api#errors), a line in the log per request. */
export function createHttpApp(log: Log): HttpApp {
  const app = new Hono<HttpEnvironment>({ strict: false });
  app.use(async (c, next) => {
    const startedAt = performance.now();
    const requestId = foreignRequestId(c.req.header('x-request-id')) ?? newId('req');
    const admitted: Admitted = { headers: {} };
    c.set('requestId', requestId);
    c.set('admitted', admitted);
    const { method, url, path } = c.req;
    const traceparent = c.req.header('traceparent');
    await inRequestSpan({ method, path, requestId, traceparent }, async () => {
      await next();
      return c.res.status;
    });
    await dropUnreadBody((c.env as { incoming?: IncomingMessage } | undefined)?.incoming);
    for (const [name, value] of Object.entries({ ...admitted.headers, 'X-Request-Id': requestId })) {
      if (!c.res.headers.has(name)) c.header(name, value);
    }
    const { caller } = admitted;
    const answered = { requestId, method, url, status: c.res.status, startedAt, caller, cause: c.get('cause') };
    const route = c.get('route') ?? routeOf(c);
    logRequest(log, c.get('quiet') ? 'debug' : 'info', { ...answered, route });
  });
  app.onError((error, c) => errorResponse(c, error));
  app.notFound((c) => errorResponse(c, new HttpError(404, 'There is nothing at this path.')));
  return app;
}

const EVERY_PATH = '/*';

/** The pattern that the path matched, if any but that of all paths. */
function routeOf(c: Context): string | undefined {
  return matchedRoutes(c).findLast(({ path }) => path !== EVERY_PATH)?.path;
}

/** Answers methods that a path does not have with 405 and `Allow`; its own ones are added before. */
export function refuseOtherMethods(app: HttpApp, path: string, methods: Iterable<string>): void {
  app.all(path, (c) => {
    throw new HttpError(405, `This path does not have ${c.req.method}.`, { Allow: [...methods].join(', ') });
  });
}

/** Asked all the time, by machines: not worth a trace. */
const UNTRACED = /^\/(livez|readyz|metrics|docs|openapi)/;

/** What a request's span tells of it. */
type TracedRequest = { method: string; path: string; requestId: string; traceparent: string | undefined };

/**
 * A request that belongs to a trace of the caller's is a part of it. Its span is named by the first two words of its path.
 * `work` resolves with the status of the answer.
 */
export async function inRequestSpan(request: TracedRequest, work: () => Promise<number>): Promise<void> {
  const { method, requestId, traceparent = null } = request;
  const path = tellablePath(request.path);
  if (UNTRACED.test(path)) return void (await work());
  const attributes = { 'http.request.method': method, 'url.path': path, 'request.id': requestId };
  const name = `${method} ${path.split('/').slice(0, 3).join('/')}`;
  await inSpan(name, { kind: 'server', parent: traceparent, attributes }, async (span) => {
    span.set({ 'http.response.status_code': await work() });
  });
}

/** Milliseconds that requests under way get to finish when the process stops. */
const DRAIN_MS = 5_000;
/** While it stops, connections that have become idle are closed this often. */
const CLOSE_IDLE_MS = 50;

/** Answers a request itself and says so, or leaves it to the app. */
export type Shortcut = (request: IncomingMessage, response: ServerResponse) => boolean;

/** Connections that are served without Node's HTTP server, each for as long as its requests allow. */
export type FastPath = {
  /** Serves `socket`, or calls `toHttp` as soon as it has something for Node's server: that takes the connection over for good. */
  take(socket: Socket, toHttp: () => void): void;
  /** Closes what is idle, and everything else after its next answer. */
  stop(): void;
};

/** Where to listen. `reusePort`: other processes may listen there as well, the kernel spreads connections over them. */
export type ListenAt = { host: string; port: number; reusePort?: boolean };

/** How long a client may take, in milliseconds: who is slower on purpose holds connections that others need. */
export type ClientTimeouts = { headersMs: number; requestMs: number; idleMs: number };

const CLIENT_TIMEOUTS: ClientTimeouts = {
  headersMs: 10_000,
  // 1 MiB in 30 s is slower than any line that is in use.
  requestMs: 30_000,
  // Longer than the slowest answer takes; what does not read its answer is cut off after it.
  idleMs: 120_000,
};

/** `keptMs`: how long a connection without a request stays open; else Node's own 5 s. */
type ServeOptions = {
  shortcuts?: readonly Shortcut[];
  fastPath?: FastPath | undefined;
  timeouts?: ClientTimeouts;
  keptMs?: number;
};

/**
 * Serves `app`; resolves when it listens. `stop` lets requests under way finish, then closes. The `shortcuts` see every
 * request first, in their order: for what must not pay for more than Node's own server. The `fastPath` sees every connection before
 * that server does.
 */
export function serveHttp(
  app: HttpApp,
  { host, port, reusePort = false }: ListenAt,
  log: Log,
  { shortcuts = [], fastPath, timeouts = CLIENT_TIMEOUTS, keptMs = 5_000 }: ServeOptions = {},
): Promise<Stoppable & { port: number; address: string }> {
  const serverOptions = {
    headersTimeout: timeouts.headersMs,
    requestTimeout: timeouts.requestMs,
    keepAliveTimeout: keptMs,
    connectionsCheckingInterval: timeouts.headersMs / 10,
    // Node's own answer to it would have no body: flawOf looks.
    requireHostHeader: false,
  };
  const createWithShortcut = ((options: typeof serverOptions, listener: RequestListener) =>
    createServer(options, (request, response) => {
      const flaw = flawOf(request);
      if (flaw) void refuse(request, response, flaw, log);
      else if (!shortcuts.some((answers) => answers(request, response))) listener(request, response);
    })) as typeof createServer;
  const server = createAdaptorServer({
    fetch: app.fetch,
    hostname: host,
    serverOptions,
    createServer: createWithShortcut,
  }) as Server;
  server.setTimeout(timeouts.idleMs);
  answerBrokenRequests(server, log);
  const listening = fastPath ? inFrontOf(server, fastPath) : server;
  return new Promise((resolve, reject) => {
    listening.once('error', reject);
    listening.listen({ host, port, reusePort }, () => {
      const { port: listensAt } = listening.address() as AddressInfo;
      const address = `http://${host.includes(':') ? `[${host}]` : host}:${listensAt}`;
      resolve({ name: 'http', port: listensAt, address, stop: () => closeServer(listening, server, fastPath) });
    });
  });
}

/** What listens instead of the server: connections come to the fast path, which may pass them on to the server. */
function inFrontOf(server: Server, fastPath: FastPath): NetServer {
  // As Node's own HTTP server accepts them: it may answer after the caller has sent all, and sends at once.
  const front = createNetServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
    fastPath.take(socket, () => server.emit('connection', socket)),
  );
  // The server begins to look for headers and requests that take too long when it listens; this one never does by itself.
  front.once('listening', () => server.emit('listening'));
  return front;
}

function closeServer(listening: NetServer, server: Server, fastPath: FastPath | undefined): Promise<void> {
  return new Promise((resolve) => {
    // A connection that is kept alive would bring requests for ever: each is told to close with its next answer.
    server.prependListener('request', (_request, response) => {
      response.shouldKeepAlive = false;
    });
    const closing = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_MS);
    const cut = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
    listening.close(() => {
      clearInterval(closing);
      clearTimeout(cut);
      // Where it has not listened itself it still looks for slow requests.
      if (listening !== server) server.close();
      resolve();
    });
    fastPath?.stop();
  });
}
