import { type Instant, isoFromInstant } from '../../../core/instants.ts';
import { findPage, type PageOf, type PageWindow } from '../page-window.ts';
import { firstRow, type Pool, type Transaction } from '../postgres.ts';

/** A link by which a customer sees its own billing. */
export type PortalLink = {
  portalLinkId: string;
  customerId: string;
  createdAt: Instant;
  expiresAt: Instant;
  revokedAt: Instant | null;
};

/** Whose billing a link shows, and in which mode its account is. */
export type PortalLinkOwner = Pick<PortalLink, 'customerId' | 'expiresAt'> & {
  accountId: string;
  mode: 'test' | 'live';
};

type LinkRow = {
  portal_link_id: string;
  customer_id: string;
  created_at: Instant;
  expires_at: Instant;
  revoked_at: Instant | null;
};

const COLUMNS = 'p.portal_link_id, p.customer_id, p.created_at, p.expires_at, p.revoked_at';

/** Stores a new link. */
export async function insertPortalLink(tx: Transaction, accountId: string, link: PortalLink): Promise<void> {
  await tx.query(
    `INSERT INTO portal_links (account_id, portal_link_id, customer_id, created_at, expires_at) VALUES ($1, $2, $3, $4, $5)`,
    [
      ...[accountId, link.portalLinkId, link.customerId],
      ...[isoFromInstant(link.createdAt), isoFromInstant(link.expiresAt)],
    ],
  );
}

/** One page of a customer's links, newest first, those that are of no use any more among them. */
export function listPortalLinks(
  tx: Transaction,
  accountId: string,
  customerId: string,
  window: PageWindow,
): Promise<PageOf<PortalLink>> {
  const equals = { account_id: accountId, customer_id: customerId };
  return findPage(tx, { select: COLUMNS, table: ['portal_links', 'p'], equals }, window, linkFromRow);
}

/** Whether the customer has, or had, this link. */
export async function hasPortalLink(
  tx: Transaction,
  accountId: string,
  customerId: string,
  portalLinkId: string,
): Promise<boolean> {
  const sql = 'SELECT FROM portal_links WHERE account_id = $1 AND customer_id = $2 AND portal_link_id = $3';
  return firstRow(await tx.query(sql, [accountId, customerId, portalLinkId])) !== undefined;
}

/** Revokes a customer's links that are of use at that instant, or only the one named; answers their ids. */
export async function updateLinksRevoked(
  tx: Transaction,
  accountId: string,
  customerId: string,
  { portalLinkId, at }: { portalLinkId: string | null; at: Instant },
): Promise<string[]> {
  const { rows } = await tx.query<Pick<LinkRow, 'portal_link_id'>>(
    `UPDATE portal_links SET revoked_at = $4
     WHERE account_id = $1 AND customer_id = $2 AND ($3::text IS NULL OR portal_link_id = $3)
       AND revoked_at IS NULL AND expires_at > $4
     RETURNING portal_link_id`,
    [accountId, customerId, portalLinkId, isoFromInstant(at)],
  );
  return rows.map(({ portal_link_id }) => portal_link_id);
}

/**
 * Whose a link is that is neither revoked nor of a customer that was deleted, expired or not. The link alone says whose it is, so no
 * account is set.
 */
export async function findPortalLinkOwner(pool: Pool, portalLinkId: string): Promise<PortalLinkOwner | undefined> {
  type Row = { account_id: string; customer_id: string; expires_at: Instant; mode: 'test' | 'live' };
  const answer = await pool.query<Row>(
    `SELECT p.account_id, p.customer_id, p.expires_at, a.mode
     FROM portal_links p JOIN customers c USING (account_id, customer_id) JOIN accounts a USING (account_id)
     WHERE p.portal_link_id = $1 AND p.revoked_at IS NULL AND c.deleted_at IS NULL`,
    [portalLinkId],
  );
  const row = firstRow(answer);
  return row && { accountId: row.account_id, customerId: row.customer_id, expiresAt: row.expires_at, mode: row.mode };
}

/** Whether a plan that the customer has, or had, bills or limits the metric. */
export async function isMetricOfCustomer(
  tx: Transaction,
  accountId: string,
  customerId: string,
  metricId: string,
): Promise<boolean> {
  const sql = `SELECT FROM subscriptions s JOIN plan_versions v USING (account_id, plan_id, version)
    WHERE s.account_id = $1 AND s.customer_id = $2
    AND (EXISTS (SELECT FROM plan_components c
           WHERE c.account_id = s.account_id AND c.version_id = v.version_id AND c.metric_id = $3)
      OR EXISTS (SELECT FROM plan_features f
           WHERE f.account_id = s.account_id AND f.version_id = v.version_id AND f.metric_id = $3))
    LIMIT 1`;
  return firstRow(await tx.query(sql, [accountId, customerId, metricId])) !== undefined;
}

function linkFromRow(row: LinkRow): PortalLink {
  return {
    portalLinkId: row.portal_link_id,
    customerId: row.customer_id,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
  };
}
