import { decimal, isDecimal } from './decimal.ts';

/**
 * Returns the JSON of plain data: objects, arrays, texts, finite numbers, booleans, null, and exact decimals and 64-bit integers, which
 * {@link plainFromJson} returns as they were. A member that is undefined is left out. Throws on anything else.
 */
export function plainToJson(data: unknown): string {
  return JSON.stringify(written(data));
}

/** Returns the data of a text that {@link plainToJson} wrote. */
export function plainFromJson(json: string): unknown {
  return JSON.parse(json, (_key, value) => (typeof value === 'string' ? read(value) : value));
}

/** Marks what JSON has no type for; a text that begins with it has it twice. */
const MARK = '#';

function written(value: unknown): unknown {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'string') return value.startsWith(MARK) ? `${MARK}${value}` : value;
  if (typeof value === 'bigint') return `${MARK}${value}n`;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  // As it is computed with: also minus zero.
  if (isDecimal(value)) return `${MARK}${value.valueOf()}`;
  if (Array.isArray(value)) return value.map(written);
  if (!isRecord(value)) throw new Error(`plain data has no ${typeof value} such as ${String(value)}`);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, written(member)]));
}

function read(text: string): unknown {
  if (!text.startsWith(MARK)) return text;
  const rest = text.slice(MARK.length);
  if (rest.startsWith(MARK)) return rest;
  return rest.endsWith('n') ? BigInt(rest.slice(0, -1)) : decimal(rest);
}

function isRecord(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
