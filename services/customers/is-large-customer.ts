import { inReading, type Pool } from '../../sql/postgres/postgres.ts';
import { countDraftedSubscriptions } from '../../sql/postgres/subscriptions/count-live.ts';
import type { CustomerRef } from '../references.ts';

/** A draft of so many takes twice the processor time of a draft of ten: from here on it grows with them, to 300 ms for 1,000 (benchmarks). */
const LARGE = 50;

/** Whether a customer has so many live subscriptions, with those of the customers billed to it, that its draft would keep others waiting. */
export async function isLargeCustomer(postgres: Pool, { accountId, customerId }: CustomerRef): Promise<boolean> {
  return inReading(postgres, accountId, async (tx) => {
    return (await countDraftedSubscriptions(tx, accountId, customerId, LARGE)) >= LARGE;
  });
}
