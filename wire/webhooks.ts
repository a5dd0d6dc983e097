import { z } from '@hono/zod-openapi';
import { WEBHOOK_EVENT_TYPES, type WebhookDelivery, type WebhookEndpoint } from '../billing/webhooks/webhooks.ts';
import { isoFromInstant, isoOrNull } from '../core/instants.ts';
import { flagQuery, instantWire, integerInput } from './primitives.ts';

const STATUSES = ['active', 'disabled'] as const;

export const DELIVERY_STATUSES = ['pending', 'succeeded', 'failed'] as const;

const MAX_URL_LENGTH = 2_000;
/** A month: longer than any roll-out of a new secret. */
const MAX_OVERLAP_SECONDS = 30 * 86_400;

const nameInput = z.string().max(1_000, 'Must have at most 1,000 characters.');

/** Whether its host may be sent to is checked by the operation: that depends on the configuration. */
/** White space around it is a mistake of copying. Within it URL parsers drop or encode white space, each in its own way. */
const urlInput = z
  .string()
  .trim()
  .max(MAX_URL_LENGTH, `Must have at most ${MAX_URL_LENGTH} characters.`)
  .refine((text) => !/\s/.test(text), 'Must have no white space.')
  .refine(isWebhookUrl, 'Must be an http or https URL without user name and password.')
  .openapi({ format: 'uri' });

const triggersInput = z
  .array(z.enum(WEBHOOK_EVENT_TYPES))
  .min(1, 'Must have at least one event type.')
  .refine((types) => new Set(types).size === types.length, 'Must have each event type once.');

/** Body of POST /api/webhooks (spec/webhooks#events). */
export const webhookCreate = z
  .strictObject({
    name: z
      .union([nameInput, z.null()])
      .default(null)
      .openapi({ description: 'What the endpoint is for; null: nothing.', example: 'Billing' }),
    webhook_url: urlInput.openapi({
      description: 'Where events are sent.',
      example: 'https://app.acme.example/webhooks',
    }),
    triggers_in: triggersInput.optional().openapi({
      description: 'Types of events that are sent; by default all.',
      example: ['invoice.created', 'subscription.created'],
    }),
  })
  .openapi({ example: { webhook_url: 'https://app.acme.example/webhooks', triggers_in: ['invoice.created'] } });
export type WebhookCreate = z.output<typeof webhookCreate>;

/** Body of PATCH /api/webhooks/<id>: what it names is changed. */
export const webhookUpdate = z
  .strictObject({
    name: z
      .union([nameInput, z.null()])
      .openapi({ description: 'What the endpoint is for; null: nothing.', example: 'Billing' }),
    webhook_url: urlInput.openapi({
      description: 'Where events are sent.',
      example: 'https://app.acme.example/webhooks',
    }),
    triggers_in: triggersInput.openapi({
      description: 'Types of events that are sent; by default all.',
      example: ['invoice.created', 'subscription.created'],
    }),
    status: z.enum(STATUSES).openapi({ description: 'disabled: nothing is sent to it.', example: 'active' }),
  })
  .partial()
  .openapi({ example: { status: 'active' } });
export type WebhookUpdate = z.output<typeof webhookUpdate>;

/** Body of POST /api/webhooks/<id>/roll-secret. */
export const webhookRollSecret = z
  .strictObject({
    overlap_seconds: integerInput(0, MAX_OVERLAP_SECONDS)
      .optional()
      .openapi({ description: 'For how long what is sent is signed with the old secret too.', example: 3600 }),
  })
  .openapi({ example: { overlap_seconds: 3600 } });
export type WebhookRollSecret = z.output<typeof webhookRollSecret>;

/** `{webhook_endpoint_id}` in a path. */
export const webhookPath = z.object({
  webhook_endpoint_id: z.string().openapi({ description: 'Id of a webhook endpoint.', example: 'wh_01jd3k9x' }),
});

/** A delivery of an endpoint in a path. */
export const deliveryPath = webhookPath.extend({
  delivery_id: z
    .string()
    .openapi({ description: 'Id of a delivery: one for each event and endpoint.', example: 'whd_01jd3k9x' }),
});

export const webhookWire = z
  .object({
    webhook_endpoint_id: z.string().openapi({ description: 'Id of a webhook endpoint.', example: 'wh_01jd3k9x' }),
    name: z
      .union([z.string(), z.null()])
      .openapi({ description: 'What the endpoint is for; null: nothing.', example: 'Billing' }),
    webhook_url: z
      .string()
      .openapi({ description: 'Where events are sent.', example: 'https://app.acme.example/webhooks' }),
    triggers_in: z.array(z.enum(WEBHOOK_EVENT_TYPES)).openapi({
      description: 'Types of events that are sent; by default all.',
      example: ['invoice.created', 'subscription.created'],
    }),
    status: z.enum(STATUSES).openapi({ description: 'disabled: nothing is sent to it.', example: 'active' }),
    created_at: instantWire.openapi({ description: 'When the endpoint was made.' }),
  })
  .openapi('WebhookEndpoint');

/** The endpoint with its secret, shown once: when it is made, and when it is rolled. */
export const webhookWithSecretWire = webhookWire
  .extend({
    webhook_secret: z
      .string()
      .openapi({ description: 'The secret that signs what is sent: shown this once.', example: 'whsec_...' }),
  })
  .openapi('WebhookEndpointWithSecret');

/** The endpoint as the API returns it. */
export function webhookToWire(endpoint: WebhookEndpoint): z.infer<typeof webhookWire> {
  return {
    webhook_endpoint_id: endpoint.webhookEndpointId,
    name: endpoint.name,
    webhook_url: endpoint.webhookUrl,
    triggers_in: endpoint.triggersIn ?? [...WEBHOOK_EVENT_TYPES],
    status: endpoint.status,
    created_at: isoFromInstant(endpoint.createdAt),
  };
}

const attemptWire = z.object({
  at: instantWire.openapi({ description: 'When it was tried.' }),
  status_code: z
    .union([z.int(), z.null()])
    .openapi({ description: 'Status code of the answer; null where none came.', example: 200 }),
  error: z
    .union([z.string(), z.null()])
    .openapi({ description: 'Why the attempt failed; null where an answer came.', example: null }),
  duration_ms: z.int().openapi({ description: 'Milliseconds that the attempt took.', example: 120 }),
});

export const deliveryWire = z
  .object({
    delivery_id: z
      .string()
      .openapi({ description: 'Id of a delivery: one for each event and endpoint.', example: 'whd_01jd3k9x' }),
    event_id: z
      .string()
      .openapi({ description: 'Id of the event, the same for every endpoint and retry.', example: 'evt_01jd3k9x' }),
    event_type: z.string().openapi({ description: 'Type of the webhook event.', example: 'invoice.created' }),
    status: z.enum(DELIVERY_STATUSES).openapi({
      description: 'pending: it is tried again; failed: it is not, but by a redelivery.',
      example: 'succeeded',
    }),
    attempts: z.array(attemptWire).openapi({ description: 'Attempts to deliver it, oldest first.' }),
    next_attempt_at: instantWire
      .nullable()
      .openapi({ description: 'When it is tried again; null where it is not.', example: null }),
    created_at: instantWire.openapi({ description: 'When the event happened.' }),
  })
  .openapi('WebhookDelivery');

/** Filters of GET /api/webhook-deliveries (spec/webhooks#lists). */
export const allDeliveriesFilters = {
  status: z
    .enum(DELIVERY_STATUSES)
    .optional()
    .openapi({ description: 'Only deliveries in this state.', example: 'failed' }),
  failing: flagQuery.optional().openapi({
    description: 'Only those that failed, or are pending after a failure; with false only the others.',
    example: true,
  }),
};

/** A delivery in the list of all endpoints'. */
export const deliveryOfEndpointWire = deliveryWire
  .extend({
    webhook_endpoint_id: z.string().openapi({ description: 'The endpoint that is told.', example: 'wh_01jd3k9x' }),
    webhook_url: z.string().openapi({
      description: 'Where the endpoint has its events sent now.',
      example: 'https://app.acme.example/webhooks',
    }),
  })
  .openapi('WebhookDeliveryOfEndpoint');

/** A delivery with what is sent. */
export const deliveryWithBodyWire = deliveryWire
  .extend({
    body: z
      .object({
        id: z.string().openapi({ description: 'Id of the event.', example: 'evt_01jd3k9x' }),
        type: z.string().openapi({ description: 'Type of the event.', example: 'invoice.created' }),
        timestamp: instantWire.openapi({ description: 'When the event happened.' }),
        data: z.looseObject({}).openapi({ description: 'The record that the event is about, as it was then.' }),
      })
      .openapi({ description: 'The body of each attempt.' }),
  })
  .openapi('WebhookDeliveryWithBody');

/** The delivery as the API returns it. */
export function deliveryToWire(delivery: WebhookDelivery): z.infer<typeof deliveryWire> {
  return {
    delivery_id: delivery.deliveryId,
    event_id: delivery.eventId,
    event_type: delivery.eventType,
    status: delivery.status,
    attempts: delivery.attempts.map(({ at, statusCode, error, durationMs }) => ({
      at: isoFromInstant(at),
      status_code: statusCode,
      error,
      duration_ms: durationMs,
    })),
    next_attempt_at: isoOrNull(delivery.nextAttemptAt),
    created_at: isoFromInstant(delivery.createdAt),
  };
}

/** The delivery as the list of all endpoints' returns it. */
export function deliveryOfEndpointToWire(
  delivery: WebhookDelivery & { webhookEndpointId: string; webhookUrl: string },
): z.infer<typeof deliveryOfEndpointWire> {
  return {
    ...deliveryToWire(delivery),
    webhook_endpoint_id: delivery.webhookEndpointId,
    webhook_url: delivery.webhookUrl,
  };
}

function isWebhookUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}
