import { type Instant, isoFromInstant } from '../../core/instants.ts';
import type { MappedEvent, SenderNames } from '../sender-values/mapped-event.ts';
import { dottedProperties } from '../sender-values/properties.ts';
import { isObject, type SenderEvent } from '../sender-values/read-event.ts';
import { instantOfDateTime } from '../sender-values/times.ts';
import { type Findings, noFindings, report } from '../usage-event-input.ts';
import { readBase64Object } from './base64-object.ts';

/** The attributes that become fields of `/api/track` (spec/senders#cloudevents). */
export const CLOUD_EVENT_NAMES: SenderNames = {
  event_name: 'type',
  customer_id: 'subject',
  idempotency_id: 'id',
  time_created: 'time',
  properties: 'data',
};

const SPEC_VERSION = '1.0';

/** What a source may not have. Without white space, what stands before the first space of an idempotency id is its source. */
const UNFIT_FOR_SOURCE = /[\s\p{Cc}\p{Cs}]/u;

/** A media type of JSON, whatever its parameters: `application/json`, `application/vnd.acme+json`. */
const JSON_TYPE = /^\s*[^/;\s]+\/(?:[^/;\s]+\+)?json\s*(?:;|$)/i;

/**
 * A CloudEvent as an event of `/api/track` (spec/senders#cloudevents). An attribute that is null is left out. `receivedAt`: what an
 * event without a time gets; `findings`: what is wrong with it already.
 */
export function mapCloudEvent(event: SenderEvent, receivedAt: Instant, findings = noFindings()): MappedEvent {
  const idempotencyId = idempotencyIdOf(event);
  tell(findings, 'specversion', specVersionFlaw(event.specversion));
  tell(findings, 'source', sourceFlaw(event.source));
  if (!isJsonType(event.datacontenttype)) report(findings, 'datacontenttype', 'Must be a media type of JSON.');
  const body = {
    event_name: event.type ?? undefined,
    customer_id: event.subject ?? undefined,
    idempotency_id: idempotencyId ?? event.id ?? undefined,
    time_created: timeOf(event.time ?? undefined, receivedAt, findings),
    properties: dottedProperties(dataOf(event, findings), 'data', findings),
  };
  return { body, idempotencyId, findings };
}

function tell(findings: Findings, attribute: string, flaw: string | undefined) {
  if (flaw !== undefined) report(findings, attribute, flaw);
}

/** `source`, one space, `id`; null where one of them is none that can stand there. */
export function idempotencyIdOf({ source, id }: SenderEvent): string | null {
  if (sourceFlaw(source) !== undefined || typeof id !== 'string' || id === '') return null;
  return `${source} ${id}`;
}

/** The time as `/api/track` takes it; what is no text stays as it is, for its rules to refuse. */
function timeOf(time: unknown, receivedAt: Instant, findings: Findings): unknown {
  if (time === undefined) return isoFromInstant(receivedAt);
  if (typeof time !== 'string' || time === '') return time;
  const instant = instantOfDateTime(time);
  if (instant === null) report(findings, 'time', 'Must be an ISO 8601 date-time.');
  return isoFromInstant(instant ?? receivedAt);
}

/** What the event carries: `data`, or what `data_base64` holds. */
function dataOf({ data, data_base64: encoded }: SenderEvent, findings: Findings): unknown {
  if (encoded === undefined || encoded === null) return data;
  const decoded = typeof encoded === 'string' ? readBase64Object(encoded) : null;
  if (data !== undefined && data !== null) report(findings, 'data_base64', 'Must not be sent together with data.');
  else if (decoded === null) report(findings, 'data_base64', 'Must be a JSON object in UTF-8, encoded as Base64.');
  return isObject(decoded) ? decoded : undefined;
}

function specVersionFlaw(version: unknown): string | undefined {
  if (version === undefined || version === null) return 'Required.';
  return version === SPEC_VERSION ? undefined : `Must be "${SPEC_VERSION}".`;
}

function sourceFlaw(source: unknown): string | undefined {
  if (source === undefined || source === null) return 'Required.';
  if (typeof source !== 'string') return 'Must be a string.';
  if (source === '') return 'This field may not be blank.';
  if (!UNFIT_FOR_SOURCE.test(source)) return undefined;
  return 'Must not contain white space, control characters or lone surrogates.';
}

/** Whether data is JSON by its media type, as it is where none is told. */
export function isJsonType(type: unknown): boolean {
  return type === undefined || type === null || (typeof type === 'string' && JSON_TYPE.test(type));
}
