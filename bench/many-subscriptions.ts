import type { Pool } from '../sql/postgres/postgres.ts';
import type { Api, Json } from '../test/stack/api.ts';

export type Template = { accountId: string; customerId: string; subscriptionId: string };

/** A subscription made through the API; `start_date` today unless given. Its plan has a fee and bills one metric. */
export async function makeTemplate(api: Api, accountId: string, name: string, startDate?: string): Promise<Template> {
  const metric = await made(api, '/api/metrics', {
    metric_name: 'Calls',
    aggregation_type: 'count',
    event_name: 'call',
  });
  const components = [{ metric_id: metric.metric_id, overage_price: 0.01 }];
  const plan = await made(api, '/api/plans', { name, recurring_fee: 29, billing_period: 'monthly', components });
  await made(api, '/api/customers/', { customer_id: name, email: 'bench@meterbook.example' });
  const start = startDate === undefined ? {} : { start_date: startDate };
  const body = { customer_id: name, plan_id: plan.plan_id, ...start };
  const subscription = await made(api, '/api/subscriptions', body);
  return { accountId, customerId: name, subscriptionId: String(subscription.subscription_id) };
}

/**
 * `count` copies of a subscription, each of a customer of its own, put straight into Postgres: through the API it would
 * take minutes. Their workflows are for the reconcile sweep to start.
 */
export async function copySubscriptions(postgres: Pool, template: Template, count: number): Promise<void> {
  const { accountId, customerId, subscriptionId } = template;
  const tables = [
    ['customers', 'customer_id', customerId],
    ['subscriptions', 'subscription_id', subscriptionId],
    ['periods', 'subscription_id', subscriptionId],
  ] as const;
  for (const [table, key, id] of tables) {
    await postgres.query(
      `INSERT INTO ${table} OVERRIDING USER VALUE
       SELECT (jsonb_populate_record(t, jsonb_build_object(
         'customer_id', $3 || '-' || i, 'subscription_id', $4 || lpad(i::text, 6, '0')))).*
       FROM ${table} t, generate_series(1, $5::integer) AS i WHERE t.account_id = $1 AND t.${key} = $2`,
      [accountId, id, customerId, subscriptionId, count],
    );
  }
}

/** `count` copies of a plan and of its subscription, all of the same customer, put straight into Postgres. */
export async function copyPlan(
  postgres: Pool,
  accountId: string,
  { planId, subscriptionId }: { planId: string; subscriptionId: string },
  count: number,
): Promise<void> {
  const versions = `(SELECT version_id FROM plan_versions WHERE account_id = $1 AND plan_id = $2)`;
  const tables = [
    ['plans', 'plan_id = $2'],
    ['plan_versions', 'plan_id = $2'],
    ['plan_components', `version_id IN ${versions}`],
    ['subscriptions', 'subscription_id = $3'],
    ['periods', 'subscription_id = $3'],
  ] as const;
  for (const [table, condition] of tables) {
    await postgres.query(
      `INSERT INTO ${table} OVERRIDING USER VALUE
       SELECT (jsonb_populate_record(t, jsonb_strip_nulls(jsonb_build_object(
         'plan_id', to_jsonb(t) ->> 'plan_id' || '-' || i, 'version_id', to_jsonb(t) ->> 'version_id' || '-' || i,
         'component_id', to_jsonb(t) ->> 'component_id' || '-' || i,
         'subscription_id', to_jsonb(t) ->> 'subscription_id' || '-' || lpad(i::text, 6, '0'))))).*
       FROM ${table} t, generate_series(1, $4::integer) AS i
       WHERE t.account_id = $1 AND t.${condition} AND $2 <> $3`,
      [accountId, planId, subscriptionId, count],
    );
  }
}

/** Makes a record through the API. Throws where it is refused. */
export async function made(api: Api, path: string, body: object): Promise<Json> {
  const answer = await api.post(path, body);
  if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  return answer.body;
}
