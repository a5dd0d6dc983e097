import { notFound } from '../../core/domain-error.ts';
import type { Instant } from '../../core/instants.ts';
import { findCustomer } from '../../sql/postgres/customers/customers.ts';
import { hasPortalLink, updateLinksRevoked } from '../../sql/postgres/customers/portal-links.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import type { PortalLinksRevoke } from '../../wire/accounts/portal-links.ts';
import type { CustomerRef } from '../references.ts';

/** Revokes a customer's links, or only the one named; those of no use any more stay as they are. @throws DomainError `not_found` */
export async function revokePortalLinks(
  tx: Transaction,
  { accountId, customerId }: CustomerRef,
  { portal_link_id: named }: PortalLinksRevoke,
  now: Instant,
) {
  const portalLinkId = named ?? null;
  if (!(await findCustomer(tx, accountId, customerId))) throw notFound(`customer ${customerId}`);
  if (portalLinkId !== null && !(await hasPortalLink(tx, accountId, customerId, portalLinkId))) {
    throw notFound(`portal link ${portalLinkId}`);
  }
  const revoked = await updateLinksRevoked(tx, accountId, customerId, { portalLinkId, at: now });
  const links = (ids: string[]) => ({ customer_id: customerId, portal_links: ids });
  return { before: links(revoked), after: links([]), answer: { revoked: revoked.length } };
}
