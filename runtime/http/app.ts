import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer, type ServerType } from '@hono/node-server';
import { Hono } from 'hono';
import { newId } from '../ids.ts';
import type { Stoppable } from '../lifecycle.ts';
import type { Log } from '../log.ts';
import { errorResponse, HttpError } from './errors.ts';
import { dropUnreadBody } from './unread-body.ts';

export type HttpEnvironment = { Variables: { requestId: string } };
export type HttpApp = Hono<HttpEnvironment>;

/** A request id we take over from the caller (the door, a load balancer): short and printable. */
const FOREIGN_REQUEST_ID = /^[\w.:-]{1,128}$/;

/** The request id that the caller sent, where it may be taken over. */
export function foreignRequestId(given: string | undefined): string | undefined {
  return given && FOREIGN_REQUEST_ID.test(given) ? given : undefined;
}

/** The base of every HTTP server here: request ids, and errors by the table of contract 1. */
export function createHttpApp(log: Log): HttpApp {
  const app = new Hono<HttpEnvironment>({ strict: false });
  app.use(async (c, next) => {
    c.set('requestId', foreignRequestId(c.req.header('x-request-id')) ?? newId('req'));
    await next();
    await dropUnreadBody((c.env as { incoming?: IncomingMessage } | undefined)?.incoming);
    if (!c.res.headers.has('X-Request-Id')) c.header('X-Request-Id', c.get('requestId'));
  });
  app.onError((error, c) => errorResponse(c, error, log));
  app.notFound((c) => errorResponse(c, new HttpError(404, 'There is nothing at this path.'), log));
  return app;
}

/** Milliseconds that requests under way get to finish when the process stops. */
const DRAIN_MS = 5_000;

/** Answers a request itself and says so, or leaves it to the app. */
export type Shortcut = (request: IncomingMessage, response: ServerResponse) => boolean;

/** Where to listen. `reusePort`: other processes may listen there as well, the kernel spreads connections over them. */
export type ListenAt = { host: string; port: number; reusePort?: boolean };

/**
 * Serves `app`; resolves when it listens. `stop` lets requests under way finish, then closes. A `shortcut` sees every
 * request first: for the one route that must not pay for more than Node's own server.
 */
export function serveHttp(
  app: HttpApp,
  { host, port, reusePort = false }: ListenAt,
  shortcut?: Shortcut,
): Promise<Stoppable & { port: number }> {
  const withShortcut = (options: ServerOptions, listener: RequestListener) =>
    createServer(options, (request, response) => shortcut?.(request, response) || listener(request, response));
  const createWith = shortcut ? { createServer: withShortcut as typeof createServer } : {};
  const server = createAdaptorServer({ fetch: app.fetch, hostname: host, ...createWith });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, reusePort }, () => {
      const { port: listensAt } = server.address() as AddressInfo;
      resolve({ name: 'http', port: listensAt, stop: () => closeServer(server) });
    });
  });
}

function closeServer(server: ServerType): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    if ('closeIdleConnections' in server) {
      server.closeIdleConnections();
      setTimeout(() => server.closeAllConnections(), DRAIN_MS).unref();
    }
  });
}
