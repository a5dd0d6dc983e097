import { UnreadableSecret } from './cipher.ts';

/** How many rows stand under the newest key now, and the names of those that nobody can open any more. */
export type Rotation = { rotated: number; unreadable: string[] };

/** Encrypts rows anew one by one: a damaged one does not keep the others under a key that is to go. */
export async function rotateEach<Row extends { name: string }>(
  rows: readonly Row[],
  rotate: (row: Row) => Promise<void>,
): Promise<Rotation> {
  const unreadable: string[] = [];
  for (const row of rows) {
    try {
      await rotate(row);
    } catch (error) {
      if (!(error instanceof UnreadableSecret)) throw error;
      unreadable.push(row.name);
    }
  }
  return { rotated: rows.length - unreadable.length, unreadable };
}
