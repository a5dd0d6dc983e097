import { expect, test } from 'vitest';
import { newAccount } from '../../stack/accounts.ts';
import { type Answer, api } from '../../stack/api.ts';
import { waitUntil } from '../../stack/wait-until.ts';

/** Limits of an account's keys, each counted by the edge and by the API for itself (spec/api#rate-limits). */

const limitsOf = (answers: Answer[]) => answers.map(({ headers }) => headers.get('ratelimit-policy'));

test('a limit holds soon after it was set, on the edge and on the API, for each key by itself, and ends so', async () => {
  const { api: first, accountId } = await newAccount();
  const made = await first.post('/api/api-keys', { name: 'Second', scopes: ['read'] });
  const second = api(String(made.body.key));
  const askBoth = async (client = first) => [await client.post('/api/track', {}), await client.get('/api/customers/')];
  expect(limitsOf(await askBoth())).toEqual([null, null]);

  expect((await first.patch('/api/account', { rate_limit: 3 })).status).toBe(200);
  const isLimited = (answers: Answer[]) => limitsOf(answers).every((policy) => policy === '"default";q=3;w=1');
  await waitUntil(askBoth, isLimited);

  const asked: [number, () => Promise<Answer>][] = [
    [422, () => first.post('/api/track', {})],
    [200, () => first.get('/api/customers/')],
  ];
  for (const [expected, ask] of asked) {
    // The questions before may have used this second up: the burst that counts is one that begins with some left.
    const answers = await waitUntil(
      () => Promise.all(Array.from({ length: 100 }, ask)),
      (burst) => burst.some(({ status }) => status !== 429),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    for (const { headers, body } of refused) {
      expect(headers.get('retry-after')).toBe('1');
      expect(headers.get('ratelimit')).toBe('"default";r=0;t=1');
      expect(body).toEqual({
        detail: expect.stringContaining('3 requests per second'),
        code: 'too_many_requests',
        request_id: expect.any(String),
      });
    }
    // Refusals of other kinds count, and tell of the limit, as successes do.
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([429, expected]));
    for (const { headers } of answers) expect(headers.get('ratelimit')).toMatch(/^"default";r=[0-3];t=1$/);
  }
  // A key of its own, and one that lacks the scope: 403, counted as well.
  const others = await askBoth(second);
  expect([others.map(({ status }) => status), limitsOf(others)]).toEqual([
    [403, 200],
    ['"default";q=3;w=1', '"default";q=3;w=1'],
  ]);

  const lifted = await waitUntil(
    () => first.patch('/api/account', { rate_limit: null }),
    ({ status }) => status !== 429,
  );
  expect(lifted.body).toMatchObject({ account_id: accountId, rate_limit: null });
  await waitUntil(askBoth, (answers) => limitsOf(answers).every((policy) => policy === null));
  const all = await Promise.all(Array.from({ length: 40 }, () => first.get('/api/customers/')));
  expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200]));
});
