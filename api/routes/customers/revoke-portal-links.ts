import { revokePortalLinks as revoke } from '../../../services/portal/revoke-portal-links.ts';
import { portalLinksRevoke, revokedWire } from '../../../wire/accounts/portal-links.ts';
import { customerPath } from '../../../wire/primitives.ts';
import { operation } from '../../operation.ts';

export const revokePortalLinks = operation({
  id: 'revokePortalLinks',
  method: 'post',
  path: '/api/customers/{customer_id}/portal_links/revoke',
  tag: 'Customers',
  summary: "Revoke a customer's portal links, or one of them",
  description:
    'They are of no use from the next request on. Those that have expired, or were revoked before, do not count.',
  scope: 'write',
  audit: 'customer.portal_links_revoked',
  params: customerPath,
  body: portalLinksRevoke,
  success: 200,
  response: revokedWire,
  run: ({ caller: { accountId }, params: { customer_id: customerId }, body, now, write }) =>
    write((tx) => revoke(tx, { accountId, customerId }, body, now)),
});
