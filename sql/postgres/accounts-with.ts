/**
 * Returns the recursive query `accounts_waiting (id)`: the accounts that have rows in a queue, found one after another in its index,
 * and a null at the end. `queue` is a table with a condition.
 */
export function accountsWith(queue: `${string} WHERE ${string}`): string {
  return `accounts_waiting AS (
    (SELECT account_id AS id FROM ${queue} ORDER BY 1 LIMIT 1)
    UNION ALL
    SELECT (SELECT account_id FROM ${queue} AND account_id > accounts_waiting.id ORDER BY 1 LIMIT 1)
    FROM accounts_waiting WHERE accounts_waiting.id IS NOT NULL
  )`;
}
