import { COUNT_CAP } from '../../sql/postgres/page-window.ts';
import type { Transaction } from '../../sql/postgres/postgres.ts';

/** Rows that one node of a plan may read: a page and what hangs on it; whatever reads a table, or an account, reads more. */
export const FEW = 600;

/** Rows of tables that this transaction has read so far, by indexes and without. */
export async function rowsRead(tx: Transaction): Promise<number> {
  const { rows } = await tx.query<{ read: string }>(
    'SELECT coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0) AS read FROM pg_stat_xact_user_tables',
  );
  return Number(rows[0]?.read);
}

/** The table of which a statement looks at rows up to the cap: those that it counts, or those with the highest amounts. */
const COUNTED = /FROM \(SELECT (?:o\.seq, o\.amount_due )?FROM (\w+)/;

/** The newest of the catalog, up to the cap, in whose names is looked. */
const NEWEST_SEARCHED = new RegExp(`LIMIT ${COUNT_CAP + 1}\\) newest`);

/** What is found by a word that no more than can be counted have is read as a whole, with the customers that have it. */
function isOfWords(node: PlanNode, text: string): boolean {
  if (text.includes('FROM customer_words') && ['customers', undefined].includes(node['Relation Name'])) return true;
  return nodesOf(node).some((one) => one['Relation Name'] === 'customer_words');
}

type PlanNode = {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': unknown;
  'Actual Loops': unknown;
  'Rows Removed by Filter'?: unknown;
  Plans?: PlanNode[];
};

/** The nodes of all plans of what `ask` asks that read more than a few rows; a count reads up to its cap. */
export async function wideNodes(tx: Transaction, ask: (recorded: Transaction) => Promise<unknown>): Promise<string[]> {
  const found: string[] = [];
  // As if the tables were large: in a few megabytes a look into an index costs hardly less than all of it.
  await tx.query('SET LOCAL random_page_cost = 1');
  const query = async (asked: string | { text: string; values: unknown[] }, given: unknown[] = []) => {
    const { text, values } = typeof asked === 'string' ? { text: asked, values: given } : asked;
    type Explained = { 'QUERY PLAN': [{ Plan: PlanNode }] };
    await tx.query('SAVEPOINT explained');
    const { rows } = await tx.query<Explained>(`EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${text}`, values);
    await tx.query('ROLLBACK TO explained');
    const counted = text.includes(`LIMIT ${COUNT_CAP + 1}`) ? COUNTED.exec(text) : undefined;
    for (const node of nodesOf(rows[0]?.['QUERY PLAN'][0].Plan)) {
      const rowsOfLoop = Number(node['Actual Rows']) + Number(node['Rows Removed by Filter'] ?? 0);
      const read = rowsOfLoop * Number(node['Actual Loops']);
      // What a list is of is counted up to the cap; what a row listed hangs on is not looked up for each of those.
      const isCounted =
        NEWEST_SEARCHED.test(text) ||
        isOfWords(node, text) ||
        (counted && [counted[1], 'customer_words', undefined].includes(node['Relation Name']));
      if (read > (isCounted ? COUNT_CAP + 1 : FEW))
        found.push(`${node['Node Type']} ${node['Relation Name'] ?? ''}: ${read} rows, in ${text}`);
    }
    return tx.query({ text, values });
  };
  await ask(Object.assign(Object.create(tx), { query }) as Transaction);
  return found;
}

function nodesOf(node: PlanNode | undefined): PlanNode[] {
  return node ? [node, ...(node.Plans ?? []).flatMap(nodesOf)] : [];
}
