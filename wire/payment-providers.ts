import { z } from '@hono/zod-openapi';
import { PAYMENT_PROVIDERS, type PaymentProvider } from '../billing/payments/payment-providers.ts';
import { type Instant, isoFromInstant } from '../core/instants.ts';

/** A payment processor and whether this account is connected to it (spec/payments#processors). */
export const paymentProviderWire = z
  .object({
    provider: z.enum(PAYMENT_PROVIDERS).openapi({ description: 'The payment processor.', example: 'stripe' }),
    connected: z.boolean().openapi({ description: 'Whether the account has connected this processor.', example: true }),
    account_id: z
      .union([z.string(), z.null()])
      .openapi({ description: "The account's id at the processor.", example: 'acct_1032D82eZvKYlo2C' }),
    connected_at: z
      .union([z.iso.datetime(), z.null()])
      .openapi({ description: 'When it was connected.', example: '2026-11-20T10:00:00.000Z' }),
  })
  .openapi('PaymentProvider');

export const paymentProviderPath = z.object({
  provider: z
    .string()
    .openapi({ param: { name: 'provider', in: 'path' }, example: 'stripe' })
    .openapi({ description: 'The payment processor.', example: 'stripe' }),
});

/** Body of connect: where the account's owner is sent when it is done. */
export const paymentProviderConnect = z
  .strictObject({
    redirect_url: z
      .url({ protocol: /^https?$/, error: 'Must be a URL of http or https.' })
      .max(2_000, 'Must have at most 2000 characters.')
      .openapi({
        description: "Where the processor's page sends the person back to, through us.",
        example: 'https://app.acme.example/settings',
      }),
  })
  .openapi({ example: { redirect_url: 'https://app.acme.example/settings' } });

export const authorizationWire = z
  .object({
    authorization_url: z.url().openapi({
      description: 'Where to send the person who grants access at the processor; good for 10 minutes, once.',
      example: 'https://connect.stripe.com/oauth/authorize',
    }),
  })
  .openapi('PaymentProviderAuthorization', { description: 'Where to send the owner of the account at the processor.' });

export type Connected = { externalAccountId: string; connectedAt: Instant };

/** A processor as the API returns it. */
export function paymentProviderToWire(
  provider: PaymentProvider,
  connected: Connected | undefined,
): z.infer<typeof paymentProviderWire> {
  return {
    provider,
    connected: connected !== undefined,
    account_id: connected?.externalAccountId ?? null,
    connected_at: connected ? isoFromInstant(connected.connectedAt) : null,
  };
}
