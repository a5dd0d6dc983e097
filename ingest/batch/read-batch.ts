import { isUtf8 } from 'node:buffer';
import { type FieldMessages, fieldName, invalid } from '../../core/domain-error.ts';
import { BadJson } from '../../runtime/exact-json.ts';
import { BAD_COUNT, type EventInput, MAX_EVENTS } from '../intake/event-input.ts';
import { elementsOf, isListText, isObjectText, membersOf } from '../intake/json-pieces.ts';

const [LINE_FEED, SPACE] = [0x0a, 0x20];

const BLANK = /^[ \t\r]*$/;

/** The events of NDJSON, an event a line; blank lines are none. @throws DomainError `invalid` where they are none, or too many. */
export function* eventsOfLines(json: Buffer): Generator<EventInput, void> {
  let count = 0;
  for (let start = 0; start < json.length; ) {
    const found = json.indexOf(LINE_FEED, start);
    const end = found < 0 ? json.length : found;
    if (!isBlank(json, start, end)) {
      count += 1;
      if (count > MAX_EVENTS) break;
      yield { json, start, end, broken: 'event' };
    }
    start = end + 1;
  }
  assertCount(count);
}

/** The events of `{"events": [...]}`. @throws BadJson; DomainError `invalid` for anything else that it holds, no event, or too many. */
export function* eventsOfJson(body: Buffer): Generator<EventInput, void> {
  if (!isUtf8(body)) throw new BadJson('The body is not valid UTF-8.');
  if (!isObjectText(body)) throw new BadJson('The body must be a JSON object.');
  const { events, ...others } = Object.fromEntries(membersOf(body));
  const errors: FieldMessages = Object.fromEntries(
    Object.keys(others).map((name) => [fieldName(name), ['Unknown field.']]),
  );
  if (!events) throw invalid({ events: ['Required.'], ...errors });
  if (!isListText(events)) throw invalid({ events: ['Must be an array.'], ...errors });
  if (Object.keys(errors).length > 0) throw invalid(errors);
  let count = 0;
  for (const json of elementsOf(events)) {
    count += 1;
    if (count > MAX_EVENTS) break;
    yield { json, start: 0, end: json.length, broken: 'body' };
  }
  assertCount(count);
}

function assertCount(count: number): void {
  if (count === 0 || count > MAX_EVENTS) throw invalid({ events: [BAD_COUNT] });
}

function isBlank(json: Buffer, start: number, end: number): boolean {
  // The first byte of nearly every line says that it is not.
  return start === end || ((json[start] as number) <= SPACE && BLANK.test(json.toString('latin1', start, end)));
}
