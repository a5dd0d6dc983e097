import type { WebhookEndpoint, WebhookEventType } from '../../../billing/webhooks/webhooks.ts';
import type { Instant } from '../../../core/instants.ts';
import type { SealedSecret } from '../../../runtime/cipher.ts';
import { findPage, type PageOf, type PageWindow } from '../page-window.ts';
import { firstRow, type Transaction } from '../postgres.ts';

type EndpointRow = {
  webhook_endpoint_id: string;
  name: string | null;
  webhook_url: string;
  triggers_in: WebhookEventType[] | null;
  status: WebhookEndpoint['status'];
  created_at: Instant;
};

const COLUMNS = 'webhook_endpoint_id, name, webhook_url, triggers_in, status, created_at';
const ONE = 'account_id = $1 AND webhook_endpoint_id = $2';

/** The endpoint, or undefined where this account has none of that id. */
export async function findWebhookEndpoint(
  tx: Transaction,
  accountId: string,
  id: string,
): Promise<WebhookEndpoint | undefined> {
  const row = firstRow(
    await tx.query<EndpointRow>(`SELECT ${COLUMNS} FROM webhook_endpoints WHERE ${ONE}`, [accountId, id]),
  );
  return row && endpointFromRow(row);
}

/** As {@link findWebhookEndpoint}, and nobody else changes it until the transaction ends. */
export async function lockWebhookEndpoint(
  tx: Transaction,
  accountId: string,
  id: string,
): Promise<WebhookEndpoint | undefined> {
  const sql = `SELECT ${COLUMNS} FROM webhook_endpoints WHERE ${ONE} FOR NO KEY UPDATE`;
  const row = firstRow(await tx.query<EndpointRow>(sql, [accountId, id]));
  return row && endpointFromRow(row);
}

/** One page of an account's endpoints, newest first. */
export function listWebhookEndpoints(
  tx: Transaction,
  accountId: string,
  window: PageWindow,
): Promise<PageOf<WebhookEndpoint>> {
  const equals = { account_id: accountId };
  return findPage(tx, { select: COLUMNS, table: ['webhook_endpoints', 'w'], equals }, window, endpointFromRow);
}

/** Returns how many endpoints an account has, disabled ones included. */
export async function countWebhookEndpoints(tx: Transaction, accountId: string): Promise<number> {
  const sql = 'SELECT count(*)::integer AS count FROM webhook_endpoints WHERE account_id = $1';
  return firstRow(await tx.query<{ count: number }>(sql, [accountId]))?.count ?? 0;
}

/** Stores a new endpoint; its times are the records' own, by which events are told from those before it. */
export async function insertWebhookEndpoint(
  tx: Transaction,
  accountId: string,
  endpoint: Omit<WebhookEndpoint, 'status' | 'createdAt'>,
  secret: SealedSecret,
): Promise<WebhookEndpoint> {
  const answer = await tx.query<EndpointRow>(
    `INSERT INTO webhook_endpoints (account_id, webhook_endpoint_id, name, webhook_url, triggers_in, sealed_secret, key_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING ${COLUMNS}`,
    [
      accountId,
      endpoint.webhookEndpointId,
      endpoint.name,
      endpoint.webhookUrl,
      endpoint.triggersIn,
      secret.sealed,
      secret.keyId,
    ],
  );
  const row = firstRow(answer);
  if (!row) throw new Error('a webhook endpoint was not inserted');
  return endpointFromRow(row);
}

/** Stores what a caller may change of an endpoint. One that is enabled again is told what happens from then on. */
export async function updateWebhookEndpoint(
  tx: Transaction,
  accountId: string,
  endpoint: WebhookEndpoint,
): Promise<void> {
  await tx.query(
    `UPDATE webhook_endpoints SET name = $3, webhook_url = $4, triggers_in = $5, status = $6,
       failing_since = CASE WHEN status = $6 THEN failing_since END,
       listens_from = CASE WHEN status = $6 THEN listens_from ELSE now() END
     WHERE ${ONE}`,
    [accountId, endpoint.webhookEndpointId, endpoint.name, endpoint.webhookUrl, endpoint.triggersIn, endpoint.status],
  );
}

/** Deletes an endpoint with its deliveries; false where there is none of that id. */
export async function deleteWebhookEndpoint(tx: Transaction, accountId: string, id: string): Promise<void> {
  await tx.query(`DELETE FROM webhook_endpoints WHERE ${ONE}`, [accountId, id]);
}

/** Disables an endpoint: what was pending for it is given up (spec/webhooks#delivery). Lock it first. */
export async function disableWebhookEndpoint(tx: Transaction, accountId: string, id: string): Promise<void> {
  await tx.query(`UPDATE webhook_endpoints SET status = 'disabled', failing_since = NULL WHERE ${ONE}`, [
    accountId,
    id,
  ]);
  await tx.query(
    `UPDATE webhook_deliveries SET status = 'failed', stage = NULL, next_attempt_at = NULL
     WHERE ${ONE} AND status = 'pending'`,
    [accountId, id],
  );
}

function endpointFromRow(row: EndpointRow): WebhookEndpoint {
  return {
    webhookEndpointId: row.webhook_endpoint_id,
    name: row.name,
    webhookUrl: row.webhook_url,
    triggersIn: row.triggers_in,
    status: row.status,
    createdAt: row.created_at,
  };
}
