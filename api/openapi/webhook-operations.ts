import { type OpenAPIHono, z } from '@hono/zod-openapi';
import { WEBHOOK_EVENT_TYPES, type WebhookEventType } from '../../billing/webhooks/webhooks.ts';
import { creditWire } from '../../wire/credits.ts';
import { invoiceWire } from '../../wire/invoices.ts';
import { instantWire } from '../../wire/primitives.ts';
import { refundWire } from '../../wire/refunds.ts';
import { subscriptionWire } from '../../wire/subscriptions.ts';

/** What an event carries, by the first word of its type. */
const RESOURCES: Record<string, z.ZodType> = {
  subscription: subscriptionWire,
  invoice: invoiceWire,
  refund: refundWire,
  credit: creditWire,
};

/** Describes every type of event that the service sends (spec/webhooks#events). */
export function describeWebhooks(registry: OpenAPIHono['openAPIRegistry']): void {
  for (const type of WEBHOOK_EVENT_TYPES) registry.registerWebhook({ ...describe(type), path: type, method: 'post' });
}

function describe(type: WebhookEventType) {
  const event = z.object({
    id: z.string().openapi({ description: 'The same as `webhook-id`: of the event, whatever endpoint or attempt.' }),
    type: z.literal(type),
    timestamp: instantWire,
    data: RESOURCES[type.split('.')[0] ?? ''] ?? z.object({}),
  });
  return {
    operationId: operationId(type),
    summary: `Tells of ${type}`,
    tags: ['Webhooks'],
    description:
      'Signed as in Standard Webhooks, by the headers `webhook-id`, `webhook-timestamp`, `webhook-signature`.',
    security: [],
    request: { body: { required: true, content: { 'application/json': { schema: event } } } },
    responses: { '2XX': { description: 'Taken, within 15 s. Anything else is tried again.' } },
  };
}

/** `receiveInvoiceCreated`: what a receiver's function may be called. */
function operationId(type: WebhookEventType): string {
  const words = type.split(/\W|_/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `receive${words.join('')}`;
}
