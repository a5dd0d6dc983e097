import { type OpenAPIHono, z } from '@hono/zod-openapi';
import { paymentProviderPath } from '../../wire/payment-providers.ts';

/** How each documented error is referred to. */
type ErrorAnswers = (codes: Iterable<number>) => Record<string, { $ref: string }>;

/**
 * Describes what is asked without a key (spec/payments#processors): by the browser that comes back from a payment processor, and by the
 * processors themselves. Their handlers are not of the operations' shape: routes/payment-providers/finish-connection.ts and
 * processor-hooks.ts.
 */
export function describeKeyless(registry: OpenAPIHono['openAPIRegistry'], errorAnswers: ErrorAnswers): void {
  const shared = { tags: ['Payment providers'], security: [] };
  registry.registerPath({
    ...shared,
    method: 'get',
    path: '/api/payment-providers/{provider}/callback',
    operationId: 'finishPaymentProviderConnection',
    summary: 'Finish to connect a payment processor',
    description:
      'Where the processor sends the browser back to after `authorization_url`; it needs no key, the state is the proof. Name ' +
      'this URL as a redirect URI where your application is registered at the processor.',
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
      302: { description: 'On to `redirect_url`, with `connected=<provider>` or `error=<reason>`.' },
      ...errorAnswers([400, 404, 409, 503]),
    },
  });
  registry.registerPath({
    ...shared,
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
