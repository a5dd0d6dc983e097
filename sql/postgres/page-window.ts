import type { Transaction } from './postgres.ts';

/** Which rows of a list a page has. */
export type PageWindow = { limit: number; offset: number };

/** How far a list is counted: to count 1 million rows for every page would cost far more than the page itself. */
export const COUNT_CAP = 10_000;

/** One page of a list; `count`: how many rows the list has in all, {@link COUNT_CAP} where it has more (`isCapped`). */
export type PageOf<T> = { results: T[]; count: number; isCapped: boolean; hasNext: boolean };

/**
 * A further condition, and the values that its `?`s stand for, one after another; `$1` is the account. A condition with a value that is
 * undefined holds nothing back.
 */
export type Condition = readonly [sql: string, ...values: unknown[]];

/** The field of its records that a list is sorted by, lowest first unless `descending`; records alike in it by age. */
export type ListSort<Field extends string> = { field: Field; descending: boolean };

/** The fields that a list may be sorted by, each as SQL over its table. */
export type ListSorts<Field extends string> = Readonly<Record<Field, string>>;

/** What a list is sorted by, for `sortBy`; undefined where nothing was asked for. */
export function sortedBy<Field extends string>(sorts: ListSorts<Field>, sort: ListSort<Field> | undefined) {
  return sort && { by: sorts[sort.field], descending: sort.descending };
}

/**
 * A list of rows of one table, which has an index over the columns of `equals`, then `key`, and one over the account and each
 * `sortBy`, then `key`: a page is read from it without a sort. All of it but values is SQL text of ours.
 */
export type ListQuery = {
  select: string;
  /** The table and its alias. */
  table: readonly [name: string, alias: string];
  /** What each row listed is joined to; it stays one row. */
  joins?: string;
  /** Columns of the table with the value they must have, the account's first; undefined: any. */
  equals: Readonly<Record<string, string | undefined>>;
  /** Further conditions on the table. */
  where?: readonly Condition[] | undefined;
  /** The column whose highest values come first; no two rows of the list share one. */
  key?: string;
  /** Another order: an expression over the table, before `key`, in the direction of both. */
  sortBy?: { by: string; descending: boolean } | undefined;
};

/** One page of a list, highest key first unless it is sorted otherwise. */
export function findPage<Row extends object, T>(
  tx: Transaction,
  list: ListQuery,
  window: PageWindow,
  fromRow: (row: Row) => T,
): Promise<PageOf<T>> {
  const { select, joins = '', key = 'seq', sortBy } = list;
  const [table, alias] = list.table;
  const { given, fixed, values } = conditionsOf(list);
  const from = `FROM ${table} ${alias} WHERE ${given.join(' AND ')}`;
  const direction = sortBy?.descending === false ? 'ASC' : 'DESC';
  const orders = [...(sortBy ? [sortBy.by] : []), `${alias}.${key}`];
  const inOrder = (columns: readonly string[]) => columns.map((column) => `${column} ${direction}`).join(', ');
  const named = orders.map((order, i) => `${order} AS order_${i}`).join(', ');
  const keyOfPage = `page.order_${orders.length - 1}`;
  // The keys of the page first: what stands in `select` is then looked up for its rows alone, not for those passed over.
  const page = (range: string) => `SELECT ${select}
    FROM (SELECT ${named} ${from} ORDER BY ${inOrder(orders)} ${range}) page
      JOIN ${table} ${alias} ON ${fixed.join(' AND ')} AND ${alias}.${key} = ${keyOfPage} ${joins}
    ORDER BY ${inOrder(orders.map((_, i) => `page.order_${i}`))}`;
  return readPage(tx, { page, from, values }, window, fromRow);
}

/**
 * What holds of the rows of a list, in SQL, and the values of its parameters; `fixed`: what of it is the same for every list of
 * that kind, and what indexes are over, to find the rows of a page by.
 */
function conditionsOf({ table: [, alias], equals, where = [] }: ListQuery) {
  const values: unknown[] = [];
  const isEqual = conditionTexts(
    Object.entries(equals).map(([column, value]) => [`${alias}.${column} = ?`, value]),
    values,
  );
  const isSo = conditionTexts(where, values);
  return { given: [...isEqual, ...isSo], fixed: [...isEqual, ...isSo.filter((text) => !text.includes('$'))], values };
}

/** Conditions as SQL whose parameters are numbered on from those of `values`, to which theirs are added. */
export function conditionTexts(conditions: readonly Condition[], values: unknown[]): string[] {
  return conditions
    .filter(([, ...given]) => !given.includes(undefined))
    .map(([sql, ...given]) => {
      const left = given.values();
      return sql.replaceAll('?', () => `$${values.push(left.next().value)}`);
    });
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
  const { rows } = await askPlanned<Row>(tx, page(range), [...values, limit + 1, offset]);
  return pageOf(rows.map(fromRow), { limit, offset }, async () => {
    const sql = `SELECT count(*) AS count FROM (SELECT ${from} LIMIT ${COUNT_CAP + 1}) listed`;
    return Number((await askPlanned<{ count: string }>(tx, sql, values)).rows[0]?.count);
  });
}

/**
 * Asks a statement that is planned for the very values it has: one planned once for all values (`postgres.ts`) reads a
 * whole table for a status that few rows have.
 */
export function askPlanned<Row extends object>(tx: Transaction, text: string, values: unknown[]) {
  return tx.query<Row>({ text, values });
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
