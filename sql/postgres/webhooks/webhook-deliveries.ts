import { WEBHOOK_TEST, type WebhookDelivery } from '../../../billing/webhooks/webhooks.ts';
import { newId } from '../../../core/ids.ts';
import type { Instant } from '../../../core/instants.ts';
import { stringifyExactJson } from '../../../runtime/exact-json.ts';
import { accountsWith } from '../accounts-with.ts';
import { type Condition, findPage, type PageOf, type PageWindow } from '../page-window.ts';
import { acrossAccounts, firstRow, instantOfJson, type Pool, type Transaction } from '../postgres.ts';
import { WAITING } from './webhook-sending.ts';

type AttemptRow = {
  at: string;
  status_code: { toNumber(): number } | null;
  error: string | null;
  duration_ms: { toNumber(): number };
};

type DeliveryRow = {
  delivery_id: string;
  event_id: string;
  event_type: string;
  status: WebhookDelivery['status'];
  next_attempt_at: Instant | null;
  created_at: Instant;
  attempts: AttemptRow[];
};

const COLUMNS = `d.delivery_id, d.event_id, d.event_type, d.status, d.next_attempt_at, d.created_at,
  (SELECT coalesce(jsonb_agg(to_jsonb(a) ORDER BY a.seq), '[]') FROM webhook_attempts a
   WHERE a.account_id = d.account_id AND a.delivery_id = d.delivery_id) AS attempts`;

/** A delivery of one endpoint. */
export type DeliveryKey = { accountId: string; webhookEndpointId: string; deliveryId: string };

export type DeliveryFilter = Omit<DeliveryKey, 'deliveryId'> & { status?: WebhookDelivery['status'] | undefined };

/** One page of an endpoint's deliveries, newest first. */
export function listWebhookDeliveries(
  tx: Transaction,
  { accountId, webhookEndpointId, status }: DeliveryFilter,
  window: PageWindow,
): Promise<PageOf<WebhookDelivery>> {
  const equals = { account_id: accountId, webhook_endpoint_id: webhookEndpointId, status };
  return findPage(tx, { select: COLUMNS, table: ['webhook_deliveries', 'd'], equals }, window, deliveryFromRow);
}

/** A delivery with the endpoint that it goes to. */
export type DeliveryOfEndpoint = WebhookDelivery & { webhookEndpointId: string; webhookUrl: string };

type DeliveryOfEndpointRow = DeliveryRow & { webhook_endpoint_id: string; webhook_url: string };

/** `isFailing`: failed for good, or pending after a failure, be it before a redelivery; or none of that. */
export type AllDeliveriesFilter = { status?: WebhookDelivery['status'] | undefined; isFailing?: boolean | undefined };

/** What the index has: those that failed, and those pending that were tried before, or are sent once more. */
const MAY_FAIL = `(d.status = 'failed' OR (d.status = 'pending' AND (d.stage <> 'queued' OR d.round > 1)))`;
/** What is sent once more may have succeeded before; it may also have failed without an attempt, as its endpoint was disabled. */
const HAS_FAILED = `(d.status = 'failed' OR coalesce((SELECT a.status_code NOT BETWEEN 200 AND 299 OR a.status_code IS NULL
  FROM webhook_attempts a WHERE a.account_id = d.account_id AND a.delivery_id = d.delivery_id ORDER BY a.seq DESC LIMIT 1), true))`;

/** One page of the deliveries of all endpoints, newest first. */
export function listAllDeliveries(
  tx: Transaction,
  accountId: string,
  { status, isFailing }: AllDeliveriesFilter,
  window: PageWindow,
): Promise<PageOf<DeliveryOfEndpoint>> {
  const list = {
    select: `${COLUMNS}, w.webhook_endpoint_id, w.webhook_url`,
    table: ['webhook_deliveries', 'd'],
    joins: 'JOIN webhook_endpoints w ON w.account_id = d.account_id AND w.webhook_endpoint_id = d.webhook_endpoint_id',
    equals: { account_id: accountId, status },
    where: whereFailing(isFailing),
  } as const;
  return findPage(tx, list, window, (row: DeliveryOfEndpointRow) => ({
    ...deliveryFromRow(row),
    webhookEndpointId: row.webhook_endpoint_id,
    webhookUrl: row.webhook_url,
  }));
}

function whereFailing(isFailing: boolean | undefined): Condition[] {
  if (isFailing === undefined) return [];
  return isFailing ? [[MAY_FAIL], [HAS_FAILED]] : [[`NOT (${MAY_FAIL} AND ${HAS_FAILED})`]];
}

/** What a delivery tells, or undefined where this endpoint has none of that id. `dataText` is the event's JSON, byte for byte. */
export async function findToldEvent(tx: Transaction, key: DeliveryKey) {
  const answer = await tx.query<{ event_id: string; type: string; occurred_at: Instant; data_text: string }>(
    `SELECT e.event_id, e.type, e.occurred_at, e.data::text AS data_text
     FROM webhook_deliveries d JOIN outbox_events e USING (event_id)
     WHERE d.account_id = $1 AND d.webhook_endpoint_id = $2 AND d.delivery_id = $3`,
    [key.accountId, key.webhookEndpointId, key.deliveryId],
  );
  const row = firstRow(answer);
  return row && { eventId: row.event_id, type: row.type, occurredAt: row.occurred_at, dataText: row.data_text };
}

/** The delivery, or undefined where this endpoint has none of that id. */
export async function findWebhookDelivery(tx: Transaction, key: DeliveryKey): Promise<WebhookDelivery | undefined> {
  const answer = await tx.query<DeliveryRow>(
    `SELECT ${COLUMNS} FROM webhook_deliveries d
     WHERE d.account_id = $1 AND d.webhook_endpoint_id = $2 AND d.delivery_id = $3`,
    [key.accountId, key.webhookEndpointId, key.deliveryId],
  );
  const row = firstRow(answer);
  return row && deliveryFromRow(row);
}

/** Has a delivery sent anew, from the beginning of the schedule; one that still waits to be sent is left as it is. */
export async function updateDeliveryQueued(tx: Transaction, key: DeliveryKey): Promise<void> {
  await tx.query(
    `UPDATE webhook_deliveries
     SET status = 'pending', stage = 'queued', round = round + 1, tries = 0, first_tried_at = NULL, next_attempt_at = now(),
       claimed_until = NULL
     WHERE account_id = $1 AND webhook_endpoint_id = $2 AND delivery_id = $3 AND stage IS DISTINCT FROM 'queued'`,
    [key.accountId, key.webhookEndpointId, key.deliveryId],
  );
}

/** Writes a `webhook.test` event and its delivery to this endpoint alone; returns the delivery's id. */
export async function insertTestDelivery(
  tx: Transaction,
  accountId: string,
  webhookEndpointId: string,
): Promise<string> {
  const [eventId, deliveryId] = [newId('evt'), newId('whd')];
  const subject = `webhook_endpoint/${webhookEndpointId}`;
  const data = stringifyExactJson({ webhook_endpoint_id: webhookEndpointId });
  await tx.query(
    `INSERT INTO outbox_events (event_id, account_id, type, subject, data, relayed_at) VALUES ($1, $2, $3, $4, $5, now())`,
    [eventId, accountId, WEBHOOK_TEST, subject, data],
  );
  await tx.query(
    `INSERT INTO webhook_deliveries (account_id, delivery_id, webhook_endpoint_id, event_id, event_type, lane)
     VALUES ($1, $2, $3, $4, $5, $6)`,
    [accountId, deliveryId, webhookEndpointId, eventId, WEBHOOK_TEST, subject],
  );
  return deliveryId;
}

type WaitingRow = {
  account_id: string;
  event_id: string;
  type: string;
  lane: string;
  webhook_endpoint_id: string | null;
};

/** How much one transaction gives out: events of all accounts, and deliveries of one, but at least one event of it. */
export type FanOutLimits = { events: number; deliveriesOfOne: number };

/**
 * Gives the oldest events that no endpoint has been given to every endpoint that wants them, one delivery each; returns how
 * many there were of both. Accounts take turns. An endpoint gets what happened since it was made, or enabled again. Events of one customer share a lane, and
 * deliveries stand in the order in which the events were written: one worker at a time, later ones wait for their turn.
 */
export function fanOutEvents(pool: Pool, limits: FanOutLimits): Promise<{ events: number; deliveries: number }> {
  return acrossAccounts(pool, (tx) => fanOut(tx, limits));
}

async function fanOut(
  tx: Transaction,
  { events: mostEvents, deliveriesOfOne }: FanOutLimits,
): Promise<{ events: number; deliveries: number }> {
  const taken = await tx.query<{ event_id: string }>(
    `WITH RECURSIVE ${accountsWith('webhook_events WHERE true')}, chosen AS (
       SELECT o.event_id FROM accounts_waiting a CROSS JOIN LATERAL (
         SELECT q.event_id, q.seq, row_number() OVER (ORDER BY q.seq) AS turn
         FROM webhook_events q WHERE q.account_id = a.id ORDER BY q.seq
         LIMIT greatest(1, $2 / greatest(1, (SELECT count(*) FROM webhook_endpoints w WHERE w.account_id = a.id)))
       ) o ORDER BY o.turn, o.seq LIMIT $1
     )
     SELECT event_id FROM webhook_events WHERE event_id IN (SELECT event_id FROM chosen) ORDER BY seq FOR UPDATE`,
    [mostEvents, deliveriesOfOne],
  );
  if (taken.rows.length === 0) return { events: 0, deliveries: 0 };
  const eventIds = taken.rows.map((row) => row.event_id);
  const wanted = await tx.query<WaitingRow>(
    `SELECT e.account_id, e.event_id, e.type, coalesce(e.data->>'customer_id', e.subject) AS lane, w.webhook_endpoint_id
     FROM outbox_events e JOIN webhook_endpoints w ON w.account_id = e.account_id AND w.status = 'active'
       AND (w.triggers_in IS NULL OR e.type = ANY(w.triggers_in)) AND w.listens_from <= e.occurred_at
     WHERE e.event_id = ANY($1) ORDER BY e.seq, w.seq`,
    [eventIds],
  );
  await tx.query(
    `INSERT INTO webhook_deliveries (account_id, delivery_id, webhook_endpoint_id, event_id, event_type, lane)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
     ON CONFLICT (account_id, webhook_endpoint_id, event_id) DO NOTHING`,
    [
      wanted.rows.map((row) => row.account_id),
      wanted.rows.map(() => newId('whd')),
      wanted.rows.map((row) => row.webhook_endpoint_id),
      wanted.rows.map((row) => row.event_id),
      wanted.rows.map((row) => row.type),
      wanted.rows.map((row) => row.lane),
    ],
  );
  await tx.query('DELETE FROM webhook_events WHERE event_id = ANY($1)', [eventIds]);
  return { events: eventIds.length, deliveries: wanted.rows.length };
}

/** Deliveries of an endpoint among which its oldest is looked for. */
const OLDEST = 64;

/**
 * How long the oldest event, or first attempt, has been waiting, in seconds; 0 where none waits. Endpoints that fail do not
 * count: theirs wait for them.
 */
export async function loadWebhookLag(pool: Pool): Promise<number> {
  const answer = await pool.query<{ lag: string | null }>(
    // Of each endpoint that works, the oldest few: a redelivery may stand before what has waited for longer.
    `WITH RECURSIVE ${WAITING}
     SELECT extract(epoch FROM now() - least(
       (SELECT e.occurred_at FROM webhook_events q JOIN outbox_events e USING (event_id) ORDER BY q.seq LIMIT 1),
       (SELECT min(d.next_attempt_at) FROM waiting JOIN webhook_endpoints w ON w.webhook_endpoint_id = waiting.id
        CROSS JOIN LATERAL (
          SELECT q.next_attempt_at FROM webhook_deliveries q
          WHERE q.stage = 'queued' AND q.webhook_endpoint_id = waiting.id ORDER BY q.seq LIMIT ${OLDEST}
        ) d WHERE w.failing_since IS NULL))) AS lag`,
  );
  return Math.max(0, Number(firstRow(answer)?.lag ?? 0));
}

function deliveryFromRow(row: DeliveryRow): WebhookDelivery {
  return {
    deliveryId: row.delivery_id,
    eventId: row.event_id,
    eventType: row.event_type,
    status: row.status,
    attempts: row.attempts.map((attempt) => ({
      at: instantOfJson(attempt.at),
      statusCode: attempt.status_code?.toNumber() ?? null,
      error: attempt.error,
      durationMs: attempt.duration_ms.toNumber(),
    })),
    nextAttemptAt: row.next_attempt_at,
    createdAt: row.created_at,
  };
}
