import { notFound } from '../../core/domain-error.ts';
import { newId } from '../../core/ids.ts';
import type { Instant } from '../../core/instants.ts';
import type { SecretCipher } from '../../runtime/cipher.ts';
import { findCustomer } from '../../sql/postgres/customers/customers.ts';
import { insertPortalLink } from '../../sql/postgres/customers/portal-links.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';
import { newPortalLinkToWire, type PortalLinkCreate } from '../../wire/accounts/portal-links.ts';
import { created } from '../audit/audited.ts';
import type { CustomerRef } from '../references.ts';
import { portalToken } from './portal-tokens.ts';

/** Where links lead, and when they are made: in real time, also for a customer on a test clock. */
type Circumstances = { cipher: SecretCipher; origin: string; now: Instant };

/** Makes a link by which a customer sees its own billing; its address is told this once. @throws DomainError `not_found` */
export async function makePortalLink(
  tx: Transaction,
  { accountId, customerId }: CustomerRef,
  { expires_in_seconds: seconds }: PortalLinkCreate,
  { cipher, origin, now }: Circumstances,
) {
  if (!(await findCustomer(tx, accountId, customerId))) throw notFound(`customer ${customerId}`);
  const portalLinkId = newId('linkt');
  const link = { portalLinkId, customerId, createdAt: now, expiresAt: now + seconds * 1_000, revokedAt: null };
  await insertPortalLink(tx, accountId, link);
  const url = new URL(`/portal/${portalToken(cipher, portalLinkId, link.expiresAt)}`, origin);
  return created(newPortalLinkToWire(link, url.href));
}
