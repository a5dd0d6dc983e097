import { decimal, isDecimal } from '../core/decimal.ts';
import { LeftOut } from '../core/left-out.ts';
import { parseExactNumber } from '../core/property-numbers.ts';
import { remembered } from '../core/remembered.ts';
import { parseJson } from './parse-json.ts';

/** Levels of nesting a body may have; the body itself is the first (spec/api#bodies). */
const MAX_JSON_DEPTH = 10;

/** JSON whose text is malformed or nested too deeply: 400 (spec/api#errors). */
export class BadJson extends Error {}

/** Nested deeper than {@link MAX_JSON_DEPTH}. */
export class TooDeep extends BadJson {
  constructor() {
    super(`The body is nested deeper than ${MAX_JSON_DEPTH} levels.`);
  }
}

/**
 * Parses JSON with every number as an exact Decimal made from its source text, never from a float.
 * A number beyond 20 integer digits or 18 decimals becomes NaN, which validation refuses by field name.
 * @throws BadJson when the text is not JSON, its {@link TooDeep} when it is nested deeper than {@link MAX_JSON_DEPTH}.
 */
export function parseExactJson(text: string): unknown {
  return parseNumbers(text, (source) => parseExactNumber(source) ?? Number.NaN);
}

/** As {@link parseExactJson}, with every number as the {@link NumberText} that it is written as, however long. */
export function parseJsonDigits(text: string): unknown {
  return parseNumbers(text, (source) => new NumberText(source));
}

function parseNumbers(text: string, numberOf: (source: string) => unknown): unknown {
  assertDepth(text);
  try {
    return parseJson(text, (_key, value, { source = '' }) => (typeof value === 'number' ? numberOf(source) : value));
  } catch {
    throw new BadJson('The body is not valid JSON.');
  }
}

/** Values, objects and lists among them, that a body may have (spec/api#bodies): to judge each takes a microsecond or more. */
const MAX_JSON_VALUES = 100_000;

/** Bounds the values of a body before any of them is made. @throws BadJson */
export function assertFewValues(text: string): void {
  // A value follows a comma, or is the first in its list or object.
  let values = 1;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (inString) {
      if (char === 92) i++;
      else if (char === 34) inString = false;
    } else if (char === 34) inString = true;
    else if (char === 44 || char === 91 || char === 123) values += 1;
  }
  if (values > MAX_JSON_VALUES) {
    throw new BadJson(
      `The body has more than ${MAX_JSON_VALUES.toLocaleString('en')} values. Send it in several calls.`,
    );
  }
}

/** @throws TooDeep */
export function assertDepth(text: string): void {
  if (jsonDepth(text) > MAX_JSON_DEPTH) throw new TooDeep();
}

/**
 * As {@link parseExactJson}, for JSON that we wrote ourselves: without its limits, which only a caller's numbers keep. What we
 * computed from those may be longer (a quantity of 18 decimals at a price of 12).
 * @throws SyntaxError when the text is not JSON.
 */
export function parseStoredJson(text: string): unknown {
  return parseJson(text, (_key, value, context) => (typeof value === 'number' ? decimal(context.source ?? '') : value));
}

/** A number as JSON has it written, with all its digits. */
export class NumberText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** JSON text that is there already: what is written with it within has it as it is. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    // One flat string: concatenated ones are trees, which the collector would walk for as long as they are kept.
    this.text = Buffer.from(text).toString();
  }
}

/** A value any part of which may be its text already. */
export type Written<T> =
  | T
  | JsonText
  | (T extends readonly (infer E)[] ? Written<E>[] : T extends object ? { [K in keyof T]: Written<T[K]> } : never);

/**
 * JSON text of a value in which every Decimal is written as a number in plain digits (spec/api#numbers). Of plain objects, lists
 * and what `JSON.stringify` takes by itself. A list that is a member of an object and has more than `most` entries is written as null, with the
 * number of its entries beside it (spec/api#large-members).
 */
export function stringifyExactJson(value: unknown, most = Number.POSITIVE_INFINITY): string {
  // `JSON.stringify` with a replacer takes longer: it would write each decimal twice.
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (isDecimal(value)) return value.toFixed();
  if (value instanceof JsonText || value instanceof NumberText) return value.text;
  let text = '';
  if (Array.isArray(value)) {
    for (const item of value) text += `${text === '' ? '' : ','}${stringifyExactJson(item, most)}`;
    return `[${text}]`;
  }
  for (const [key, field] of Object.entries(value)) {
    if (field === undefined) continue;
    const left = Array.isArray(field) ? entriesLeftOut(field, most) : 0;
    const written = left > 0 ? `null,${quoted(`${key}_count`)}:${left}` : stringifyExactJson(field, most);
    text += `${text === '' ? '' : ','}${quoted(key)}:${written}`;
  }
  return `{${text}}`;
}

/** How many entries a member has that is left out; 0 for one that is written. */
function entriesLeftOut(member: readonly unknown[], most: number): number {
  if (member instanceof LeftOut) return member.entryCount;
  return member.length > most ? member.length : 0;
}

/** A list shows members of at most so many entries. */
export const MOST_LISTED = 100;

/** JSON text of a record in at most `bytes`: members are left out, first those with more than 100 entries, then smaller ones. */
export function stringifyWithin(value: unknown, bytes: number, most = Number.POSITIVE_INFINITY): string {
  for (const allowed of [most, MOST_LISTED, 10]) {
    const text = stringifyExactJson(value, Math.min(allowed, most));
    if (Buffer.byteLength(text) <= bytes) return text;
  }
  return stringifyExactJson(value, 0);
}

/** The same few hundred keys are written a thousand times in one answer. A long one is no name of ours, and costs memory for as long as it is kept. */
function quoted(key: string): string {
  return key.length > MAX_REMEMBERED_KEY ? JSON.stringify(key) : quotedName(key);
}

const MAX_REMEMBERED_KEY = 64;
const quotedName = remembered((key: string) => JSON.stringify(key));

/** As {@link stringifyExactJson}, the same for values that are equal: the order of an object's keys says nothing. */
export function canonicalJson(value: unknown): string {
  return stringifyExactJson(inKeyOrder(value));
}

function inKeyOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inKeyOrder);
  if (typeof value !== 'object' || value === null || isDecimal(value)) return value;
  const inOrder = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(inOrder.map(([key, inner]) => [key, inKeyOrder(inner)]));
}

function jsonDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (inString) {
      if (char === 92) i++;
      else if (char === 34) inString = false;
    } else if (char === 34) inString = true;
    else if (char === 123 || char === 91) deepest = Math.max(deepest, ++depth);
    else if (char === 125 || char === 93) depth--;
  }
  return deepest;
}
