import type { Transaction } from './postgres.ts';

/** Which rows of a list a page has. */
export type PageWindow = { limit: number; offset: number };

/** One page of a list, and how many rows the list has in all. */
export type PageOf<T> = { results: T[]; count: number };

/**
 * One page of `SELECT ... FROM from WHERE ... ORDER BY order`, with the total count.
 * `from` is SQL text of ours, never a caller's; values travel in `values`.
 */
export async function findPage<Row extends object, T>(
  tx: Transaction,
  query: { select: string; from: string; order: string; values: unknown[]; window: PageWindow },
  fromRow: (row: Row) => T,
): Promise<PageOf<T>> {
  const { select, from, order, values, window } = query;
  const n = values.length;
  const rows = await tx.query<Row>(`SELECT ${select} FROM ${from} ORDER BY ${order} LIMIT $${n + 1} OFFSET $${n + 2}`, [
    ...values,
    window.limit,
    window.offset,
  ]);
  const total = await tx.query<{ count: string }>(`SELECT count(*) AS count FROM ${from}`, values);
  return { results: rows.rows.map(fromRow), count: Number(total.rows[0]?.count) };
}
