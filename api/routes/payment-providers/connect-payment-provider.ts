import { insertOauthState } from '../../../sql/postgres/payments/oauth-states.ts';
import { authorizationWire, paymentProviderConnect, paymentProviderPath } from '../../../wire/payment-providers.ts';
import { operation } from '../../operation.ts';
import { hashState, newState, STATE_LIFE_MS } from '../../processors/oauth-state.ts';
import { configuredProcessor } from '../../processors/processors.ts';
import { callbackUrl } from './finish-connection.ts';

export const connectPaymentProvider = operation({
  id: 'connectPaymentProvider',
  method: 'post',
  path: '/api/payment-providers/{provider}/connect',
  tag: 'Payment providers',
  summary: 'Begin to connect a payment processor',
  description:
    'Send the owner of the account at the processor to `authorization_url`. The processor sends it back to us, and we to ' +
    '`redirect_url`, with `connected=<provider>` or `error=<reason>`. The URL works once, within 10 minutes. Connecting ' +
    'again replaces the connection.',
  scope: 'admin',
  params: paymentProviderPath,
  body: paymentProviderConnect,
  success: 200,
  response: authorizationWire,
  // The state in it is the proof at the callback.
  secret: 'authorization_url',
  errors: [409],
  run: async ({ caller: { accountId }, params, body, now, url, write }, { processors }) => {
    const processor = configuredProcessor(processors, params.provider);
    return write(async (tx) => {
      const state = newState();
      await insertOauthState(tx, {
        accountId,
        provider: processor.name,
        redirectUrl: body.redirect_url,
        stateHash: hashState(state),
        createdAt: now,
        expiredBefore: now - STATE_LIFE_MS,
      });
      const redirectUri = callbackUrl(url, processor.name);
      return { authorization_url: processor.authorizationUrl({ state, redirectUri }) };
    });
  },
});
