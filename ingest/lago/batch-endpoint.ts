import { DomainError, invalid } from '../../core/domain-error.ts';
import { BadJson } from '../../runtime/exact-json.ts';
import { assertJsonType, textOf } from '../../runtime/http/body.ts';
import { BAD_COUNT, type EventInput, MAX_EVENTS, wrongEvent } from '../intake/event-input.ts';
import type { IntakeAnswer, IntakeEndpoint, SentEvents } from '../intake/intake-endpoint.ts';
import { elementsOf, isListText, isObjectText, membersOf } from '../intake/json-pieces.ts';
import { parseWithDigits } from '../parse-body.ts';
import { inputOf, inSenderNames, type SenderNames } from '../sender-values/mapped-event.ts';
import { readSenderEvent } from '../sender-values/read-event.ts';
import { lagoEventText, validationErrors } from './answer-event.ts';
import { lagoNames, mapLagoEvent } from './lago-event.ts';

/** `POST /api/v1/events/batch`: `{"events": [...]}` as Lago takes it (spec/senders#lago). */
export const LAGO_BATCH: IntakeEndpoint = {
  name: 'lago',
  path: /^(?:\/api)?\/v1\/events\/batch\/?(?:\?|$)/,
  route: '/api/v1/events/batch',
  answer: answerBatch,
};

/** What is kept of the events for the answer: its text, as bytes in pieces, and what those call their fields that do it in the other way. */
type Kept = { pieces: Buffer[]; names: Map<number, SenderNames> };

/** Texts are kept as bytes as soon as there are so many characters of them. */
const PIECE_CHARACTERS = 65_536;
const USUAL_NAMES = lagoNames({});

async function answerBatch(sent: SentEvents): Promise<IntakeAnswer> {
  const kept: Kept = { pieces: [], names: new Map() };
  try {
    const { accepted, rejected } = await sent.take(inputsOf(sent, kept));
    if (rejected.length === 0) return { status: 200, text: kept.pieces };
    const details = rejected.map(({ index, errors }) => {
      return [index, inSenderNames(errors, kept.names.get(index) ?? USUAL_NAMES)];
    });
    const told = `${rejected.length} of ${accepted + rejected.length} events were rejected, the others are stored: error_details has them by index.`;
    return validationErrors(Object.fromEntries(details), sent, told);
  } catch (error) {
    if (!(error instanceof DomainError) || !error.fields) throw error;
    return validationErrors(error.fields, sent);
  }
}

/** @throws DomainError `invalid` for no event, or too many */
function* inputsOf(sent: SentEvents, kept: Kept): Generator<EventInput, void> {
  const { caller, receivedAt } = sent;
  let count = 0;
  let text = '{"events":[';
  for (const element of elementsOf(eventsIn(sent))) {
    count += 1;
    if (count > MAX_EVENTS) break;
    const read = readSenderEvent(element.toString());
    const event = 'event' in read ? read.event : {};
    const mapped = mapLagoEvent(event, receivedAt);
    text += `${count > 1 ? ',' : ''}${lagoEventText(event, mapped, sent)}`;
    if (text.length >= PIECE_CHARACTERS) {
      kept.pieces.push(Buffer.from(text));
      text = '';
    }
    const names = lagoNames(event);
    if (names.customer_id !== USUAL_NAMES.customer_id) kept.names.set(count - 1, names);
    yield 'event' in read ? inputOf(mapped, caller, receivedAt) : wrongEvent(read.wrong);
  }
  if (count === 0 || count > MAX_EVENTS) throw invalid({ events: [BAD_COUNT] });
  kept.pieces.push(Buffer.from(`${text}]}`));
}

/** The list of events of a body; its other fields are not looked at. @throws HttpError, BadJson (400); DomainError `invalid` */
function eventsIn({ headers, body }: SentEvents): Buffer {
  if (body.length === 0) throw invalid({ events: ['Required.'] });
  assertJsonType(headers['content-type']);
  textOf(body);
  if (!isObjectText(body)) throw new BadJson('The body must be a JSON object.');
  const { events, ...others } = Object.fromEntries(membersOf(body));
  for (const other of Object.values(others)) parseWithDigits(other.toString());
  if (!events) throw invalid({ events: ['Required.'] });
  if (!isListText(events)) throw invalid({ events: ['Must be an array.'] });
  return events;
}
