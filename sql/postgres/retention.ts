import { acrossAccounts, type Pool } from './postgres.ts';

/** What the records keep only for a time, and for how long: an interval of Postgres. `rows` are those that may go. */
export type Retention = { what: string; kept: string; table: string; rows: string };

/**
 * Everything else in the records is kept for ever. operations/retention.md says the same to people. The interval stands in each
 * condition as `$1`, counted by the clock of Postgres.
 */
export const RETENTIONS: readonly Retention[] = [
  {
    // Answers are found again for 24 hours (spec/api#idempotency-key).
    what: 'answers to calls with an Idempotency-Key',
    kept: '48 hours',
    table: 'operations',
    rows: 'created_at < now() - $1::interval',
  },
  {
    // Their webhook deliveries and attempts go with them; one that is still to be sent stays.
    what: 'events told to webhooks, with their deliveries',
    kept: '30 days',
    table: 'outbox_events',
    rows: `relayed_at < now() - $1::interval
      AND NOT EXISTS (SELECT FROM webhook_events w WHERE w.event_id = t.event_id)
      AND NOT EXISTS (SELECT FROM webhook_deliveries d WHERE d.event_id = t.event_id AND d.status = 'pending')`,
  },
  {
    // A processor sends an event again for at most 30 days.
    what: 'ids of events taken from payment processors',
    kept: '90 days',
    table: 'processor_events',
    rows: 'received_at < now() - $1::interval',
  },
  {
    // One is good for 10 minutes (spec/payments#processors).
    what: 'unfinished connections to a payment processor',
    kept: '1 hour',
    table: 'oauth_states',
    rows: 'created_at < now() - $1::interval',
  },
  {
    // A repeat finds its result within 60 seconds (spec/subscriptions#repeats).
    what: 'changes of subscriptions whose answer was lost',
    kept: '1 hour',
    table: 'unanswered_calls',
    rows: 'expires_at < now() - $1::interval',
  },
  {
    // None lives longer (spec/accounts#sessions).
    what: 'sessions of the console',
    kept: '12 hours',
    table: 'console_sessions',
    rows: 'created_at < now() - $1::interval',
  },
];

/** Deletes at most `limit` rows whose time is over; answers how many. Rows that somebody else works on wait for the next time. */
export async function deleteOutdated(pool: Pool, { kept, table, rows }: Retention, limit: number): Promise<number> {
  const answer = await acrossAccounts(pool, (tx) =>
    tx.query(
      `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
         SELECT t.ctid FROM ${table} t WHERE ${rows} LIMIT ${Number(limit)} FOR UPDATE SKIP LOCKED))`,
      [kept],
    ),
  );
  return answer.rowCount ?? 0;
}
