import { isDecimal } from '../../core/decimal.ts';
import { DomainError } from '../../core/domain-error.ts';
import type { Instant } from '../../core/instants.ts';
import { stringifyExactJson } from '../../runtime/exact-json.ts';
import type { Caller } from '../../runtime/http/api-key.ts';
import { inTurns } from '../../runtime/in-turns.ts';
import { fingerprintOf } from '../../stream/fingerprint.ts';
import { partitionOf } from '../../stream/subjects.ts';
import { encodeUsageEvent } from '../../stream/usage-row.ts';
import type { TrackDependencies } from '../track.ts';
import { usageEventFromBody } from '../usage-event-input.ts';
import { type BadEvent, type EventInput, idOf, MAX_EVENT_BYTES, wrongEvent } from './event-input.ts';

/** An event that was not accepted: its place among those that were sent, from 0, and what is wrong by field. */
export type RejectedEvent = BadEvent & { index: number };

/** What became of the events of a body; `rejected` by ascending index. With those accepted they are all that was sent. */
export type Outcome = { accepted: number; rejected: RejectedEvent[] };

/** Whose events, when they came, and how long ago that was by `performance.now()`. */
export type Batch = { caller: Caller; receivedAt: Instant; endedAt: number };

/** Levels of nesting an event may have; it is the first itself. */
const MAX_DEPTH = 10;

/** An event whose row is shorter has a JSON form within the limit, whatever had to be escaped there. */
const SHORT_ROW_BYTES = 8 * 1024;

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
  const count = partitions();
  const rows = await inTurns(rowsOf(inputs, { caller, receivedAt, partitions: count, rejected }));
  const waitedMs = performance.now() - endedAt;
  const { accountId } = caller;
  // Of events that go together each has the same promise.
  const stored = new Set(rows.map(({ partition, row }) => groupCommit.add(partition, row, { accountId, waitedMs })));
  await Promise.all(stored);
  return { accepted: rows.length, rejected };
}

type Row = { partition: number; row: Buffer };
type Reading = { caller: Caller; receivedAt: Instant; partitions: number; rejected: RejectedEvent[] };

/** The rows of the good events; the others are added to `rejected`. */
function* rowsOf(inputs: Iterable<EventInput>, reading: Reading): Iterable<Row> {
  let index = 0;
  for (const input of inputs) {
    const read = 'body' in input ? readEvent(input.body, reading) : input;
    if ('row' in read) yield read;
    else reading.rejected.push({ index, ...read });
    index += 1;
  }
}

function readEvent(body: Record<string, unknown>, { caller, receivedAt, partitions }: Reading): Row | BadEvent {
  try {
    const event = usageEventFromBody(body, caller, receivedAt);
    const row = encodeUsageEvent(event);
    if (row.length > SHORT_ROW_BYTES && isTooLarge(body)) return wrongEvent('size', body);
    const one = partitions === 1;
    return { row, partition: one ? 0 : partitionOf(fingerprintOf(event.accountId, event.idempotencyId), partitions) };
  } catch (error) {
    if (!(error instanceof DomainError) || !error.fields) throw error;
    if (isDeeperThan(MAX_DEPTH, body)) return wrongEvent('depth', body);
    if (isTooLarge(body)) return wrongEvent('size', body);
    return { idempotencyId: idOf(body), errors: error.fields };
  }
}

function isTooLarge(body: Record<string, unknown>): boolean {
  return Buffer.byteLength(stringifyExactJson(body)) > MAX_EVENT_BYTES;
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null || isDecimal(value)) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner));
}
