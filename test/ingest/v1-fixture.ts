import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll } from 'vitest';
import { startUsageEngines, type UsageEngines } from '../stack/usage-engines.ts';
import { post, startEdge } from './edge-fixture.ts';
import { storedEvents } from './stored-events.ts';

const SETTINGS = { usagePartitions: 2, usageStreamMaxBytes: 2 ** 28, streamReplicas: 1 };

/** An edge for the tests of a file: its `/api/v1/events` and what is beneath, and what its stream has of an id. */
export function v1Edge() {
  let engines: UsageEngines;
  let edge: Awaited<ReturnType<typeof startEdge>>;
  beforeAll(async () => {
    engines = await startUsageEngines();
    edge = await startEdge(engines.natsUrl, SETTINGS);
    while ((await fetch(`${edge.url}/readyz`)).status !== 200) await sleep(50);
  });
  afterAll(async () => {
    await edge.stop();
    await engines.stop();
  });
  const urlOf = (path: string) => edge.url + path;
  return {
    urlOf,
    /** Of the room for bodies, what is taken. */
    bodyBytes: () => edge.bodyBytes(),
    send: (body: unknown, headers?: Record<string, string>, key?: string) =>
      post(urlOf('/api/v1/events'), body, key, headers),
    sendBatch: (body: unknown, headers?: Record<string, string>, key?: string) =>
      post(urlOf('/api/v1/events/batch'), body, key, headers),
    stored: async (idempotencyId: string) => {
      const events = await storedEvents(engines.natsUrl, SETTINGS.usagePartitions);
      return events.filter((event) => event.idempotencyId === idempotencyId);
    },
  };
}

let count = 0;

export function cloudEvent(more: Record<string, unknown> = {}) {
  count += 1;
  return { specversion: '1.0', type: 'prompt', source: 'gateway', id: `c-${count}`, subject: 'acme', ...more };
}

export function lagoEvent(more: Record<string, unknown> = {}) {
  count += 1;
  return { transaction_id: `l-${count}`, code: 'tokens', external_customer_id: 'acme', ...more };
}
