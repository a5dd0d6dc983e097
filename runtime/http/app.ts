import { type ServerType, serve } from '@hono/node-server';
import { Hono } from 'hono';
import { newId } from '../ids.ts';
import type { Stoppable } from '../lifecycle.ts';
import type { Log } from '../log.ts';
import { errorResponse, HttpError } from './errors.ts';

export type HttpEnvironment = { Variables: { requestId: string } };
export type HttpApp = Hono<HttpEnvironment>;

/** A request id we take over from the caller (the door, a load balancer): short and printable. */
const FOREIGN_REQUEST_ID = /^[\w.:-]{1,128}$/;

/** The base of every HTTP server here: request ids, and errors by the table of contract 1. */
export function createHttpApp(log: Log): HttpApp {
  const app = new Hono<HttpEnvironment>({ strict: false });
  app.use(async (c, next) => {
    const given = c.req.header('x-request-id');
    c.set('requestId', given && FOREIGN_REQUEST_ID.test(given) ? given : newId('req'));
    await next();
    if (!c.res.headers.has('X-Request-Id')) c.header('X-Request-Id', c.get('requestId'));
  });
  app.onError((error, c) => errorResponse(c, error, log));
  app.notFound((c) => errorResponse(c, new HttpError(404, 'There is nothing at this path.'), log));
  return app;
}

/** Milliseconds that requests under way get to finish when the process stops. */
const DRAIN_MS = 5_000;

/** Serves `app`; resolves when it listens. `stop` lets requests under way finish, then closes. */
export function serveHttp(app: HttpApp, host: string, port: number): Promise<Stoppable & { port: number }> {
  return new Promise((resolve, reject) => {
    const server: ServerType = serve({ fetch: app.fetch, hostname: host, port }, (info) =>
      resolve({ name: 'http', port: info.port, stop: () => closeServer(server) }),
    );
    server.once('error', reject);
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
