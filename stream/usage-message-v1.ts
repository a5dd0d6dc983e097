import { isFields } from '../core/fields.ts';
import type { Instant } from '../core/instants.ts';
import { parseJson } from '../runtime/parse-json.ts';
import { FIRST_INSTANT, LAST_INSTANT } from './check-rows.ts';
import type { Undecoded } from './undecoded.ts';
import type { UsageEvent } from './usage-event.ts';

/** An event as version 1 has it, in a list under `events` beside `"v": 1`. No edge writes it any more. */
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

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The events of a message of version 1: JSON. Checked throughout, since nothing else says that an edge has made it. */
export function decodeV1(data: Uint8Array): UsageEvent[] | Undecoded {
  let text: string;
  try {
    text = utf8.decode(data);
  } catch {
    return { reason: 'not_utf8', detail: 'The message is not UTF-8.' };
  }
  let message: unknown;
  try {
    message = parseJson(text);
  } catch (error) {
    return { reason: 'not_json', detail: String(error) };
  }
  if (!isFields(message)) return malformed('The message is not an object.');
  if (message.v !== 1) return { reason: 'unknown_version', detail: `v is ${JSON.stringify(message.v)}.` };
  if (!Array.isArray(message.events)) return malformed('events is not a list.');
  const wrong = message.events.findIndex((event) => !isEventV1(event));
  if (wrong >= 0) return malformed(`events[${wrong}] is not an event of version 1.`);
  return message.events.map(eventOf);
}

function malformed(detail: string): Undecoded {
  return { reason: 'malformed', detail };
}

function eventOf(event: EventV1): UsageEvent {
  const [accountId, customerId, eventName, timeCreated, idempotencyId, numbers, strings, booleans, receivedAt] = event;
  return { accountId, customerId, eventName, timeCreated, idempotencyId, numbers, strings, booleans, receivedAt };
}

/** At most 20 integer digits and 18 decimals: Decimal(38, 18) (spec/events#fields). */
const PLAIN_NUMBER = /^-?\d{1,20}(?:\.\d{1,18})?$/;

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
  return typeof value === 'number' && Number.isInteger(value) && value >= FIRST_INSTANT && value <= LAST_INSTANT;
}

function isRecordOf(value: unknown, isValue: (value: unknown) => boolean): boolean {
  if (!isFields(value)) return false;
  for (const key in value) if (!key.isWellFormed() || !isValue(value[key])) return false;
  return true;
}
