import {
  type CustomerRef,
  countUsage,
  deleteKeptCustomerAnswers,
  deleteUsage,
} from '../../sql/clickhouse/usage/erase-usage.ts';
import type { ServiceDependencies } from '../dependencies.ts';

/** Erases what ClickHouse holds of a deleted customer now, and kept answers about it; how many events there were. */
export async function eraseUsage(
  { postgres, clickhouse }: Pick<ServiceDependencies, 'postgres' | 'clickhouse'>,
  customer: CustomerRef,
): Promise<number> {
  await deleteKeptCustomerAnswers(postgres, customer);
  const { events, rollups } = await countUsage(clickhouse, customer);
  if (events + rollups > 0) await deleteUsage(clickhouse, customer);
  return events;
}
