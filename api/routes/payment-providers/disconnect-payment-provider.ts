import { disconnectProcessor } from '../../../services/payments/disconnect-processor.ts';
import { paymentProviderPath, paymentProviderWire } from '../../../wire/payment-providers.ts';
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
  audit: 'payment_provider.disconnected',
  params: paymentProviderPath,
  success: 200,
  response: paymentProviderWire,
  errors: [409],
  run: async (call, dependencies) =>
    disconnectProcessor(call, dependencies, call.caller.accountId, knownProcessor(call.params.provider)),
});
