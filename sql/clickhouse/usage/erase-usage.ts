import type { ClickHouseClient } from '@clickhouse/client';
import { acrossAccounts, type Pool } from '../../postgres/postgres.ts';
import { askRows } from '../clickhouse.ts';
import { type Bind, IDS_A_LIST, inParts, type ParameterizedQuery, queryParameters } from '../query-parameters.ts';
import { EVENTS_COPY, isCopied } from './repartition-usage.ts';

/** A customer of any account. */
export type CustomerRef = { accountId: string; customerId: string };

/** Where a customer's usage is; events first, as rollups are made of them. */
const TABLES = ['usage_events', 'usage_rollups', 'usage_texts', 'usage_book_rollups', 'usage_book_spans'];

/** A mutation rewrites every part of the table that holds the customer's events: of a big one, a few minutes. */
const MUTATION_SECONDS = 600;

/** How much ClickHouse holds of the customer: events, and rows that were counted of them beforehand. */
export async function countUsage(
  clickhouse: ClickHouseClient,
  customer: CustomerRef,
): Promise<{ events: number; rollups: number }> {
  const { where, params } = ofCustomers([customer]);
  const [events, ...rollups] = TABLES.map((table) => `(SELECT count() FROM ${table} WHERE ${where})`);
  const query = `SELECT ${events} AS events, ${rollups.join(' + ')} AS rollups`;
  const answer = await clickhouse.query({ query, query_params: params, format: 'JSONEachRow' });
  const [row] = await answer.json<{ events: string; rollups: string }>();
  return { events: Number(row?.events), rollups: Number(row?.rollups) };
}

/**
 * Erases the usage of these customers, some dozens at most, from ClickHouse, not from `usage_ids`: an old id stays a repeat
 * (spec/events#repeats). Their parts are written anew without them, so that nothing is left of them when it returns but files that the
 * server is about to drop. Repeating it does no harm.
 */
export async function deleteUsage(clickhouse: ClickHouseClient, ...customers: CustomerRef[]): Promise<void> {
  const { where, params } = ofCustomers(customers);
  for (const table of [...TABLES, ...((await isCopied(clickhouse)) ? [EVENTS_COPY] : [])]) {
    await clickhouse.command({
      query: `ALTER TABLE ${table} DELETE WHERE ${where}`,
      query_params: params,
      clickhouse_settings: { mutations_sync: '2', max_execution_time: MUTATION_SECONDS },
    });
  }
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

/** Those of `customers` who have usage in ClickHouse: a look into the tables' keys for each. */
export async function findCustomersWithUsage(
  clickhouse: ClickHouseClient,
  customers: readonly CustomerRef[],
): Promise<CustomerRef[]> {
  const { bind, params } = queryParameters();
  const where = isOfCustomers(customers, bind);
  const sql = TABLES.map(
    (table) => `SELECT DISTINCT account_id AS accountId, customer_id AS customerId FROM ${table} WHERE ${where}`,
  ).join(' UNION DISTINCT ');
  return askRows<CustomerRef>(clickhouse, { sql, params });
}

/** SQL: a row is of one of these customers, who travel in as many lists as ClickHouse wants them in. */
export function isOfCustomers(customers: readonly CustomerRef[], bind: Bind): string {
  const lists = inParts(customers, IDS_A_LIST).map((some) => {
    const [accounts, ids] = [some.map(({ accountId }) => accountId), some.map(({ customerId }) => customerId)];
    const pairs = `arrayZip(${bind('accounts', 'Array(String)', accounts)}, ${bind('customers', 'Array(String)', ids)})`;
    return `(account_id, customer_id) IN ${pairs}`;
  });
  return `(${lists.join(' OR ') || 'false'})`;
}

/**
 * Forgets the answers kept for repeated calls that hold the customer's record: they would tell again what was erased.
 */
export async function deleteKeptCustomerAnswers(pool: Pool, { accountId, customerId }: CustomerRef) {
  // Past row-level security, under which no index over what is within an answer may be used.
  await acrossAccounts(pool, (tx) =>
    tx.query(
      `DELETE FROM operations
       WHERE account_id = $1 AND result->'body'->>'customer_id' = $2 AND result->'body'->>'email' IS NOT NULL`,
      [accountId, customerId],
    ),
  );
}

function ofCustomers(customers: readonly CustomerRef[]): { where: string; params: ParameterizedQuery['params'] } {
  const { bind, params } = queryParameters();
  const each = customers.map(({ accountId, customerId }) => {
    const [account, customer] = [bind('account_id', 'String', accountId), bind('customer_id', 'String', customerId)];
    return `(account_id = ${account} AND customer_id = ${customer})`;
  });
  return { where: each.join(' OR '), params };
}
