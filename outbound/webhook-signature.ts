import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { type Instant, isoFromInstant } from '../core/instants.ts';

/** Standard Webhooks: between 24 and 64 bytes. */
const SECRET_BYTES = 32;

/** A new secret as the receiver is given it: `whsec_` and base64. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/** An event as every endpoint is told it. `dataText` is JSON text, sent byte for byte. */
type WebhookEvent = { eventId: string; type: string; occurredAt: Instant; dataText: string };

/** The body: the same for every endpoint, retry and redelivery (spec/webhooks#signature). */
export function webhookBody({ eventId, type, occurredAt, dataText }: WebhookEvent): string {
  const [id, name, timestamp] = [eventId, type, isoFromInstant(occurredAt)].map((text) => JSON.stringify(text));
  return `{"id":${id},"type":${name},"timestamp":${timestamp},"data":${dataText}}`;
}

/** The headers of one sending at `now`, signed with each of the secrets (Standard Webhooks 1.0). */
export function webhookHeaders(
  eventId: string,
  body: string,
  secrets: readonly string[],
  now: Instant,
): Record<string, string> {
  const timestamp = new Date(now);
  return {
    'webhook-id': eventId,
    'webhook-timestamp': String(Math.floor(now / 1_000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(eventId, timestamp, body)).join(' '),
  };
}
