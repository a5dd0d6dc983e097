import { z } from '@hono/zod-openapi';
import { instantWire } from '../primitives.ts';

/** An event as Lago takes it, as the OpenAPI document shows it (spec/senders#lago); the edge reads it by itself. Other fields are ignored. */
export const lagoEvent = z
  .looseObject({
    transaction_id: z.string().min(1).max(256).openapi({
      description:
        'Id of the event: `idempotency_id`. A repeated one is counted once, for ever. A whole number, here and in the other ids, is taken by its digits.',
      example: 'tx-1',
    }),
    code: z.string().min(1).max(256).openapi({ description: 'What happened: `event_name`.', example: 'tokens' }),
    external_customer_id: z
      .string()
      .nullish()
      .openapi({ description: 'Whose usage it is: `customer_id`, as it is.', example: 'acme' }),
    external_subscription_id: z
      .string()
      .nullish()
      .openapi({ description: 'Taken for `customer_id` where there is no `external_customer_id`.', example: 'acme' }),
    timestamp: z.union([z.number(), z.string(), z.null()]).optional().openapi({
      description:
        'When it happened: Unix seconds, with fractions, or a date-time; left out or null: the moment of receipt.',
      example: 1795168800.25,
    }),
    properties: z
      .record(z.string(), z.unknown())
      .nullish()
      .openapi({
        description:
          'What it was: members of objects by dotted names, nulls left out, numbers rounded to 18 decimals; no lists.',
        example: { tokens: 1800, model: 'large' },
      }),
  })
  .openapi('LagoEvent', {
    example: {
      transaction_id: 'tx-1',
      code: 'tokens',
      external_customer_id: 'acme',
      timestamp: 1795168800.25,
      properties: { tokens: 1800, model: 'large' },
    },
  });

export const lagoEventBody = z.object({
  event: lagoEvent.openapi({ description: 'An event of Lago, instead of all other fields.' }),
});

export const lagoBatchBody = z
  .looseObject({ events: z.array(lagoEvent).min(1).max(10_000).openapi({ description: 'The events.' }) })
  .openapi({
    example: {
      events: [
        { transaction_id: 'tx-1', code: 'tokens', external_customer_id: 'acme', properties: { tokens: 1800 } },
        { transaction_id: 'tx-2', code: 'tokens', external_customer_id: 'acme', properties: { tokens: 200 } },
      ],
    },
  });

const sentText = (description: string, example: string | null) =>
  z.string().nullable().openapi({ description, example });

export const takenLagoEvent = z
  .object({
    lago_id: z.uuid().openapi({
      description: 'A UUID made of account and id: a repeat has the same.',
      example: 'd1b0c2a4-5b0e-5b7a-9c1d-3f2e1a0b9c8d',
    }),
    transaction_id: z.string().openapi({ description: 'As sent.', example: 'tx-1' }),
    lago_customer_id: z.null().openapi({ description: 'Always null.', example: null }),
    external_customer_id: sentText('As sent.', 'acme'),
    code: z.string().openapi({ description: 'As sent.', example: 'tokens' }),
    timestamp: instantWire.openapi({ description: 'When it happened.' }),
    properties: z
      .record(z.string(), z.unknown())
      .openapi({ description: 'As sent, with every digit.', example: { tokens: 1800, model: 'large' } }),
    lago_subscription_id: z.null().openapi({ description: 'Always null.', example: null }),
    external_subscription_id: sentText('As sent.', null),
    created_at: instantWire.openapi({ description: 'When it came.' }),
  })
  .openapi('TakenLagoEvent');

export const lagoEventWire = z.object({ event: takenLagoEvent.openapi({ description: 'The event.' }) });
export const lagoBatchWire = z.object({
  events: z.array(takenLagoEvent).openapi({ description: 'The events, in the order sent.' }),
});

const fieldErrors = z.record(z.string(), z.array(z.string()));

export const lagoErrorsWire = z
  .object({
    status: z.literal(422).openapi({ description: 'The status of the answer.', example: 422 }),
    error: z
      .literal('Unprocessable Entity')
      .openapi({ description: 'The status in words.', example: 'Unprocessable Entity' }),
    code: z
      .literal('validation_errors')
      .openapi({ description: 'That fields are wrong.', example: 'validation_errors' }),
    error_details: z.record(z.string(), z.union([z.array(z.string()), fieldErrors])).openapi({
      description: 'What is wrong, by field; of a batch by the index of the event, then by field.',
      example: { code: ['Required.'] },
    }),
    detail: z.string().openapi({
      description: 'What is wrong, for people.',
      example: 'The event was rejected: error_details says what is wrong, by field.',
    }),
    request_id: z.string().openapi({ description: 'The X-Request-Id of the answer.', example: 'req_01jd3k9x' }),
  })
  .openapi('LagoValidationErrors');
