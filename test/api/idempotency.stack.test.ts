import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createApi } from '../../api/api.ts';
import { documentedPath } from '../../api/openapi/document.ts';
import { OPERATIONS } from '../../api/routes.ts';
import { newId } from '../../core/ids.ts';
import { createLog } from '../../runtime/log.ts';
import { newAccount, type TestAccount } from '../stack/accounts.ts';
import { type Answer, api } from '../stack/api.ts';
import { configOf, started } from '../stack/own-process.ts';
import { REQUESTS } from './record-fixtures.ts';

/** Idempotency-Key, on every POST but /api/track (spec/api#idempotency-key). */

const POSTS = OPERATIONS.filter(({ method }) => method === 'post').map(({ path }) => path);
const WITH_ID = POSTS.filter((path) => path.includes('{') && !path.includes('{provider}'));
const KEY = 'Idempotency-Key';

let account: TestAccount;
beforeAll(async () => {
  account = await newAccount();
});

const toNothing = (path: string) => path.replaceAll(/\{\w+\}/g, 'no-such-id');
const replayed = (answer: Answer) => answer.headers.get('idempotent-replayed');

function expectReplay(again: Answer, first: Answer): void {
  expect([again.status, again.text, replayed(again)]).toEqual([first.status, first.text, 'true']);
  expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'));
}

describe('a refusal is the first answer too', () => {
  test.each(POSTS)('POST %s: 422, byte for byte; another body is 422 and changes nothing', async (path) => {
    const ask = (body: object, key: string) => account.api.post(toNothing(path), body, { [KEY]: key });
    const key = newId('req');
    const first = await ask({ no_such_field: 1 }, key);
    expect([first.status, replayed(first)]).toEqual([422, null]);
    expectReplay(await ask({ no_such_field: 1 }, key), first);
    const other = await ask({ no_such_field: 2 }, key);
    expect([other.status, other.body]).toEqual([422, { [KEY]: ['Was used before with another body.'] }]);
    expectReplay(await ask({ no_such_field: 1 }, key), first);
    // A key belongs to its path.
    expect(replayed(await account.api.post('/api/credits', { no_such_field: 1 }, { [KEY]: key }))).toBe(
      path === '/api/credits' ? 'true' : null,
    );
  });

  test.each(WITH_ID)('POST %s: 404, byte for byte', async (path) => {
    const body = REQUESTS[`POST ${documentedPath(path)}`]?.body?.(
      { metric_id: 'metric_1', addon_id: 'addon_1', plan_id: 'plan_1', coupon_id: 'coupon_1' },
      '',
    );
    const ask = (key: string) => account.api.post(toNothing(path), body ?? {}, { [KEY]: key });
    const key = newId('req');
    const first = await ask(key);
    expect([first.status, replayed(first)]).toEqual([404, null]);
    expectReplay(await ask(key), first);
  });
});

describe('what was made', () => {
  beforeEach(async () => {
    account = await newAccount();
  });
  const CREATES: [string, object, string][] = [
    ['/api/customers/', { customer_id: 'once', email: 'a@example.test' }, 'customer_id'],
    ['/api/metrics', { metric_name: 'once', aggregation_type: 'count' }, 'metric_id'],
    ['/api/plans', { name: 'once', billing_period: 'monthly', recurring_fee: 0.1 }, 'plan_id'],
    ['/api/addons', { name: 'once', kind: 'one_time', price: 1 }, 'addon_id'],
    ['/api/test-clocks', { frozen_time: '2026-01-01T00:00:00Z' }, 'test_clock_id'],
    ['/api/api-keys', { name: 'once' }, 'key_id'],
    ['/api/webhooks', { webhook_url: 'http://127.0.0.1:9/' }, 'webhook_endpoint_id'],
  ];
  test.each(CREATES)('POST %s: is made once, by ten calls at once and one later', async (path, body, id) => {
    const before = Number((await account.api.get(path)).body.count);
    const headers = { [KEY]: newId('req') };
    const answers = await Promise.all(Array.from({ length: 10 }, () => account.api.post(path, body, headers)));
    const made = answers.filter(({ status }) => status === 201);
    // While the first still runs, the others are told so.
    for (const other of answers.filter(({ status }) => status !== 201)) {
      const told = [other.status, other.body.code, other.headers.get('retry-after')];
      expect(told).toEqual([409, 'idempotency_in_progress', '1']);
    }
    expect(new Set(made.map((answer) => answer.text)).size).toBe(1);
    expect(made.filter((answer) => replayed(answer) === null).length).toBe(1);
    const later = await account.api.post(path, body, headers);
    expectReplay(later, made[0] as Answer);
    expect(later.body[id]).toBe(made[0]?.body[id]);
    expect(Number((await account.api.get(path)).body.count)).toBe(before + 1);
  });

  test('a body is the same in whatever order its keys come', async () => {
    const headers = { [KEY]: newId('req') };
    const event_filter = '"event_filter": {"event_name": "call"}';
    const sent = (...fields: string[]) => account.api.post('/api/metrics', `{${fields.join()}}`, headers);
    const first = await sent('"metric_name": "once"', '"aggregation_type": "count"', event_filter);
    expect(first.status, first.text).toBe(201);
    expectReplay(await sent(event_filter, '"aggregation_type": "count"', '"metric_name": "once"'), first);
  });

  test('another account may use the same key', async () => {
    const headers = { [KEY]: 'shared' };
    const other = await newAccount();
    const body = { metric_name: 'once', aggregation_type: 'count' };
    const [mine, theirs] = [
      await account.api.post('/api/metrics', body, headers),
      await other.api.post('/api/metrics', body, headers),
    ];
    expect([theirs.status, replayed(theirs)]).toEqual([201, null]);
    expect(theirs.body.metric_id).not.toBe(mine.body.metric_id);
  });
});

test('a refusal that is larger than IDEMPOTENCY_REFUSAL_MAX_BYTES is not kept', async () => {
  const config = configOf({ IDEMPOTENCY_REFUSAL_MAX_BYTES: '1000' });
  const client = api(account.key, await started(createApi(config, { log: createLog('test', 'silent') })));
  const ask = (fields: number, key: string) => {
    const unknown = Object.fromEntries(Array.from({ length: fields }, (_, i) => [`unknown_field_${i}`, i]));
    return client.post('/api/metrics', unknown, { [KEY]: key });
  };
  for (const [fields, isKept] of [
    [1, true],
    [50, false],
  ] as const) {
    const key = newId('req');
    const first = await ask(fields, key);
    expect([first.status, first.text.length > 1_000]).toEqual([422, !isKept]);
    expect(replayed(await ask(fields, key))).toBe(isKept ? 'true' : null);
  }
});

test.each(['', 'x'.repeat(256)])('the key %j is 422', async (key) => {
  const answer = await account.api.post('/api/metrics', {}, { [KEY]: key });
  expect([answer.status, Object.keys(answer.body)]).toEqual([422, [KEY]]);
});
