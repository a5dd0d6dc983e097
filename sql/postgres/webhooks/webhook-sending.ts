import {
  type AttemptVerdict,
  attemptVerdict,
  isAccepted,
  type WebhookAttempt,
} from '../../../billing/webhooks/webhooks.ts';
import { type Instant, isoFromInstant } from '../../../core/instants.ts';
import type { SealedSecret } from '../../../runtime/cipher.ts';
import type { TraceContext } from '../../../runtime/tracing.ts';
import { accountsWith } from '../accounts-with.ts';
import { firstRow, inTransaction, lookAcrossAccounts, type Pool, type Transaction } from '../postgres.ts';
import { SECRET_COLUMNS, type SecretsRow, secretsFromRow } from './webhook-secrets.ts';

/** One round of attempts of a delivery: a redelivery begins another. */
export type DeliveryRound = { accountId: string; deliveryId: string; round: number };

/** All that sending a delivery takes. `dataText` is the event's snapshot byte for byte. */
export type Sending = DeliveryRound & {
  webhookEndpointId: string;
  webhookUrl: string;
  /** Sealed for the endpoint's row; the newest first. */
  secrets: SealedSecret[];
  event: { eventId: string; type: string; occurredAt: Instant; dataText: string };
  traceContext: TraceContext | null;
};

type SendingRow = SecretsRow & {
  account_id: string;
  webhook_endpoint_id: string;
  delivery_id: string;
  round: number;
  webhook_url: string;
  event_id: string;
  type: string;
  occurred_at: Instant;
  data_text: string;
  trace_context: TraceContext | null;
};

const SENDING_COLUMNS = `d.account_id, d.delivery_id, d.round, d.webhook_endpoint_id, w.webhook_url, ${SECRET_COLUMNS},
  e.event_id, e.type, e.occurred_at, e.data::text AS data_text, e.trace_context`;

/** First attempts under way at one endpoint: enough for a burst, few enough that one receiver can't take all there are. */
const AT_ONE_ENDPOINT = 8;
/** An endpoint that fails is asked by one attempt at a time, so that hundreds that hang leave room for the others. */
const AT_A_FAILING_ENDPOINT = 1;
/** Deliveries of one endpoint that are looked at for their lanes' first ones. */
const WINDOW = 64;

/** `waiting (id)`: the endpoints that have queued deliveries, found one after another in an index; at the end a null. */
export const WAITING = `waiting AS (
    (SELECT webhook_endpoint_id AS id FROM webhook_deliveries WHERE stage = 'queued' ORDER BY 1 LIMIT 1)
    UNION ALL
    SELECT (SELECT webhook_endpoint_id FROM webhook_deliveries
            WHERE stage = 'queued' AND webhook_endpoint_id > waiting.id ORDER BY 1 LIMIT 1)
    FROM waiting WHERE waiting.id IS NOT NULL
  )`;

/** Whether there are events to give out, and first attempts to make: asked first, since mostly there are none. */
export async function findWaitingWebhooks(pool: Pool): Promise<{ hasEvents: boolean; hasAttempts: boolean }> {
  const answer = await lookAcrossAccounts<{ events: boolean; attempts: boolean }>(
    pool,
    `SELECT EXISTS (SELECT FROM webhook_events) AS events,
       EXISTS (SELECT FROM webhook_deliveries WHERE stage = 'queued') AS attempts`,
  );
  const row = firstRow(answer);
  return { hasEvents: row?.events ?? false, hasAttempts: row?.attempts ?? false };
}

/** What of a worker's places is free: in all, and for whom. `underWay` is how many each account has already. */
export type FreePlaces = { limit: number; ofOneAccount: number; underWay: ReadonlyMap<string, number> };

/**
 * Claims first attempts for sending: of each lane of each endpoint only its oldest delivery, of each endpoint a few, of each
 * account what it has places for. Every account's first comes before anyone's second, and within an account every
 * endpoint's first. Whoever claims has `leaseMs` to save the attempt; after a crash another one then claims it.
 */
export async function claimFirstAttempts(
  pool: Pool,
  { limit, ofOneAccount, underWay }: FreePlaces,
  leaseMs: number,
): Promise<Sending[]> {
  const answer = await lookAcrossAccounts<SendingRow>(
    pool,
    `WITH RECURSIVE ${WAITING}, heads AS (
       SELECT w.webhook_endpoint_id, q.account_id, q.delivery_id, q.seq, q.is_free, q.busy,
         CASE WHEN w.failing_since IS NULL THEN ${AT_ONE_ENDPOINT} ELSE ${AT_A_FAILING_ENDPOINT} END AS most,
         row_number() OVER (PARTITION BY w.webhook_endpoint_id, q.is_free ORDER BY q.seq) AS turn
       FROM waiting JOIN webhook_endpoints w ON w.webhook_endpoint_id = waiting.id
       CROSS JOIN LATERAL (
         SELECT n.account_id, n.delivery_id, n.seq, NOT n.is_claimed AS is_free,
           count(*) FILTER (WHERE n.is_claimed) OVER () AS busy, row_number() OVER (PARTITION BY n.lane ORDER BY n.seq) AS place
         FROM (
           SELECT d.account_id, d.delivery_id, d.seq, d.lane, coalesce(d.claimed_until > now(), false) AS is_claimed
           FROM webhook_deliveries d WHERE d.stage = 'queued' AND d.webhook_endpoint_id = waiting.id
           ORDER BY d.seq LIMIT ${WINDOW}
         ) n
       ) q
       WHERE q.place = 1
     ), of_accounts AS (
       SELECT account_id, delivery_id, seq, row_number() OVER (PARTITION BY account_id ORDER BY turn, seq) AS turn
       FROM heads WHERE is_free AND turn <= most - busy
     ), chosen AS (
       SELECT o.account_id, o.delivery_id
       FROM of_accounts o LEFT JOIN unnest($3::text[], $4::integer[]) AS busy (account_id, places) USING (account_id)
       WHERE o.turn <= $5 - coalesce(busy.places, 0)
       ORDER BY coalesce(busy.places, 0) + o.turn, o.seq LIMIT $1
     )
     UPDATE webhook_deliveries d SET claimed_until = now() + make_interval(secs => $2::double precision / 1000)
     FROM chosen, webhook_endpoints w, outbox_events e
     WHERE d.account_id = chosen.account_id AND d.delivery_id = chosen.delivery_id AND d.stage = 'queued'
       AND (d.claimed_until IS NULL OR d.claimed_until <= now())
       AND w.webhook_endpoint_id = d.webhook_endpoint_id AND e.event_id = d.event_id
     RETURNING ${SENDING_COLUMNS}`,
    [limit, leaseMs, [...underWay.keys()], [...underWay.values()], ofOneAccount],
  );
  return answer.rows.map(sendingFromRow);
}

/** Lets a claimed delivery go: it was not sent, and may be claimed at once. */
export async function releaseClaim(pool: Pool, { accountId, deliveryId }: DeliveryRound): Promise<void> {
  await inTransaction(pool, accountId, (tx) =>
    tx.query('UPDATE webhook_deliveries SET claimed_until = NULL WHERE account_id = $1 AND delivery_id = $2', [
      accountId,
      deliveryId,
    ]),
  );
}

/** Puts off a delivery that has not been tried: it stays as it stands, in its place, and is due again at `until`. */
export async function updateDeliveryPostponed(
  tx: Transaction,
  { accountId, deliveryId, round }: DeliveryRound,
  until: Instant,
): Promise<void> {
  await tx.query(
    `UPDATE webhook_deliveries
     SET claimed_until = CASE stage WHEN 'queued' THEN $4::timestamptz END,
       next_attempt_at = CASE stage WHEN 'queued' THEN next_attempt_at ELSE $4::timestamptz END
     WHERE account_id = $1 AND delivery_id = $2 AND round = $3 AND status = 'pending'`,
    [accountId, deliveryId, round, isoFromInstant(until)],
  );
}

/** A retry that is due by `now`; else when it is; `over` where the round has ended, by whatever. */
export async function findDueRetry(
  tx: Transaction,
  { accountId, deliveryId, round }: DeliveryRound,
  now: Instant,
): Promise<Sending | { dueAt: Instant } | 'over'> {
  const answer = await tx.query<SendingRow & { next_attempt_at: Instant }>(
    `SELECT ${SENDING_COLUMNS}, d.next_attempt_at
     FROM webhook_deliveries d JOIN webhook_endpoints w USING (account_id, webhook_endpoint_id) JOIN outbox_events e USING (event_id)
     WHERE d.account_id = $1 AND d.delivery_id = $2 AND d.round = $3 AND d.stage IN ('failed_once', 'retrying')`,
    [accountId, deliveryId, round],
  );
  const row = firstRow(answer);
  if (!row) return 'over';
  return row.next_attempt_at > now ? { dueAt: row.next_attempt_at } : sendingFromRow(row);
}

type DeliveryStateRow = { status: string; round: number; tries: number; first_tried_at: Instant | null };

/**
 * Saves an attempt and what follows from it: success, the time of the next attempt, or the end of this round. Undefined where the delivery was deleted, or the round had ended already: the attempt is then only logged.
 * Locks the endpoint before the delivery, as whoever disables it does.
 */
export async function saveWebhookAttempt(
  tx: Transaction,
  sending: Sending,
  attempt: WebhookAttempt,
): Promise<AttemptVerdict | undefined> {
  const { accountId, deliveryId } = sending;
  const failingSince = await markEndpoint(tx, sending, attempt);
  const found = await tx.query<DeliveryStateRow>(
    `SELECT status, round, tries, first_tried_at FROM webhook_deliveries WHERE account_id = $1 AND delivery_id = $2 FOR UPDATE`,
    [accountId, deliveryId],
  );
  const delivery = firstRow(found);
  if (!delivery) return undefined;
  await tx.query(
    `INSERT INTO webhook_attempts (account_id, delivery_id, at, status_code, error, duration_ms) VALUES ($1, $2, $3, $4, $5, $6)`,
    [accountId, deliveryId, isoFromInstant(attempt.at), attempt.statusCode, attempt.error, attempt.durationMs],
  );
  if (delivery.round !== sending.round) return undefined;
  const firstTriedAt = delivery.first_tried_at ?? attempt.at;
  const verdict = attemptVerdict(attempt, { tries: delivery.tries, firstTriedAt, failingSince });
  // Given up with its endpoint, or tried twice, while this was under way: only a success still counts.
  if (delivery.status !== 'pending' && verdict.kind !== 'succeeded') return undefined;
  const isPending = verdict.kind === 'retry';
  await tx.query(
    `UPDATE webhook_deliveries
     SET status = $3, stage = CASE WHEN $4 THEN CASE stage WHEN 'queued' THEN 'failed_once' ELSE stage END END,
       tries = tries + 1, first_tried_at = $5, next_attempt_at = $6, claimed_until = NULL
     WHERE account_id = $1 AND delivery_id = $2`,
    [
      accountId,
      deliveryId,
      isPending ? 'pending' : verdict.kind,
      isPending,
      isoFromInstant(firstTriedAt),
      isPending ? isoFromInstant(verdict.at) : null,
    ],
  );
  return verdict;
}

/** Keeps since when the endpoint fails; the time of that where it does. */
async function markEndpoint(
  tx: Transaction,
  { accountId, webhookEndpointId }: Sending,
  attempt: WebhookAttempt,
): Promise<Instant> {
  const one = [accountId, webhookEndpointId];
  if (isAccepted(attempt)) {
    await tx.query(
      `UPDATE webhook_endpoints SET failing_since = NULL
       WHERE account_id = $1 AND webhook_endpoint_id = $2 AND failing_since IS NOT NULL`,
      one,
    );
    return attempt.at;
  }
  const answer = await tx.query<{ failing_since: Instant }>(
    `UPDATE webhook_endpoints SET failing_since = coalesce(failing_since, $3)
     WHERE account_id = $1 AND webhook_endpoint_id = $2 RETURNING failing_since`,
    [...one, isoFromInstant(attempt.at)],
  );
  return firstRow(answer)?.failing_since ?? attempt.at;
}

/** Failed first attempts that no workflow retries yet, with the time of the next attempt; accounts take turns. */
export async function listFailedOnce(pool: Pool, limit: number): Promise<(DeliveryRound & { dueAt: Instant })[]> {
  const answer = await lookAcrossAccounts<{
    account_id: string;
    delivery_id: string;
    round: number;
    next_attempt_at: Instant;
  }>(
    pool,
    `WITH RECURSIVE ${accountsWith("webhook_deliveries WHERE stage = 'failed_once'")}
     SELECT o.account_id, o.delivery_id, o.round, o.next_attempt_at
     FROM accounts_waiting a CROSS JOIN LATERAL (
       SELECT d.account_id, d.delivery_id, d.round, d.next_attempt_at, d.seq, row_number() OVER (ORDER BY d.seq) AS turn
       FROM webhook_deliveries d WHERE d.stage = 'failed_once' AND d.account_id = a.id ORDER BY d.seq LIMIT $1
     ) o ORDER BY o.turn, o.seq LIMIT $1`,
    [limit],
  );
  return answer.rows.map((row) => ({
    accountId: row.account_id,
    deliveryId: row.delivery_id,
    round: row.round,
    dueAt: row.next_attempt_at,
  }));
}

/** A workflow now retries the delivery. */
export async function updateDeliveryRetrying(
  pool: Pool,
  { accountId, deliveryId, round }: DeliveryRound,
): Promise<void> {
  await inTransaction(pool, accountId, (tx) =>
    tx.query(
      `UPDATE webhook_deliveries SET stage = 'retrying'
       WHERE account_id = $1 AND delivery_id = $2 AND round = $3 AND stage = 'failed_once'`,
      [accountId, deliveryId, round],
    ),
  );
}

/** Has retries that are overdue by so much, or all of them (null), handed to their workflows again: those may be lost, or wait in vain. */
export async function updateRetriesHandedOut(pool: Pool, overdueMs: number | null): Promise<number> {
  const answer = await pool.query(
    `UPDATE webhook_deliveries SET stage = 'failed_once'
     WHERE stage = 'retrying' AND next_attempt_at < coalesce(now() - make_interval(secs => $1::double precision / 1000), 'infinity')`,
    [overdueMs],
  );
  return answer.rowCount ?? 0;
}

function sendingFromRow(row: SendingRow): Sending {
  return {
    accountId: row.account_id,
    deliveryId: row.delivery_id,
    round: row.round,
    webhookEndpointId: row.webhook_endpoint_id,
    webhookUrl: row.webhook_url,
    secrets: signingSecrets(row),
    event: { eventId: row.event_id, type: row.type, occurredAt: row.occurred_at, dataText: row.data_text },
    traceContext: row.trace_context,
  };
}

function signingSecrets(row: SecretsRow): SealedSecret[] {
  const { current, replaced } = secretsFromRow(row);
  return [current, ...replaced];
}
