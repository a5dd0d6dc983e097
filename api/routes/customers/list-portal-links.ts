import { listPortalLinks as list } from '../../../services/portal/list-portal-links.ts';
import { portalLinkToWire, portalLinkWire } from '../../../wire/accounts/portal-links.ts';
import { customerPath } from '../../../wire/primitives.ts';
import { operation } from '../../operation.ts';
import { listOf, pageQuery } from '../../pages.ts';

export const listPortalLinks = operation({
  id: 'listPortalLinks',
  method: 'get',
  path: '/api/customers/{customer_id}/portal_links',
  tag: 'Customers',
  summary: "List a customer's portal links, newest first",
  description: 'Those that have expired or were revoked among them; their addresses are told by none.',
  scope: 'read',
  params: customerPath,
  query: pageQuery,
  success: 200,
  response: listOf(portalLinkWire),
  run: async ({ caller: { accountId }, params: { customer_id: customerId }, listing, read }) => {
    const page = await read((tx) => list(tx, { accountId, customerId }, listing.window));
    return listing.answer(page, portalLinkToWire);
  },
});
