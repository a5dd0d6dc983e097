import { gzipSync, zstdCompressSync } from 'node:zlib';
import { stack } from '../../stack/api.ts';

/** A usage event whose id is a source and an id of CloudEvents: every endpoint can take it. */
export type SharedEvent = {
  source: string;
  id: string;
  customerId: string;
  eventName: string;
  time: string;
  properties: object;
};

type Sent = { path: string; headers: Record<string, string>; body: string | Uint8Array<ArrayBuffer> };

const JSON_TYPE = { 'Content-Type': 'application/json' };

function tracked({ source, id, customerId, eventName, time, properties }: SharedEvent): string {
  const names = { event_name: eventName, customer_id: customerId, idempotency_id: `${source} ${id}` };
  return JSON.stringify({ ...names, time_created: time, properties });
}

function cloudEvent({ source, id, customerId, eventName, time, properties }: SharedEvent) {
  return { specversion: '1.0', source, id, subject: customerId, type: eventName, time, data: properties };
}

function lagoEvent({ source, id, customerId, eventName, time, properties }: SharedEvent) {
  const names = { transaction_id: `${source} ${id}`, external_subscription_id: customerId, code: eventName };
  return { ...names, timestamp: Date.parse(time) / 1_000, properties };
}

/** Every way in which an event comes in (spec/senders): what its request is. */
export const ENDPOINTS: Record<string, (event: SharedEvent) => Sent> = {
  track: (event) => ({ path: '/api/track', headers: JSON_TYPE, body: tracked(event) }),
  'track, compressed': (event) => ({
    path: '/api/track',
    headers: { ...JSON_TYPE, 'Content-Encoding': 'gzip' },
    body: gzipSync(tracked(event)),
  }),
  'batch of JSON': (event) => ({
    path: '/api/events/batch',
    headers: JSON_TYPE,
    body: `{"events":[${tracked(event)}]}`,
  }),
  'batch of lines': (event) => ({
    path: '/api/events/batch',
    headers: { 'Content-Type': 'application/x-ndjson', 'Content-Encoding': 'zstd' },
    body: zstdCompressSync(`${tracked(event)}\n`),
  }),
  'structured CloudEvent': (event) => ({
    path: '/api/v1/events',
    headers: { 'Content-Type': 'application/cloudevents+json' },
    body: JSON.stringify(cloudEvent(event)),
  }),
  'binary CloudEvent': (event) => {
    const { data, ...attributes } = cloudEvent(event);
    const headers = Object.entries(attributes).map(([name, value]) => [`ce-${name}`, encodeURIComponent(value)]);
    return {
      path: '/api/v1/events',
      headers: { ...JSON_TYPE, ...Object.fromEntries(headers) },
      body: JSON.stringify(data),
    };
  },
  'batch of CloudEvents': (event) => ({
    path: '/api/v1/events',
    headers: { 'Content-Type': 'application/cloudevents-batch+json' },
    body: JSON.stringify([cloudEvent(event)]),
  }),
  'event of Lago': (event) => ({
    path: '/api/v1/events',
    headers: JSON_TYPE,
    body: JSON.stringify({ event: lagoEvent(event) }),
  }),
  'batch of Lago': (event) => ({
    path: '/api/v1/events/batch',
    headers: JSON_TYPE,
    body: JSON.stringify({ events: [lagoEvent(event)] }),
  }),
};

export const ENDPOINT_NAMES = Object.keys(ENDPOINTS);

/** Sends an event by one of {@link ENDPOINTS}; the answer's status. */
export async function sendBy(endpoint: string, key: string, event: SharedEvent): Promise<number> {
  const sent = ENDPOINTS[endpoint]?.(event);
  if (!sent) throw new Error(`There is no endpoint ${endpoint}.`);
  const headers = { ...sent.headers, Authorization: `Bearer ${key}` };
  const answer = await fetch(new URL(sent.path, stack().base_url), { method: 'POST', headers, body: sent.body });
  await answer.arrayBuffer();
  return answer.status;
}
