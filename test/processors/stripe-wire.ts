import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** How the fake reads requests and writes answers and events, as Stripe does. */

export type Reply = { status: number; body: object };
export type Form = Record<string, string>;
export type EventOptions = { account?: string | null; id?: string; at?: number; secret?: string; previous?: object };

export function signedEvent(webhookSecret: string, newId: string, type: string, object: object, options: EventOptions) {
  const { account = null, id = newId, at = Date.now(), secret = webhookSecret, previous } = options;
  const data = { object, ...(previous && { previous_attributes: previous }) };
  const body = JSON.stringify({ id, object: 'event', type, ...(account && { account }), data });
  const seconds = Math.floor(at / 1_000);
  const signature = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
  return { body, headers: { 'Content-Type': 'application/json', 'Stripe-Signature': `t=${seconds},v1=${signature}` } };
}

export function metadataOf(form: Form): Record<string, string> {
  const entries = Object.entries(form).flatMap(([name, value]) => {
    const key = /^metadata\[(\w+)\]$/.exec(name)?.[1];
    return key === undefined ? [] : [[key, value]];
  });
  return Object.fromEntries(entries) as Record<string, string>;
}

export function list(data: object[]): Reply {
  return { status: 200, body: { object: 'list', has_more: false, data } };
}

export function found(object: object | undefined): Reply {
  return object ? { status: 200, body: object } : missing('object');
}

export function missing(param: string): Reply {
  return invalid('resource_missing', `No such ${param}.`, 404);
}

export function invalid(code: string, message: string, status = 400): Reply {
  return { status, body: { error: { type: 'invalid_request_error', code, message } } };
}

export async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
