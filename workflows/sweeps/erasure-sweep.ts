import type { ClickHouseClient } from '@clickhouse/client';
import {
  type CustomerRef,
  findCustomersWithUsage,
  listDeletedCustomersAfter,
} from '../../sql/clickhouse/usage/erase-usage.ts';
import type { Pool } from '../../sql/postgres/postgres.ts';
import type { WorkflowClient } from '../client.ts';

/** Deleted customers looked for in one question. */
const PAGE_SIZE = 1_000;

/**
 * Starts the erasure of every deleted customer who has usage: sent after the deletion, or left by an erasure that was lost.
 * Their number. Nothing has to be remembered for it, so however late an event lands, it is erased (spec/customers#deletion).
 */
export async function sweepErasuresOnce(stores: {
  postgres: Pool;
  clickhouse: ClickHouseClient;
  workflows: Pick<WorkflowClient, 'startErasure'>;
}): Promise<number> {
  let found = 0;
  let last: CustomerRef | undefined;
  do {
    const page = await listDeletedCustomersAfter(stores.postgres, last ?? { accountId: '', customerId: '' }, PAGE_SIZE);
    const left = page.length === 0 ? [] : await findCustomersWithUsage(stores.clickhouse, page);
    for (const customer of left) await stores.workflows.startErasure(customer);
    found += left.length;
    last = page.at(-1);
  } while (last !== undefined);
  return found;
}
