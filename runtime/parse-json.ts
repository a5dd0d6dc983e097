import { randomInt } from 'node:crypto';

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown;

/** A string in JSON text; one without an end reaches to the end of the text, so that no other is looked for within it. */
const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"?/gs;

/** A valid escape in a string. */
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/g;

/** What may not stand in a string but as an escape. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what JSON does not have in a string
const ONLY_ESCAPED = /["\\\u0000-\u001f]/;

/** The one spelling that {@link unescapeString} leaves to each of them. */
const LEFT_ESCAPE = /\\u00(..)/g;

/** Of this range (private use) two characters are borrowed that do not follow each other in the text. */
const FIRST_STAND_IN = 0xe000;
const STAND_INS = 6_400;

/**
 * `JSON.parse`, right where V8 is wrong: in Node 24 (V8 13.6) an object's key that is written with an escape may come out
 * as the key of an object parsed before it: `JSON.parse('{"x":1,"\\\\":1}')`, then `JSON.parse('{"x":1,"\\n":1}')`
 * gives the key `\`. So text is parsed without any escape: what may stand there as it is does, and a stand-in for the rest is
 * taken back after. Each character then has one spelling, so that of equal keys the last wins however they are written.
 * Throws SyntaxError as `JSON.parse` does.
 */
export function parseJson(text: string, reviver?: Reviver): unknown {
  const parse = JSON.parse as (text: string, reviver?: Reviver) => unknown;
  if (!text.includes('\\')) return parse(text, reviver);
  const unescaped = text.replace(STRING, unescapeString);
  if (!unescaped.includes('\\')) return parse(unescaped, reviver);
  const standIn = unusedPair(unescaped);
  const replaced = unescaped.replace(LEFT_ESCAPE, `${standIn}$1`);
  return restore(parse(replaced, reviver), (string) => {
    const [before = '', ...after] = string.split(standIn);
    return before + after.map((part) => characterOf(part.slice(0, 2)) + part.slice(2)).join('');
  });
}

function unescapeString(string: string): string {
  return string.includes('\\') ? string.replace(ESCAPE, unescapeCharacter) : string;
}

const SHORT_ESCAPES: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

function unescapeCharacter(written: string): string {
  const letter = written.charAt(1);
  const character = letter === 'u' ? characterOf(written.slice(2)) : (SHORT_ESCAPES[letter] ?? letter);
  return ONLY_ESCAPED.test(character) ? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}` : character;
}

function characterOf(hex: string): string {
  return String.fromCharCode(Number.parseInt(hex, 16));
}

/** Two characters, not the same, that do not follow each other in `text`: by chance, so that nobody can write all that are tried. */
function unusedPair(text: string): string {
  for (;;) {
    const first = randomInt(STAND_INS);
    const second = (first + randomInt(1, STAND_INS)) % STAND_INS;
    const pair = String.fromCharCode(FIRST_STAND_IN + first, FIRST_STAND_IN + second);
    if (!text.includes(pair)) return pair;
  }
}

/** What a reviver made of a value (a decimal) is left as it is. */
function restore(value: unknown, restoreText: (text: string) => string): unknown {
  if (typeof value === 'string') return restoreText(value);
  if (Array.isArray(value)) return value.map((inner) => restore(inner, restoreText));
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const result: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) {
    const property = { value: restore(inner, restoreText), enumerable: true, configurable: true, writable: true };
    Object.defineProperty(result, restoreText(key), property);
  }
  return result;
}
