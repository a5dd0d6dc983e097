import { askPlanned, type Condition, conditionTexts } from '../page-window.ts';
import type { Transaction } from '../postgres.ts';

/** A word that more customers have is looked for in one customer after another: to collect and sort them all takes longer. */
const COLLECTED = 100_000;

/** So many words of a search are looked at for the one that fewest customers have. */
const WEIGHED = 5;

/** Above all that begins as the word does: no character comes after this one. */
const HIGHEST = 'chr(1114111)';

/**
 * What holds of customers `c` of which each word of `search` begins a word of id, name or email (migration 0109). The
 * word that fewest have leads, unless they are very many: then the list is walked until the page is full.
 */
export async function whereWords(
  tx: Transaction,
  accountId: string,
  search: string,
  mostCollected = COLLECTED,
): Promise<Condition[]> {
  const { rows: words } = await askPlanned<{ word: string; count: string }>(
    tx,
    `SELECT word, CASE WHEN row_number() OVER (ORDER BY length(word) DESC) <= ${WEIGHED} THEN (
       SELECT count(*) FROM (SELECT FROM customer_words w
         WHERE w.account_id = $1 AND w.word >= asked.word AND w.word < asked.word || ${HIGHEST} LIMIT $3) found
     ) END AS count
     FROM search_words($2) AS asked (word) ORDER BY count`,
    [accountId, search, mostCollected + 1],
  );
  const [rarest, ...others] = words;
  if (rarest === undefined) return [['false']];
  const isFew = Number(rarest.count) <= mostCollected;
  // An array: a join may be planned as if there were hardly any customers, and read all words for each of them.
  const leads = `c.seq = ANY (ARRAY(SELECT w.seq FROM customer_words w WHERE w.account_id = $1 AND ${begins('?')}))`;
  const holds = `(SELECT true FROM customer_words w WHERE w.account_id = $1 AND w.seq = c.seq AND ${begins('?')} LIMIT 1)`;
  const asked = ({ word }: { word: string }, sql: string): Condition => [sql, word, word];
  return [asked(rarest, isFew ? leads : holds), ...others.map((other) => asked(other, holds))];
}

/** Ids of the customers that `search` finds, `most` at most, in no order. */
export async function findCustomerIds(
  tx: Transaction,
  accountId: string,
  search: string,
  most: number,
): Promise<string[]> {
  const values: unknown[] = [accountId];
  const conditions = conditionTexts(await whereWords(tx, accountId, search), values).join(' AND ');
  const sql = `SELECT c.customer_id FROM customers c
    WHERE c.account_id = $1 AND c.deleted_at IS NULL AND ${conditions} LIMIT $${values.push(most)}`;
  return (await askPlanned<{ customer_id: string }>(tx, sql, values)).rows.map((row) => row.customer_id);
}

function begins(word: string): string {
  return `w.word >= ${word}::text AND w.word < ${word}::text || ${HIGHEST}`;
}
