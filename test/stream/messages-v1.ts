import type { UsageEvent } from '../../stream/usage-event.ts';

/** A message as the edges of earlier releases wrote it; they may stand in a stream for as long as there is one. */
export function encodeMessageV1(events: readonly UsageEvent[]): Buffer {
  const encoded = events.map((e) => [
    ...[e.accountId, e.customerId, e.eventName, e.timeCreated, e.idempotencyId],
    ...[e.numbers, e.strings, e.booleans, e.receivedAt],
  ]);
  return Buffer.from(JSON.stringify({ v: 1, events: encoded }));
}
