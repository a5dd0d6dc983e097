import { isFields } from '../../core/fields.ts';
import { BadJson, NumberText, TooDeep } from '../../runtime/exact-json.ts';
import { HttpError } from '../../runtime/http/errors.ts';
import { MAX_TEXT_LENGTH, type WRONG } from '../intake/event-input.ts';
import { parseWithDigits } from '../parse-body.ts';

/** An event as its sender wrote it: numbers that a float may not hold are {@link NumberText}. */
export type SenderEvent = Record<string, unknown>;

/** Whether a value of {@link parseWithDigits} is an object: no list, and no number. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return isFields(value) && !(value instanceof NumberText);
}

/** The event of a JSON text among others, or what is wrong with it as a whole. @throws BadJson where it is not JSON. */
export function readSenderEvent(text: string): { event: SenderEvent } | { wrong: keyof typeof WRONG } {
  if (text.length > MAX_TEXT_LENGTH) return { wrong: 'size' };
  try {
    const event = parseWithDigits(text);
    return isObject(event) ? { event } : { wrong: 'object' };
  } catch (error) {
    if (error instanceof TooDeep) return { wrong: 'depth' };
    throw error;
  }
}

/** The JSON of a body that has one event. @throws HttpError 413; BadJson */
export function readSenderValue(text: string): unknown {
  if (text.length > MAX_TEXT_LENGTH) throw eventTooLarge();
  return parseWithDigits(text);
}

/** The object that a body with one event is; an empty body is `{}`. @throws as {@link readSenderValue}, BadJson also for no object */
export function readSenderObject(text: string): SenderEvent {
  const value = text === '' ? {} : readSenderValue(text);
  if (!isObject(value)) throw new BadJson('The body must be a JSON object.');
  return value;
}

/** The answer to a single event that is larger than one may be (spec/events#batches). */
export function eventTooLarge(): HttpError {
  return new HttpError(413, 'The event is larger than 64 KiB.');
}
