import type { FieldMessages } from '../../core/domain-error.ts';
import { isoFromInstant } from '../../core/instants.ts';
import { stringifyExactJson } from '../../runtime/exact-json.ts';
import type { IntakeAnswer, SentEvents } from '../intake/intake-endpoint.ts';
import { type MappedEvent, takeOne } from '../sender-values/mapped-event.ts';
import { isObject, type SenderEvent } from '../sender-values/read-event.ts';
import { lagoNames, mapLagoEvent, textOf } from './lago-event.ts';
import { lagoIdOf } from './lago-id.ts';

/** Takes the event of `{"event": {...}}` and answers as Lago does (spec/senders#lago); a repeat, too, is 200. */
export async function answerLagoEvent(sent: SentEvents, event: unknown): Promise<IntakeAnswer> {
  if (!isObject(event)) return validationErrors({ event: ['Must be an object.'] }, sent);
  const mapped = mapLagoEvent(event, sent.receivedAt);
  const errors = await takeOne(sent, mapped, lagoNames(event));
  if (errors) return validationErrors(errors, sent);
  return { status: 200, text: `{"event":${lagoEventText(event, mapped, sent)}}` };
}

/** An accepted event as Lago would tell it: what was sent, as it was sent, and when. */
export function lagoEventText(event: SenderEvent, mapped: MappedEvent, { caller, receivedAt }: SentEvents): string {
  const { body, idempotencyId } = mapped;
  return stringifyExactJson({
    lago_id: lagoIdOf(caller.accountId, idempotencyId ?? ''),
    transaction_id: idempotencyId,
    lago_customer_id: null,
    external_customer_id: textOrNull(event.external_customer_id),
    code: textOrNull(event.code),
    timestamp: body.time_created,
    properties: event.properties ?? {},
    lago_subscription_id: null,
    external_subscription_id: textOrNull(event.external_subscription_id),
    created_at: isoFromInstant(receivedAt),
  });
}

/** A field that is not looked at where another stands for it may hold anything: clients of Lago's read a text or null. */
function textOrNull(value: unknown): string | null {
  const text = textOf(value);
  return typeof text === 'string' ? text : null;
}

/** What Lago answers to bad fields; `details` by field, or by the index of an event. */
export function validationErrors(
  details: FieldMessages | Record<string, FieldMessages>,
  { requestId }: SentEvents,
  detail = 'The event was rejected: error_details says what is wrong, by field.',
): IntakeAnswer {
  const status = 422;
  const about = { code: 'validation_errors', error_details: details, detail, request_id: requestId };
  return { status, text: JSON.stringify({ status, error: 'Unprocessable Entity', ...about }) };
}
