import { z } from '@hono/zod-openapi';
import { type Instant, isoFromInstant, isoOrNull } from '../../core/instants.ts';
import { instantWire, integerInput } from '../primitives.ts';

/** A link that is forgotten in a mail is of no use after this. */
const MOST_SECONDS = 30 * 86_400;
const HOUR = 3_600;

/** Body of POST /api/customers/{customer_id}/portal_link (spec/portal#links). */
export const portalLinkCreate = z
  .strictObject({
    expires_in_seconds: integerInput(1, MOST_SECONDS)
      .default(HOUR)
      .openapi({ description: 'For how long the link can be used.', example: HOUR }),
  })
  .openapi({ example: { expires_in_seconds: HOUR } });
export type PortalLinkCreate = z.output<typeof portalLinkCreate>;

/** Body of POST /api/customers/{customer_id}/portal_links/revoke. */
export const portalLinksRevoke = z
  .strictObject({
    portal_link_id: z
      .string()
      .optional()
      .openapi({ description: 'Only this link; without it all of the customer.', example: 'linkt_01jd3k9x' }),
  })
  .openapi({ example: { portal_link_id: 'linkt_01jd3k9x' } });
export type PortalLinksRevoke = z.output<typeof portalLinksRevoke>;

const link = z.object({
  portal_link_id: z.string().openapi({ description: 'Id of the link.', example: 'linkt_01jd3k9x' }),
  customer_id: z.string().openapi({ description: 'The customer whose billing it shows.', example: 'acme' }),
  created_at: instantWire.openapi({ description: 'When the link was made.' }),
  expires_at: instantWire.openapi({ description: 'From then on it is of no use.' }),
});

/** A link just made: the only time that its address is told. */
export const newPortalLinkWire = link
  .extend({
    url: z.string().openapi({
      description: 'Where the customer goes: shown this once.',
      example: 'https://billing.acme.example/portal/...',
    }),
  })
  .openapi('NewPortalLink');

/** A link as the list of them shows it. */
export const portalLinkWire = link
  .extend({
    revoked_at: z
      .union([instantWire, z.null()])
      .openapi({ description: 'When it was revoked; null where it was not.' }),
  })
  .openapi('PortalLink');

/** How many links were revoked. */
export const revokedWire = z.object({
  revoked: z.int().openapi({ description: 'How many links have become of no use by this.', example: 1 }),
});

type Link = {
  portalLinkId: string;
  customerId: string;
  createdAt: Instant;
  expiresAt: Instant;
  revokedAt: Instant | null;
};

export function portalLinkToWire(one: Link): z.output<typeof portalLinkWire> {
  return { ...headOf(one), revoked_at: isoOrNull(one.revokedAt) };
}

/** A link with its address, of which nothing is stored. */
export function newPortalLinkToWire(one: Link, url: string): z.output<typeof newPortalLinkWire> {
  return { ...headOf(one), url };
}

function headOf({ portalLinkId, customerId, createdAt, expiresAt }: Link) {
  return {
    portal_link_id: portalLinkId,
    customer_id: customerId,
    created_at: isoFromInstant(createdAt),
    expires_at: isoFromInstant(expiresAt),
  };
}
