import type { Transaction } from '../postgres.ts';

/** Whose invoices the lines of a customer (`$2`, of account `$1`) are on: its own, and those of who was billed for it. */
export const PAYERS_OF_CUSTOMER = `ARRAY(SELECT $2::text UNION SELECT o.customer_id FROM invoice_lines k
  JOIN invoices o ON o.account_id = k.account_id AND o.invoice_id = k.invoice_id WHERE k.account_id = $1 AND k.customer_id = $2)`;

/** Has a customer billed to a payer from now on; null: to itself. */
export async function updateBilledTo(
  tx: Transaction,
  accountId: string,
  customerId: string,
  payerId: string | null,
): Promise<void> {
  if (payerId === null) {
    await tx.query('DELETE FROM billed_to WHERE account_id = $1 AND customer_id = $2', [accountId, customerId]);
    return;
  }
  await tx.query(
    `INSERT INTO billed_to (account_id, customer_id, payer_id) VALUES ($1, $2, $3)
     ON CONFLICT (account_id, customer_id) DO UPDATE SET payer_id = excluded.payer_id`,
    [accountId, customerId, payerId],
  );
}

/** The customers that are billed to a payer, by id. */
export async function listBilledTo(tx: Transaction, accountId: string, payerId: string): Promise<string[]> {
  const { rows } = await tx.query<{ customer_id: string }>(
    'SELECT customer_id FROM billed_to WHERE account_id = $1 AND payer_id = $2 ORDER BY customer_id',
    [accountId, payerId],
  );
  return rows.map((row) => row.customer_id);
}
