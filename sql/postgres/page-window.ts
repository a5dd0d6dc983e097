import pg from 'pg';
import { invalid } from '../../core/domain-error.ts';
import type { Transaction } from './postgres.ts';

/** The place of a row in its list: the values that the list is ordered by, as text. */
export type Place = readonly string[];

/** Bytes of the largest answer, unless the operator sets another number (`RESPONSE_MAX_BYTES`). */
export const PAGE_BYTES = 8 * 2 ** 20;

/** How many bytes a call may read for its answer (spec/api#large-members). */
export type AnswerRoom = {
  readonly bytes: number;
  /** Bytes of the largest answer, which `bytes` becomes once the call has its turn. */
  readonly mostBytes: number;
  /** To be called if the answer would need more. Throws if the call may read more in its turn: what it does then begins anew. */
  needMore(): void;
};

/** The room of what waits for no turn. */
export function fixedRoom(bytes = PAGE_BYTES): AnswerRoom {
  return { bytes, mostBytes: bytes, needMore: () => {} };
}

/**
 * Which rows of a list a page has: those behind `after`, or without it those behind the first `offset`. It ends before the row that would
 * exceed the bytes of `room`, but has one row at least.
 */
export type PageWindow = { limit: number; offset: number; after?: Place | undefined; room?: AnswerRoom | undefined };

/** How far a list is counted: to count 1 million rows for every page would cost far more than the page itself. */
export const COUNT_CAP = 10_000;

/**
 * One page of a list. `count` is how many rows the list has in all, {@link COUNT_CAP} if it has more (`isCapped`). `places` holds the place of
 * each result.
 */
export type PageOf<T> = { results: T[]; places: Place[]; count: number; isCapped: boolean; hasNext: boolean };

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
  /**
   * A view of the table's keys, filters and sorts that filters by account itself (migration 0360). Under row-level security an index serves no
   * comparison of numbers or of `lower(...)`, which a place is found by.
   */
  sortedFrom?: string;
  /** What each row listed is joined to; it stays one row. */
  joins?: string;
  /** Columns of the table with the value they must have, the account's first; undefined: any. */
  equals: Readonly<Record<string, string | undefined>>;
  /** Further conditions on the table. */
  where?: readonly Condition[] | undefined;
  /** The column whose highest values come first; no two rows of the list share one. */
  key?: string;
  /** Another order: an expression over the table that is never null, before `key`, in the direction of both. */
  sortBy?: { by: string; descending: boolean } | undefined;
  /** Whether the lowest keys come first. */
  isAscending?: boolean;
  /** The bytes that are read besides `select` for a row, as SQL over what is joined. */
  bytesBeside?: string;
};

/** One page of a list, highest key first unless it is sorted otherwise. */
export function findPage<Row extends object, T>(
  tx: Transaction,
  list: ListQuery,
  window: PageWindow,
  fromRow: (row: Row) => T,
): Promise<PageOf<T>> {
  const { select, joins = '', key = 'seq', sortBy, sortedFrom, bytesBeside } = list;
  const [table, alias] = list.table;
  const { given, fixed, values } = conditionsOf(list);
  const keys = (sortBy && window.after && sortedFrom) || table;
  const isAscending = sortBy ? !sortBy.descending : (list.isAscending ?? false);
  const orders = [...(sortBy ? [sortBy.by] : []), `${alias}.${key}`];
  const named = orders.map((order, i) => `${order} AS order_${i}`).join(', ');
  const keyOfPage = `page.order_${orders.length - 1}`;
  const beside = bytesBeside ? `, ${bytesBeside} AS bytes_beside` : '';
  // The keys of the page first: what stands in `select` is then looked up for its rows alone, not for those passed over.
  const page = (behind: string, range: string) => `SELECT ${select}, ${orderNames(orders, 'page').join(', ')}${beside}
    FROM (SELECT ${named} FROM ${keys} ${alias} WHERE ${[...given, behind].join(' AND ')}
        ORDER BY ${inOrder(orders, isAscending)} ${range}) page
      JOIN ${table} ${alias} ON ${fixed.join(' AND ')} AND ${alias}.${key} = ${keyOfPage} ${joins}
    ORDER BY ${inOrder(orderNames(orders, 'page'), isAscending)} OFFSET 0`;
  const from = `FROM ${table} ${alias} WHERE ${given.join(' AND ')}`;
  return readPage(tx, { page, from, values, orders, isAscending, ...(beside && { hasBeside: true }) }, window, fromRow);
}

function orderNames(orders: readonly string[], of: string): string[] {
  return orders.map((_, i) => `${of}.order_${i}`);
}

function inOrder(columns: readonly string[], isAscending: boolean): string {
  return columns.map((column) => `${column} ${isAscending ? 'ASC' : 'DESC'}`).join(', ');
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
 * How a page is read: `page` is the statement of its rows, which has each of `orders` as `order_0`, `order_1` and so on and takes a further
 * condition and a LIMIT with OFFSET; `from`, FROM and WHERE of the whole list.
 */
type ReadQuery = {
  page(behind: string, range: string): string;
  from: string;
  values: unknown[];
  orders: readonly string[];
  isAscending: boolean;
  /** Whether a row has a column `bytes_beside`, the bytes that are read for it by further statements. */
  hasBeside?: boolean;
};

/** Columns that {@link readPage} adds to each row. */
type Placed = { row_place: string[]; rows_found: string; bytes_up_to: string };

/**
 * One page by a statement. Postgres adds up the bytes of its rows and ends it where they are too many, so that this process never holds more.
 * The rows of the list are counted only where the page does not tell how many there are.
 * @throws DomainError `invalid` for a place that this list cannot have
 */
export async function readPage<Row extends object, T>(
  tx: Transaction,
  { page, from, values, orders, isAscending, hasBeside = false }: ReadQuery,
  { limit, offset, after, room = fixedRoom() }: PageWindow,
  fromRow: (row: Row) => T,
): Promise<PageOf<T>> {
  const asked = [...values];
  const parameter = (value: unknown) => `$${asked.push(value)}`;
  if (after && after.length !== orders.length) throw wrongPlace();
  const behind = after
    ? `(${orders.join(', ')}) ${isAscending ? '>' : '<'} (${after.map(parameter).join(', ')})`
    : 'true';
  const range = `LIMIT ${parameter(limit + 1)} OFFSET ${parameter(after ? 0 : offset)}`;
  const names = orderNames(orders, 'read');
  const order = inOrder(names, isAscending);
  const weight = `octet_length(read::text)${hasBeside ? ' + coalesce(read.bytes_beside, 0)' : ''}`;
  const sql = `SELECT * FROM (
      SELECT read.*, ARRAY[${names.map((name) => `${name}::text`).join(', ')}] AS row_place, count(*) OVER () AS rows_found,
        sum(${weight}) OVER (ORDER BY ${order} ROWS UNBOUNDED PRECEDING) AS bytes_up_to,
        row_number() OVER (ORDER BY ${order}) AS row_of_page
      FROM (${page(behind, range)}) read) read
    WHERE read.bytes_up_to <= ${parameter(room.bytes)} OR read.row_of_page = 1 ORDER BY ${order}`;
  const { rows } = await askPlanned<Row & Placed>(tx, sql, asked).catch((error: unknown) => {
    throw after && isDataError(error) ? wrongPlace() : error;
  });
  const kept = rows.slice(0, limit);
  const places = kept.map(({ row_place }) => row_place);
  const found = Number(rows[0]?.rows_found ?? 0);
  const isMore = found > kept.length;
  const isCut = kept.length < Math.min(limit, found);
  if (isCut || Number(rows[0]?.bytes_up_to ?? 0) > room.bytes) room.needMore();
  return pageOf({ results: kept.map(fromRow), places, isMore }, { limit, offset, after }, async () => {
    const sql = `SELECT count(*) AS count FROM (SELECT ${from} LIMIT ${COUNT_CAP + 1}) listed`;
    return Number((await askPlanned<{ count: string }>(tx, sql, values)).rows[0]?.count);
  });
}

/** What is not a value of the type that a column has. */
function isDataError(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code?.startsWith('22') === true;
}

/** The refusal of a place that a list cannot have. */
export function wrongPlace() {
  return invalid({ after: ['Is no place of this list. Follow `next` as it was answered.'] });
}

/**
 * Asks a statement that is planned for the very values it has: one planned once for all values (`postgres.ts`) reads a
 * whole table for a status that few rows have.
 */
export function askPlanned<Row extends object>(tx: Transaction, text: string, values: unknown[]) {
  return tx.query<Row>({ text, values });
}

/** The page of rows that were found, `isMore` where more follow; `countRows` counts the list up to one above the cap. */
export async function pageOf<T>(
  { results, places, isMore }: { results: T[]; places: Place[]; isMore: boolean },
  { offset, after }: PageWindow,
  countRows: () => Promise<number>,
): Promise<PageOf<T>> {
  const seen = offset + results.length + (isMore ? 1 : 0);
  const isPastEnd = results.length === 0 && offset > 0;
  const isTold = !after && !isPastEnd && (!isMore || seen > COUNT_CAP);
  const count = isTold ? seen : await countRows();
  const isCapped = count > COUNT_CAP;
  return { results, places, count: isCapped ? COUNT_CAP : count, isCapped, hasNext: isMore };
}

/** Returns one page of a list in memory, with the place of each item. The last part of a place is the item's number, so `after` works if that item has gone. */
export function pageOfAll<T>(all: readonly T[], placeOf: (one: T) => string, window: PageWindow): PageOf<T> {
  const start = startOf(all.map(placeOf), window);
  const results = all.slice(start, start + window.limit);
  const places = results.map((one, i): Place => [placeOf(one), String(start + i)]);
  return {
    results,
    places,
    count: Math.min(all.length, COUNT_CAP),
    isCapped: all.length > COUNT_CAP,
    hasNext: start + results.length < all.length,
  };
}

/** Where a page begins among these: behind the one that `after` names, or where it was if it has gone. */
export function startOf(names: readonly string[], { offset, after }: PageWindow): number {
  if (!after) return offset;
  const [name = '', number = ''] = after;
  if (after.length !== 2 || !/^\d{1,9}$/.test(number)) throw wrongPlace();
  const at = names.indexOf(name);
  return at === -1 ? Number(number) : at + 1;
}
