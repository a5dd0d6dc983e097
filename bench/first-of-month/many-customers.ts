import type { Pool } from '../../sql/postgres/postgres.ts';
import type { Api } from '../../test/stack/api.ts';
import { copyPlan, made } from '../many-subscriptions.ts';

/** Subscriptions of each customer, each to a plan of its own. */
export const SUBSCRIPTIONS_EACH = 10;

/** Segments of Postgres' log, of 16 MB, as many as it keeps (`min_wal_size`). */
const LOG_SEGMENTS = 60;

/** One metric of each kind, and a plan for each, which are copied. */
const METRICS = [
  { metric_name: 'Calls', aggregation_type: 'count', event_name: 'api_call' },
  { metric_name: 'Tokens', aggregation_type: 'sum', property_name: 'tokens', event_name: 'api_call' },
];

/** A customer that is copied, and so are its subscriptions: they have begun yesterday, and end in a month. */
export type CustomerTemplate = { accountId: string; customerId: string };

/** Made through the API, but for most plans, which are copies. */
export async function makeCustomerTemplate(
  { api, postgres, accountId }: { api: Api; postgres: Pool; accountId: string },
  startDate: string,
): Promise<CustomerTemplate> {
  const customerId = 'template';
  await made(api, '/api/customers/', { customer_id: customerId, email: 'bench@meterbook.example' });
  for (const metric of METRICS) {
    const { metric_id } = await made(api, '/api/metrics', metric);
    const components = [{ metric_id, overage_price: 0.01 }];
    const plan = { name: metric.metric_name, recurring_fee: 29, billing_period: 'monthly', components };
    const planId = String((await made(api, '/api/plans', plan)).plan_id);
    const body = { customer_id: customerId, plan_id: planId, start_date: startDate };
    const subscriptionId = String((await made(api, '/api/subscriptions', body)).subscription_id);
    const copies = SUBSCRIPTIONS_EACH / METRICS.length - 1;
    await copyPlan(postgres, accountId, { planId, subscriptionId }, copies);
  }
  return { accountId, customerId };
}

/** The customers of a burst, by their number. */
export const customerOf = (burst: string, i: number) => `${burst}-${i}`;

/**
 * `count` copies of the customer with its subscriptions, whose periods end at one instant: put straight into Postgres, since they
 * would take minutes through the API, and no call has a period end at the next full minute. Their workflows are for the sweep to start.
 */
export async function copyCustomers(
  postgres: Pool,
  { accountId, customerId }: CustomerTemplate,
  burst: string,
  { count, endsAt }: { count: number; endsAt: Date },
): Promise<void> {
  const own = 'SELECT subscription_id FROM subscriptions WHERE account_id = $1 AND customer_id = $2';
  const tables = [
    ['customers', 'customer_id = $2', 'NULL'],
    ['subscriptions', 'customer_id = $2', 'NULL'],
    ['periods', `subscription_id IN (${own})`, '$5::timestamptz'],
  ] as const;
  for (const [table, condition, ends] of tables) {
    // The number of the customer comes last: in the order of ids, in which they are started, a customer's are far from one another.
    await postgres.query(
      `INSERT INTO ${table} OVERRIDING USER VALUE
       SELECT (jsonb_populate_record(t, jsonb_strip_nulls(jsonb_build_object(
         'customer_id', $3 || '-' || i,
         'subscription_id', to_jsonb(t) ->> 'subscription_id' || '-' || $3 || '-' || lpad(i::text, 6, '0'),
         'ends_at', ${ends})))).*
       FROM ${table} t, generate_series(0, $4::integer - 1) AS i
       WHERE t.account_id = $1 AND t.${condition} AND $5::timestamptz IS NOT NULL`,
      [accountId, customerId, burst, count, endsAt.toISOString()],
    );
  }
  // As autovacuum has done soon after: what was just copied has no statistics.
  await postgres.query('ANALYZE');
  // As a Postgres that has had such a month has them: segments of its log that it uses again. To fill a new one with zeros takes 20 ms, which
  // whoever commits waits for.
  for (let n = 0; n < LOG_SEGMENTS; n++)
    await postgres.query(`SELECT pg_switch_wal() FROM pg_logical_emit_message(true, 'bench', '')`);
  await postgres.query('CHECKPOINT');
}
