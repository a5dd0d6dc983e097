import type { Pool, Transaction } from '../../sql/postgres/postgres.ts';
import { type Api, itemsOf, type Json } from './api.ts';
import { waitUntil } from './wait-until.ts';

/** The record of each kind that the others are copies of: its id, by the name that this has in paths. */
export type ListedIds = Record<string, string>;

/** Nobody listens there: what is told to it fails, which is a delivery too. */
const NOWHERE = 'http://127.0.0.1:9/';

/** One record of every kind that is listed, made through the API. */
export async function makeListedRecords(api: Api): Promise<ListedIds> {
  const make = async (path: string, body: object): Promise<Record<string, Json | undefined>> => {
    const answer = await api.post(path, body);
    if (answer.status > 201) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  };
  const firstOf = async (path: string, id: string) => {
    const isListed = (list: Json) => Number(list.count) > 0;
    const list = await waitUntil(async () => (await api.get(path)).body, isListed);
    return String(itemsOf(list.results)[0]?.[id]);
  };
  const { webhook_endpoint_id } = await make('/api/webhooks', { name: 'Deaf', webhook_url: NOWHERE });
  await make(`/api/webhooks/${webhook_endpoint_id}/test`, {});
  const delivery_id = await firstOf(`/api/webhooks/${webhook_endpoint_id}/deliveries`, 'delivery_id');
  const { test_clock_id } = await make('/api/test-clocks', { frozen_time: '2026-01-01T00:00:00Z' });
  const metric = { metric_name: 'Calls', aggregation_type: 'count', event_name: 'call', is_cost_metric: true };
  const { metric_id } = await make('/api/metrics', { ...metric, unit_cost: 0.01 });
  const terms = { recurring_fee: 29, billing_period: 'annual', charge_timing: 'in_advance' };
  const components = [{ metric_id, overage_price: 0.01 }];
  const { plan_id } = await make('/api/plans', { name: 'Starter', ...terms, components });
  const { addon_id } = await make('/api/addons', { name: 'Seats', kind: 'quantity', price: 5 });
  const { coupon_id } = await make('/api/coupons', { name: 'Offer', percent_off: 5, duration: 'forever' });
  const { customer_id } = await make('/api/customers/', { customer_id: 'acme', email: 'bench@meterbook.example' });
  const { subscription_id } = await make('/api/subscriptions', { customer_id, plan_id });
  await make(`/api/subscriptions/${subscription_id}/discounts`, { coupon_id });
  const invoice_id = await firstOf(`/api/invoices?subscription_id=${subscription_id}`, 'invoice_id');
  await make(`/api/invoices/${invoice_id}/mark_paid`, { reference: 'bank-1' });
  const { refund_id } = await make('/api/refunds', { invoice_id, amount: 1, method: 'bank_transfer' });
  const { credit_id } = await make('/api/credits', { customer_id, amount: 1 });
  await make(`/api/customers/${customer_id}/portal_link`, {});
  const ids = { webhook_endpoint_id, delivery_id, test_clock_id, metric_id, plan_id, addon_id, customer_id };
  const made = { ...ids, subscription_id, invoice_id, refund_id, credit_id };
  return Object.fromEntries(Object.entries(made).map(([name, id]) => [name, String(id)]));
}

/** One in a thousand. */
const RARE = 'i % 1000 = 0';
/** Another one in a thousand. */
const RARE_TOO = 'i % 1000 = 500';
/** Half of the records are the first customer's, of the others each has another one. */
const OF_SOME_CUSTOMER = "CASE WHEN i % 2 = 0 THEN t.customer_id ELSE 'customer-' || i END";

/** Unique in the whole table, not only in the account. */
const EVENT_ID = "'event-' || t.account_id || i";

/** A table with what tells its `i`th copy from the row `t` that is copied: columns, and SQL for each. */
const COPIES: readonly (readonly [table: string, copy: Record<string, string>])[] = [
  ['customers', { customer_id: "'customer-' || i", customer_name: "'Customer ' || i" }],
  // Revoked: every process holds those that live.
  ['api_keys', { key_id: "'key-' || i", key_hash: 'i || t.key_hash', revoked_at: 'now()' }],
  ['test_clocks', { test_clock_id: "'clock-' || i" }],
  ['metrics', { metric_id: "'metric-' || i", is_cost_metric: RARE }],
  ['addons', { addon_id: "'addon-' || i" }],
  ['coupons', { coupon_id: "'coupon-' || i", status: `CASE WHEN ${RARE} THEN 'archived' ELSE t.status END` }],
  ['plans', { plan_id: "'plan-' || i" }],
  ['plan_versions', { plan_id: "'plan-' || i", version_id: "'of-plan-' || i" }],
  [
    'plan_components',
    { version_id: "'of-plan-' || i", component_id: "'component-' || i", metric_id: "'metric-' || i" },
  ],
  ['plan_versions', { version: 'i + 1', version_id: "'version-' || i" }],
  // Ended: the reconcile sweep would start a workflow for each that lives.
  [
    'subscriptions',
    {
      subscription_id: "'subscription-' || i",
      customer_id: OF_SOME_CUSTOMER,
      plan_id: `CASE WHEN ${RARE} THEN 'plan-' || i ELSE t.plan_id END`,
      status: `CASE WHEN ${RARE} THEN 'expired' ELSE 'canceled' END`,
      canceled_at: 'now()',
      cancel_reason: `CASE WHEN ${RARE} THEN 'expired' ELSE 'canceled' END`,
    },
  ],
  [
    'discounts',
    {
      discount_id: "'discount-' || i",
      subscription_id: "'subscription-' || i",
      holders: "ARRAY['subscription-' || i]",
      customer_id: OF_SOME_CUSTOMER,
    },
  ],
  ['periods', { subscription_id: "'subscription-' || i", closed_at: 'now()' }],
  [
    'invoices',
    {
      invoice_id: "'invoice-' || i",
      invoice_number: "'N-' || i",
      subscription_id: "'subscription-' || i",
      customer_id: OF_SOME_CUSTOMER,
      status: `CASE WHEN ${RARE} THEN 'uncollectible' WHEN ${RARE_TOO} THEN 'open' ELSE t.status END`,
      amount_due: `CASE WHEN ${RARE} THEN 1000 + i ELSE t.amount_due END`,
      kind: `CASE WHEN ${RARE} THEN 'manual' ELSE 'period' END`,
      // A hundred a day; the oldest are of January 2020.
      issue_date: "date '2020-01-01' + i::integer / 100",
      due_date: "date '2020-01-31' + i::integer / 100",
    },
  ],
  [
    'invoice_lines',
    { invoice_id: "'invoice-' || i", line_id: "'line-' || i", subscription_id: "'subscription-' || i" },
  ],
  // One in a thousand is of an earlier release.
  [
    'invoice_terms',
    { invoice_id: `CASE WHEN ${RARE} THEN 'none-' || i ELSE 'invoice-' || i END`, period_id: "'period-' || i" },
  ],
  ['charges', { invoice_id: "'invoice-' || i", terms_of: "'invoice-' || i", period_id: "'period-' || i" }],
  ['charge_reversals', { source_id: "'refund-' || i", invoice_id: "'invoice-' || i" }],
  ['payments', { invoice_id: "'invoice-' || i", payment_id: "'payment-' || i" }],
  [
    'credits',
    {
      credit_id: "'credit-' || i",
      customer_id: OF_SOME_CUSTOMER,
      voided_at: `CASE WHEN ${RARE} THEN now() END`,
      amount_remaining: `CASE WHEN i % 3 = 1 OR ${RARE} THEN 0 ELSE t.amount END`,
      expires_at: 'CASE WHEN i % 3 = 2 THEN current_date - 365 END',
    },
  ],
  [
    'refunds',
    {
      refund_id: "'refund-' || i",
      invoice_id: "'invoice-' || i",
      customer_id: OF_SOME_CUSTOMER,
      processor_refund_id: "'re-' || i",
      status: `CASE WHEN ${RARE} THEN 'failed' ELSE t.status END`,
    },
  ],
  ['ledger_transactions', { ledger_transaction_id: "'ledger-' || i" }],
  ['ledger_entries', { ledger_transaction_id: "'ledger-' || i" }],
  ['chain_entries', { sequence: '2000000 + i', record_id: "'invoice-' || i" }],
  ['webhook_endpoints', { webhook_endpoint_id: "t.webhook_endpoint_id || '-' || i" }],
  ['outbox_events', { event_id: EVENT_ID, relayed_at: 'now()' }],
  [
    'webhook_deliveries',
    {
      delivery_id: "'delivery-' || i",
      event_id: EVENT_ID,
      stage: 'NULL',
      next_attempt_at: 'NULL',
      status: `CASE WHEN ${RARE} THEN 'failed' ELSE 'succeeded' END`,
    },
  ],
  ['webhook_attempts', { delivery_id: "'delivery-' || i" }],
  ['parity_differences', { invoice_id: "'invoice-' || i" }],
  ['payment_attempts', { attempt_id: "'attempt-' || i", invoice_id: "'invoice-' || i", reference: "'charge-' || i" }],
  ['past_due_waits', { invoice_id: "'invoice-' || i" }],
  ['due_steps', { subject: "'subscription/subscription-' || i" }],
  ['processor_events', { event_id: "'event-' || i" }],
  ['operations', { operation_id: "'operation-' || i" }],
  ['portal_links', { portal_link_id: "'link-' || t.account_id || i", customer_id: OF_SOME_CUSTOMER }],
  [
    'audit_entries',
    {
      audit_id: "'audit-' || i",
      at: "timestamptz '2020-01-01' + i * interval '1 second'",
      actor_type: `CASE WHEN ${RARE} THEN 'key' ELSE t.actor_type END`,
      key_id: `CASE WHEN ${RARE} THEN 'key-' || i ELSE t.key_id END`,
      action: `CASE WHEN ${RARE} THEN 'customer.updated' ELSE t.action END`,
      resource_id: "'customer-' || i",
      customer_id: OF_SOME_CUSTOMER,
    },
  ],
];

/** The first of what the API makes only together with others: for the account `$1`. */
const FIRST_ONES = [
  `INSERT INTO parity_differences (account_id, invoice_id, line_id, field, billed, recomputed)
   SELECT account_id, invoice_id, '', 'total', 1, 2 FROM invoices WHERE account_id = $1`,
  `INSERT INTO payment_attempts (account_id, attempt_id, invoice_id, provider, payer, payment_method, amount, currency, origin,
     status, reference, created_at, settled_at)
   SELECT account_id, 'attempt', invoice_id, 'stripe', 'payer', 'card', 29, 'USD', 'due', 'succeeded', 'charge', now(), now()
   FROM invoices WHERE account_id = $1`,
  `INSERT INTO past_due_waits (account_id, invoice_id, due_at)
   SELECT account_id, invoice_id, now() + interval '30 days' FROM invoices WHERE account_id = $1 ON CONFLICT DO NOTHING`,
  `INSERT INTO due_steps (account_id, test_clock_id, subject, kind, due_at, rank)
   SELECT account_id, test_clock_id, 'subscription/none', 'close_period', now() + interval '30 days', 1
   FROM test_clocks WHERE account_id = $1`,
  `INSERT INTO processor_events (account_id, provider, event_id, type, received_at) VALUES ($1, 'stripe', 'event', 'x', now())`,
  // Above those that the worker makes meanwhile.
  `INSERT INTO chain_entries (account_id, sequence, kind, record_id, content, chained_at, chain_hash)
   VALUES ($1, 1000000, 'invoice', 'invoice', '{}', now(), '')`,
  `INSERT INTO operations (account_id, operation_id, result)
   VALUES ($1, 'operation', '{"status": 201, "body": {"customer_id": "acme", "email": "a@acme.example"}}')`,
];

/**
 * Puts `count` copies of an account's records straight into the records, of every kind that is listed; through the API it would
 * take days. Triggers and foreign keys are off meanwhile: what they would check holds, or is nothing that a list shows.
 * `newest`: tables of which only so many of the newest copies are made.
 */
export async function copyListedRecords(
  postgres: Pool,
  accountId: string,
  count: number,
  newest: Readonly<Record<string, number>> = {},
): Promise<void> {
  for (const text of FIRST_ONES) await inReplica(postgres, (client) => client.query(text, [accountId]));
  const waiting = [...COPIES];
  const lane = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [table, copy] = next;
      const first = Math.max(0, count - (newest[table] ?? count)) + 1;
      await inReplica(postgres, async (client) => {
        const columns = await columnsOf(client, table);
        const values = columns.map((column) => copy[column] ?? `t.${column}`);
        const { rowCount } = await patiently(
          client,
          `INSERT INTO ${table} (${columns.join(', ')}) SELECT ${values.join(', ')}
           FROM (SELECT * FROM ${table} WHERE account_id = '${accountId}' ${originalOf(table)}) t,
             generate_series(${first}, ${count}) AS i`,
        );
        // Else whatever reads it would read few rows.
        if (!rowCount) throw new Error(`There is no row in ${table} to copy.`);
        await patiently(client, `VACUUM ANALYZE ${table}`);
      });
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  await inReplica(postgres, (client) => patiently(client, 'CALL fill_customer_words()'));
  await inReplica(postgres, (client) => patiently(client, 'ANALYZE'));
}

/** Lays all rows of an account beside those that another database of the same schema has, once none of its events waits for webhooks. */
export async function takeAccountOver(from: Pool, to: Pool, accountId: string): Promise<void> {
  const waiting = () => from.query('SELECT FROM webhook_events WHERE account_id = $1', [accountId]);
  await waitUntil(waiting, ({ rowCount }) => rowCount === 0);
  const { rows: tables } = await from.query<{ name: string }>(
    `SELECT c.table_name AS name FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
     WHERE table_schema = 'public' AND column_name = 'account_id' AND table_type = 'BASE TABLE'`,
  );
  await inReplica(to, async (client) => {
    for (const { name } of tables) {
      const columns = (await columnsOf(client, name)).join(', ');
      const text = `SELECT coalesce(json_agg(t ORDER BY ctid), '[]')::text AS rows FROM ${name} t WHERE account_id = $1`;
      const { rows } = await from.query<{ rows: string }>(text, [accountId]);
      await client.query(
        `INSERT INTO ${name} (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::${name}, $1::json)`,
        [rows[0]?.rows],
      );
    }
  });
}

/** Tables that are filled at once. */
const LANES = 4;

async function inReplica(postgres: Pool, work: (client: Transaction) => Promise<unknown>): Promise<void> {
  const client = await postgres.connect();
  try {
    await client.query('SET session_replication_role = replica; SET statement_timeout = 0');
    await work(client);
  } finally {
    client.release(true);
  }
}

function patiently(client: Transaction, text: string) {
  return client.query({ text, query_timeout: PATIENCE_MS } as { text: string });
}

const PATIENCE_MS = 3_600_000;

async function columnsOf(client: Transaction, table: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT column_name AS name FROM information_schema.columns
     WHERE table_schema = 'public' AND table_name = $1 AND is_identity = 'NO'`,
    [table],
  );
  return rows.map(({ name }) => name);
}

/** The row that is copied; of a ledger transaction all entries. */
function originalOf(table: string): string {
  if (table !== 'ledger_entries') return 'ORDER BY ctid LIMIT 1';
  return 'AND ledger_transaction_id = (SELECT max(ledger_transaction_id) FROM ledger_entries)';
}
