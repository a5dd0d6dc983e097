/** A ClickHouse statement and the values of its `{name:Type}` placeholders. */
export type ParameterizedQuery = { sql: string; params: Record<string, unknown> };

/** Gives a value a placeholder and answers the placeholder's text; an equal value under the same name is bound once. */
export type Bind = (name: string, type: string, value: unknown) => string;

/**
 * Collects the parameters of one statement. Names are ours; a name already taken by another value gets a number, so that
 * several parts of one statement may each bind, say, a `property`.
 */
export function queryParameters(): { bind: Bind; params: Record<string, unknown> } {
  const params: Record<string, unknown> = {};
  const texts = new Map<string, string>();
  const taken = new Map<string, number>();
  const bind: Bind = (name, type, value) => {
    const key = `${name} ${type} ${keyOf(value)}`;
    const known = texts.get(key);
    if (known !== undefined) return known;
    const n = (taken.get(name) ?? 0) + 1;
    taken.set(name, n);
    const unique = n === 1 ? name : `${name}_${n}`;
    params[unique] = value;
    const text = `{${unique}:${type}}`;
    texts.set(key, text);
    return text;
  };
  return { bind, params };
}

/** Ids of callers in one list parameter: each has up to 1,024 bytes, and ClickHouse takes 128 KiB in a field of a form. */
export const IDS_A_LIST = 100;

/** Values of one list parameter: ClickHouse takes 128 KiB in a field of a form, and escapes double some characters. */
const MAX_LIST_BYTES = 60 * 1024;

/** SQL: the expression is one of the values, which travel in as many lists as ClickHouse wants them in. */
export function isAmong(
  expression: string,
  { name, type, values }: { name: string; type: 'String' | 'UInt64'; values: readonly (string | bigint)[] },
  bind: Bind,
): string {
  const parts = inLists(values).map((list) => `${expression} IN ${bind(name, `Array(${type})`, list)}`);
  return parts.length === 1 ? parts.join() : `(${parts.join(' OR ')})`;
}

/** SQL: a constant array of values, in as many parameters as ClickHouse wants them in. */
export function bindList(
  name: string,
  type: string,
  values: readonly (string | bigint | number)[],
  bind: Bind,
): string {
  const lists = inLists(values).map((list) => bind(name, `Array(${type})`, list));
  return lists.length === 1 ? lists.join() : `arrayConcat(${lists.join(', ')})`;
}

/** Values in as many lists as ClickHouse wants them in; one where there are none. */
export function inLists<V extends string | bigint | number>(values: readonly V[]): V[][] {
  const lists: V[][] = [[]];
  let bytes = 0;
  for (const value of values) {
    const own = Buffer.byteLength(String(value)) + 3;
    if (bytes + own > MAX_LIST_BYTES && bytes > 0) {
      lists.push([]);
      bytes = 0;
    }
    lists.at(-1)?.push(value);
    bytes += own;
  }
  return lists;
}

/** The list in parts of at most `most`. */
export function inParts<T>(list: readonly T[], most: number): T[][] {
  const parts: T[][] = [];
  for (let i = 0; i < list.length; i += most) parts.push(list.slice(i, i + most));
  return parts;
}

function keyOf(value: unknown): string {
  return JSON.stringify(value, (_key, part) => (typeof part === 'bigint' ? String(part) : part));
}
