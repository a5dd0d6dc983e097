import { listAllDeliveries as list } from '../../../sql/postgres/webhooks/webhook-deliveries.ts';
import { allDeliveriesFilters, deliveryOfEndpointToWire, deliveryOfEndpointWire } from '../../../wire/webhooks.ts';
import { operation } from '../../operation.ts';
import { listOf, pageQuery } from '../../pages.ts';

export const listAllDeliveries = operation({
  id: 'listAllWebhookDeliveries',
  method: 'get',
  path: '/api/webhook-deliveries',
  tag: 'Webhooks',
  summary: 'List the deliveries of all endpoints, newest first',
  description: 'One per event and endpoint, with every attempt.',
  scope: 'admin',
  query: pageQuery.extend(allDeliveriesFilters),
  success: 200,
  response: listOf(deliveryOfEndpointWire),
  run: async ({ caller, query, listing, read }) => {
    const filter = { status: query.status, isFailing: query.failing };
    const page = await read((tx) => list(tx, caller.accountId, filter, listing.window));
    return listing.answer(page, deliveryOfEndpointToWire);
  },
});
