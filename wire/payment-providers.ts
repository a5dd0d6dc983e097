import { z } from '@hono/zod-openapi';
import { PAYMENT_PROVIDERS, type PaymentProvider } from '../billing/payments/payment-providers.ts';
import { type Instant, isoFromInstant } from '../core/instants.ts';

/** A payment processor and whether this account is connected to it (spec/payments#processors). */
export const paymentProviderWire = z
  .object({
    provider: z.enum(PAYMENT_PROVIDERS),
    connected: z.boolean(),
    account_id: z.union([z.string(), z.null()]).openapi({ description: "The account's id at the processor." }),
    connected_at: z.union([z.iso.datetime(), z.null()]),
  })
  .openapi('PaymentProvider');

export const paymentProviderPath = z.object({
  provider: z.string().openapi({ param: { name: 'provider', in: 'path' }, example: 'stripe' }),
});

/** Body of connect: where the account's owner is sent when it is done. */
export const paymentProviderConnect = z.strictObject({
  redirect_url: z
    .url({ protocol: /^https?$/, error: 'Must be a URL of http or https.' })
    .max(2_000, 'Must have at most 2000 characters.'),
});

export const authorizationWire = z
  .object({ authorization_url: z.url() })
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
