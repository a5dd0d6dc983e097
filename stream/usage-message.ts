import { crc32 } from 'node:zlib';
import { INDEXES_PER_MESSAGE } from './positions.ts';
import type { Undecoded } from './undecoded.ts';
import { decodeV1 } from './usage-message-v1.ts';
import { encodeUsageEvent, LEAST_ROW_BYTES, type UsageRows, usageRows } from './usage-row.ts';

/**
 * One message of the stream: a group of events, in the order in which they were received. Version 2, little-endian: the
 * version (one byte), the CRC-32 of all that follows (four), the number of rows (two), their lengths (four each), the rows.
 * Every format version that a stored message may still have stays readable: add one, never remove one (architecture#the-edge-and-the-stream).
 */
export const VERSION = 2;
const CHECKSUM_AT = 1;
const COUNT_AT = 5;
const LENGTHS_AT = 7;

/** Version 1 is JSON, which does not begin with a control character but white space. */
const JSON_FROM = 9;

export type DecodedMessage = { ok: true; rows: UsageRows } | ({ ok: false } & Undecoded);

/** A message of rows that {@link encodeUsageEvent} made; at most {@link INDEXES_PER_MESSAGE}. */
export function encodeUsageMessage(rows: readonly Uint8Array[]): Buffer {
  const first = LENGTHS_AT + 4 * rows.length;
  let size = first;
  for (const row of rows) size += row.length;
  const message = Buffer.allocUnsafe(size);
  message[0] = VERSION;
  message.writeUInt16LE(rows.length, COUNT_AT);
  let at = first;
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as Uint8Array;
    message.writeUInt32LE(row.length, LENGTHS_AT + 4 * i);
    message.set(row, at);
    at += row.length;
  }
  message.writeUInt32LE(crc32(message.subarray(COUNT_AT)), CHECKSUM_AT);
  return message;
}

/**
 * Reads one message of the stream. What it lets through can be stored by ClickHouse without an error, so that a broken
 * message is found here, before it is claimed, and not by a failing insert: of version 2 the checksum says that it is what
 * an edge has made, and every row is looked at all the same. The rows' memory may be the message's own.
 */
export function decodeUsageMessage(data: Uint8Array): DecodedMessage {
  const first = data[0] ?? JSON_FROM;
  if (first === VERSION) return decodeV2(data);
  if (first < JSON_FROM) return { ok: false, reason: 'unknown_version', detail: `The first byte is ${first}.` };
  const decoded = decodeV1(data);
  if (!Array.isArray(decoded)) return { ok: false, ...decoded };
  const encoded = decoded.map(encodeUsageEvent);
  let end = 0;
  const ends = Uint32Array.from(encoded, ({ length }) => {
    end += length;
    return end;
  });
  return checked(Buffer.concat(encoded), ends);
}

function decodeV2(data: Uint8Array): DecodedMessage {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  if (data.length < LENGTHS_AT) return malformed('The message is too short.');
  if (crc32(data.subarray(COUNT_AT)) !== view.getUint32(CHECKSUM_AT, true)) {
    return { ok: false, reason: 'damaged', detail: 'The checksum is another.' };
  }
  const count = view.getUint16(COUNT_AT, true);
  if (count > INDEXES_PER_MESSAGE) return malformed(`It has ${count} rows.`);
  const firstRow = LENGTHS_AT + 4 * count;
  if (firstRow > data.length) return malformed(`It is too short for ${count} rows.`);
  const ends = new Uint32Array(count);
  let end = 0;
  for (let i = 0; i < count; i++) {
    const length = view.getUint32(LENGTHS_AT + 4 * i, true);
    if (length < LEAST_ROW_BYTES) return malformed('A row is too short.');
    end += length;
    ends[i] = end;
  }
  if (end !== data.length - firstRow) return malformed('The rows are not as long as it says.');
  return checked(data.subarray(firstRow), ends);
}

function checked(bytes: Uint8Array, ends: Uint32Array): DecodedMessage {
  const rows = usageRows(bytes, ends);
  return 'wrong' in rows ? malformed(`rows[${rows.wrong}] is not an event.`) : { ok: true, rows };
}

function malformed(detail: string): DecodedMessage {
  return { ok: false, reason: 'malformed', detail };
}
