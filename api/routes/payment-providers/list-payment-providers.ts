import { listProcessors } from '../../../services/payments/list-processors.ts';
import { paymentProviderWire } from '../../../wire/payment-providers.ts';
import { operation } from '../../operation.ts';
import { listOf, pageQuery, toPage, windowOf } from '../../pages.ts';

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
  run: async ({ caller: { accountId }, query, url, read }) => {
    const page = await read((tx) => listProcessors(tx, accountId, windowOf(query)));
    return toPage(url, query, page, (one) => one);
  },
});
