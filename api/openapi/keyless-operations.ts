import { type OpenAPIHono, z } from '@hono/zod-openapi';
import { paymentProviderPath } from '../../wire/payment-providers.ts';

const SHARED = { tags: ['Payment providers'], security: [] };

type Registry = OpenAPIHono['openAPIRegistry'];

/** How each documented error is referred to. */
type ErrorAnswers = (codes: Iterable<number>) => Record<string, { $ref: string }>;

/**
 * Describes what is asked without a key (spec/payments#processors): by the browser that comes back from a payment processor, and by the
 * processors themselves. Their handlers are not of the operations' shape: processors/connection-callback.ts and
 * processor-hooks.ts.
 */
export function describeKeyless(registry: Registry, errorAnswers: ErrorAnswers): void {
  describeCallback(registry, errorAnswers);
  describeHook(registry, errorAnswers);
}

function describeCallback(registry: Registry, errorAnswers: ErrorAnswers): void {
  registry.registerPath({
    ...SHARED,
    method: 'get',
    path: '/api/payment-providers/{provider}/callback',
    operationId: 'finishPaymentProviderConnection',
    summary: 'Ask the owner to confirm the connection of a payment processor',
    description:
      'Where the processor sends the browser back to after `authorization_url`. It needs no key: the state is the proof. The page names ' +
      'our account and the account at the processor, and asks the person to confirm. Name this URL as a redirect URI where your ' +
      'application is registered at the processor.',
    request: {
      params: paymentProviderPath,
      query: z.object({
        state: z
          .string()
          .openapi({ description: 'What `authorization_url` carried; good once.', example: 'oauth_01jd3k9x' }),
        code: z.string().optional().openapi({ description: 'What the processor grants access by.' }),
        error: z.string().optional().openapi({ description: 'Why it grants none; forwarded to `redirect_url`.' }),
      }),
    },
    responses: {
      200: {
        description: 'The page to confirm on.',
        content: { 'text/html': { schema: z.string().openapi({ description: 'A page with a form.' }) } },
      },
      302: { description: 'On to `redirect_url` with `error=<reason>`: the processor granted nothing.' },
      ...errorAnswers([400, 404, 409, 503]),
    },
  });
  registry.registerPath({
    ...SHARED,
    method: 'post',
    path: '/api/payment-providers/{provider}/callback',
    operationId: 'confirmPaymentProviderConnection',
    summary: 'Confirm or decline the connection of a payment processor',
    description:
      'The form of the page that `finishPaymentProviderConnection` answers. It connects the two accounts, or with `decision=decline` gives ' +
      'the grant back. It works once, within 10 minutes, and from that page alone.',
    request: {
      params: paymentProviderPath,
      body: {
        required: true,
        content: {
          'application/x-www-form-urlencoded': {
            example: { confirmation: 'c2VjcmV0.c2VhbGVk.main' },
            schema: z.object({
              confirmation: z
                .string()
                .openapi({ description: 'What the page carries.', example: 'c2VjcmV0.c2VhbGVk.main' }),
              decision: z.enum(['decline']).optional().openapi({ description: 'Connects nothing.' }),
            }),
          },
        },
      },
    },
    responses: {
      303: { description: 'On to `redirect_url`, with `connected=<provider>` or `error=declined`.' },
      ...errorAnswers([400, 403, 404, 409, 413, 415, 503]),
    },
  });
}

function describeHook(registry: Registry, errorAnswers: ErrorAnswers): void {
  registry.registerPath({
    ...SHARED,
    method: 'post',
    path: '/hooks/{provider}',
    operationId: 'receiveProcessorEvent',
    summary: 'Take an event of a payment processor',
    description:
      'Name this URL as the webhook endpoint at the processor; it needs no key, the signature over the body is the proof. An ' +
      'event only says what to look at: the processor is then asked how things stand, so repeats and any order do no harm.',
    request: {
      params: paymentProviderPath,
      body: {
        required: true,
        content: { '*/*': { schema: z.string().openapi({ description: 'As it was signed.' }) } },
      },
    },
    responses: {
      200: {
        description: 'Taken.',
        content: {
          'application/json': {
            schema: z.object({
              received: z.literal(true).openapi({ description: 'That it was taken.', example: true }),
            }),
          },
        },
      },
      ...errorAnswers([400, 404, 413, 415, 503]),
    },
  });
}
