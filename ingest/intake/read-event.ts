import { isDecimal } from '../../core/decimal.ts';
import { DomainError } from '../../core/domain-error.ts';
import type { Instant } from '../../core/instants.ts';
import { stringifyExactJson } from '../../runtime/exact-json.ts';
import type { Caller } from '../../runtime/http/api-key.ts';
import { fingerprintOf } from '../../stream/fingerprint.ts';
import { partitionOf } from '../../stream/subjects.ts';
import { encodeEventPieces, encodeUsageEvent } from '../../stream/usage-row.ts';
import { timeFlaw, usageEventFromBody } from '../usage-event-input.ts';
import {
  type BadEvent,
  type EventInput,
  type EventJson,
  eventFromJson,
  idOf,
  MAX_EVENT_BYTES,
  type ParsedEvent,
  wrongEvent,
} from './event-input.ts';
import { PlainEventReader } from './plain-event.ts';

/** Whose event it is, when it came, and over how many partitions events are spread. */
export type EventSender = { caller: Caller; receivedAt: Instant; partitions: number };

/** A good event as it goes into the stream. */
export type EventRow = { partition: number; row: Uint8Array };

/** Levels of nesting an event may have; it is the first itself. */
const MAX_DEPTH = 10;

/** An event whose row is shorter has a JSON form within the limit, whatever had to be escaped there. */
const SHORT_ROW_BYTES = 8 * 1024;

/** One after another: nobody else reads while one is read. */
const plain = new PlainEventReader();

/** The row of an event, or what is wrong with it. @throws BadJson as {@link eventFromJson} */
export function readEvent(input: EventInput, sender: EventSender): EventRow | BadEvent {
  if ('json' in input) return readPlain(input, sender) ?? readParsed(eventFromJson(input), sender);
  return readParsed(input, sender);
}

/** The row of an event that is plain, and good. */
function readPlain({ json, start, end }: EventJson, sender: EventSender): EventRow | undefined {
  const { caller, receivedAt } = sender;
  if (!plain.read(json, start, end) || timeFlaw(plain.timeCreated, caller.mode, receivedAt)) return undefined;
  const row = encodeEventPieces(caller.accountId, plain, receivedAt);
  if (row.length > SHORT_ROW_BYTES) return undefined;
  const id = plain.idempotencyId;
  return { row, partition: partitionFor(sender, () => json.toString('latin1', id.start, id.end)) };
}

function readParsed(input: ParsedEvent | BadEvent, sender: EventSender): EventRow | BadEvent {
  if (!('body' in input)) return input;
  const { body } = input;
  try {
    const event = usageEventFromBody(body, sender.caller, sender.receivedAt);
    const row = encodeUsageEvent(event);
    if (row.length > SHORT_ROW_BYTES && isTooLarge(body)) return wrongEvent('size', body);
    return { row, partition: partitionFor(sender, () => event.idempotencyId) };
  } catch (error) {
    if (!(error instanceof DomainError) || !error.fields) throw error;
    if (isDeeperThan(MAX_DEPTH, body)) return wrongEvent('depth', body);
    if (isTooLarge(body)) return wrongEvent('size', body);
    return { idempotencyId: idOf(body), errors: error.fields };
  }
}

function partitionFor({ caller, partitions }: EventSender, id: () => string): number {
  return partitions === 1 ? 0 : partitionOf(fingerprintOf(caller.accountId, id()), partitions);
}

function isTooLarge(body: Record<string, unknown>): boolean {
  return Buffer.byteLength(stringifyExactJson(body)) > MAX_EVENT_BYTES;
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null || isDecimal(value)) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner));
}
