import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WEBHOOK_EVENT_TYPES } from '../../../billing/webhooks/webhooks.ts';
import { newAccount, type TestAccount, withPostgres } from '../../stack/accounts.ts';
import { itemsOf, type Json } from '../../stack/api.ts';
import { makeCustomer } from '../../stack/resources.ts';
import { waitUntil } from '../../stack/wait-until.ts';
import {
  deliveriesOf,
  eventOf,
  makeEndpoint,
  type Receiver,
  startReceiver,
  typesOf,
} from '../../stack/webhook-receiver.ts';

let account: TestAccount;
let receiver: Receiver;

beforeAll(async () => {
  account = await newAccount();
  receiver = await startReceiver();
});
afterAll(() => receiver.close());

describe('endpoints', () => {
  test('show their secret once; the list and the record do not have it', async () => {
    const { api } = account;
    const made = await api.post('/api/webhooks', { webhook_url: 'https://example.com/hooks', name: 'Records' });
    expect(made.status).toBe(201);
    const { webhook_secret: secret, ...record } = made.body;
    expect(String(secret)).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(record).toEqual({
      webhook_endpoint_id: expect.stringMatching(/^wh_/),
      name: 'Records',
      webhook_url: 'https://example.com/hooks',
      triggers_in: [...WEBHOOK_EVENT_TYPES],
      status: 'active',
      created_at: expect.stringMatching(/^20.*Z$/),
    });
    expect((await api.get(`/api/webhooks/${record.webhook_endpoint_id}`)).body).toEqual(record);
    expect((await api.get('/api/webhooks')).body.results).toContainEqual(record);
  });

  test('are changed by what PATCH names', async () => {
    const { api } = account;
    const { id } = await makeEndpoint(api, 'https://example.com/', { name: 'A', triggers_in: ['invoice.created'] });
    const path = `/api/webhooks/${id}`;
    expect((await api.patch(path, { name: null, status: 'disabled' })).body).toMatchObject({
      name: null,
      status: 'disabled',
      triggers_in: ['invoice.created'],
    });
    const changed = await api.patch(path, { webhook_url: 'http://example.org/x', triggers_in: ['invoice.paid'] });
    expect(changed.body).toMatchObject({ webhook_url: 'http://example.org/x', triggers_in: ['invoice.paid'] });
    expect((await api.post(`${path}/test`)).status).toBe(409);
    expect((await api.patch(path, { status: 'active' })).body.status).toBe('active');
    expect((await api.get(path)).body).toEqual({ ...changed.body, status: 'active' });
  });

  test('are deleted with their deliveries', async () => {
    const { api } = account;
    const { id } = await makeEndpoint(api, receiver.url);
    await api.post(`/api/webhooks/${id}/test`);
    expect((await api.delete(`/api/webhooks/${id}`)).status).toBe(204);
    for (const path of [`/api/webhooks/${id}`, `/api/webhooks/${id}/deliveries`]) {
      expect((await api.get(path)).status).toBe(404);
    }
    expect((await api.delete(`/api/webhooks/${id}`)).status).toBe(404);
  });

  test.each<[object, string]>([
    [{}, 'webhook_url'],
    [{ webhook_url: 'example.com' }, 'webhook_url'],
    [{ webhook_url: 'ftp://example.com/' }, 'webhook_url'],
    [{ webhook_url: 'https://user:pass@example.com/' }, 'webhook_url'],
    [{ webhook_url: 'https://example.com/', triggers_in: ['invoice.exploded'] }, 'triggers_in.0'],
    [{ webhook_url: 'https://example.com/', triggers_in: [] }, 'triggers_in'],
    [{ webhook_url: 'https://example.com/', triggers_in: ['invoice.paid', 'invoice.paid'] }, 'triggers_in'],
    [{ webhook_url: 'https://example.com/', status: 'disabled' }, 'status'],
  ])('%j is 422', async (body, field) => {
    const answer = await account.api.post('/api/webhooks', body);
    expect([answer.status, Object.keys(answer.body)]).toEqual([422, [field]]);
  });

  test('no secret stands readable in the records', async () => {
    const { secret } = await makeEndpoint(account.api, receiver.url);
    const rows = await withPostgres((postgres) =>
      postgres.query<{ row: string }>(
        "SELECT w::text || encode(sealed_secret, 'escape') AS row FROM webhook_endpoints w",
      ),
    );
    for (const { row } of rows.rows) expect(row).not.toContain(secret.slice('whsec_'.length));
  });
});

describe('deliveries', () => {
  test('are signed, and carry the resource byte for byte as the API returned it', async () => {
    const { api } = await newAccount();
    const hooks = await startReceiver();
    const { id, secret } = await makeEndpoint(api, `${hooks.url}/path?query=1`, { triggers_in: ['credit.created'] });
    const { customer_id } = await makeCustomer(api);
    const before = Date.now();
    const credit = await api.post('/api/credits', { customer_id, amount: '12.30' });
    const [got] = await waitUntil(
      async () => hooks.received,
      ({ length }) => length === 1,
    );

    const { headers = {}, body = '', path } = got ?? {};
    expect(path).toBe('/path?query=1');
    expect(headers['content-type']).toBe('application/json');
    expect(new Webhook(secret).verify(body, headers)).toEqual(eventOf(body));
    const { id: eventId, timestamp } = eventOf(body);
    expect(body).toBe(`{"id":"${eventId}","type":"credit.created","timestamp":"${timestamp}","data":${credit.text}}`);
    expect(headers['webhook-id']).toBe(eventId);
    expect(Date.parse(timestamp)).toBeGreaterThan(before - 60_000);
    expect(Number(headers['webhook-timestamp']) * 1_000).toBeGreaterThan(before - 60_000);

    const [delivery] = await waitUntil(
      () => deliveriesOf(api, id),
      ([one]) => String(one?.status) === 'succeeded',
    );
    expect(delivery).toEqual({
      delivery_id: expect.stringMatching(/^whd_/),
      event_id: eventId,
      event_type: 'credit.created',
      status: 'succeeded',
      attempts: [{ at: expect.any(String), status_code: 204, error: null, duration_ms: expect.any(Number) }],
      next_attempt_at: null,
      created_at: expect.any(String),
    });
    await hooks.close();
  });

  test('a test event goes to its endpoint whatever the triggers, and a redelivery has the same id', async () => {
    const { api } = await newAccount();
    const hooks = await startReceiver();
    const { id } = await makeEndpoint(api, hooks.url, { triggers_in: ['invoice.paid'] });
    await makeEndpoint(api, `${hooks.url}/other`);
    const tested = await api.post(`/api/webhooks/${id}/test`);
    expect(tested.status).toBe(200);
    expect(tested.body).toMatchObject({ event_type: 'webhook.test', status: 'pending', attempts: [] });
    const isOver = ([one]: Json[]) => String(one?.status) === 'succeeded';
    await waitUntil(() => deliveriesOf(api, id), isOver);

    const path = `/api/webhooks/${id}/deliveries/${tested.body.delivery_id}/redeliver`;
    const again = await api.post(path);
    expect([again.status, again.body.status]).toEqual([200, 'pending']);
    const [delivery] = await waitUntil(() => deliveriesOf(api, id), isOver);
    expect(delivery?.attempts).toHaveLength(2);
    expect(typesOf(hooks.received)).toEqual(['webhook.test', 'webhook.test']);
    expect(new Set(hooks.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(hooks.received.map(({ body }) => body)).size).toBe(1);
    expect(hooks.received.map((one) => one.path)).toEqual(['/', '/']);
    await hooks.close();
  });

  test('a delivery alone has the body that is sent', async () => {
    const { api } = await newAccount();
    const hooks = await startReceiver();
    const { id } = await makeEndpoint(api, hooks.url, { triggers_in: ['credit.created'] });
    const { customer_id } = await makeCustomer(api);
    await api.post('/api/credits', { customer_id, amount: '12345678901234567890.12' });
    const [delivery] = await waitUntil(
      () => deliveriesOf(api, id),
      ([one]) => String(one?.status) === 'succeeded',
    );
    const path = `/api/webhooks/${id}/deliveries/${delivery?.delivery_id}`;
    const answer = await api.get(path);
    expect(answer.status, answer.text).toBe(200);
    const { body: _, ...record } = answer.body;
    expect(record).toEqual(delivery);
    expect(answer.text).toContain(`"body":${hooks.received[0]?.body}}`);
    const { id: other } = await makeEndpoint(api, hooks.url);
    for (const nothing of [`/api/webhooks/${id}/deliveries/none`, path.replace(id, other), path.replace(id, 'none')]) {
      expect((await api.get(nothing)).status).toBe(404);
    }
    await hooks.close();
  });

  test('of all endpoints, and those that fail', async () => {
    const { api } = await newAccount();
    const answers = new Map([
      ['/gone', 410],
      ['/down', 500],
      ['/back', 500],
    ]);
    const hooks = await startReceiver(({ path }, response) => response.writeHead(answers.get(path) ?? 204).end());
    const paths = ['/gone', '/down', '/back', '/fine'];
    const deliveries = new Map<string, string>();
    for (const path of paths) {
      const { id } = await makeEndpoint(api, `${hooks.url}${path}`, { triggers_in: ['invoice.paid'] });
      const tested = await api.post(`/api/webhooks/${id}/test`);
      deliveries.set(path, `/api/webhooks/${id}/deliveries/${tested.body.delivery_id}`);
    }
    const list = async (query: string) => itemsOf((await api.get(`/api/webhook-deliveries?${query}`)).body.results);
    const pathsOf = async (query: string) =>
      (await list(query)).map(({ webhook_url }) => String(webhook_url).replace(hooks.url, ''));
    await waitUntil(
      () => list(''),
      (all) => all.every(({ attempts }) => itemsOf(attempts).length === 1),
    );
    expect(await pathsOf('')).toEqual(paths.toReversed());
    expect(await pathsOf('failing=true')).toEqual(['/back', '/down', '/gone']);
    expect(await pathsOf('failing=false')).toEqual(['/fine']);
    expect(await pathsOf('status=pending')).toEqual(['/back', '/down']);
    expect(await pathsOf('status=failed&failing=true')).toEqual(['/gone']);
    const [fine] = await list('status=succeeded');
    const { webhook_endpoint_id, webhook_url: _, ...record } = fine ?? {};
    const [ofEndpoint] = await deliveriesOf(api, String(webhook_endpoint_id));
    expect(record).toEqual(ofEndpoint);

    answers.set('/back', 204);
    for (const path of ['/back', '/fine'])
      expect((await api.post(`${deliveries.get(path)}/redeliver`)).status).toBe(200);
    await waitUntil(
      () => pathsOf('status=succeeded'),
      (found) => found.length === 2,
    );
    expect(await pathsOf('failing=true')).toEqual(['/down', '/gone']);
    expect((await api.get('/api/webhook-deliveries?failing=maybe')).body).toEqual({
      failing: ['Must be one of true, false.'],
    });
    await hooks.close();
  });

  test('each secret signs until its own end, however often it is rolled; at most five sign at once', async () => {
    const { api } = await newAccount();
    const hooks = await startReceiver();
    const { id, secret: first } = await makeEndpoint(api, hooks.url);
    const roll = async (overlap_seconds?: number) => {
      const rolled = await api.post(
        `/api/webhooks/${id}/roll-secret`,
        overlap_seconds ? { overlap_seconds } : undefined,
      );
      expect(rolled.status, rolled.text).toBe(200);
      return String(rolled.body.webhook_secret);
    };
    let sent = 0;
    /** The secrets that sign what is sent now. */
    const signing = async (secrets: string[]) => {
      await api.post(`/api/webhooks/${id}/test`);
      sent += 1;
      const got = await waitUntil(
        async () => hooks.received,
        ({ length }) => length === sent,
      );
      const { body = '', headers = {} } = got[sent - 1] ?? {};
      const isSignedBy = (secret: string) => {
        try {
          return new Webhook(secret).verify(body, headers) !== undefined;
        } catch {
          return false;
        }
      };
      return secrets.filter(isSignedBy);
    };
    const second = await roll(3_600);
    const third = await roll(3_600);
    expect(await signing([first, second, third])).toEqual([first, second, third]);
    // Ends at once, alone.
    const fourth = await roll();
    expect(await signing([first, second, third, fourth])).toEqual([first, second, fourth]);
    const [fifth, sixth] = [await roll(3), await roll(3_600)];
    expect(await signing([first, second, fourth, fifth, sixth])).toEqual([first, second, fourth, fifth, sixth]);
    const seventh = await api.post(`/api/webhooks/${id}/roll-secret`, { overlap_seconds: 60 });
    expect([seventh.status, seventh.body.code]).toEqual([409, 'too_many_webhook_secrets']);
    const [ended] = String(seventh.body.detail).match(/\d{4}-\S+Z/) ?? [];
    await waitUntil(
      async () => Date.now(),
      (now) => now > Date.parse(String(ended)) + 100,
    );
    expect(await signing([first, second, fourth, fifth, sixth])).toEqual([first, second, fifth, sixth]);
    await roll(60);
    await hooks.close();
  });

  test('an account has at most 32 endpoints', async () => {
    const { api } = await newAccount();
    const make = () => api.post('/api/webhooks', { webhook_url: 'https://acme.test/hook' });
    const made = await Promise.all(Array.from({ length: 34 }, make));
    const refused = made.filter(({ status }) => status !== 201);
    expect(refused.map(({ status, body }) => [status, body.code])).toEqual([
      [409, 'too_many_webhook_endpoints'],
      [409, 'too_many_webhook_endpoints'],
    ]);
    const [one] = made.filter(({ status }) => status === 201);
    await api.delete(`/api/webhooks/${one?.body.webhook_endpoint_id}`);
    expect((await make()).status).toBe(201);
  });
});
