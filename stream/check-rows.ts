/** Where a row's fixed end begins, in bytes before the row's end: when it was received, and room for what it gets in the stream. */
export const RECEIVED_AT = 36;

/** What DateTime64(3) holds. */
export const FIRST_INSTANT = Date.UTC(1900, 0, 1);
export const LAST_INSTANT = Date.UTC(2299, 11, 31, 23, 59, 59, 999);
const EPOCH = 0;

const TIME_BYTES = 8;
const DECIMAL_BYTES = 16;
const TWO_TO_32 = 2 ** 32;

/** The upper 32 bits of the greatest number of 38 digits; the least one's are one less than their negative. */
const TOP_OF_DECIMAL = Number((10n ** 38n) >> 96n);

/** Accounts are named by the service, and stand in the counts of a claim, which must fit into one message: short and plain. */
const MOST_ACCOUNT_BYTES = 127;
const FIRST_VISIBLE = 33;
const LAST_VISIBLE = 126;

/** More than any place in a row. */
const BEYOND = TWO_TO_32;

/**
 * Where in each row the idempotency id stands; or the number of the first row that is none: a field that does not end within
 * it, something left over before its fixed end, a boolean that is neither, a time or a number that its column cannot hold, an
 * account that no service has named. ClickHouse refuses a whole insert for the first two and makes something else of
 * the others. (Text that is not UTF-8 it keeps as it is.) `ends` lie within `bytes`, and no row is shorter than its fixed end.
 */
export function findIds(bytes: Uint8Array, view: DataView, ends: Uint32Array): Uint32Array | { wrong: number } {
  const ids = new Uint32Array(ends.length);
  let start = 0;
  for (let i = 0; i < ends.length; i++) {
    const end = ends[i] ?? 0;
    const fixed = end - RECEIVED_AT;
    const time = textEnd(bytes, textEnd(bytes, accountEnd(bytes, start)));
    const id = time + TIME_BYTES;
    if (id > fixed || !isInstant(view, time, FIRST_INSTANT) || !isInstant(view, fixed, EPOCH)) return { wrong: i };
    const numbers = numbersEnd(bytes, view, textEnd(bytes, id), fixed);
    const strings = stringsEnd(bytes, numbers, fixed);
    if (booleansEnd(bytes, strings, fixed) !== fixed) return { wrong: i };
    ids[i] = id;
    start = end;
  }
  return ids;
}

/** Where the text at `at` ends; it begins behind its length. */
export function textEnd(bytes: Uint8Array, at: number): number {
  const size = bytes[at] ?? 0;
  return size < 128 ? at + 1 + size : at + lengthBytes(bytes, at) + longLength(bytes, at);
}

/** How many bytes the length at `at` takes: it comes in groups of seven bits, the lowest first. */
export function lengthBytes(bytes: Uint8Array, at: number): number {
  let last = at;
  while ((bytes[last] ?? 0) > 127) last += 1;
  return last - at + 1;
}

function lengthAt(bytes: Uint8Array, at: number): number {
  const size = bytes[at] ?? 0;
  return size < 128 ? size : longLength(bytes, at);
}

function longLength(bytes: Uint8Array, at: number): number {
  let size = 0;
  for (let i = 0; i < 4; i++) {
    const byte = bytes[at + i] ?? 0;
    size |= (byte & 127) << (7 * i);
    if (byte < 128) return size;
  }
  return BEYOND;
}

function accountEnd(bytes: Uint8Array, start: number): number {
  const size = bytes[start] ?? 0;
  if (size === 0 || size > MOST_ACCOUNT_BYTES) return BEYOND;
  const end = start + 1 + size;
  for (let at = start + 1; at < end; at++) {
    const byte = bytes[at] ?? 0;
    if (byte < FIRST_VISIBLE || byte > LAST_VISIBLE) return BEYOND;
  }
  return end;
}

function numbersEnd(bytes: Uint8Array, view: DataView, from: number, fixed: number): number {
  let at = from + lengthBytes(bytes, from);
  for (let left = lengthAt(bytes, from); left > 0; left--) {
    const value = textEnd(bytes, at);
    at = value + DECIMAL_BYTES;
    if (at > fixed) return BEYOND;
    const top = view.getInt32(at - 4, true);
    if (top > TOP_OF_DECIMAL || top < -TOP_OF_DECIMAL - 1) return BEYOND;
  }
  return at;
}

function stringsEnd(bytes: Uint8Array, from: number, fixed: number): number {
  let at = from + lengthBytes(bytes, from);
  for (let left = lengthAt(bytes, from); left > 0; left--) {
    at = textEnd(bytes, textEnd(bytes, at));
    if (at > fixed) return BEYOND;
  }
  return at;
}

function booleansEnd(bytes: Uint8Array, from: number, fixed: number): number {
  let at = from + lengthBytes(bytes, from);
  for (let left = lengthAt(bytes, from); left > 0; left--) {
    const value = textEnd(bytes, at);
    at = value + 1;
    if (at > fixed || (bytes[value] ?? 0) > 1) return BEYOND;
  }
  return at;
}

function isInstant(view: DataView, at: number, first: number): boolean {
  const instant = view.getInt32(at + 4, true) * TWO_TO_32 + view.getUint32(at, true);
  return instant >= first && instant <= LAST_INSTANT;
}
