import type { ClickHouseClient } from '@clickhouse/client';
import type { Pool, Transaction } from './postgres.ts';
import { type ParameterizedQuery, queryParameters } from './query-parameters.ts';

/** A customer of any account. */
export type CustomerRef = { accountId: string; customerId: string };

/** A mutation rewrites every part of the table that holds the customer's events: of a big one, a few minutes. */
const MUTATION_SECONDS = 600;

/** How many events of the customer are in the usage store. */
export async function countUsageEvents(clickhouse: ClickHouseClient, customer: CustomerRef): Promise<number> {
  const { where, params } = ofCustomer(customer);
  const query = `SELECT toString(count()) AS count FROM usage_events WHERE ${where}`;
  const answer = await clickhouse.query({ query, query_params: params, format: 'JSONEachRow' });
  return Number((await answer.json<{ count: string }>())[0]?.count);
}

/**
 * Erases the customer's events from the usage store, not from `usage_ids`: an old id stays a repeat (contract 4). Their
 * parts are written anew without them, so that nothing is left of them when it returns but files that the server is
 * about to drop. Repeating it does no harm.
 */
export async function deleteUsageEvents(clickhouse: ClickHouseClient, customer: CustomerRef): Promise<void> {
  const { where, params } = ofCustomer(customer);
  await clickhouse.command({
    query: `ALTER TABLE usage_events DELETE WHERE ${where}`,
    query_params: params,
    clickhouse_settings: { mutations_sync: '2', max_execution_time: MUTATION_SECONDS },
  });
}

/** Deleted customers of every account, in the order of their keys, `limit` at a time; `after` is the last one seen. */
export async function listDeletedCustomersAfter(pool: Pool, after: CustomerRef, limit: number): Promise<CustomerRef[]> {
  const answer = await pool.query<CustomerRef>(
    `SELECT account_id AS "accountId", customer_id AS "customerId" FROM customers
     WHERE deleted_at IS NOT NULL AND (account_id, customer_id) > ($1, $2)
     ORDER BY account_id, customer_id LIMIT $3`,
    [after.accountId, after.customerId, limit],
  );
  return answer.rows;
}

/** Those of `customers` who have events in the usage store: a look into the table's key for each. */
export async function findCustomersWithUsage(
  clickhouse: ClickHouseClient,
  customers: readonly CustomerRef[],
): Promise<CustomerRef[]> {
  const answer = await clickhouse.query({
    query: `SELECT DISTINCT account_id AS accountId, customer_id AS customerId FROM usage_events
            WHERE (account_id, customer_id) IN arrayZip({accounts:Array(String)}, {customers:Array(String)})`,
    query_params: {
      accounts: customers.map(({ accountId }) => accountId),
      customers: customers.map(({ customerId }) => customerId),
    },
    use_multipart_params_auto: true,
    format: 'JSONEachRow',
  });
  return answer.json<CustomerRef>();
}

/**
 * Forgets the answers kept for repeated calls that hold the customer's record: they would tell again what was erased.
 */
export async function deleteKeptCustomerAnswers(tx: Transaction, { accountId, customerId }: CustomerRef) {
  await tx.query(
    `DELETE FROM operations
     WHERE account_id = $1 AND result->'body'->>'customer_id' = $2 AND result->'body'->>'email' IS NOT NULL`,
    [accountId, customerId],
  );
}

function ofCustomer({ accountId, customerId }: CustomerRef): { where: string; params: ParameterizedQuery['params'] } {
  const { bind, params } = queryParameters();
  const [account, customer] = [bind('account_id', 'String', accountId), bind('customer_id', 'String', customerId)];
  return { where: `account_id = ${account} AND customer_id = ${customer}`, params };
}
