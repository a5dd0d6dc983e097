import { isDecimal } from './decimal.ts';

/**
 * Stands for the entries of a list that is too large to be read: it has none, and tells how many there are. As a member of a record it is written as
 * null, with the number beside it (spec/api#large-members).
 */
export class LeftOut<T> extends Array<T> {
  entryCount = 0;

  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }

  /** What the entries become is left out as they are. */
  override map<U>(): U[] {
    return leftOut<U>(this.entryCount);
  }
}

/** So many entries that are not read. */
export function leftOut<T>(count: number): LeftOut<T> {
  const entries = new LeftOut<T>();
  entries.entryCount = count;
  return entries;
}

/** The same value in which members with more than `most` entries are left out, at any depth. */
export function withoutLarge(value: unknown, most: number): unknown {
  if (Array.isArray(value)) return value.map((entry) => withoutLarge(entry, most));
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const members = Object.entries(value).map(([name, member]) => {
    const isLarge = Array.isArray(member) && member.length > most;
    return [name, isLarge ? leftOut(member.length) : withoutLarge(member, most)];
  });
  return Object.fromEntries(members);
}

/** What was stored or read with members left out, null with their numbers beside them, with {@link LeftOut} in their places. */
export function restoreLeftOut(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(restoreLeftOut);
  if (typeof value !== 'object' || value === null || isDecimal(value)) return value;
  const fields = new Map(Object.entries(value));
  for (const [name, member] of fields) {
    const count = fields.get(`${name}_count`);
    if (member === null && isDecimal(count)) {
      fields.set(name, leftOut(count.toNumber()));
      fields.delete(`${name}_count`);
    } else fields.set(name, restoreLeftOut(member));
  }
  return Object.fromEntries(fields);
}
