/**
 * Where an event stands in the usage stream: stream sequence * 1024 + index in its group. The order of positions
 * decides which of two repeats came first (architecture#the-edge-and-the-stream).
 */
export type Position = bigint;

/** Events per group at most. */
export const MAX_EVENTS_PER_GROUP = 512;

/** A position has room for so many events of a message. */
export const INDEXES_PER_MESSAGE = 1024;

const INDEXES = BigInt(INDEXES_PER_MESSAGE);

/** The position of event `index` (from 0) of the message with stream sequence `sequence`. */
export function positionOf(sequence: number, index: number): Position {
  return BigInt(sequence) * INDEXES + BigInt(index);
}

/** The position that no event of this message lies above. */
export function endOfMessage(sequence: number): Position {
  return BigInt(sequence) * INDEXES + (INDEXES - 1n);
}

/** The stream sequence of the message that holds this position. */
export function sequenceOf(position: Position): number {
  return Number(position / INDEXES);
}
