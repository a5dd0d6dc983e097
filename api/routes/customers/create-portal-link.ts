import { makePortalLink } from '../../../services/portal/make-portal-link.ts';
import { newPortalLinkWire, portalLinkCreate } from '../../../wire/accounts/portal-links.ts';
import { customerPath } from '../../../wire/primitives.ts';
import { operation } from '../../operation.ts';

export const createPortalLink = operation({
  id: 'createPortalLink',
  method: 'post',
  path: '/api/customers/{customer_id}/portal_link',
  tag: 'Customers',
  summary: 'Make a link by which a customer sees its own usage and invoices',
  description:
    'Whoever has the link sees what it shows, without a log-in, until it expires or is revoked: send it to the customer alone. ' +
    'Its address is told this once.',
  scope: 'write',
  audit: 'portal_link.created',
  params: customerPath,
  body: portalLinkCreate,
  success: 201,
  response: newPortalLinkWire,
  secret: 'url',
  run: ({ caller: { accountId }, params: { customer_id: customerId }, body, now, url, write }, { cipher }) =>
    write((tx) => makePortalLink(tx, { accountId, customerId }, body, { cipher, origin: url.origin, now })),
});
