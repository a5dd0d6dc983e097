import { expect, test } from 'vitest';
import { attemptVerdict, RETRY_DELAYS_MS, type WebhookAttempt } from '../../../billing/webhooks/webhooks.ts';

const AT = Date.UTC(2026, 0, 1);
const state = { tries: 0, firstTriedAt: AT, failingSince: AT };
const attempt = (statusCode: number | null): WebhookAttempt => ({ at: AT, statusCode, error: null, durationMs: 200 });

test('the schedule is the contract', () => {
  const minutes = RETRY_DELAYS_MS.map((ms) => ms / 60_000);
  expect(minutes).toEqual([5 / 60, 5, 30, 120, 300, 600, 840, 1_200, 1_440]);
});

test('2xx alone is success', () => {
  for (const status of [200, 201, 204, 299]) expect(attemptVerdict(attempt(status), state).kind).toBe('succeeded');
  for (const status of [null, 100, 199, 300, 302, 400, 404, 429, 500, 503]) {
    expect(attemptVerdict(attempt(status), state).kind).toBe('retry');
  }
});

test('each failure waits longer, from the end of the attempt; after the last one it is over', () => {
  RETRY_DELAYS_MS.forEach((delay, tries) => {
    expect(attemptVerdict(attempt(500), { ...state, tries })).toEqual({ kind: 'retry', at: AT + 200 + delay });
  });
  const tries = RETRY_DELAYS_MS.length;
  expect(attemptVerdict(attempt(500), { ...state, tries })).toEqual({ kind: 'failed', disables: true });
});

test('an endpoint that accepted something meanwhile is not disabled; 410 disables at once', () => {
  const tries = RETRY_DELAYS_MS.length;
  const meanwhile = { tries, firstTriedAt: AT, failingSince: AT + 1 };
  expect(attemptVerdict(attempt(null), meanwhile)).toEqual({ kind: 'failed', disables: false });
  expect(attemptVerdict(attempt(410), state)).toEqual({ kind: 'failed', disables: true });
});
