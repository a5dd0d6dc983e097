import { Webhook } from 'standardwebhooks';
import { now } from './clock.ts';
import type { webhooks } from './generated/api.ts';

type BodyOf<T> = T extends { post: { requestBody: { content: { 'application/json': infer Body } } } } ? Body : never;

/** What is sent to a webhook endpoint, told apart by its `type`. */
export type WebhookEvent = { [Type in keyof webhooks]: BodyOf<webhooks[Type]> }[keyof webhooks];

/** A request that Meterbook has not signed with this secret, or too long ago: answer it with 400. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

/** Of a request: a `Headers`, or an object as Node's servers give it. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>;

/**
 * The event of a request, once its signature has been verified (Standard Webhooks). `rawBody`: as it came, not parsed and written
 * again. `secret`: the endpoint's; several while one replaces the other. `toleranceSeconds`: how far its time may be from ours.
 * @throws WebhookVerificationError
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = 300 }: { toleranceSeconds?: number } = {},
): Promise<WebhookEvent> {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(headers, name),
  );
  if (!id || !timestamp || !signatures) {
    throw new WebhookVerificationError('The headers webhook-id, webhook-timestamp and webhook-signature are required.');
  }
  // A time of anything but digits has been signed by nobody.
  const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN;
  if (!(Math.abs(now() / 1_000 - seconds) <= toleranceSeconds)) {
    throw new WebhookVerificationError(`webhook-timestamp is more than ${toleranceSeconds} s from the time here.`);
  }
  const body = typeof rawBody === 'string' ? rawBody : new TextDecoder('utf-8', { ignoreBOM: true }).decode(rawBody);
  const sent = signatures.split(' ');
  const isSigned = [secret].flat().some((one) => {
    const signature = new Webhook(one).sign(id, new Date(seconds * 1_000), body);
    return sent.filter((given) => isSame(given, signature)).length > 0;
  });
  if (!isSigned) throw new WebhookVerificationError('No signature is by this secret.');
  return JSON.parse(body) as WebhookEvent;
}

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof found === 'string' ? found : found?.[0];
}

/** In a time that does not tell how much of it is right. */
function isSame(given: string, right: string): boolean {
  if (given.length !== right.length) return false;
  let difference = 0;
  for (let i = 0; i < right.length; i++) difference |= given.charCodeAt(i) ^ right.charCodeAt(i);
  return difference === 0;
}
