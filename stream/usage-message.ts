import type { Instant } from '../billing/instants.ts';
import { parseJson } from '../runtime/parse-json.ts';

/** A usage event as the edge accepted it (contract 4): fully validated, nothing behind may refuse it. */
export type UsageEvent = {
  accountId: string;
  customerId: string;
  eventName: string;
  timeCreated: Instant;
  idempotencyId: string;
  /** Exact plain decimals; of numbers and of strings that are JSON numbers. */
  numbers: Record<string, string>;
  /** String values, verbatim; a numeric string stands here too. */
  strings: Record<string, string>;
  booleans: Record<string, boolean>;
  receivedAt: Instant;
};

/** Why a message could not be decoded; kept with its dead letter. */
export type UndecodableReason = 'not_utf8' | 'not_json' | 'unknown_version' | 'malformed';

export type DecodedMessage =
  | { ok: true; events: UsageEvent[] }
  | { ok: false; reason: UndecodableReason; detail: string };

/** One event as JSON text, made once by the edge and never parsed again before the aggregator. */
export function encodeUsageEvent(e: UsageEvent): string {
  return JSON.stringify([
    e.accountId,
    e.customerId,
    e.eventName,
    e.timeCreated,
    e.idempotencyId,
    e.numbers,
    e.strings,
    e.booleans,
    e.receivedAt,
  ] satisfies EventV1);
}

/** One message of the stream: a group of encoded events, in the order in which they were received. */
export function encodeUsageMessage(encodedEvents: string[]): string {
  return `{"v":1,"events":[${encodedEvents.join(',')}]}`;
}

type EventV1 = [
  accountId: string,
  customerId: string,
  eventName: string,
  timeCreated: Instant,
  idempotencyId: string,
  numbers: Record<string, string>,
  strings: Record<string, string>,
  booleans: Record<string, boolean>,
  receivedAt: Instant,
];

/** Every format version that a stored message may still have: add one, never remove one (design 4). */
const DECODERS: Record<number, (events: unknown[]) => UsageEvent[] | string> = { 1: decodeV1 };

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads one message of the stream. What it lets through can be stored by ClickHouse without an error, so that a broken
 * message is found here, before it is claimed, and not by a failing insert.
 */
export function decodeUsageMessage(data: Uint8Array): DecodedMessage {
  let text: string;
  try {
    text = utf8.decode(data);
  } catch {
    return { ok: false, reason: 'not_utf8', detail: 'The message is not UTF-8.' };
  }
  let message: unknown;
  try {
    message = parseJson(text);
  } catch (error) {
    return { ok: false, reason: 'not_json', detail: String(error) };
  }
  if (!isRecord(message)) return { ok: false, reason: 'malformed', detail: 'The message is not an object.' };
  const decode = typeof message.v === 'number' && Object.hasOwn(DECODERS, message.v) ? DECODERS[message.v] : undefined;
  if (!decode) return { ok: false, reason: 'unknown_version', detail: `v is ${JSON.stringify(message.v)}.` };
  if (!Array.isArray(message.events)) return { ok: false, reason: 'malformed', detail: 'events is not a list.' };
  const events = decode(message.events);
  return typeof events === 'string' ? { ok: false, reason: 'malformed', detail: events } : { ok: true, events };
}

function decodeV1(events: unknown[]): UsageEvent[] | string {
  const decoded: UsageEvent[] = [];
  for (const event of events) {
    if (!isEventV1(event)) return `events[${decoded.length}] is not an event of version 1.`;
    const [accountId, customerId, eventName, timeCreated, idempotencyId, numbers, strings, booleans, receivedAt] =
      event;
    decoded.push({
      accountId,
      customerId,
      eventName,
      timeCreated,
      idempotencyId,
      numbers,
      strings,
      booleans,
      receivedAt,
    });
  }
  return decoded;
}

/** At most 20 integer digits and 18 decimals: Decimal(38, 18) (contract 4). */
const PLAIN_NUMBER = /^-?\d{1,20}(?:\.\d{1,18})?$/;

/** What DateTime64(3) holds. */
const FIRST_INSTANT = Date.UTC(1900, 0, 1);
const LAST_INSTANT = Date.UTC(2299, 11, 31, 23, 59, 59, 999);

function isEventV1(event: unknown): event is EventV1 {
  return (
    Array.isArray(event) &&
    event.length === 9 &&
    isText(event[0]) &&
    isText(event[1]) &&
    isText(event[2]) &&
    isInstant(event[3]) &&
    isText(event[4]) &&
    isRecordOf(event[5], (value) => typeof value === 'string' && PLAIN_NUMBER.test(value)) &&
    isRecordOf(event[6], isText) &&
    isRecordOf(event[7], (value) => typeof value === 'boolean') &&
    isInstant(event[8])
  );
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.isWellFormed();
}

function isInstant(value: unknown): value is Instant {
  return Number.isInteger(value) && (value as number) >= FIRST_INSTANT && (value as number) <= LAST_INSTANT;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isRecordOf(value: unknown, isValue: (value: unknown) => boolean): boolean {
  if (!isRecord(value)) return false;
  for (const key in value) if (!key.isWellFormed() || !isValue(value[key])) return false;
  return true;
}
