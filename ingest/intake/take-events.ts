import type { Instant } from '../../core/instants.ts';
import type { Caller } from '../../runtime/http/api-key.ts';
import { takeInTurns } from '../../runtime/in-turns.ts';
import type { TrackDependencies } from '../track.ts';
import type { BadEvent, EventInput } from './event-input.ts';
import { type EventRow, type EventSender, readEvent } from './read-event.ts';

/** An event that was not accepted: its place among those that were sent, from 0, and what is wrong by field. */
export type RejectedEvent = BadEvent & { index: number };

/** What became of the events of a body; `rejected` by ascending index. With those accepted they are all that was sent. */
export type Outcome = { accepted: number; rejected: RejectedEvent[] };

/** Whose events, when they came, and how long ago that was by `performance.now()`. */
export type Batch = { caller: Caller; receivedAt: Instant; endedAt: number };

/**
 * So many wrong fields of a body are told, and of events behind those one each: an event of 64 KiB may have ten thousand, and a body
 * ten thousand events.
 */
const MAX_TOLD = 100_000;

/**
 * Takes the events of one body, each by the rules of `/api/track`: resolves once the stream has all that are good on disk. `inputs` is
 * taken in order, a few milliseconds' worth at a time, others being served in between; what it throws refuses the whole body, of which
 * then nothing is stored.
 * @throws DomainError `unavailable` (503) where it is not certain that all are stored: some may be.
 */
export async function takeEvents(
  inputs: Iterable<EventInput>,
  { caller, receivedAt, endedAt }: Batch,
  { partitions, groupCommit }: TrackDependencies,
): Promise<Outcome> {
  const rejected: RejectedEvent[] = [];
  const batch = new Map<number, Uint8Array[]>();
  let accepted = 0;
  const sender = { caller, receivedAt, partitions: partitions() };
  await takeInTurns(rowsOf(inputs, sender, rejected), (read) => {
    if (!read) return;
    accepted += 1;
    const rows = batch.get(read.partition);
    if (rows) rows.push(read.row);
    else batch.set(read.partition, [read.row]);
  });
  await groupCommit.addBatch(batch, performance.now() - endedAt);
  return { accepted, rejected };
}

/** The row of each good event; of the others nothing, which are added to `rejected`. */
function* rowsOf(
  inputs: Iterable<EventInput>,
  sender: EventSender,
  rejected: RejectedEvent[],
): Iterable<EventRow | undefined> {
  let [index, left] = [0, MAX_TOLD];
  for (const input of inputs) {
    const read = readEvent(input, sender);
    if ('row' in read) yield read;
    else {
      const fields = Object.entries(read.errors);
      const errors = fields.length > left ? Object.fromEntries(fields.slice(0, 1)) : read.errors;
      left = Math.max(0, left - fields.length);
      rejected.push({ index, idempotencyId: read.idempotencyId, errors });
      yield undefined;
    }
    index += 1;
  }
}
