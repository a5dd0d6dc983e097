import { postPatiently } from './edge-fixture.ts';
import { readyEdge } from './ready-edge.ts';
import { storedEvents } from './stored-events.ts';

const SETTINGS = { usagePartitions: 2, usageStreamMaxBytes: 2 ** 28, streamReplicas: 1 };

/** An edge for the tests of a file: its `/api/v1/events` and what is beneath, and what its stream has of an id. */
export function v1Edge() {
  const ready = readyEdge(SETTINGS);
  const urlOf = (path: string) => ready.edge.url + path;
  return {
    urlOf,
    /** Of the room for bodies, what is taken. */
    bodyBytes: () => ready.edge.bodyBytes(),
    send: (body: unknown, headers?: Record<string, string>, key?: string) =>
      postPatiently(urlOf('/api/v1/events'), body, key, headers),
    sendBatch: (body: unknown, headers?: Record<string, string>, key?: string) =>
      postPatiently(urlOf('/api/v1/events/batch'), body, key, headers),
    stored: async (idempotencyId: string) => {
      const events = await storedEvents(ready.nats.natsUrl, SETTINGS.usagePartitions);
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
