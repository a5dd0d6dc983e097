import { type OpenAPIHono, z } from '@hono/zod-openapi';
import { cloudEvent, cloudEventHeaders, eventsRejectedWire } from '../../wire/senders/cloud-events.ts';
import {
  lagoBatchBody,
  lagoBatchWire,
  lagoErrorsWire,
  lagoEvent,
  lagoEventBody,
  lagoEventWire,
  takenLagoEvent,
} from '../../wire/senders/lago-events.ts';
import { trackedBatchWire, usageEventBatch, usageEventLines } from '../../wire/usage-events.ts';

/** How each documented error is referred to. */
type ErrorAnswers = (codes: Iterable<number>) => Record<string, { $ref: string }>;

type Registry = OpenAPIHono['openAPIRegistry'];

const JSON_TYPE = 'application/json';

/** What every operation of events can answer beside its own. */
const ERRORS = [400, 401, 403, 413, 415, 429, 503];

const COMPONENTS = { CloudEvent: cloudEvent, LagoEvent: lagoEvent, TakenLagoEvent: takenLagoEvent };

/** One event of another sender, by the content type that it is sent in (spec/senders#cloudevents). */
export const V1_EVENTS_BODIES = {
  [JSON_TYPE]: z.union([
    cloudEvent,
    z.array(cloudEvent),
    lagoEventBody,
    z.record(z.string(), z.unknown()).openapi({ description: 'In binary mode: the data.' }),
  ]),
  'application/cloudevents+json': cloudEvent,
  'application/cloudevents-batch+json': z.array(cloudEvent),
};

/** Describes `POST /api/events/batch`, in its two content types (spec/events#batches). */
export function describeBatch(registry: Registry, errorAnswers: ErrorAnswers): void {
  const lines = { schema: usageEventLines };
  registry.registerPath({
    method: 'post',
    tags: ['Events'],
    path: '/api/events/batch',
    operationId: 'trackEvents',
    summary: 'Track a batch of usage events',
    description:
      'Up to 10,000 events in up to 8 MiB, as JSON or an event a line, plain or compressed by gzip or zstd (`Content-Encoding`). Answers once the ' +
      'good ones are stored, each judged by itself, also where all are bad. A repeated idempotency_id is counted once, for ever. ' +
      'Needs the scope events:write.',
    request: {
      body: {
        required: true,
        content: {
          [JSON_TYPE]: { schema: usageEventBatch },
          'application/x-ndjson': lines,
          'application/ndjson': lines,
        },
      },
    },
    responses: {
      200: { description: 'The good ones are stored.', content: { [JSON_TYPE]: { schema: trackedBatchWire } } },
      ...errorAnswers([...ERRORS, 422]),
    },
  });
}

/**
 * Describes what the edge takes from those who send CloudEvents, or what Lago takes (spec/senders): bodies of several content types, and
 * answers in their own words.
 */
export function describeOtherSenders(registry: Registry, errorAnswers: ErrorAnswers, fieldErrors: z.ZodType): void {
  // One that is first met as a field would lose what the field says of itself.
  for (const [name, schema] of Object.entries(COMPONENTS)) registry.register(name, schema);
  const shared = { method: 'post' as const, tags: ['Events'] };
  registry.registerPath({
    ...shared,
    path: '/api/v1/events',
    operationId: 'trackCloudEvents',
    summary: 'Track CloudEvents, or an event of Lago',
    description:
      'CloudEvents 1.0 as OpenMeter takes them: one in structured or binary mode, or a batch of up to 10,000; 204 once they are stored. ' +
      'Bad ones of a batch are told with 422, the others are stored. Also Lago\'s `{"event": {...}}`, answered 200 as Lago does. ' +
      'Needs the scope events:write.',
    request: {
      headers: cloudEventHeaders,
      body: {
        required: true,
        content: Object.fromEntries(Object.entries(V1_EVENTS_BODIES).map(([type, schema]) => [type, { schema }])),
      },
    },
    responses: {
      200: { description: 'An event of Lago is stored.', content: { [JSON_TYPE]: { schema: lagoEventWire } } },
      204: { description: 'All CloudEvents are stored, no body.' },
      ...errorAnswers(ERRORS),
      422: {
        description: 'What is wrong: by attribute; of a batch by event; of an event of Lago in its shape.',
        content: { [JSON_TYPE]: { schema: z.union([eventsRejectedWire, lagoErrorsWire, fieldErrors]) } },
      },
    },
  });
  registry.registerPath({
    ...shared,
    path: '/api/v1/events/batch',
    operationId: 'trackLagoBatch',
    summary: 'Track a batch of events of Lago',
    description:
      'Up to 10,000 events as Lago takes them, answered as Lago does once they are stored. Bad ones are told with 422 by their index, ' +
      'the others are stored. Needs the scope events:write.',
    request: { body: { required: true, content: { [JSON_TYPE]: { schema: lagoBatchBody } } } },
    responses: {
      200: { description: 'All are stored.', content: { [JSON_TYPE]: { schema: lagoBatchWire } } },
      ...errorAnswers(ERRORS),
      422: {
        description: 'What is wrong, by the index of the event.',
        content: { [JSON_TYPE]: { schema: z.union([lagoErrorsWire, fieldErrors]) } },
      },
    },
  });
}
