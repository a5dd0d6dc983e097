import { invalid } from '../../core/domain-error.ts';
import { parseJson } from '../../runtime/parse-json.ts';
import { type EventInput, MAX_EVENTS, WRONG } from '../intake/event-input.ts';
import type { IntakeAnswer, SentEvents } from '../intake/intake-endpoint.ts';
import { elementsOf, membersOf } from '../intake/json-pieces.ts';
import { inputOf, inSenderNames } from '../sender-values/mapped-event.ts';
import { readSenderEvent } from '../sender-values/read-event.ts';
import { CLOUD_EVENT_NAMES, idempotencyIdOf, mapCloudEvent } from './cloud-event.ts';

/**
 * Takes a list of CloudEvents, which may be empty: 204 once all are stored. With bad ones among them the others are stored all the same,
 * and the answer is 422: those who send CloudEvents look at the status alone.
 * @throws DomainError `invalid` for too many
 */
export async function answerBatch(sent: SentEvents): Promise<IntakeAnswer> {
  const { accepted, rejected } = await sent.take(inputsOf(sent));
  if (rejected.length === 0) return { status: 204, text: '' };
  const answer = {
    detail: `${rejected.length} of ${accepted + rejected.length} events were rejected, the others are stored.`,
    code: 'events_rejected',
    request_id: sent.requestId,
    accepted,
    rejected: rejected.map(({ index, idempotencyId, errors }) => ({
      index,
      idempotency_id: idempotencyId,
      errors: inSenderNames(errors, CLOUD_EVENT_NAMES),
    })),
  };
  return { status: 422, text: JSON.stringify(answer) };
}

function* inputsOf({ body, caller, receivedAt }: SentEvents): Generator<EventInput, void> {
  let count = 0;
  for (const element of elementsOf(body)) {
    count += 1;
    if (count > MAX_EVENTS) throw invalid({ events: [`Must be at most ${MAX_EVENTS.toLocaleString('en')}.`] });
    const read = readSenderEvent(element.toString());
    if ('event' in read) yield inputOf(mapCloudEvent(read.event, receivedAt), caller, receivedAt);
    else yield { idempotencyId: idOf(element, read.wrong), errors: { event: [WRONG[read.wrong]] } };
  }
}

/** The id of an event that is too deep or too large to be read. */
function idOf(element: Buffer, wrong: keyof typeof WRONG): string | null {
  if (wrong === 'object') return null;
  const members = membersOf(element);
  return idempotencyIdOf({ source: textIn(members.get('source')), id: textIn(members.get('id')) });
}

function textIn(json: Buffer | undefined): unknown {
  const text = json?.toString().trim() ?? '';
  return text.startsWith('"') ? parseJson(text) : undefined;
}
