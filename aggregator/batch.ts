import type { Instant } from '../core/instants.ts';
import type { TraceContext } from '../runtime/tracing.ts';
import type { UndecodableReason } from '../stream/undecoded.ts';
import type { UsageGroup } from '../stream/usage-groups.ts';
import { decodeUsageMessage } from '../stream/usage-message.ts';
import {
  fingerprintsOf,
  noUsageRows,
  placeUsageRows,
  receivedAtOf,
  startOf,
  type UsageRows,
} from '../stream/usage-row.ts';
import { type Tally, talliesOf } from './tally.ts';

/** A message that is no group of events. */
export type Undecodable = { sequence: number; reason: UndecodableReason; detail: string; data: Uint8Array };

/** One message of the stream, read: its events as rows for ClickHouse, and all that is still asked about them. */
export type ReadGroup = {
  sequence: number;
  bytes: number;
  rows: UsageRows;
  /** The events' fingerprints, one after another: four words each, of a little-endian integer. */
  fingerprints: Uint32Array;
  /** One for each event. */
  tallies: Tally[];
  /** When its last event was received; 0 where it has none. */
  receivedAt: Instant;
  undecodable?: Undecodable;
  trace?: TraceContext;
};

/** A run of messages that lands as one: everything in the partition from sequence `from` to `to`. */
export type Batch = {
  from: number;
  to: number;
  /** Of each message, in order of position. */
  rows: UsageRows[];
  /** Of all its events, in order of position. */
  fingerprints: Uint32Array;
  tallies: Tally[];
  undecodable: Undecodable[];
  receivedAt: Instant;
  /** Of its messages, where they carry one. */
  traces: TraceContext[];
};

/** Decodes a stored message; its rows belong to `epoch`. Writes into the memory of `data`. */
export function readGroup({ sequence, data }: UsageGroup, epoch: number): ReadGroup {
  const decoded = decodeUsageMessage(data);
  if (!decoded.ok) {
    const { reason, detail } = decoded;
    return { ...emptyGroup(sequence, data.length), undecodable: { sequence, reason, detail, data } };
  }
  const { rows } = decoded;
  placeUsageRows(rows, sequence, epoch);
  let receivedAt = 0;
  for (let i = 0; i < rows.ends.length; i++) receivedAt = Math.max(receivedAt, receivedAtOf(rows, i));
  const size = { sequence, bytes: data.length };
  return { ...size, rows, fingerprints: fingerprintsOf(rows), tallies: talliesOf(rows), receivedAt };
}

/** A message that brings no events. */
export function emptyGroup(sequence: number, bytes: number): ReadGroup {
  return { sequence, bytes, rows: noUsageRows(), fingerprints: new Uint32Array(), tallies: [], receivedAt: 0 };
}

/** Makes a batch of groups that follow one another (at least one). */
export function batchOf(groups: ReadGroup[]): Batch {
  const [first, last] = [groups[0], groups.at(-1)];
  if (!first || !last) throw new Error('A batch has at least one message.');
  return {
    from: first.sequence,
    to: last.sequence,
    rows: groups.map(({ rows }) => rows),
    fingerprints: joined(groups.map(({ fingerprints }) => fingerprints)),
    tallies: groups.flatMap(({ tallies }) => tallies),
    undecodable: groups.flatMap((group) => group.undecodable ?? []),
    traces: groups.flatMap((group) => group.trace ?? []),
    receivedAt: groups.reduce((latest, group) => Math.max(latest, group.receivedAt), 0),
  };
}

/** The rows of the events that are `wanted`, for ClickHouse: those that stand one after another are one piece. */
export function bytesOfRows(batch: Batch, wanted: readonly boolean[]): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let event = 0;
  for (const rows of batch.rows) {
    let run = -1;
    for (let i = 0; i < rows.ends.length; i++) {
      const start = startOf(rows, i);
      if (wanted[event++]) {
        if (run < 0) run = start;
      } else if (run >= 0) {
        pieces.push(rows.bytes.subarray(run, start));
        run = -1;
      }
    }
    if (run >= 0) pieces.push(rows.bytes.subarray(run));
  }
  return pieces;
}

/** Returns the rows of repeats: events whose id had landed before. The pieces are those of {@link bytesOfRows}. */
export function bytesOfRepeats(batch: Batch, accepted: readonly boolean[]): Uint8Array[] {
  if (!accepted.includes(false)) return [];
  return bytesOfRows(
    batch,
    accepted.map((isAccepted) => !isAccepted),
  );
}

function joined(parts: Uint32Array[]): Uint32Array {
  const all = new Uint32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
