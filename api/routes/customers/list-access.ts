import { listAccess as list } from '../../../services/entitlements/list-access.ts';
import { accessEntryToWire, accessEntryWire } from '../../../wire/access.ts';
import { customerPath } from '../../../wire/primitives.ts';
import { operation } from '../../operation.ts';
import { listOf, pageQuery } from '../../pages.ts';

export const listAccess = operation({
  id: 'listCustomerAccess',
  method: 'get',
  path: '/api/customers/{customer_id}/access',
  tag: 'Access',
  summary: 'List whether a customer may use each thing that its plans name',
  description:
    'Features first, then metrics, in the order of the plans of its active and paused subscriptions, oldest subscription first. Each is answered as a check of it alone is.',
  scope: 'read',
  params: customerPath,
  query: pageQuery,
  success: 200,
  response: listOf(accessEntryWire),
  run: async ({ caller: { accountId }, params: { customer_id: customerId }, listing, now }, dependencies) => {
    const page = await list(dependencies, { accountId, customerId }, listing.window, now);
    return listing.answer(page, accessEntryToWire);
  },
});
