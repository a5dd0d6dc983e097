import { LosslessNumber, parse, stringify } from 'lossless-json';

/**
 * A number of the API: whole numbers that a float holds are numbers, all others keep their digits as text. `String(value)` has
 * every digit that was sent.
 */
export type Exact = number | LosslessNumber;

/** Whole numbers of up to 15 digits: a float has them all. */
const SAFE_INTEGER = /^-?(0|[1-9]\d{0,14})$/;

export function parseExact(text: string): unknown {
  return parse(text, fillLeftOut, (digits) =>
    SAFE_INTEGER.test(digits) ? Number(digits) : new LosslessNumber(digits),
  );
}

/** A member that the API left out for its size, null with the number of its entries beside it, is an empty list here. */
function fillLeftOut(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const fields = value as Record<string, unknown>;
  const leftOut = Object.keys(fields).filter(
    (name) => fields[name] === null && typeof fields[`${name}_count`] === 'number',
  );
  return leftOut.length === 0 ? value : { ...fields, ...Object.fromEntries(leftOut.map((name) => [name, []])) };
}

export function stringifyExact(value: unknown, indent?: number): string {
  return stringify(value, undefined, indent) ?? 'null';
}

/** What was typed as a number, to be sent with all its digits; else undefined. */
export function exactOf(typed: string): Exact | undefined {
  const digits = typed.trim();
  return /^-?\d+(\.\d+)?$/.test(digits) ? new LosslessNumber(digits.replace(/^(-?)0+(?=\d)/, '$1')) : undefined;
}

/** Whether a number is 0, or below. */
export function signOf(value: Exact): -1 | 0 | 1 {
  const digits = String(value);
  if (!/[1-9]/.test(digits)) return 0;
  return digits.startsWith('-') ? -1 : 1;
}
