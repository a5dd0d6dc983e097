/**
 * Writes values as ClickHouse's RowBinary has them (https://clickhouse.com/docs/interfaces/formats/RowBinary): the server
 * reads it twice as fast as JSON. Not for values it could refuse: it would then tell only the row.
 */
export type RowBinaryWriter = {
  text(value: string): void;
  uint32(value: number): void;
  /** A UInt64 from 0 on. */
  uint64(value: bigint): void;
  /** Also what DateTime64(3) holds: milliseconds. A safe integer. */
  int64(value: number): void;
  /** A UInt128 as 32 hex digits. */
  uint128(hex: string): void;
  /** A Decimal(38, 18) from a plain decimal of at most 20 integer digits and 18 decimals. */
  decimal38(plain: string): void;
  bool(value: boolean): void;
  /** A Map's keys in their order, each followed by its value as `writeValue` writes it. */
  map<T>(entries: Record<string, T>, writeValue: (value: T) => void): void;
  /** Bytes written since the last {@link take}. */
  size(): number;
  /** What has been written since the last call, as a copy. */
  take(): Buffer;
};

const FIRST_BYTES = 64 * 1024;
const SCALE = 18;
const ONE = 10n ** BigInt(SCALE);
const TWO_TO_32 = 2 ** 32;
/** Above this a call into the runtime is faster than a loop. */
const LOOP_LENGTH = 48;

export function createRowBinaryWriter(): RowBinaryWriter {
  let bytes = Buffer.allocUnsafe(FIRST_BYTES);
  const halves = new BigInt64Array(2);
  const halfBytes = new Uint8Array(halves.buffer);
  let at = 0;

  function reserve(count: number) {
    if (at + count <= bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(bytes.length * 2, at + count));
    bytes.copy(larger, 0, 0, at);
    bytes = larger;
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
    for (let i = 0; i < size; i++) {
      const code = value.charCodeAt(i);
      if (code > 127) return false;
      bytes[at + 1 + i] = code;
    }
    bytes[at] = size;
    at += size + 1;
    return true;
  }

  function uint32(value: number) {
    reserve(4);
    at = bytes.writeUInt32LE(value, at);
  }

  function int64(value: number) {
    reserve(8);
    at = bytes.writeUInt32LE(((value % TWO_TO_32) + TWO_TO_32) % TWO_TO_32, at);
    at = bytes.writeInt32LE(Math.floor(value / TWO_TO_32), at);
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
    text,
    uint32,
    uint64: (value) => {
      reserve(8);
      at = bytes.writeBigUInt64LE(value, at);
    },
    int64,
    uint128: (hex) => {
      reserve(16);
      bytes.write(hex, at, 'hex');
      bytes.subarray(at, at + 16).reverse();
      at += 16;
    },
    decimal38: (plain) => {
      const scaled = scaledOf(plain);
      reserve(16);
      halves[0] = scaled; // stores the lower 64 bits, and is three times as fast as a write into the buffer
      halves[1] = scaled >> 64n;
      bytes.set(halfBytes, at);
      at += 16;
    },
    bool,
    map,
    size: () => at,
    take: () => {
      const taken = Buffer.from(bytes.subarray(0, at));
      at = 0;
      return taken;
    },
  };
}

/** A plain decimal times ten to the power of the scale. */
function scaledOf(plain: string): bigint {
  const point = plain.indexOf('.');
  if (point < 0) return BigInt(plain) * ONE;
  return BigInt(plain.slice(0, point) + plain.slice(point + 1).padEnd(SCALE, '0'));
}
