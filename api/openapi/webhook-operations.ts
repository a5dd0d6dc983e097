import { type OpenAPIHono, z } from '@hono/zod-openapi';
import { WEBHOOK_EVENT_TYPES, type WebhookEventType } from '../../billing/webhooks/webhooks.ts';
import { publishedHeadWire } from '../../wire/accounts/chain.ts';
import { heldRecordWire } from '../../wire/catalog/held-usage.ts';
import { creditWire } from '../../wire/credits.ts';
import { invoiceWire } from '../../wire/invoices.ts';
import { instantWire } from '../../wire/primitives.ts';
import { refundWire } from '../../wire/refunds.ts';
import { subscriptionWire } from '../../wire/subscriptions.ts';
import type { ApiDocument } from './annotate-document.ts';

/** What an event carries, by the first word of its type. */
const RESOURCES: Record<string, z.ZodType> = {
  subscription: subscriptionWire,
  invoice: invoiceWire,
  refund: refundWire,
  credit: creditWire,
  chain: publishedHeadWire,
  price: heldRecordWire,
};

/**
 * Describes every type of event that the service sends (spec/webhooks#events), as a path of its name for {@link takeWebhooks}:
 * what is registered as a webhook is made before the components, which would then lose what fields say of them.
 */
export function describeWebhooks(registry: OpenAPIHono['openAPIRegistry']): void {
  for (const type of WEBHOOK_EVENT_TYPES)
    registry.registerPath({ ...describe(type), path: `/${type}`, method: 'post' });
}

/** Moves them to where webhooks stand in a document. */
export function takeWebhooks({ paths, ...rest }: ApiDocument): ApiDocument {
  const webhooks = WEBHOOK_EVENT_TYPES.map((type) => [type, paths[`/${type}`] ?? {}] as const);
  const others = Object.entries(paths).filter(([path]) => !webhooks.some(([type]) => path === `/${type}`));
  return { ...rest, paths: Object.fromEntries(others), webhooks: Object.fromEntries(webhooks) };
}

function describe(type: WebhookEventType) {
  const resource = RESOURCES[type.split('.')[0] ?? ''] ?? z.object({});
  const event = z.object({
    id: z.string().openapi({
      description: 'The same as `webhook-id`: of the event, whatever endpoint or attempt.',
      example: 'evt_01jd3k9x',
    }),
    type: z.literal(type).openapi({ description: 'What happened.', example: type }),
    timestamp: instantWire.openapi({ description: 'When it happened.' }),
    data: resource.openapi({ description: 'The resource as it was then.' }),
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
