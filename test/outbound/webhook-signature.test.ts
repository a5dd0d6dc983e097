import { Webhook } from 'standardwebhooks';
import { expect, test, vi } from 'vitest';
import { newWebhookSecret, webhookBody, webhookHeaders } from '../../outbound/webhook-signature.ts';

const NOW = Date.UTC(2026, 2, 2, 10);
const event = { eventId: 'evt_1', type: 'credit.created', occurredAt: NOW - 500, dataText: '{"amount": 0.30}' };
const body = webhookBody(event);

/** What the public library of receivers says, at `at`; why it refuses, where it does. */
function verdict(secret: string, text: string, headers: Record<string, string>, at = NOW): unknown {
  vi.useFakeTimers({ now: at, toFake: ['Date'] });
  try {
    return new Webhook(secret).verify(text, headers);
  } catch (error) {
    return (error as Error).message;
  } finally {
    vi.useRealTimers();
  }
}

test('the body has the snapshot byte for byte', () => {
  expect(body).toBe(
    '{"id":"evt_1","type":"credit.created","timestamp":"2026-03-02T09:59:59.500Z","data":{"amount": 0.30}}',
  );
});

test('the public library takes it, and refuses what was altered, is old, or is signed by another (B7)', () => {
  const secret = newWebhookSecret();
  const headers = webhookHeaders(event.eventId, body, [secret], NOW);
  expect(headers['webhook-timestamp']).toBe(String(NOW / 1_000));
  expect(verdict(secret, body, headers)).toEqual(JSON.parse(body));
  const refused = 'No matching signature found';
  expect(verdict(secret, body.replace('0.30', '9.30'), headers)).toBe(refused);
  expect(verdict(secret, body, { ...headers, 'webhook-id': 'evt_2' })).toBe(refused);
  expect(verdict(secret, body, { ...headers, 'webhook-timestamp': String(NOW / 1_000 + 1) })).toBe(refused);
  expect(verdict(newWebhookSecret(), body, headers)).toBe(refused);
  expect(verdict(secret, body, headers, NOW + 6 * 60_000)).toBe('Message timestamp too old');
  expect(verdict(secret, body, headers, NOW - 6 * 60_000)).toBe('Message timestamp too new');
});

test('two secrets sign side by side, each for whoever has it', () => {
  const [old, fresh] = [newWebhookSecret(), newWebhookSecret()];
  const headers = webhookHeaders(event.eventId, body, [fresh, old], NOW);
  for (const secret of [old, fresh]) expect(verdict(secret, body, headers)).toEqual(JSON.parse(body));
  expect(verdict(newWebhookSecret(), body, headers)).toBe('No matching signature found');
});
