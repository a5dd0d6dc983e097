import { WEBHOOK_EVENT_TYPES } from '../../billing/webhooks/webhooks.ts';
import { newId } from '../../core/ids.ts';
import type { Instant } from '../../core/instants.ts';
import { MOST_LISTED, stringifyExactJson } from '../../runtime/exact-json.ts';
import { currentTraceContext, type TraceContext } from '../../runtime/tracing.ts';
import { noteNumbersSaid } from './invoices/invoice-numbers.ts';
import type { Transaction } from './postgres.ts';

/**
 * Something that happened, published after the transaction that made it: `type` as in spec/webhooks#events, or one of ours
 * that only starts a workflow; `subject` names its resource, e.g. `subscription/<id>`; `data` is its wire snapshot.
 */
export type OutboxEvent = {
  eventId: string;
  accountId: string;
  type: string;
  subject: string;
  data: unknown;
  occurredAt: Instant;
  /** The place in its trace of what caused it; null without traces. */
  traceContext: TraceContext | null;
};

/** The type of an event of ours that no webhook carries: a test clock has been given a goal. */
export const CLOCK_ADVANCING = 'test_clock.advancing';

/** Likewise: a customer has been deleted, its usage events are to be erased. */
export const CUSTOMER_DELETED = 'customer.deleted';

/** Likewise: an invoice is open whose customer has a payment processor; it is to be collected on its due date. */
export const INVOICE_COLLECTABLE = 'invoice.collectable';

/** Likewise: what comes next for a subscription has changed without its workflow. */
export const SUBSCRIPTION_MOVED = 'subscription.moved';

/** Likewise: a payment processor has told of something; `data` says what it is about. */
export const PROCESSOR_TOLD = 'processor.told';

type OutboxRow = {
  event_id: string;
  account_id: string;
  type: string;
  subject: string;
  data: unknown;
  occurred_at: Instant;
  trace_context: TraceContext | null;
};

/** An event to be written. */
export type NewOutboxEvent = Pick<OutboxEvent, 'type' | 'subject' | 'data'>;

/**
 * Writes events of an account in the transaction that causes them, in order, so none is lost and none invented; returns their ids. Large members are
 * left out of what they carry (spec/api#large-members).
 */
export async function insertOutboxEvents(
  tx: Transaction,
  accountId: string,
  events: readonly NewOutboxEvent[],
): Promise<string[]> {
  if (events.length === 0) return [];
  const made = events.map(({ data }) => ({ id: newId('evt'), text: stringifyExactJson(data, MOST_LISTED) }));
  noteNumbersSaid(tx, 'events', made);
  const eventIds = made.map(({ id }) => id);
  await tx.query(
    `WITH made AS (
       INSERT INTO outbox_events (event_id, account_id, type, subject, data, trace_context)
       SELECT e.event_id, $1, e.type, e.subject, e.data, $7
       FROM unnest($2::text[], $3::text[], $4::text[], $5::json[]) WITH ORDINALITY AS e (event_id, type, subject, data, n)
       ORDER BY e.n
       RETURNING event_id, type, seq
     )
     INSERT INTO webhook_events (account_id, event_id, seq) SELECT $1, event_id, seq FROM made WHERE type = ANY($6)`,
    [
      accountId,
      eventIds,
      events.map(({ type }) => type),
      events.map(({ subject }) => subject),
      made.map(({ text }) => text),
      WEBHOOK_EVENT_TYPES,
      currentTraceContext(),
    ],
  );
  return eventIds;
}

/** {@link insertOutboxEvents} of one event. */
export async function insertOutboxEvent(
  tx: Transaction,
  { accountId, ...event }: NewOutboxEvent & { accountId: string },
): Promise<string> {
  const [eventId = ''] = await insertOutboxEvents(tx, accountId, [event]);
  return eventId;
}

/** What this very transaction has published so far, in order. */
export async function listOwnEvents(tx: Transaction, accountId: string): Promise<Pick<OutboxEvent, 'type' | 'data'>[]> {
  const { rows } = await tx.query<Pick<OutboxRow, 'type' | 'data'>>(
    `SELECT type, data FROM outbox_events
     WHERE account_id = $1 AND relayed_at IS NULL AND xmin = pg_current_xact_id()::xid ORDER BY seq`,
    [accountId],
  );
  return rows;
}

/** Accounts take turns among so many of the oldest events: what one of them has in front of the others is passed by them. */
const OLDEST = 500;

/**
 * Claims events not relayed yet, until the transaction ends: the oldest of each account first, then the second of each, and so on.
 * Another relay skips them.
 */
export async function claimOutboxEvents(tx: Transaction, limit: number): Promise<OutboxEvent[]> {
  const answer = await tx.query<OutboxRow>(
    `SELECT e.event_id, e.account_id, e.type, e.subject, e.data, e.occurred_at, e.trace_context
     FROM (
       SELECT event_id, seq, row_number() OVER (PARTITION BY account_id ORDER BY seq) AS turn
       FROM (SELECT event_id, account_id, seq FROM outbox_events WHERE relayed_at IS NULL ORDER BY seq LIMIT $2) oldest
     ) waiting
     JOIN outbox_events e USING (event_id)
     WHERE e.relayed_at IS NULL
     ORDER BY waiting.turn, waiting.seq LIMIT $1 FOR UPDATE OF e SKIP LOCKED`,
    [limit, OLDEST],
  );
  return answer.rows.map(outboxEventFromRow);
}

/** Marks events as relayed: they have been published, or are on a list of their own. */
export async function updateOutboxRelayed(tx: Transaction, eventIds: string[]): Promise<void> {
  if (eventIds.length === 0) return;
  await tx.query('UPDATE outbox_events SET relayed_at = now() WHERE event_id = ANY($1)', [eventIds]);
}

function outboxEventFromRow(row: OutboxRow): OutboxEvent {
  return {
    eventId: row.event_id,
    accountId: row.account_id,
    type: row.type,
    subject: row.subject,
    data: row.data,
    occurredAt: row.occurred_at,
    traceContext: row.trace_context,
  };
}
