import { crc32 } from 'node:zlib';
import { isFields } from '../core/fields.ts';
import type { Instant } from '../core/instants.ts';

/** Events of one account received in one hour (its first instant). */
export type HourCount = { accountId: string; hour: Instant; events: number };

const HOUR_MS = 3_600_000;

/** The hour of receipt that an instant belongs to. */
export function hourOf(receivedAt: Instant): Instant {
  return Math.floor(receivedAt / HOUR_MS) * HOUR_MS;
}

/**
 * What a stored message says that the edge accepted, per account and hour of receipt. On purpose not by the decoder that
 * the aggregator lands with: the audit compares the two, so a fault in either shows. It looks at nothing but whose an event
 * is and when it was received, in any format version that keeps these two in their places. Empty where that cannot be read.
 */
export function countAccepted(data: Uint8Array): HourCount[] {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const receipts = bytes[0] === 2 ? receiptsOfRows(bytes) : receiptsOfJson(bytes);
  // The audit's table holds no other hour, and the audit must go on.
  if (receipts.some(({ receivedAt }) => !Number.isSafeInteger(receivedAt))) return [];
  const counts = new Map<string, HourCount>();
  for (const { accountId, receivedAt } of receipts) {
    const hour = hourOf(receivedAt);
    const key = `${hour} ${accountId}`;
    const count = counts.get(key);
    if (count) count.events += 1;
    else counts.set(key, { accountId, hour, events: 1 });
  }
  return [...counts.values()];
}

type Receipt = { accountId: string; receivedAt: Instant };

function receiptsOfJson(bytes: Buffer): Receipt[] {
  const receipts: Receipt[] = [];
  for (const event of eventsOf(bytes)) {
    if (!Array.isArray(event)) return [];
    const [accountId, receivedAt]: unknown[] = [event[0], event[8]];
    if (typeof accountId !== 'string' || typeof receivedAt !== 'number') return [];
    receipts.push({ accountId, receivedAt });
  }
  return receipts;
}

function eventsOf(bytes: Buffer): unknown[] {
  try {
    // Keys of properties may come out wrong here (runtime/parse-json.ts); nothing of them is looked at.
    const message: unknown = JSON.parse(bytes.toString());
    return isFields(message) && Array.isArray(message.events) ? message.events : [];
  } catch {
    return [];
  }
}

/**
 * Version 2: a checksum of all from byte 5 on, how many rows there are, their lengths, and the rows. One begins with its account (a length
 * below 16,384, then the text); 36 bytes before its end stands when it was received.
 */
function receiptsOfRows(bytes: Buffer): Receipt[] {
  if (bytes.length < 7 || crc32(bytes.subarray(5)) !== bytes.readUInt32LE(1)) return [];
  const count = bytes.readUInt16LE(5);
  const receipts: Receipt[] = [];
  let start = 7 + 4 * count;
  for (let i = 0; i < count; i++) {
    if (7 + 4 * i + 4 > bytes.length) return [];
    const end = start + bytes.readUInt32LE(7 + 4 * i);
    if (end - 36 < start || end > bytes.length) return [];
    const [low = 0, high = 0] = bytes.subarray(start, start + 2);
    const [size, text] = low < 128 ? [low, start + 1] : [low - 128 + 128 * high, start + 2];
    const accountId = bytes.toString('utf8', text, text + size);
    receipts.push({ accountId, receivedAt: Number(bytes.readBigInt64LE(end - 36)) });
    start = end;
  }
  return receipts;
}
