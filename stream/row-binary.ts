import type { Piece } from './fingerprint.ts';

/**
 * Writes values as ClickHouse's RowBinary has them (https://clickhouse.com/docs/interfaces/formats/RowBinary): the server
 * reads it twice as fast as JSON. Not for values it could refuse: it would then tell only the row.
 */
export type RowBinaryWriter = {
  /** Forgets what has not been taken: a value that could not be written must not stand before the next ones. */
  begin(): void;
  text(value: string): void;
  /** A text that stands in memory as UTF-8. */
  piece(source: Uint8Array, piece: Piece): void;
  /** How many entries of a map, or bytes, follow. */
  length(value: number): void;
  /** Also what DateTime64(3) holds: milliseconds. A safe integer. */
  int64(value: number): void;
  /** A Decimal(38, 18) from a plain decimal of at most 20 integer digits and 18 decimals; throws on anything else. */
  decimal38(plain: string): void;
  bool(value: boolean): void;
  /** A Map's keys in their order, each followed by its value as `writeValue` writes it. */
  map<T>(entries: Record<string, T>, writeValue: (value: T) => void): void;
  /** So many zeros, for what is not known yet. */
  room(count: number): void;
  /** What has been written since the last call; the memory is the caller's. */
  take(): Buffer;
};

/** What is taken shares memory of this size with its neighbours, which lives as long as any of them. */
const SLAB_BYTES = 64 * 1024;
const SCALE = 18;
const TWO_TO_32 = 2 ** 32;
/** Above this a call into the runtime is faster than a loop. */
const LOOP_LENGTH = 48;

export function createRowBinaryWriter(): RowBinaryWriter {
  let bytes = Buffer.allocUnsafeSlow(SLAB_BYTES);
  let view = new DataView(bytes.buffer);
  let [start, at] = [0, 0];

  /** Makes room for `count` bytes: in a new slab, to which what has not been taken moves. */
  function reserve(count: number) {
    if (at + count <= bytes.length) return;
    const next = Buffer.allocUnsafeSlow(Math.max(SLAB_BYTES, 2 * (at - start + count)));
    bytes.copy(next, 0, start, at);
    [bytes, view] = [next, new DataView(next.buffer)];
    [start, at] = [0, at - start];
  }

  function length(value: number) {
    reserve(5);
    let rest = value;
    for (; rest > 127; rest >>>= 7) bytes[at++] = (rest & 127) | 128;
    bytes[at++] = rest;
  }

  function text(value: string) {
    if (value.length <= LOOP_LENGTH && shortAscii(value)) return;
    const size = Buffer.byteLength(value);
    length(size);
    reserve(size);
    at += bytes.write(value, at, 'utf8');
  }

  /** Whether `value` was plain ASCII, and so has been written. */
  function shortAscii(value: string): boolean {
    const size = value.length;
    reserve(size + 1);
    const [target, first] = [bytes, at + 1];
    for (let i = 0; i < size; i++) {
      const code = value.charCodeAt(i);
      if (code > 127) return false;
      target[first + i] = code;
    }
    target[at] = size;
    at += size + 1;
    return true;
  }

  function piece(source: Uint8Array, { start: from, end }: Piece) {
    const size = end - from;
    length(size);
    reserve(size);
    if (size > LOOP_LENGTH) bytes.set(source.subarray(from, end), at);
    else {
      const target = bytes;
      for (let i = 0; i < size; i++) target[at + i] = source[from + i] as number;
    }
    at += size;
  }

  /** Writes 32 bits: `value` modulo 2 to the power of 32, so negative values are right as well. */
  function uint32(value: number) {
    reserve(4);
    view.setUint32(at, value, true);
    at += 4;
  }

  function bool(value: boolean) {
    reserve(1);
    bytes[at++] = value ? 1 : 0;
  }

  function map<T>(entries: Record<string, T>, writeValue: (value: T) => void) {
    const keys = Object.keys(entries);
    length(keys.length);
    for (const key of keys) {
      text(key);
      writeValue(entries[key] as T);
    }
  }

  return {
    begin: () => {
      at = start;
    },
    text,
    piece,
    length,
    int64: (value) => {
      uint32(value);
      uint32(Math.floor(value / TWO_TO_32));
    },
    decimal38: (plain) => {
      scaleInto(scaled, plain);
      for (let i = 0; i < scaled.length; i++) uint32(scaled[i] ?? 0);
    },
    bool,
    map,
    room: (count) => {
      reserve(count);
      for (let left = count; left > 0; left--) bytes[at++] = 0;
    },
    take: () => {
      const taken = bytes.subarray(start, at);
      start = at;
      return taken;
    },
  };
}

const MINUS = 45;
const ZERO = 48;
const MOST_INTEGER_DIGITS = 20;

/** Digits that are added at once: a word times ten to their power is still an exact number. */
const DIGITS = 6;
const STEP = 10 ** DIGITS;

/** Scratch for one decimal: 128 bits, the lowest word first. */
const scaled = new Uint32Array(4);

/** A plain decimal times ten to the power of the scale, in two's complement; without BigInt, which takes four times as long. */
function scaleInto(number: Uint32Array, plain: string) {
  const isNegative = plain.charCodeAt(0) === MINUS;
  const point = plain.indexOf('.');
  const end = point < 0 ? plain.length : point;
  number.fill(0);
  let used = 0;
  let at = isNegative ? 1 : 0;
  const integerDigits = end - at;
  const decimals = plain.length - end - 1;
  if (integerDigits < 1 || integerDigits > MOST_INTEGER_DIGITS || decimals === 0 || decimals > SCALE)
    throw notPlain(plain);
  for (let size = (end - at) % DIGITS || DIGITS; at < end; size = DIGITS) {
    used = shiftIn(number, used, digitsOf(plain, at, size));
    at += size;
  }
  for (let i = 1; i <= SCALE; i += DIGITS) {
    used = shiftIn(number, used, point < 0 ? 0 : digitsOf(plain, point + i, DIGITS));
  }
  if (isNegative) negate(number);
}

/** So many digits from `at` on; zeros where the text has ended. */
function digitsOf(plain: string, at: number, size: number): number {
  let value = 0;
  for (let i = at; i < at + size; i++) {
    const digit = i < plain.length ? plain.charCodeAt(i) - ZERO : 0;
    if (digit < 0 || digit > 9) throw notPlain(plain);
    value = value * 10 + digit;
  }
  return value;
}

/** Nobody behind the writer looks at a number again: a wrong one must not become any other. */
function notPlain(text: string): Error {
  return new Error(`'${text}' is not a plain decimal of ${MOST_INTEGER_DIGITS} integer digits and ${SCALE} decimals.`);
}

/** Appends {@link DIGITS} decimal digits to a number of `used` words; answers how many words it has then. */
function shiftIn(number: Uint32Array, used: number, digits: number): number {
  let carry = digits;
  for (let i = 0; i < used; i++) {
    const product = (number[i] ?? 0) * STEP + carry;
    number[i] = product;
    carry = Math.floor(product / TWO_TO_32);
  }
  if (carry === 0) return used;
  number[used] = carry;
  return used + 1;
}

function negate(number: Uint32Array) {
  let carry = 1;
  for (let i = 0; i < number.length; i++) {
    const word = (~(number[i] ?? 0) >>> 0) + carry;
    number[i] = word;
    carry = Math.floor(word / TWO_TO_32);
  }
}
