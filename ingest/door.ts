import type { Registry } from '@prometheus-io/client';
import type { Context } from 'hono';
import { proxy } from 'hono/proxy';
import { unavailable } from '../billing/domain-error.ts';
import type { HttpApp } from '../runtime/http/app.ts';
import { HttpError } from '../runtime/http/errors.ts';
import { sendJson } from '../runtime/http/respond.ts';
import {
  addMetrics,
  addReading,
  answerReadiness,
  mergeMetrics,
  processReady,
  type ReadinessCheck,
} from '../runtime/http/service-endpoints.ts';
import { currentTraceContext } from '../runtime/tracing.ts';

/** Where the door finds the other three processes. Of aggregators and workers there may be several: separated by commas. */
export type Others = { apiUrl: string; aggregatorUrl: string; workerUrl: string };

/** The API answers everything within this; a hung one must not hold connections for ever. */
const API_TIMEOUT_MS = 60_000;

/**
 * The one door (design 4): readiness and metrics of all four processes, and every path that is not the edge's own is
 * passed on to the API as it is. `own` are the checks of the edge itself.
 */
export function addDoor(app: HttpApp, others: Others, own: ReadinessCheck[], registry: Registry): void {
  const api = processReady('api', others.apiUrl);
  const [aggregatorUrls, workerUrls] = [urlsOf(others.aggregatorUrl), urlsOf(others.workerUrl)];
  const aggregators = aggregatorUrls.map((url) => processReady('aggregator', url));
  const workers = workerUrls.map((url) => processReady('worker', url));
  addReading(app, '/livez', (c) => sendJson(c, 200, { status: 'alive' }));
  addReading(app, '/readyz', (c) => answerReadiness(c, [...own, api, ...aggregators, ...workers]));
  addReading(app, '/readyz/ingest', (c) => answerReadiness(c, own));
  addReading(app, '/readyz/api', (c) => answerReadiness(c, [api]));
  addReading(app, '/readyz/aggregator', (c) => answerReadiness(c, aggregators));
  addReading(app, '/readyz/worker', (c) => answerReadiness(c, workers));
  addMetrics(app, () => mergeMetrics(registry, [others.apiUrl, ...aggregatorUrls, ...workerUrls]));
  app.all('*', (c) => passOn(c, others.apiUrl));
}

/** Methods that fetch refuses to send; no path of the API has them. */
const NOT_FETCHED = new Set(['TRACE', 'TRACK', 'CONNECT']);

const urlsOf = (list: string) => list.split(',').map((url) => url.trim());

async function passOn(c: Context, apiUrl: string): Promise<Response> {
  if (NOT_FETCHED.has(c.req.method)) {
    throw new HttpError(405, `This path does not have ${c.req.method}.`, { Allow: 'GET, POST, PATCH, DELETE' });
  }
  // The API tells of it in its own log, under the same request id.
  c.set('quiet', true);
  const asked = new URL(c.req.url);
  const gone = c.req.raw.signal;
  try {
    return await proxy(`${apiUrl}${asked.pathname}${asked.search}`, {
      raw: c.req.raw,
      redirect: 'manual',
      signal: AbortSignal.any([gone, AbortSignal.timeout(API_TIMEOUT_MS)]),
      headers: passedOnHeaders(c, asked),
    });
  } catch (error) {
    const away = unavailable('The API is not reachable right now. Try again.');
    throw gone.aborted ? away : Object.assign(away, { cause: error });
  }
}

/** Headers about our caller's connection, which say nothing about the one to the API. */
const OF_THE_CONNECTION = ['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'te', 'trailer', 'expect'];

/** What the caller sent, and where: the API makes absolute URLs from it. A load balancer in front of us knows better. */
function passedOnHeaders(c: Context, asked: URL): Headers {
  const headers = new Headers(c.req.raw.headers);
  for (const name of OF_THE_CONNECTION) headers.delete(name);
  headers.set('X-Request-Id', String(c.get('requestId')));
  const trace = currentTraceContext();
  if (trace !== null) headers.set('traceparent', trace);
  if (!headers.has('X-Forwarded-Host')) headers.set('X-Forwarded-Host', asked.host);
  if (!headers.has('X-Forwarded-Proto')) headers.set('X-Forwarded-Proto', asked.protocol.slice(0, -1));
  return headers;
}
