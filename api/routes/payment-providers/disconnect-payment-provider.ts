import { conflict } from '../../../core/domain-error.ts';
import { deleteConnection } from '../../../sql/postgres/payments/processor-connections.ts';
import { paymentProviderPath, paymentProviderToWire, paymentProviderWire } from '../../../wire/payment-providers.ts';
import { operation } from '../../operation.ts';
import { knownProcessor } from '../../processors/processors.ts';

export const disconnectPaymentProvider = operation({
  id: 'disconnectPaymentProvider',
  method: 'post',
  path: '/api/payment-providers/{provider}/disconnect',
  tag: 'Payment providers',
  summary: 'Disconnect a payment processor and forget its tokens',
  description:
    'Gives the grant back to the processor. Nothing is collected through it any more; what is being collected at this ' +
    'moment can no longer be followed.',
  scope: 'admin',
  params: paymentProviderPath,
  success: 200,
  response: paymentProviderWire,
  errors: [409],
  run: async ({ caller: { accountId }, params, write }, { connections, log }) => {
    const name = knownProcessor(params.provider);
    const connected = await connections.find(accountId, name);
    const disconnected = await write(async (tx) => {
      if (!(await deleteConnection(tx, accountId, name))) throw conflict(`${name} is not connected.`);
      return paymentProviderToWire(name, undefined);
    });
    // We hold no token any more, whether or not the processor could be told.
    await connected?.processor
      .revokeGrant(connected.grant)
      .catch((error: unknown) => log.warn({ error, provider: name }, 'the processor was not told of the disconnect'));
    return disconnected;
  },
});
