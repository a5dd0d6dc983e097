import { type CustomerRef, countUsage, deleteKeptCustomerAnswers, deleteUsage } from '../../sql/erase-usage.ts';
import { inTransaction } from '../../sql/postgres.ts';
import type { ActivityDependencies } from './dependencies.ts';

/** How long one wait for landing lasts before the activity looks whether it has been cancelled. */
const LANDING_WAIT_MS = 1_000;

/** Erases what the usage store holds of a deleted customer now, and kept answers about it; how many events there were. */
export async function eraseUsage(
  { postgres, clickhouse }: Pick<ActivityDependencies, 'postgres' | 'clickhouse'>,
  customer: CustomerRef,
): Promise<number> {
  await inTransaction(postgres, customer.accountId, (tx) => deleteKeptCustomerAnswers(tx, customer));
  const { events, rollups } = await countUsage(clickhouse, customer);
  if (events + rollups > 0) await deleteUsage(clickhouse, customer);
  return events;
}

/** Returns when everything that the stream holds by now has landed. */
export async function waitForAcceptedUsage(
  { progress }: Pick<ActivityDependencies, 'progress'>,
  cancelled: AbortSignal,
): Promise<void> {
  const position = await progress.lastAcceptedPosition();
  while (!(await progress.waitUntilLanded(position, LANDING_WAIT_MS))) cancelled.throwIfAborted();
}
