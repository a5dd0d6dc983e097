import { BadJson } from '../../runtime/exact-json.ts';
import { parseJson } from '../../runtime/parse-json.ts';

/**
 * Takes JSON apart without parsing it: the events of a large body are parsed one by one, others being served in between, and one that
 * is wrong costs no more than itself. What is inside of a piece is for whoever parses it: a piece that is no JSON makes the whole none.
 */

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Whether JSON text is a list, as its first character says. */
export function isListText(json: Buffer): boolean {
  return json[skipSpace(json, 0)] === OPEN_LIST;
}

/** Whether JSON text is an object, as its first character says. */
export function isObjectText(json: Buffer): boolean {
  return json[skipSpace(json, 0)] === OPEN_OBJECT;
}

/** The texts of a list's elements, as they are asked for. They share memory with `json`. @throws BadJson where it is no list. */
export function* elementsOf(json: Buffer): Generator<Buffer, void> {
  let at = skipSpace(json, expect(json, skipSpace(json, 0), OPEN_LIST));
  if (json[at] === CLOSE_LIST) return assertEnd(json, at + 1);
  for (;;) {
    const end = endOfValue(json, at);
    yield json.subarray(at, end);
    if (json[end] === CLOSE_LIST) return assertEnd(json, end + 1);
    at = expect(json, end, COMMA);
  }
}

/** The texts of an object's values by their keys; of a key that stands twice the last one counts. @throws BadJson where it is no object. */
export function membersOf(json: Buffer): Map<string, Buffer> {
  const members = new Map<string, Buffer>();
  let at = skipSpace(json, expect(json, skipSpace(json, 0), OPEN_OBJECT));
  if (json[at] === CLOSE_OBJECT) {
    assertEnd(json, at + 1);
    return members;
  }
  for (;;) {
    const keyAt = expect(json, skipSpace(json, at), QUOTE) - 1;
    const keyEnd = endOfString(json, keyAt) + 1;
    const valueAt = expect(json, skipSpace(json, keyEnd), COLON);
    const end = endOfValue(json, valueAt);
    members.set(keyOf(json.toString('utf8', keyAt, keyEnd)), json.subarray(valueAt, end));
    if (json[end] === CLOSE_OBJECT) {
      assertEnd(json, end + 1);
      return members;
    }
    at = expect(json, end, COMMA);
  }
}

/** Where a value from `from` on ends: at the comma or the closing bracket behind it. */
function endOfValue(json: Buffer, from: number): number {
  let depth = 0;
  for (let at = from; at < json.length; at++) {
    const byte = json[at];
    if (byte === QUOTE) at = endOfString(json, at);
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) depth += 1;
    else if (byte === COMMA && depth === 0) return at;
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
      if (depth === 0) return at;
      depth -= 1;
    }
  }
  throw notJson();
}

/** Where the string whose quote stands at `from` has its other one. */
function endOfString(json: Buffer, from: number): number {
  for (let at = from + 1; at < json.length; at++) {
    const byte = json[at];
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) at += 1;
  }
  throw notJson();
}

/** The place behind `byte`, which has to stand at `at`. */
function expect(json: Buffer, at: number, byte: number): number {
  if (json[at] !== byte) throw notJson();
  return at + 1;
}

function assertEnd(json: Buffer, at: number): void {
  if (skipSpace(json, at) < json.length) throw notJson();
}

function skipSpace(json: Buffer, from: number): number {
  let at = from;
  // Space, tab, line feed, carriage return: what JSON may have between its tokens.
  while (json[at] === 0x20 || json[at] === 0x09 || json[at] === 0x0a || json[at] === 0x0d) at += 1;
  return at;
}

function keyOf(text: string): string {
  try {
    return String(parseJson(text));
  } catch {
    throw notJson();
  }
}

function notJson(): BadJson {
  return new BadJson('The body is not valid JSON.');
}
