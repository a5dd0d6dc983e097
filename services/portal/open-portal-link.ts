import type { Instant } from '../../core/instants.ts';
import type { SecretCipher } from '../../runtime/cipher.ts';
import { findPortalLinkOwner, type PortalLinkOwner } from '../../sql/postgres/customers/portal-links.ts';
import type { Pool } from '../../sql/postgres/postgres.ts';
import { linkOfToken } from './portal-tokens.ts';

/** A link that was opened by its token. */
export type OpenedLink = PortalLinkOwner & { portalLinkId: string };

/**
 * What a token opens: 'expired' where its time is over; undefined where it is none of ours, or was revoked, or its customer deleted: none of
 * these says which (spec/portal#links).
 */
export async function openPortalLink(
  { postgres, cipher }: { postgres: Pool; cipher: SecretCipher },
  token: string,
  now: Instant,
): Promise<OpenedLink | 'expired' | undefined> {
  const portalLinkId = linkOfToken(cipher, token);
  const owner = portalLinkId === undefined ? undefined : await findPortalLinkOwner(postgres, portalLinkId);
  if (portalLinkId === undefined || !owner) return undefined;
  return owner.expiresAt <= now ? 'expired' : { ...owner, portalLinkId };
}
