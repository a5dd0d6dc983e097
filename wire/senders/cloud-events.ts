import { z } from '@hono/zod-openapi';

/** A CloudEvent as the OpenAPI document shows it (spec/senders#cloudevents); the edge reads it by itself. Extension attributes may stand beside. */
export const cloudEvent = z
  .looseObject({
    specversion: z.literal('1.0').openapi({ description: 'The version of CloudEvents.', example: '1.0' }),
    type: z.string().min(1).max(256).openapi({ description: 'What happened: `event_name`.', example: 'prompt' }),
    source: z.string().min(1).openapi({
      description: 'Who tells of it, without white space. With `id` it is the `idempotency_id`.',
      example: '/gateway',
    }),
    id: z.string().min(1).openapi({
      description:
        'Its id at the source: `idempotency_id` is source, one space, id, at most 256 characters together. A repeated one is counted once, for ever.',
      example: '7',
    }),
    subject: z
      .string()
      .min(1)
      .max(256)
      .openapi({ description: 'Whose usage it is: `customer_id`; the customer need not exist yet.', example: 'acme' }),
    time: z.string().nullish().openapi({
      description: 'When it happened, UTC where it has no zone; left out: the moment of receipt.',
      example: '2026-11-20T10:00:00Z',
    }),
    datacontenttype: z
      .string()
      .nullish()
      .openapi({ description: 'A media type of JSON.', example: 'application/json' }),
    data: z
      .record(z.string(), z.unknown())
      .nullish()
      .openapi({
        description:
          'Its `properties`: members of objects by dotted names, nulls left out, numbers rounded to 18 decimals; no lists.',
        example: { model: 'large', usage: { input: 1800 } },
      }),
    data_base64: z
      .string()
      .nullish()
      .openapi({ description: 'Instead of `data`: a JSON object as Base64.', example: 'eyJpbnB1dCI6MTgwMH0=' }),
  })
  .openapi('CloudEvent', {
    example: {
      specversion: '1.0',
      type: 'prompt',
      source: '/gateway',
      id: '7',
      subject: 'acme',
      time: '2026-11-20T10:00:00Z',
      data: { model: 'large', usage: { input: 1800 } },
    },
  });

const attribute = (description: string, example: string) => z.string().optional().openapi({ description, example });

/** The headers of the binary mode. */
export const cloudEventHeaders = z.object({
  'ce-specversion': attribute('In binary mode: `specversion`. Attributes in headers are percent-encoded.', '1.0'),
  'ce-type': attribute('In binary mode: `type`.', 'prompt'),
  'ce-source': attribute('In binary mode: `source`.', '/gateway'),
  'ce-id': attribute('In binary mode: `id`.', '7'),
  'ce-subject': attribute('In binary mode: `subject`.', 'acme'),
  'ce-time': attribute('In binary mode: `time`.', '2026-11-20T10:00:00Z'),
});

export const eventsRejectedWire = z
  .object({
    detail: z.string().openapi({
      description: 'How many were rejected.',
      example: '1 of 3 events were rejected, the others are stored.',
    }),
    code: z
      .literal('events_rejected')
      .openapi({ description: 'That some events of a batch were rejected.', example: 'events_rejected' }),
    request_id: z.string().openapi({ description: 'The X-Request-Id of the answer.', example: 'req_01jd3k9x' }),
    accepted: z.number().openapi({ description: 'How many are stored, repeats included.', example: 2 }),
    rejected: z
      .array(
        z.object({
          index: z.number().openapi({ description: 'Its place in the order sent, from 0.', example: 1 }),
          idempotency_id: z
            .string()
            .nullable()
            .openapi({ description: 'Its id, where it can be made.', example: '/gateway 8' }),
          errors: z
            .record(z.string(), z.array(z.string()))
            .openapi({ description: 'What is wrong, by attribute.', example: { subject: ['Required.'] } }),
        }),
      )
      .openapi({ description: 'Those that are not stored.' }),
  })
  .openapi('EventsRejected');
