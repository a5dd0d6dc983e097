import { invalid } from '../../core/domain-error.ts';
import { BadJson } from '../../runtime/exact-json.ts';
import { textOf } from '../../runtime/http/body.ts';
import type { IntakeAnswer, IntakeEndpoint, SentEvents } from '../intake/intake-endpoint.ts';
import { isListText } from '../intake/json-pieces.ts';
import { answerLagoEvent } from '../lago/answer-event.ts';
import { takeOne } from '../sender-values/mapped-event.ts';
import { readSenderObject, readSenderValue, type SenderEvent } from '../sender-values/read-event.ts';
import type { Findings } from '../usage-event-input.ts';
import { answerBatch } from './answer-batch.ts';
import { attributesOfHeaders } from './binary-mode.ts';
import { CLOUD_EVENT_NAMES, isJsonType, mapCloudEvent } from './cloud-event.ts';
import { contentModeOf } from './content-mode.ts';

/** `POST /api/v1/events`: CloudEvents in their three modes (spec/senders#cloudevents), and a single event of Lago's (spec/senders#lago). */
export const CLOUD_EVENTS: IntakeEndpoint = {
  name: 'cloudevents',
  path: /^(?:\/api)?\/v1\/events\/?(?:\?|$)/,
  route: '/api/v1/events',
  answer: answerEvents,
};

async function answerEvents(sent: SentEvents): Promise<IntakeAnswer> {
  const { headers, body } = sent;
  const mode = contentModeOf(headers, body);
  const text = textOf(body);
  if (mode === 'batch' && !isListText(body)) throw new BadJson('The body must be a JSON array.');
  if (mode === 'batch' || (mode === 'json' && isListText(body))) return answerBatch(sent);
  if (mode === 'binary') return answerBinary(sent, text);
  const event = readSenderObject(text);
  if (mode === 'json' && Object.hasOwn(event, 'event') && !Object.hasOwn(event, 'specversion')) {
    sent.countAs('lago');
    return answerLagoEvent(sent, event.event);
  }
  return answerOne(sent, event);
}

/** Binary mode: the attributes are headers, the body is the data, and its content type that of the data. */
function answerBinary(sent: SentEvents, text: string): Promise<IntakeAnswer> {
  const { attributes, findings } = attributesOfHeaders(sent.headers);
  if (text === '') return answerOne(sent, attributes, findings);
  const datacontenttype = sent.headers['content-type'];
  const data = isJsonType(datacontenttype) ? readSenderValue(text) : undefined;
  return answerOne(sent, { ...attributes, datacontenttype, data }, findings);
}

/** `findings`: what is wrong with it already. @throws DomainError `invalid` (422) naming all that is. */
async function answerOne(sent: SentEvents, event: SenderEvent, findings?: Findings): Promise<IntakeAnswer> {
  const errors = await takeOne(sent, mapCloudEvent(event, sent.receivedAt, findings), CLOUD_EVENT_NAMES);
  if (errors) throw invalid(errors);
  return { status: 204, text: '' };
}
