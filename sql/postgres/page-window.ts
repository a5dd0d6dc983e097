import type { Transaction } from './postgres.ts';

/** Which rows of a list a page has. */
export type PageWindow = { limit: number; offset: number };

/** How far a list is counted: to count 1 million rows for every page would cost far more than the page itself. */
export const COUNT_CAP = 10_000;

/** One page of a list; `count`: how many rows the list has in all, {@link COUNT_CAP} where it has more (`isCapped`). */
export type PageOf<T> = { results: T[]; count: number; isCapped: boolean; hasNext: boolean };

/**
 * A list of rows of one table, which has an index over the columns of `equals`, then `key`: a page is read from it without
 * a sort, and the rows before the page are passed in the index alone. All of it but values is SQL text of ours.
 */
export type ListQuery = {
  select: string;
  /** The table and its alias. */
  table: readonly [name: string, alias: string];
  /** What each row listed is joined to; it stays one row. */
  joins?: string;
  /** Columns of the table with the value they must have, the account's first; undefined: any. */
  equals: Readonly<Record<string, string | undefined>>;
  /** Further conditions on the table, and on what `whereJoins` joins to it. */
  where?: readonly string[];
  whereJoins?: string;
  /** The column whose highest values come first; no two rows of the list share one. */
  key?: string;
};

/** One page of a list, highest key first. */
export function findPage<Row extends object, T>(
  tx: Transaction,
  list: ListQuery,
  window: PageWindow,
  fromRow: (row: Row) => T,
): Promise<PageOf<T>> {
  const { select, joins = '', equals, where = [], whereJoins = '', key = 'seq' } = list;
  const [table, alias] = list.table;
  const given = Object.entries(equals).filter(([, value]) => value !== undefined);
  const values = given.map(([, value]) => value);
  const isEqual = given.map(([column], i) => `${alias}.${column} = $${i + 1}`);
  const from = `FROM ${table} ${alias} ${whereJoins} WHERE ${[...isEqual, ...where].join(' AND ')}`;
  // What holds of the table alone is said twice: an index over part of it finds the page's rows as well.
  const found = [...isEqual, ...(whereJoins === '' ? where : []), `${alias}.${key} = page.page_key`].join(' AND ');
  // The keys of the page first: what stands in `select` is then looked up for its rows alone, not for those passed over.
  const page = (range: string) => `SELECT ${select}
    FROM (SELECT ${alias}.${key} AS page_key ${from} ORDER BY ${alias}.${key} DESC ${range}) page
      JOIN ${table} ${alias} ON ${found} ${joins}
    ORDER BY page.page_key DESC`;
  return readPage(tx, { page, from, values }, window, fromRow);
}

/**
 * One page by a statement that takes `range` as its LIMIT and OFFSET; `from`: where the rows of the whole list are, FROM and
 * WHERE. They are counted only where the page does not tell how many there are.
 */
export async function readPage<Row extends object, T>(
  tx: Transaction,
  { page, from, values }: { page: (range: string) => string; from: string; values: unknown[] },
  { limit, offset }: PageWindow,
  fromRow: (row: Row) => T,
): Promise<PageOf<T>> {
  const range = `LIMIT $${values.length + 1} OFFSET $${values.length + 2}`;
  const { rows } = await tx.query<Row>(page(range), [...values, limit + 1, offset]);
  return pageOf(rows.map(fromRow), { limit, offset }, async () => {
    const sql = `SELECT count(*) AS count FROM (SELECT ${from} LIMIT ${COUNT_CAP + 1}) listed`;
    return Number((await tx.query<{ count: string }>(sql, values)).rows[0]?.count);
  });
}

/** The page of `found`, which has one row more where there is a next page; `countRows` counts up to one above the cap. */
export async function pageOf<T>(
  found: T[],
  { limit, offset }: PageWindow,
  countRows: () => Promise<number>,
): Promise<PageOf<T>> {
  const hasNext = found.length > limit;
  const seen = offset + found.length;
  const isPastEnd = found.length === 0 && offset > 0;
  const isTold = !isPastEnd && (!hasNext || seen > COUNT_CAP);
  const count = isTold ? seen : await countRows();
  const isCapped = count > COUNT_CAP;
  return { results: found.slice(0, limit), count: isCapped ? COUNT_CAP : count, isCapped, hasNext };
}
