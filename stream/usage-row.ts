import type { Instant } from '../core/instants.ts';
import { findIds, lengthBytes, RECEIVED_AT, textEnd } from './check-rows.ts';
import { FINGERPRINT_WORDS, type Piece, writeFingerprint } from './fingerprint.ts';
import { INDEXES_PER_MESSAGE } from './positions.ts';
import { createRowBinaryWriter } from './row-binary.ts';
import type { UsageEvent } from './usage-event.ts';

/**
 * Events as ClickHouse takes them (RowBinary, in the order of the columns in sql/clickhouse/usage/usage-landing.ts), one after another
 * in one piece of memory: row `i` ends at `ends[i]`, where the next one begins, and has its idempotency id's text at `ids[i]`.
 * The edge makes them, once; behind it nobody takes an event apart again. A row ends in a fixed shape: when it was received,
 * and room for what it gets in the stream.
 */
export type UsageRows = { bytes: Uint8Array; view: DataView; ends: Uint32Array; ids: Uint32Array };

/** Where a row's last columns begin, in bytes before its end, behind when it was received. Zero until the row is placed. */
const FINGERPRINT = 28;
const POSITION = 12;
const EPOCH = 4;

/** No row is shorter: four texts, a time and three maps stand before its fixed end. */
export const LEAST_ROW_BYTES = 15 + RECEIVED_AT;

const TWO_TO_32 = 2 ** 32;
/** Messages whose positions have the same upper 32 bits. */
const MESSAGES_PER_WORD = TWO_TO_32 / INDEXES_PER_MESSAGE;

const writer = createRowBinaryWriter();

/** One event as a row that has not been placed. Made for every request, so it has to be cheap. */
export function encodeUsageEvent(e: UsageEvent): Buffer {
  writer.begin();
  writer.text(e.accountId);
  writer.text(e.customerId);
  writer.text(e.eventName);
  writer.int64(e.timeCreated);
  writer.text(e.idempotencyId);
  writer.map(e.numbers, writer.decimal38);
  writer.map(e.strings, writer.text);
  writer.map(e.booleans, writer.bool);
  writer.int64(e.receivedAt);
  writer.room(FINGERPRINT);
  return writer.take();
}

/** A property whose name and value stand somewhere in memory as text. */
export type PropertyPieces = { key: Piece; value: Piece };

/**
 * An event whose texts stand in `bytes`, as UTF-8: each property in one of the three lists, numbers as plain decimals, booleans as
 * `true` and `false`.
 */
export type EventPieces = {
  bytes: Buffer;
  customerId: Piece;
  eventName: Piece;
  idempotencyId: Piece;
  timeCreated: Instant;
  numbers: readonly PropertyPieces[];
  strings: readonly PropertyPieces[];
  booleans: readonly PropertyPieces[];
};

const LETTER_T = 0x74;

/** As {@link encodeUsageEvent}, of an event that is there in pieces: without making strings of them. */
export function encodeEventPieces(accountId: string, e: EventPieces, receivedAt: Instant): Buffer {
  const { bytes } = e;
  writer.begin();
  writer.text(accountId);
  writer.piece(bytes, e.customerId);
  writer.piece(bytes, e.eventName);
  writer.int64(e.timeCreated);
  writer.piece(bytes, e.idempotencyId);
  writer.length(e.numbers.length);
  for (const { key, value } of e.numbers) {
    writer.piece(bytes, key);
    writer.decimal38(bytes.toString('latin1', value.start, value.end));
  }
  writer.length(e.strings.length);
  for (const { key, value } of e.strings) {
    writer.piece(bytes, key);
    writer.piece(bytes, value);
  }
  writer.length(e.booleans.length);
  for (const { key, value } of e.booleans) {
    writer.piece(bytes, key);
    writer.bool(bytes[value.start] === LETTER_T);
  }
  writer.int64(receivedAt);
  writer.room(FINGERPRINT);
  return writer.take();
}

/**
 * Rows that stand one after another in `bytes`, which belong to them from now on: all of it, each at least
 * {@link LEAST_ROW_BYTES} long. The number of the first that is none where ClickHouse would not take them as they are.
 */
export function usageRows(bytes: Uint8Array, ends: Uint32Array): UsageRows | { wrong: number } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const ids = findIds(bytes, view, ends);
  return 'wrong' in ids ? ids : { bytes, view, ends, ids };
}

/** None. */
export function noUsageRows(): UsageRows {
  const none = new Uint32Array();
  return { bytes: new Uint8Array(), view: new DataView(none.buffer), ends: none, ids: none };
}

/** Writes into the rows of a message what they get in the stream: fingerprints, positions, the epoch. */
export function placeUsageRows(rows: UsageRows, sequence: number, epoch: number): void {
  const { bytes, view, ends, ids } = rows;
  const high = Math.floor(sequence / MESSAGES_PER_WORD);
  const low = (sequence % MESSAGES_PER_WORD) * INDEXES_PER_MESSAGE;
  for (let i = 0; i < ends.length; i++) {
    const end = ends[i] ?? 0;
    writeFingerprint(bytes, accountAt(rows, i), textAt(bytes, ids[i] ?? 0), end - FINGERPRINT);
    view.setUint32(end - POSITION, low + i, true);
    view.setUint32(end - POSITION + 4, high, true);
    view.setUint32(end - EPOCH, epoch, true);
  }
}

/** The fingerprints of placed rows, one after another, each as the four words of a little-endian integer. */
export function fingerprintsOf({ view, ends }: UsageRows): Uint32Array {
  const words = new Uint32Array(ends.length * FINGERPRINT_WORDS);
  let word = 0;
  for (const end of ends) {
    for (let at = end - FINGERPRINT; at < end - POSITION; at += 4) words[word++] = view.getUint32(at, true);
  }
  return words;
}

/** When event `i` was received. */
export function receivedAtOf({ view, ends }: UsageRows, i: number): Instant {
  const at = (ends[i] ?? 0) - RECEIVED_AT;
  return view.getInt32(at + 4, true) * TWO_TO_32 + view.getUint32(at, true);
}

/** Whose event `i` is. */
export function accountOf(rows: UsageRows, i: number): string {
  const { start, end } = accountAt(rows, i);
  return Buffer.from(rows.bytes.buffer, rows.bytes.byteOffset + start, end - start).toString();
}

/** Whether event `i` is of the same account as the one before it. */
export function isOfSameAccount(rows: UsageRows, i: number): boolean {
  if (i === 0) return false;
  const { bytes } = rows;
  const [mine, before] = [accountAt(rows, i), accountAt(rows, i - 1)];
  if (mine.end - mine.start !== before.end - before.start) return false;
  for (let at = mine.start, other = before.start; at < mine.end; at++, other++) {
    if (bytes[at] !== bytes[other]) return false;
  }
  return true;
}

/** Where row `i` begins. */
export function startOf({ ends }: UsageRows, i: number): number {
  return i === 0 ? 0 : (ends[i - 1] ?? 0);
}

function accountAt(rows: UsageRows, i: number): Piece {
  return textAt(rows.bytes, startOf(rows, i));
}

function textAt(bytes: Uint8Array, at: number): Piece {
  return { start: at + lengthBytes(bytes, at), end: textEnd(bytes, at) };
}
