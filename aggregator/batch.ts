import type { Instant } from '../billing/instants.ts';
import type { TraceContext } from '../runtime/tracing.ts';
import { type EncodedRow, encodeUsageEventRows } from '../sql/usage-landing.ts';
import { type Fingerprint, fingerprintOf } from '../stream/fingerprint.ts';
import { positionOf } from '../stream/positions.ts';
import type { UsageGroup } from '../stream/usage-groups.ts';
import { decodeUsageMessage, type UndecodableReason } from '../stream/usage-message.ts';
import { type Tally, talliesOf } from './tally.ts';

/** An event on its way into the usage store: its row, and all that is still asked about it. */
export type PlacedEvent = { fingerprint: Fingerprint; tally: Tally; row: EncodedRow };

/** A message that is no group of events. */
export type Undecodable = { sequence: number; reason: UndecodableReason; detail: string; data: Uint8Array };

/** One message of the stream, read. */
export type ReadGroup = {
  sequence: number;
  bytes: number;
  events: PlacedEvent[];
  /** When its last event was received; 0 where it has none. */
  receivedAt: Instant;
  undecodable?: Undecodable;
  trace?: TraceContext;
};

/** A run of messages that lands as one: everything in the partition from sequence `from` to `to`. */
export type Batch = {
  from: number;
  to: number;
  events: PlacedEvent[];
  undecodable: Undecodable[];
  receivedAt: Instant;
  /** Of its messages, where they carry one. */
  traces: TraceContext[];
};

/** Decodes a stored message; its rows belong to `epoch`. */
export function readGroup({ sequence, data }: UsageGroup, epoch: number): ReadGroup {
  const decoded = decodeUsageMessage(data);
  if (!decoded.ok) {
    const { reason, detail } = decoded;
    return { ...emptyGroup(sequence, data.length), undecodable: { sequence, reason, detail, data } };
  }
  const { events } = decoded;
  const fingerprints = events.map(({ accountId, idempotencyId }) => fingerprintOf(accountId, idempotencyId));
  const tallies = talliesOf(events);
  const rows = encodeUsageEventRows(events, (_, i) => {
    return { fingerprint: fingerprints[i] ?? '', position: positionOf(sequence, i), epoch };
  });
  return {
    ...emptyGroup(sequence, data.length),
    events: rows.map((row, i) => ({ fingerprint: fingerprints[i] ?? '', tally: tallies[i] ?? '', row })),
    receivedAt: events.reduce((latest, event) => Math.max(latest, event.receivedAt), 0),
  };
}

/** A message that brings no events. */
export function emptyGroup(sequence: number, bytes: number): ReadGroup {
  return { sequence, bytes, events: [], receivedAt: 0 };
}

/** Makes a batch of groups that follow one another (at least one). */
export function batchOf(groups: ReadGroup[]): Batch {
  const [first, last] = [groups[0], groups.at(-1)];
  if (!first || !last) throw new Error('A batch has at least one message.');
  return {
    from: first.sequence,
    to: last.sequence,
    events: groups.flatMap((group) => group.events),
    undecodable: groups.flatMap((group) => group.undecodable ?? []),
    traces: groups.flatMap((group) => group.trace ?? []),
    receivedAt: groups.reduce((latest, group) => Math.max(latest, group.receivedAt), 0),
  };
}
