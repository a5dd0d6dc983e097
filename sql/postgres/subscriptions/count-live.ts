import { firstRow, type Transaction } from '../postgres.ts';

/** How many live subscriptions a customer's draft is of, its own and those of the customers billed to it; `most` where they are more. */
export async function countDraftedSubscriptions(
  tx: Transaction,
  accountId: string,
  customerId: string,
  most: number,
): Promise<number> {
  const answer = await tx.query<{ count: number }>(
    `SELECT count(*)::integer AS count FROM (
       SELECT FROM subscriptions
       WHERE account_id = $1 AND status IN ('pending', 'active', 'paused') AND customer_id = ANY(ARRAY(
         SELECT $2 UNION ALL SELECT customer_id FROM billed_to WHERE account_id = $1 AND payer_id = $2
       ))
       LIMIT $3
     ) AS live`,
    [accountId, customerId, most],
  );
  return firstRow(answer)?.count ?? 0;
}
