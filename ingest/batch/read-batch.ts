import { isUtf8 } from 'node:buffer';
import { type FieldMessages, invalid } from '../../core/domain-error.ts';
import { BadJson } from '../../runtime/exact-json.ts';
import { BAD_COUNT, type EventInput, eventFromText, MAX_EVENTS, wrongEvent } from '../intake/event-input.ts';
import { elementsOf, isListText, isObjectText, membersOf } from '../intake/json-pieces.ts';

const LINE_FEED = 0x0a;

const BLANK = /^[ \t\r]*$/;

/** The events of NDJSON, an event a line; blank lines are none. @throws DomainError `invalid` where they are none, or too many. */
export function* eventsOfLines(body: Buffer): Generator<EventInput, void> {
  let count = 0;
  for (let at = 0; at < body.length; ) {
    const found = body.indexOf(LINE_FEED, at);
    const end = found < 0 ? body.length : found;
    const line = body.subarray(at, end);
    at = end + 1;
    if (isBlank(line)) continue;
    count += 1;
    if (count > MAX_EVENTS) break;
    yield eventOfLine(line);
  }
  assertCount(count);
}

/** The events of `{"events": [...]}`. @throws BadJson; DomainError `invalid` for anything else that it holds, no event, or too many. */
export function* eventsOfJson(body: Buffer): Generator<EventInput, void> {
  if (!isUtf8(body)) throw new BadJson('The body is not valid UTF-8.');
  if (!isObjectText(body)) throw new BadJson('The body must be a JSON object.');
  const { events, ...others } = Object.fromEntries(membersOf(body));
  const errors: FieldMessages = Object.fromEntries(Object.keys(others).map((name) => [name, ['Unknown field.']]));
  if (!events) throw invalid({ events: ['Required.'], ...errors });
  if (!isListText(events)) throw invalid({ events: ['Must be an array.'], ...errors });
  if (Object.keys(errors).length > 0) throw invalid(errors);
  let count = 0;
  for (const element of elementsOf(events)) {
    count += 1;
    if (count > MAX_EVENTS) break;
    yield eventFromText(element.toString());
  }
  assertCount(count);
}

function eventOfLine(line: Buffer): EventInput {
  if (!isUtf8(line)) return wrongEvent('utf8');
  try {
    return eventFromText(line.toString());
  } catch (error) {
    if (error instanceof BadJson) return wrongEvent('json');
    throw error;
  }
}

function assertCount(count: number): void {
  if (count === 0 || count > MAX_EVENTS) throw invalid({ events: [BAD_COUNT] });
}

function isBlank(line: Buffer): boolean {
  // The first byte of nearly every line says that it is not.
  return (line[0] ?? 0) <= 0x20 && BLANK.test(line.toString('latin1'));
}
