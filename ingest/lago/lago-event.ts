import { type Instant, isoFromInstant } from '../../core/instants.ts';
import { NumberText } from '../../runtime/exact-json.ts';
import type { MappedEvent, SenderNames } from '../sender-values/mapped-event.ts';
import { dottedProperties } from '../sender-values/properties.ts';
import type { SenderEvent } from '../sender-values/read-event.ts';
import { instantOfDateTime, instantOfUnixSeconds } from '../sender-values/times.ts';
import { type Findings, noFindings, report } from '../usage-event-input.ts';

const NOT_A_TIME = 'Must be Unix seconds (a number or a numeric string, not milliseconds) or an ISO 8601 date-time.';

/** An event of Lago's as one of `/api/track` (spec/senders#lago). `receivedAt`: what an event without a timestamp gets. */
export function mapLagoEvent(event: SenderEvent, receivedAt: Instant): MappedEvent {
  const findings = noFindings();
  const body = {
    event_name: textOf(event.code),
    customer_id: textOf(event[customerFieldOf(event)]) ?? undefined,
    idempotency_id: textOf(event.transaction_id),
    time_created: timeOf(event.timestamp, receivedAt, findings),
    properties: dottedProperties(event.properties, 'properties', findings),
  };
  const { idempotency_id: id } = body;
  return { body, idempotencyId: typeof id === 'string' ? id : null, findings };
}

/** A name or an id; of a whole number its digits, since Lago takes those too. Anything else stays as it is. */
export function textOf(value: unknown): unknown {
  if (Number.isSafeInteger(value)) return String(value);
  return value instanceof NumberText && /^-?\d+$/.test(value.text) ? value.text : value;
}

/** What the event calls the fields of `/api/track`. */
export function lagoNames(event: SenderEvent): SenderNames {
  return {
    event_name: 'code',
    customer_id: customerFieldOf(event),
    idempotency_id: 'transaction_id',
    time_created: 'timestamp',
    properties: 'properties',
  };
}

/** Where the customer's id stands: it is taken as it is, nothing is looked up. */
function customerFieldOf(event: SenderEvent): 'external_customer_id' | 'external_subscription_id' {
  const isOfSubscription =
    (event.external_customer_id ?? null) === null && (event.external_subscription_id ?? null) !== null;
  return isOfSubscription ? 'external_subscription_id' : 'external_customer_id';
}

/** The time as `/api/track` takes it; where it is none, any, with the error told. */
function timeOf(timestamp: unknown, receivedAt: Instant, findings: Findings): string {
  const instant = timestamp === undefined || timestamp === null ? receivedAt : instantOf(timestamp);
  if (instant === null) report(findings, 'timestamp', NOT_A_TIME);
  return isoFromInstant(instant ?? receivedAt);
}

function instantOf(timestamp: unknown): Instant | null {
  if (typeof timestamp === 'number') return instantOfUnixSeconds(String(timestamp));
  if (timestamp instanceof NumberText) return instantOfUnixSeconds(timestamp.text);
  if (typeof timestamp !== 'string') return null;
  return instantOfUnixSeconds(timestamp) ?? instantOfDateTime(timestamp);
}
