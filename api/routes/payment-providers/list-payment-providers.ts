import { listProcessors } from '../../../services/payments/list-processors.ts';
import { paymentProviderWire } from '../../../wire/payment-providers.ts';
import { operation } from '../../operation.ts';
import { listOf, pageQuery } from '../../pages.ts';

export const listPaymentProviders = operation({
  id: 'listPaymentProviders',
  method: 'get',
  path: '/api/payment-providers',
  tag: 'Payment providers',
  summary: 'List the payment processors and whether they are connected',
  scope: 'admin',
  query: pageQuery,
  success: 200,
  response: listOf(paymentProviderWire),
  run: async ({ caller: { accountId }, listing, read }) => {
    const page = await read((tx) => listProcessors(tx, accountId, listing.window));
    return listing.answer(page, (one) => one);
  },
});
