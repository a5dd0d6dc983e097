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

function keyOf(value: unknown): string {
  return JSON.stringify(value, (_key, part) => (typeof part === 'bigint' ? String(part) : part));
}
