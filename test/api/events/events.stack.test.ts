import { beforeAll, describe, expect, test } from 'vitest';
import { newAccount, type TestAccount } from '../../stack/accounts.ts';
import { itemsOf } from '../../stack/api.ts';
import { landed, makeCustomer, track } from '../../stack/resources.ts';

let account: TestAccount;

beforeAll(async () => {
  account = await newAccount();
});

describe('verify-events', () => {
  test('sees what was accepted the moment before, in the order asked, each once', async () => {
    const ids = [];
    for (let i = 0; i < 5; i++)
      ids.push(await track(account.api, { customer_id: 'c', time_created: '2020-01-01T00:00:00Z' }));
    const asked = ['ghost-2', ids[3], ids[0], 'ghost-1', ids[3], 'ghost-2', ids[4]];
    const answer = await account.api.post('/api/verify-events', { idempotency_ids: asked });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      status: 'success',
      ids_received: [ids[3], ids[0], ids[4]],
      ids_not_found: ['ghost-2', 'ghost-1'],
    });
  });

  test("another account's events are not found", async () => {
    const id = await track(account.api, { customer_id: 'c', time_created: '2026-06-01T00:00:00Z' });
    const other = await newAccount();
    const answer = await other.api.post('/api/verify-events', { idempotency_ids: [id] });
    expect(answer.body).toMatchObject({ ids_received: [], ids_not_found: [id] });
  });

  test('a thousand ids at once', async () => {
    const id = await track(account.api, { customer_id: 'c', time_created: '2026-06-01T00:00:00Z' });
    const ghosts = Array.from({ length: 999 }, (_, i) => `ghost ${i} 👻`);
    const answer = await account.api.post('/api/verify-events', {
      idempotency_ids: [...ghosts, id],
      lookback_days: 3650,
    });
    expect(answer.body).toEqual({ status: 'success', ids_received: [id], ids_not_found: ghosts });
  });

  test('a repeat by its Idempotency-Key gets the first answer, whatever has come since', async () => {
    const id = `later-${account.accountId}`;
    const ask = () => account.api.post('/api/verify-events', { idempotency_ids: [id] }, { 'Idempotency-Key': id });
    const first = await ask();
    expect(first.body).toMatchObject({ ids_received: [], ids_not_found: [id] });
    await track(account.api, { customer_id: 'c', time_created: '2026-06-01T00:00:00Z', idempotency_id: id });
    const again = await ask();
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
    const anew = await account.api.post('/api/verify-events', { idempotency_ids: [id] });
    expect(anew.body.ids_received).toEqual([id]);
  });

  test('verify_events is an alias', async () => {
    expect((await account.api.post('/verify_events/', { idempotency_ids: ['x'] })).status).toBe(200);
  });

  test.each([
    [{}, ['idempotency_ids']],
    [{ idempotency_ids: [] }, ['idempotency_ids']],
    [{ idempotency_ids: Array.from({ length: 1001 }, (_, i) => `${i}`) }, ['idempotency_ids']],
    [{ idempotency_ids: 'x', lookback_days: 0 }, ['idempotency_ids', 'lookback_days']],
    [
      { idempotency_ids: ['a', 1, ''], lookback_days: 3651 },
      ['idempotency_ids.1', 'idempotency_ids.2', 'lookback_days'],
    ],
    [{ idempotency_ids: ['a'], lookback_days: 1.5 }, ['lookback_days']],
  ])('%j is 422', async (body, fields) => {
    const answer = await account.api.post('/api/verify-events', body);
    expect(answer.status).toBe(422);
    expect(Object.keys(answer.body).sort()).toEqual(fields);
  });
});

describe('GET /api/events', () => {
  const ids: string[] = [];

  beforeAll(async () => {
    const event = (customer_id: string, time_created: string, more: object = {}) =>
      track(account.api, { customer_id, time_created, event_name: 'view', ...more });
    ids.push(await event('list', '2026-06-02T00:00:00Z', { event_name: 'click' }));
    ids.push(await event('list', '2026-06-01T00:00:00.123999Z'));
    const text =
      '{"exact": 0.1000, "big": 12345678901234567890, "small": 0.000000000000000001, "text": "1.50", "yes": true}';
    const sent = `{"event_name": "view", "customer_id": "list", "idempotency_id": "exact-${account.accountId}", "time_created": "2026-06-03T02:00:00+02:00", "properties": ${text}}`;
    expect((await account.api.post('/api/track', sent)).status).toBe(200);
    ids.push(`exact-${account.accountId}`);
    ids.push(await event('elsewhere', '2026-06-01T00:00:00Z'));
    await makeCustomer(account.api, { customer_id: 'berlin', timezone: 'Europe/Berlin' });
    ids.push(await event('berlin', '2026-06-01T22:00:00Z'));
    await landed(account.api);
  });

  async function list(query: string): Promise<unknown[]> {
    const answer = await account.api.get(`/api/events?${query}`);
    expect(answer.status).toBe(200);
    return itemsOf(answer.body.results).map((event) => ids.indexOf(String(event.idempotency_id)));
  }

  test('the complete record, with properties as they were sent', async () => {
    const answer = await account.api.get(`/api/events?idempotency_id=${ids[2]}`);
    expect(answer.exact).toEqual({
      count: '1',
      next: null,
      previous: null,
      results: [
        {
          idempotency_id: ids[2],
          event_name: 'view',
          customer_id: 'list',
          time_created: '2026-06-03T00:00:00.000Z',
          received_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
          properties: {
            exact: '0.1',
            big: '12345678901234567890',
            small: '0.000000000000000001',
            text: '1.50',
            yes: true,
          },
        },
      ],
    });
    expect(answer.text).toContain('"text":"1.50"');
  });

  test('newest time_created first, by customer, name, id and time', async () => {
    expect(await list('customer_id=list')).toEqual([2, 0, 1]);
    expect(await list('customer_id=list&event_name=view')).toEqual([2, 1]);
    expect(await list('customer_id=list&start=2026-06-01&end=2026-06-02')).toEqual([1]);
    expect(await list('customer_id=list&start=2026-06-02T00:00:00Z')).toEqual([2, 0]);
    expect(await list(`idempotency_id=${ids[3]}`)).toEqual([3]);
    expect(await list('customer_id=berlin&start=2026-06-02')).toEqual([4]);
    expect(await list('customer_id=nobody')).toEqual([]);
    expect(await list('idempotency_id=nothing')).toEqual([]);
  });

  test('pages keep the filters', async () => {
    const first = await account.api.get('/api/events?customer_id=list&page_size=2');
    expect(first.body.count).toBe(3);
    const second = await account.api.get(String(first.body.next));
    expect(second.body).toMatchObject({ count: 3, next: null, results: [{ idempotency_id: ids[1] }] });
  });

  test('bad times are 422', async () => {
    const answer = await account.api.get('/api/events?start=x&end=2026-06-01T00:00:00');
    expect(answer.status).toBe(422);
    expect(Object.keys(answer.body)).toEqual(['start', 'end']);
  });
});
