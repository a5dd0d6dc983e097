import { DomainError, type FieldMessages, namedFields } from '../../core/domain-error.ts';
import type { Instant } from '../../core/instants.ts';
import type { Caller } from '../../runtime/http/api-key.ts';
import { type EventInput, WRONG } from '../intake/event-input.ts';
import type { SentEvents } from '../intake/intake-endpoint.ts';
import { type Findings, usageEventFromBody } from '../usage-event-input.ts';
import { eventTooLarge } from './read-event.ts';

/** An event of another sender in the form of `/api/track`, and what is wrong with it, by the sender's own names. */
export type MappedEvent = {
  body: Record<'event_name' | 'customer_id' | 'idempotency_id' | 'time_created' | 'properties', unknown>;
  /** The id that it has here, as far as it can be made. */
  idempotencyId: string | null;
  findings: Findings;
};

/** What a sender calls the fields of `/api/track`. */
export type SenderNames = Record<keyof MappedEvent['body'], string>;

/** A mapped event to be taken; one that is wrong with everything that is, by the rules of `/api/track` too. */
export function inputOf(mapped: MappedEvent, caller: Caller, receivedAt: Instant): EventInput {
  const { body, idempotencyId, findings } = mapped;
  if (!findings.bad) return { body };
  try {
    usageEventFromBody(body, caller, receivedAt);
    return { idempotencyId, errors: findings.bad.messages };
  } catch (error) {
    if (!(error instanceof DomainError) || !error.fields) throw error;
    return { idempotencyId, errors: namedFields({ ...error.fields, ...findings.bad.messages }) };
  }
}

/**
 * Takes the only event of a body; what is wrong with it, by its sender's names, else undefined once the stream has it.
 * @throws HttpError 413 for one above 64 KiB; DomainError `unavailable` (503)
 */
export async function takeOne(
  { take, caller, receivedAt }: SentEvents,
  mapped: MappedEvent,
  names: SenderNames,
): Promise<FieldMessages | undefined> {
  const { rejected } = await take([inputOf(mapped, caller, receivedAt)]);
  const errors = rejected[0]?.errors;
  if (errors?.event?.includes(WRONG.size)) throw eventTooLarge();
  return errors && inSenderNames(errors, names);
}

/** What is wrong with an event, by the names that its sender knows: `properties.usage.input` is `data.usage.input`. */
export function inSenderNames(errors: FieldMessages, names: SenderNames): FieldMessages {
  const named: FieldMessages = Object.create(null);
  for (const [field, messages] of Object.entries(errors)) {
    const name = nameOf(field, names);
    named[name] = [...(named[name] ?? []), ...messages];
  }
  return named;
}

function nameOf(field: string, names: SenderNames): string {
  if (field.startsWith('properties.')) return names.properties + field.slice('properties'.length);
  return Object.hasOwn(names, field) ? names[field as keyof SenderNames] : field;
}
