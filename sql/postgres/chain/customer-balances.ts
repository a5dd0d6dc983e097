import type { Bent } from '../../../billing/chain/chain.ts';
import type { Transaction } from '../postgres.ts';

type Row = { last: string | null; customer_id: string | null; field: string; stored: string; chained: string };

/**
 * Compares of the next customers behind `after`, by id, what the ledger says with what is left of their credits and with what their open and
 * uncollectible invoices have due, each currency by itself: how far that reaches (null: there are no more), and the first customer of
 * whom it is not the same. A page has the customers of the next `limit` credits, invoices and ledger transactions, and all of these that
 * its last customer has. One statement, thus of one instant: what is billed meanwhile has happened on both sides or on neither.
 */
export async function findBentBalance(
  tx: Transaction,
  accountId: string,
  after: string,
  limit: number,
): Promise<{ last: string | null; bent: Bent | null }> {
  const { rows } = await tx.query<Row>({ text: BENT_BALANCES, values: [accountId, after, limit] });
  const [first] = rows;
  if (!first?.customer_id) return { last: first?.last ?? null, bent: null };
  const fields = rows
    .filter(({ customer_id }) => customer_id === first.customer_id)
    .map(({ field, stored, chained }) => ({ field, stored, chained }));
  const bent: Bent = {
    found: 'balance_changed',
    sequence: null,
    kind: 'customer',
    recordId: first.customer_id,
    fields,
  };
  return { last: first.last, bent };
}

const idsOf = (table: string) =>
  `(SELECT customer_id FROM ${table} WHERE account_id = $1 AND customer_id > $2 ORDER BY customer_id LIMIT $3)`;

/**
 * What customers are owed is below 0 in the ledger (billing/ledger/ledger.ts). Each customer is summed by itself, each transaction's entries
 * are looked up by its id (OFFSET 0 keeps them so), whatever is known of the tables: joined they may be read whole for every page.
 */
const BENT_BALANCES = `
  WITH page AS MATERIALIZED (
    SELECT DISTINCT customer_id FROM (
      SELECT customer_id FROM (${['credits', 'invoices', 'ledger_transactions'].map(idsOf).join(' UNION ALL ')}) ids
      ORDER BY customer_id LIMIT $3
    ) next
  ), bent AS (
    SELECT page.customer_id, field, trim_scale(sum(stored)) AS stored, trim_scale(sum(chained)) AS chained
    FROM page CROSS JOIN LATERAL (
      SELECT 'customer_credits.' || currency AS field, sum(amount_remaining) AS stored, 0 AS chained
      FROM credits k WHERE k.account_id = $1 AND k.customer_id = page.customer_id GROUP BY currency
      UNION ALL
      SELECT 'accounts_receivable.' || currency, sum(amount_due), 0
      FROM invoices i WHERE i.account_id = $1 AND i.customer_id = page.customer_id AND i.status IN ('open', 'uncollectible')
      GROUP BY currency
      UNION ALL
      SELECT e.ledger_account || '.' || t.currency, 0,
        sum(CASE e.ledger_account WHEN 'customer_credits' THEN -e.amount ELSE e.amount END)
      FROM ledger_transactions t CROSS JOIN LATERAL (
        SELECT ledger_account, amount FROM ledger_entries
        WHERE account_id = $1 AND ledger_transaction_id = t.ledger_transaction_id
          AND ledger_account IN ('customer_credits', 'accounts_receivable') OFFSET 0
      ) e
      WHERE t.account_id = $1 AND t.customer_id = page.customer_id GROUP BY e.ledger_account, t.currency
    ) amounts
    GROUP BY page.customer_id, field HAVING sum(stored) <> sum(chained)
  )
  SELECT ends.last, bent.* FROM (SELECT max(customer_id) AS last FROM page) ends LEFT JOIN bent ON true
  ORDER BY bent.customer_id, bent.field LIMIT 20`;
