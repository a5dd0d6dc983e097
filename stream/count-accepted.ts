import type { Instant } from '../billing/instants.ts';

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
  const events = eventsOf(data);
  const counts = new Map<string, HourCount>();
  for (const event of events) {
    if (!Array.isArray(event)) return [];
    const [accountId, receivedAt] = [event[0] as unknown, event[8] as unknown];
    if (typeof accountId !== 'string' || typeof receivedAt !== 'number') return [];
    const hour = hourOf(receivedAt);
    const key = `${hour} ${accountId}`;
    const count = counts.get(key);
    if (count) count.events += 1;
    else counts.set(key, { accountId, hour, events: 1 });
  }
  return [...counts.values()];
}

function eventsOf(data: Uint8Array): unknown[] {
  try {
    // Keys of properties may come out wrong here (runtime/parse-json.ts); nothing of them is looked at.
    const message = JSON.parse(Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString()) as unknown;
    const events = (message as { events?: unknown } | null)?.events;
    return Array.isArray(events) ? events : [];
  } catch {
    return [];
  }
}
