import { z } from '@hono/zod-openapi';
import { WEBHOOK_EVENT_TYPES, type WebhookDelivery, type WebhookEndpoint } from '../billing/webhooks/webhooks.ts';
import { isoFromInstant, isoOrNull } from '../core/instants.ts';
import { instantWire, integerInput } from './primitives.ts';

const STATUSES = ['active', 'disabled'] as const;

export const DELIVERY_STATUSES = ['pending', 'succeeded', 'failed'] as const;

const MAX_URL_LENGTH = 2_000;
/** A month: longer than any roll-out of a new secret. */
const MAX_OVERLAP_SECONDS = 30 * 86_400;

const nameInput = z.string().max(1_000, 'Must have at most 1,000 characters.');

/** Whether its host may be sent to is checked by the operation: that depends on the configuration. */
const urlInput = z
  .string()
  .max(MAX_URL_LENGTH, `Must have at most ${MAX_URL_LENGTH} characters.`)
  .refine(isWebhookUrl, 'Must be an http or https URL without user name and password.')
  .openapi({ format: 'uri' });

const triggersInput = z
  .array(z.enum(WEBHOOK_EVENT_TYPES))
  .min(1, 'Must have at least one event type.')
  .refine((types) => new Set(types).size === types.length, 'Must have each event type once.');

/** Body of POST /api/webhooks (spec/webhooks#events). */
export const webhookCreate = z.strictObject({
  name: z.union([nameInput, z.null()]).default(null),
  webhook_url: urlInput,
  triggers_in: triggersInput.optional(),
});

/** Body of PATCH /api/webhooks/<id>: what it names is changed. */
export const webhookUpdate = z
  .strictObject({
    name: z.union([nameInput, z.null()]),
    webhook_url: urlInput,
    triggers_in: triggersInput,
    status: z.enum(STATUSES),
  })
  .partial();

/** Body of POST /api/webhooks/<id>/roll-secret. */
export const webhookRollSecret = z.strictObject({ overlap_seconds: integerInput(0, MAX_OVERLAP_SECONDS).optional() });

/** `{webhook_endpoint_id}` in a path. */
export const webhookPath = z.object({ webhook_endpoint_id: z.string() });

/** A delivery of an endpoint in a path. */
export const deliveryPath = webhookPath.extend({ delivery_id: z.string() });

export const webhookWire = z
  .object({
    webhook_endpoint_id: z.string(),
    name: z.union([z.string(), z.null()]),
    webhook_url: z.string(),
    triggers_in: z.array(z.enum(WEBHOOK_EVENT_TYPES)),
    status: z.enum(STATUSES),
    created_at: instantWire,
  })
  .openapi('WebhookEndpoint');

/** The endpoint with its secret, shown once: when it is made, and when it is rolled. */
export const webhookWithSecretWire = webhookWire
  .extend({ webhook_secret: z.string().openapi({ example: 'whsec_...' }) })
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
  at: instantWire,
  status_code: z.union([z.int(), z.null()]),
  error: z.union([z.string(), z.null()]),
  duration_ms: z.int(),
});

export const deliveryWire = z
  .object({
    delivery_id: z.string(),
    event_id: z.string(),
    event_type: z.string().openapi({ example: 'invoice.created' }),
    status: z.enum(DELIVERY_STATUSES),
    attempts: z.array(attemptWire),
    next_attempt_at: instantWire.nullable(),
    created_at: instantWire,
  })
  .openapi('WebhookDelivery');

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

function isWebhookUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}
