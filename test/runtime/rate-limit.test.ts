import { describe, expect, test } from 'vitest';
import { HttpError } from '../../runtime/http/errors.ts';
import { createRateLimiter } from '../../runtime/http/rate-limit.ts';

let now = 0;
const clock = { now: () => now };

/** How many of `requests` at once are let through. */
function allowed(take: ReturnType<typeof createRateLimiter>, keyId: string, rateLimit: number, requests: number) {
  let count = 0;
  for (let i = 0; i < requests; i++) {
    try {
      take({ keyId, accountId: 'acct_1', rateLimit });
      count += 1;
    } catch {}
  }
  return count;
}

test('without a limit nothing is counted or told', () => {
  expect(createRateLimiter(clock)({ keyId: 'key_1', accountId: 'acct_1', rateLimit: null })).toEqual({});
});

test('a burst of the limit, then the limit per second, evenly, by key', () => {
  const take = createRateLimiter(clock);
  expect(allowed(take, 'key_1', 10, 50)).toBe(10);
  expect(allowed(take, 'key_2', 10, 50)).toBe(10);
  now += 100;
  expect(allowed(take, 'key_1', 10, 50)).toBe(1);
  now += 450;
  expect(allowed(take, 'key_1', 10, 50)).toBe(4);
  now += 3_600_000;
  expect(allowed(take, 'key_1', 10, 50)).toBe(10);
});

test('over ten seconds of steady asking exactly the limit is let through, whatever the rhythm', () => {
  const take = createRateLimiter(clock);
  let total = 0;
  for (let ms = 0; ms < 10_000; ms += 7) {
    now += 7;
    total += allowed(take, 'key_1', 3, 2);
  }
  expect(total).toBeGreaterThanOrEqual(30);
  expect(total).toBeLessThanOrEqual(33);
});

test('a new limit holds at once, down and up', () => {
  const take = createRateLimiter(clock);
  expect(allowed(take, 'key_1', 100, 1)).toBe(1);
  expect(allowed(take, 'key_1', 5, 50)).toBe(5);
  now += 1_000;
  expect(allowed(take, 'key_1', 20, 50)).toBe(20);
});

test('what is left is told, and a refusal says when to come again', () => {
  const take = createRateLimiter(clock);
  expect(take({ keyId: 'key_1', accountId: 'acct_1', rateLimit: 2 })).toEqual({
    'RateLimit-Policy': '"default";q=2;w=1',
    RateLimit: '"default";r=1;t=1',
  });
  take({ keyId: 'key_1', accountId: 'acct_1', rateLimit: 2 });
  let refusal: unknown;
  try {
    take({ keyId: 'key_1', accountId: 'acct_1', rateLimit: 2 });
  } catch (error) {
    refusal = error;
  }
  expect(refusal).toBeInstanceOf(HttpError);
  expect(refusal).toMatchObject({ status: 429, headers: { 'Retry-After': '1', RateLimit: '"default";r=0;t=1' } });
});

test('a clock that goes back gives nothing and takes nothing', () => {
  const take = createRateLimiter(clock);
  expect(allowed(take, 'key_1', 5, 5)).toBe(5);
  now -= 10_000;
  expect(allowed(take, 'key_1', 5, 5)).toBe(0);
  now += 1_000;
  expect(allowed(take, 'key_1', 5, 9)).toBe(5);
});

describe("the operator's limit", () => {
  test('holds for all keys of an account together, and for each account apart', () => {
    const take = createRateLimiter(clock, { requestsPerSecond: 10 });
    const count = (keyId: string, accountId: string) => countTaken(() => take({ keyId, accountId, rateLimit: null }));
    expect(count('key_1', 'acct_1') + count('key_2', 'acct_1')).toBe(10);
    expect(count('key_3', 'acct_2')).toBe(10);
    expect(() => take({ keyId: 'key_1', accountId: 'acct_1', rateLimit: null })).toThrow(
      'The rate limit of 10 requests per second of all keys of this account is exceeded.',
    );
  });

  test.each([
    ['the lower one of the tenant', 3, 10, 3],
    ['the lower one of the operator', 10, 3, 3],
  ])('beside that of the key: %s holds', (_which, rateLimit, requestsPerSecond, most) => {
    const take = createRateLimiter(clock, { requestsPerSecond });
    expect(countTaken(() => take({ keyId: 'key_1', accountId: 'acct_1', rateLimit }))).toBe(most);
  });

  test('is told beside that of the key, and a request that one of them refuses costs nothing of the other', () => {
    const take = createRateLimiter(clock, { requestsPerSecond: 2 });
    const asked = { keyId: 'key_1', accountId: 'acct_1', rateLimit: 1 };
    expect(take(asked)).toEqual({
      'RateLimit-Policy': '"default";q=1;w=1, "account";q=2;w=1',
      RateLimit: '"default";r=0;t=1, "account";r=1;t=1',
    });
    expect(() => take(asked)).toThrow('The rate limit of 1 requests per second is exceeded.');
    expect(take({ ...asked, keyId: 'key_2' })).toMatchObject({ RateLimit: '"default";r=0;t=1, "account";r=0;t=1' });
  });
});

/** How many of fifty requests are let through. */
function countTaken(take: () => unknown): number {
  let count = 0;
  for (let i = 0; i < 50; i++) {
    try {
      take();
      count++;
    } catch {}
  }
  return count;
}
