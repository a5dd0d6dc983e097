import type { Registry } from '@prometheus-io/client';
import type { HttpApp } from '../runtime/http/app.ts';
import { sendJson } from '../runtime/http/respond.ts';
import {
  addMetrics,
  addReading,
  answerReadiness,
  mergeMetrics,
  processReady,
  type ReadinessCheck,
} from '../runtime/http/service-endpoints.ts';

/** Where the gateway finds the other three processes. Of aggregators and workers there may be several: separated by commas. */
export type Others = { apiUrl: string; aggregatorUrl: string; workerUrl: string };

/**
 * The gateway's own paths: readiness and metrics of all four processes. Every other one is forwarded to the API (forward.ts).
 * `own` are the checks of the edge itself.
 */
export function addGateway(app: HttpApp, others: Others, own: ReadinessCheck[], registry: Registry): void {
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
  // What the processes tell each other is nobody's business outside.
  app.all('/metrics.json', (c) => c.notFound());
  addMetrics(app, () => mergeMetrics(registry, [others.apiUrl, ...aggregatorUrls, ...workerUrls]));
}

const urlsOf = (list: string) => list.split(',').map((url) => url.trim());
