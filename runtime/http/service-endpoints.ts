import { AggregatorRegistry, type Registry } from '@prometheus-io/client';
import type { Context, MiddlewareHandler } from 'hono';
import { inTime } from '../in-time.ts';
import { type HttpApp, type HttpEnvironment, refuseOtherMethods } from './app.ts';
import { errorBody } from './errors.ts';
import { sendJson } from './respond.ts';

/** One thing a process needs: resolves when it answers, rejects when it does not. */
export type ReadinessCheck = { name: string; check(): Promise<unknown>; timeoutMs?: number };

/** A probe asks every second or so; what takes longer than this counts as missing. */
const CHECK_TIMEOUT_MS = 2_000;
/** A process answers when its own slowest check has given up: the gateway hears which one it was. */
const PROCESS_TIMEOUT_MS = 3_000;

/** Another process is there and says what it is missing itself. */
class NotReady extends Error {
  readonly missing: string[];

  constructor(missing: string[]) {
    super(`Not ready: ${missing.join(', ')}.`);
    this.missing = missing;
  }
}

/** Adds `/livez`, `/readyz`, `/metrics` and the raw metrics that the gateway gathers (spec/service#probes). */
export function addServiceEndpoints(app: HttpApp, checks: ReadinessCheck[], registry: Registry): void {
  addReading(app, '/livez', (c) => sendJson(c, 200, { status: 'alive' }));
  addReading(app, '/readyz', (c) => answerReadiness(c, checks));
  addMetrics(app, async () => ({ text: await registry.metrics(), contentType: registry.contentType }));
  app.get('/metrics.json', quietly, async (c) => c.json(await registry.getMetricsAsJSON()));
}

/** Asked for every few seconds by machines: the log is not about that. */
const quietly: MiddlewareHandler<HttpEnvironment> = (c, next) => {
  c.set('quiet', true);
  return next();
};

/** A path that only answers GET; other methods are 405. */
export function addReading(app: HttpApp, path: string, answer: (c: Context) => Response | Promise<Response>): void {
  app.get(path, quietly, answer);
  refuseOtherMethods(app, path, ['GET']);
}

/** `GET /metrics`; POST there is an alias of `/api/metrics`. */
export function addMetrics(app: HttpApp, collect: () => Promise<{ text: string; contentType: string }>): void {
  app.get('/metrics', quietly, async (c) => {
    const { text, contentType } = await collect();
    return c.text(text, 200, { 'Content-Type': contentType });
  });
}

/** 200 when every check passes, else 503 naming what is missing. */
export async function answerReadiness(c: Context, checks: ReadinessCheck[]): Promise<Response> {
  const results = await Promise.allSettled(checks.map((one) => inTime(one.check(), one.timeoutMs ?? CHECK_TIMEOUT_MS)));
  const names = checks.flatMap(({ name }, i) => {
    const result = results[i];
    if (result?.status !== 'rejected') return [];
    return result.reason instanceof NotReady ? [name, ...result.reason.missing] : [name];
  });
  const missing = [...new Set(names)];
  if (missing.length === 0) return sendJson(c, 200, { status: 'ready' });
  const body = errorBody(503, `Not ready: ${missing.join(', ')}.`, String(c.get('requestId')));
  return sendJson(c, 503, { ...body, missing }, { 'Retry-After': '1' });
}

/** Metrics of several processes as one Prometheus text: counters and gauges of the same name are summed. */
export async function mergeMetrics(own: Registry, urls: string[]): Promise<{ text: string; contentType: string }> {
  const others = await Promise.allSettled(
    urls.map(async (url) => {
      const answer = await fetch(`${url}/metrics.json`, { signal: AbortSignal.timeout(PROCESS_TIMEOUT_MS) });
      if (!answer.ok) throw new Error(`metrics of ${url}: ${answer.status}`);
      return (await answer.json()) as Awaited<ReturnType<Registry['getMetricsAsJSON']>>;
    }),
  );
  const there = others.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const merged = AggregatorRegistry.aggregate([await own.getMetricsAsJSON(), ...there]);
  return { text: await merged.metrics(), contentType: own.contentType };
}

/** A check that another process of ours is ready. */
export function processReady(name: string, url: string): ReadinessCheck {
  return {
    name,
    timeoutMs: PROCESS_TIMEOUT_MS,
    check: async () => {
      const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(PROCESS_TIMEOUT_MS) });
      const body = (await answer.json()) as { missing?: string[] };
      if (!answer.ok) throw new NotReady(body.missing ?? []);
    },
  };
}
