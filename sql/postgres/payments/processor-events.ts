import { type Instant, isoFromInstant } from '../../../core/instants.ts';
import { insertOutboxEvent, PROCESSOR_TOLD } from '../outbox.ts';
import type { Pool, Transaction } from '../postgres.ts';

/** An event as the gateway's hook keeps it. */
type KeptEvent = { accountId: string; provider: string; eventId: string; type: string; receivedAt: Instant };

/** Keeps an inbound event; false where it came before. */
export async function insertProcessorEvent(tx: Transaction, event: KeptEvent): Promise<boolean> {
  const answer = await tx.query(
    `INSERT INTO processor_events (account_id, provider, event_id, type, received_at) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT DO NOTHING`,
    [event.accountId, event.provider, event.eventId, event.type, isoFromInstant(event.receivedAt)],
  );
  return answer.rowCount === 1;
}

/** What of an event says whose it is. */
type Concern = {
  externalAccountId: string | null;
  subject: {
    kind: string;
    attemptId?: string | null;
    reference?: string;
    chargeReference?: string;
    processorRefundId?: string;
    payer?: string;
  } | null;
};

/**
 * The accounts that an event concerns: those connected to its external account; where the event names none, those that know
 * its charge, its refund or its payer. It comes without a key, so this looks across accounts.
 */
export async function listConcernedAccounts(pool: Pool, provider: string, event: Concern): Promise<string[]> {
  const { externalAccountId, subject } = event;
  if (externalAccountId !== null) {
    const connected = await pool.query<{ account_id: string }>(
      'SELECT account_id FROM processor_connections WHERE provider = $1 AND external_account_id = $2',
      [provider, externalAccountId],
    );
    return connected.rows.map((row) => row.account_id);
  }
  const { attemptId, reference, chargeReference, processorRefundId, payer } = subject ?? {};
  const answer = await pool.query<{ account_id: string }>(
    `WITH connected AS (SELECT account_id FROM processor_connections WHERE provider = $1)
     SELECT account_id FROM connected JOIN payment_attempts a USING (account_id) WHERE a.provider = $1 AND a.attempt_id = $2
     UNION
     SELECT account_id FROM connected JOIN payment_attempts a USING (account_id) WHERE a.provider = $1 AND a.reference = $3
     UNION
     SELECT account_id FROM connected JOIN customers c USING (account_id)
     WHERE c.payment_provider = $1 AND c.payment_provider_id = $4
     UNION
     SELECT account_id FROM connected JOIN refunds r USING (account_id) WHERE r.processor_refund_id = $5`,
    [provider, attemptId, reference ?? chargeReference, payer, processorRefundId],
  );
  return answer.rows.map((row) => row.account_id);
}

/** Has the worker look at what a processor told of, `data`, until {@link deleteEventToFollow} says that it has. */
export async function insertEventToFollow(
  tx: Transaction,
  event: { accountId: string; subject: string; data: { provider: string; kind: string } },
): Promise<void> {
  const eventId = await insertOutboxEvent(tx, { ...event, type: PROCESSOR_TOLD });
  const sql = 'INSERT INTO processor_events_to_follow (account_id, event_id) VALUES ($1, $2)';
  await tx.query(sql, [event.accountId, eventId]);
}

export async function deleteEventToFollow(tx: Transaction, accountId: string, eventId: string): Promise<void> {
  const sql = 'DELETE FROM processor_events_to_follow WHERE account_id = $1 AND event_id = $2';
  await tx.query(sql, [accountId, eventId]);
}

/** What of every account has not been looked at yet, oldest first, for the reconcile sweep; `data` as it was inserted. */
export async function listEventsToFollow(pool: Pool): Promise<{ accountId: string; eventId: string; data: unknown }[]> {
  const answer = await pool.query<{ account_id: string; event_id: string; data: unknown }>(
    `SELECT f.account_id, f.event_id, e.data FROM processor_events_to_follow f JOIN outbox_events e USING (event_id)
     ORDER BY e.seq`,
  );
  return answer.rows.map((row) => ({ accountId: row.account_id, eventId: row.event_id, data: row.data }));
}
