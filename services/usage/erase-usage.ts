import {
  type CustomerRef,
  countUsage,
  deleteKeptCustomerAnswers,
  deleteUsage,
} from '../../sql/clickhouse/usage/erase-usage.ts';
import { findCustomer } from '../../sql/postgres/customers/customers.ts';
import { inTransaction } from '../../sql/postgres/postgres.ts';
import type { ServiceDependencies } from '../dependencies.ts';

/**
 * Erases what ClickHouse holds of a deleted customer now, and kept answers about it; how many events there were. Nothing of one who is
 * there: Postgres was restored from before the deletion, and what asked for this survived that.
 */
export async function eraseUsage(
  { postgres, clickhouse }: Pick<ServiceDependencies, 'postgres' | 'clickhouse'>,
  customer: CustomerRef,
): Promise<number> {
  const { accountId, customerId } = customer;
  if (await inTransaction(postgres, accountId, (tx) => findCustomer(tx, accountId, customerId))) return 0;
  await deleteKeptCustomerAnswers(postgres, customer);
  const { events, rollups } = await countUsage(clickhouse, customer);
  if (events + rollups > 0) await deleteUsage(clickhouse, customer);
  return events;
}
