import { systemClock } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log.ts';
import type { Pool } from '../../sql/postgres/postgres.ts';
import { connectStream } from '../../stream/connection.ts';
import { followProgress } from '../../stream/progress.ts';
import { loadUsageStream } from '../../stream/streams.ts';
import { usageSubject } from '../../stream/subjects.ts';
import { encodeUsageMessage } from '../../stream/usage-message.ts';
import { encodeUsageEvent } from '../../stream/usage-row.ts';
import { copyListedRecords } from '../../test/stack/many-records.ts';

/** Customers in the account, copied of the one that pages are about. */
const CUSTOMERS = 10_000;
/** Invoices, subscriptions and all that hangs on them. */
export const INVOICES = 20_000;
/** What people make by hand. */
const CATALOG = 200;
const FEWER = {
  customers: CUSTOMERS,
  plans: CATALOG,
  plan_versions: CATALOG,
  plan_components: CATALOG,
  metrics: CATALOG,
  addons: CATALOG,
  test_clocks: CATALOG,
  api_keys: CATALOG,
  // Each event would be told to every endpoint.
  webhook_endpoints: 20,
  // Work of other processes.
  payment_attempts: 0,
  past_due_waits: 0,
  due_steps: 0,
  processor_events: 0,
  operations: 0,
};

/** Whose copies are given out: two of each to every customer, but one in a hundred to the one that pages are about. */
const OF_CUSTOMERS = {
  subscriptions: 'subscription_id',
  discounts: 'discount_id',
  invoices: 'invoice_id',
  credits: 'credit_id',
  refunds: 'refund_id',
  audit_entries: 'audit_id',
};
/** The number in the id of a copy. */
const numberIn = (id: string) => `substring(${id} FROM '-([0-9]+)$')::integer`;

/**
 * Copies the account's records. Every customer has then a subscription that lives and one that has ended. The worker must
 * stand still by then: it would start a workflow for each.
 */
export async function fillRecords(postgres: Pool, accountId: string, customerId: string): Promise<void> {
  await copyListedRecords(postgres, accountId, INVOICES, FEWER);
  const statements = [
    ...Object.entries(OF_CUSTOMERS).map(
      ([table, id]) =>
        `UPDATE ${table} SET customer_id = CASE WHEN ${numberIn(id)} % 100 = 0 THEN $2
           ELSE 'customer-' || ${INVOICES - CUSTOMERS + 1} + ${numberIn(id)} % ${CUSTOMERS} END
         WHERE account_id = $1 AND ${id} ~ '-[0-9]+$'`,
    ),
    `UPDATE subscriptions s SET status = o.status, canceled_at = o.canceled_at, cancel_reason = o.cancel_reason
     FROM (SELECT * FROM subscriptions WHERE account_id = $1 AND customer_id = $2 ORDER BY seq LIMIT 1) o
     WHERE s.account_id = $1 AND s.customer_id <> $2 AND ${numberIn('s.subscription_id')} > ${INVOICES - CUSTOMERS}`,
    // An event counts for a few metrics.
    `UPDATE metrics SET event_name = metric_id WHERE account_id = $1 AND $2 <> '' AND ${numberIn('metric_id')} % 40 <> 0`,
  ];
  const client = await postgres.connect();
  await client.query('SET session_replication_role = replica; SET statement_timeout = 0');
  for (const text of statements) await client.query(text, [accountId, customerId]);
  await client.query('VACUUM ANALYZE');
  client.release(true);
}

const GROUP = 500;
const DAY_MS = 86_400_000;
const LANDED_MS = 600_000;

/** Sends `count` events of the last 30 days straight to the stream, one in a hundred of `customerId`, and waits until they have landed. */
export async function fillEvents(
  natsUrl: string,
  { accountId, customerId, count, log }: { accountId: string; customerId: string; count: number; log: Log },
): Promise<void> {
  const connection = await connectStream(natsUrl, 'bench', log);
  try {
    const { partitions } = await loadUsageStream(connection.jsm);
    if (partitions !== 1) throw new Error('This bench sends to one partition.');
    const now = Date.now();
    for (let at = 0; at < count; at += GROUP) {
      const events = Array.from({ length: Math.min(GROUP, count - at) }, (_, k) => {
        const i = at + k;
        return encodeUsageEvent({
          ...{ accountId, customerId: i % 100 === 0 ? customerId : `customer-${INVOICES - (i % CUSTOMERS)}` },
          ...{ eventName: 'call', timeCreated: now - ((i * 7_919) % (30 * DAY_MS)), receivedAt: now },
          ...{ idempotencyId: `bench-${i}`, numbers: { tokens: `${i % 1_000}.25` } },
          ...{ strings: { model: `m${i % 5}` }, booleans: {} },
        });
      });
      await connection.js.publish(usageSubject(0), encodeUsageMessage(events));
    }
    const progress = await followProgress(connection, systemClock);
    const isLanded = await progress.waitUntilLanded(await progress.lastAcceptedPosition(), LANDED_MS);
    progress.close();
    if (!isLanded) throw new Error('The events have not landed in time.');
  } finally {
    await connection.close();
  }
}
