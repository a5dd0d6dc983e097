import { isUtf8 } from 'node:buffer';
import type { FieldMessages } from '../../core/domain-error.ts';
import { isFields } from '../../core/fields.ts';
import { BadJson, TooDeep } from '../../runtime/exact-json.ts';
import { parseJson } from '../../runtime/parse-json.ts';
import { parseEventJson } from '../parse-body.ts';

/**
 * One of the events of a body, in the form of `/api/track`: its fields, or its JSON where nothing has to be made of it; or what is wrong with
 * it before its fields can be looked at.
 */
export type EventInput = ParsedEvent | EventJson | BadEvent;

export type ParsedEvent = { body: Record<string, unknown> };

/** An event that stands from `start` to before `end` in `json`. `broken`: what is refused where that is not JSON in UTF-8. */
export type EventJson = { json: Buffer; start: number; end: number; broken: 'event' | 'body' };

/** What is wrong with an event by field; its `idempotencyId` as it was sent, where that is a string. */
export type BadEvent = { idempotencyId: string | null; errors: FieldMessages };

/** In one body (spec/events#batches). */
export const MAX_EVENTS = 10_000;
export const BAD_COUNT = `Must have 1 to ${MAX_EVENTS.toLocaleString('en')} events.`;

/** Compact JSON of an event's `/api/track` form, in UTF-8 (spec/events#batches). */
export const MAX_EVENT_BYTES = 64 * 1024;

/** What is longer is over the limit however much of it is white space: it is not worth the exact parser. */
export const MAX_TEXT_LENGTH = 8 * MAX_EVENT_BYTES;

/** What is wrong with an event as a whole, told under `event` (spec/events#batches). */
export const WRONG = {
  json: 'Must be valid JSON.',
  utf8: 'Must be valid UTF-8.',
  object: 'Must be a JSON object.',
  depth: 'Must not be nested deeper than 10 levels.',
  size: 'Must be at most 64 KiB as compact JSON.',
} as const;

/** An event that is wrong as a whole. `value`: what it was parsed to, if it could be. */
export function wrongEvent(what: keyof typeof WRONG, value?: unknown): BadEvent {
  return { idempotencyId: idOf(value), errors: { event: [WRONG[what]] } };
}

/** The idempotency id that an event was sent with, where it is a string. */
export function idOf(value: unknown): string | null {
  const id = isFields(value) ? value.idempotency_id : null;
  return typeof id === 'string' ? id : null;
}

/** The event of a JSON text. @throws BadJson when it is not JSON. */
export function eventFromText(text: string): ParsedEvent | BadEvent {
  if (text.length > MAX_TEXT_LENGTH) return wrongEvent('size', parsed(text));
  try {
    const value = parseEventJson(text);
    return isFields(value) ? { body: value } : wrongEvent('object');
  } catch (error) {
    if (!(error instanceof TooDeep)) throw error;
    return wrongEvent('depth', parsed(text));
  }
}

/** As {@link eventFromText}. @throws BadJson only where the whole body is refused. */
export function eventFromJson({ json, start, end, broken }: EventJson): ParsedEvent | BadEvent {
  try {
    const bytes = json.subarray(start, end);
    if (!isUtf8(bytes)) return wrongEvent('utf8');
    return eventFromText(bytes.toString());
  } catch (error) {
    if (error instanceof BadJson && broken === 'event') return wrongEvent('json');
    throw error;
  }
}

/** With floats for its numbers: only to see the id. @throws BadJson */
function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    throw new BadJson('The body is not valid JSON.');
  }
}
