import { decimal, isDecimal } from '../../core/decimal.ts';

/**
 * Plain data as a JSON text: `{"$decimal": "1.50"}` stands for a Decimal, `{"$bigint": "7"}` for a bigint. Members that are undefined
 * are left out. Other names that begin with `$` get a second one. `dataFromJson` reads the text back.
 * @throws Error for anything that is not plain data, such as a function, a Map or a class instance
 */
export function dataToJson(data: unknown): string {
  return JSON.stringify(encoded(data, []));
}

/** The data that {@link dataToJson} has written. */
export function dataFromJson<T>(text: string): T {
  return JSON.parse(text, (_name, value) => decoded(value)) as T;
}

function encoded(value: unknown, path: readonly string[]): unknown {
  if (isDecimal(value)) return { $decimal: value.toFixed() };
  if (typeof value === 'bigint') return { $bigint: value.toString() };
  if (value === null || typeof value !== 'object') {
    if (typeof value === 'function' || typeof value === 'symbol') throw new Error(`${path.join('.')} is no data`);
    return value;
  }
  if (Array.isArray(value)) return value.map((one, i) => encoded(one, [...path, String(i)]));
  if (Object.getPrototypeOf(value) !== Object.prototype) throw new Error(`${path.join('.')} is no plain object`);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [escaped(name), encoded(member, [...path, name])]));
}

function decoded(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  if ('$decimal' in value) return decimal(String(value.$decimal));
  if ('$bigint' in value) return BigInt(String(value.$bigint));
  const members = Object.entries(value);
  if (members.every(([name]) => !name.startsWith('$'))) return value;
  return Object.fromEntries(members.map(([name, member]) => [name.replace(/^\$/, ''), member]));
}

function escaped(name: string): string {
  return name.startsWith('$') ? `$${name}` : name;
}
