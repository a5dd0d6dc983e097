import { PAYMENT_PROVIDERS } from '../../../billing/payments/payment-providers.ts';
import { pageOf } from '../../../sql/postgres/page-window.ts';
import { listConnections } from '../../../sql/postgres/payments/processor-connections.ts';
import { paymentProviderToWire, paymentProviderWire } from '../../../wire/payment-providers.ts';
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
  run: ({ caller: { accountId }, query, url, read }) =>
    read(async (tx) => {
      const connections = await listConnections(tx, accountId);
      const all = PAYMENT_PROVIDERS.map((name) =>
        paymentProviderToWire(
          name,
          connections.find(({ provider }) => provider === name),
        ),
      );
      const { limit, offset } = windowOf(query);
      const page = await pageOf(all.slice(offset, offset + limit + 1), { limit, offset }, async () => all.length);
      return toPage(url, query, page, (one) => one);
    }),
});
