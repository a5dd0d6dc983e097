import { beginConnection } from '../../../services/payments/connect-processor.ts';
import { authorizationWire, paymentProviderConnect, paymentProviderPath } from '../../../wire/payment-providers.ts';
import { operation } from '../../operation.ts';
import { callbackUrl } from '../../processors/connection-callback.ts';
import { configuredProcessor } from '../../processors/processors.ts';

export const connectPaymentProvider = operation({
  id: 'connectPaymentProvider',
  method: 'post',
  path: '/api/payment-providers/{provider}/connect',
  tag: 'Payment providers',
  summary: 'Begin to connect a payment processor',
  description:
    'Send the owner of the account at the processor to `authorization_url`. The processor sends it back to us. We show a page that ' +
    'names both accounts and asks to confirm, then send it to `redirect_url` with `connected=<provider>` or `error=<reason>`: ' +
    '`declined`, `not_granted`, `processor_unavailable`, or what the processor says. The URL works once, within 10 minutes. ' +
    'Connecting again replaces the connection.',
  scope: 'admin',
  audit: 'payment_provider.connection_requested',
  params: paymentProviderPath,
  body: paymentProviderConnect,
  success: 200,
  response: authorizationWire,
  // The state in it is the proof at the callback.
  secret: 'authorization_url',
  errors: [409],
  run: async ({ caller: { accountId }, params, body, now, url, write }, { processors }) => {
    const processor = await configuredProcessor(processors, params.provider);
    const way = { redirectUrl: body.redirect_url, redirectUri: callbackUrl(url, processor.name) };
    return write((tx) => beginConnection(tx, processor, accountId, way, now));
  },
});
