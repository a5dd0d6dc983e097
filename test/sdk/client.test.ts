import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ClientOptions, createClient } from '../../sdk/typescript/source/client.ts';
import { ListError, paginate } from '../../sdk/typescript/source/paginate.ts';

type Seen = { method: string; url: string; headers: IncomingMessage['headers']; body: unknown; at: number };
/** Answers the request, or leaves it without one. */
type Answer = (response: ServerResponse, seen: Seen, n: number) => void;

let seen: Seen[];
let answer: Answer;
const server = createServer(async (request, response) => {
  const { method = '', url = '', headers } = request;
  const body = headers['content-type'] ? await json(request) : undefined;
  const one = { method, url, headers, body, at: performance.now() };
  seen.push(one);
  answer(response, one, seen.length);
});
let baseUrl: string;

beforeEach(async () => {
  seen = [];
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
});

const clientOf = (options: Partial<ClientOptions> = {}) => createClient({ baseUrl, apiKey: 'key', ...options });
const reply = (response: ServerResponse, status: number, body: object = {}, headers = {}) =>
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
const keysSeen = () => new Set(seen.map(({ headers }) => headers['idempotency-key']));

describe('a call', () => {
  test('goes out with its key, ids and filters, and answers data', async () => {
    answer = (response) => reply(response, 200, { plan_id: 'p' });
    const { data, error } = await clientOf({ baseUrl: `${baseUrl}/` }).GET('/api/plans/{plan_id}', {
      params: { path: { plan_id: 'a/b' } },
    });
    expect({ data, error }).toEqual({ data: { plan_id: 'p' }, error: undefined });
    expect(seen).toMatchObject([{ method: 'GET', url: '/api/plans/a%2Fb', headers: { 'x-api-key': 'key' } }]);
    expect(keysSeen()).toEqual(new Set([undefined]));
  });

  test('answers error where it is refused, and is not made again', async () => {
    answer = (response) => reply(response, 404, { detail: 'No such plan p.' });
    const { data, error, response } = await clientOf().GET('/api/plans/{plan_id}', {
      params: { path: { plan_id: 'p' } },
    });
    expect([data, error, response.status]).toEqual([undefined, { detail: 'No such plan p.' }, 404]);
    expect(seen.length).toBe(1);
  });

  test.each([429, 503])('%i: a POST is made again with the same body and key', async (status) => {
    answer = (response, _seen, n) => (n < 3 ? reply(response, status) : reply(response, 201, { customer_id: 'acme' }));
    const body = { customer_id: 'acme', email: 'a@b.example' };
    const { data } = await clientOf().POST('/api/customers', { body });
    expect(data).toEqual({ customer_id: 'acme' });
    expect(seen.map((one) => one.body)).toEqual([body, body, body]);
    expect(keysSeen().size).toBe(1);
    expect([...keysSeen()][0]).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('a retry that meets its own first try is made again; another conflict is not', async () => {
    answer = (response, _seen, n) =>
      n === 1
        ? reply(response, 409, { code: 'idempotency_in_progress' }, { 'Retry-After': '1' })
        : reply(response, 201);
    const body = { customer_id: 'acme', email: 'a@b.example' };
    const { response } = await clientOf().POST('/api/customers', { body });
    expect([response.status, seen.length, keysSeen().size]).toEqual([201, 2, 1]);
    expect((seen[1]?.at ?? 0) - (seen[0]?.at ?? 0)).toBeGreaterThan(950);
    answer = (response) => reply(response, 409, { code: 'conflict', detail: 'It is taken.' });
    const { error } = await clientOf().POST('/api/customers', { body });
    expect([error, seen.length]).toEqual([{ code: 'conflict', detail: 'It is taken.' }, 3]);
  });

  test('a key that is given is kept; two calls have two of their own', async () => {
    answer = (response) => reply(response, 201);
    const client = clientOf();
    const body = { customer_id: 'acme', email: 'a@b.example' };
    await client.POST('/api/customers', { body, headers: { 'Idempotency-Key': 'mine' } });
    await client.POST('/api/customers', { body });
    await client.POST('/api/customers', { body });
    expect(keysSeen().size).toBe(3);
    expect(keysSeen()).toContain('mine');
  });

  test.each(['cut off', 'late'])('no answer (%s): again', async (how) => {
    answer = (response, _seen, n) => {
      if (n > 1) reply(response, 200, {});
      else if (how === 'cut off') response.destroy();
    };
    const { response } = await clientOf({ timeoutMs: 1_000 }).DELETE('/api/webhooks/{webhook_endpoint_id}', {
      params: { path: { webhook_endpoint_id: 'we' } },
    });
    expect([response.status, seen.length]).toEqual([200, 2]);
  });

  test('in the end the answer is the last one, or the failure', async () => {
    answer = (response) => reply(response, 503, { detail: 'away' });
    const { error, response } = await clientOf({ maxRetries: 1 }).GET('/api/account');
    expect([error, response.status, seen.length]).toEqual([{ detail: 'away' }, 503, 2]);
    answer = (response) => void response.destroy();
    await expect(clientOf({ maxRetries: 0 }).GET('/api/account')).rejects.toThrow('fetch failed');
    expect(seen.length).toBe(3);
  });

  test('never before Retry-After', async () => {
    answer = (response, _seen, n) =>
      n === 1 ? reply(response, 429, {}, { 'Retry-After': '1' }) : reply(response, 200);
    await clientOf().GET('/api/account');
    expect((seen[1]?.at ?? 0) - (seen[0]?.at ?? 0)).toBeGreaterThan(950);
  });

  test('ends with its signal, while it waits too', async () => {
    answer = (response) => reply(response, 503, {}, { 'Retry-After': '60' });
    const call = clientOf().GET('/api/account', { signal: AbortSignal.timeout(100) });
    await expect(call).rejects.toThrow('timeout');
  });

  test('by a fetch of one’s own', async () => {
    const asked: string[] = [];
    const fetch = async (request: Request) => {
      asked.push(`${request.method} ${request.url} ${request.headers.get('X-API-KEY')}`);
      return Response.json({ plans: 0 });
    };
    await createClient({ baseUrl: 'https://billing.example.com', apiKey: 'k', fetch }).GET('/api/account');
    expect(asked).toEqual(['GET https://billing.example.com/api/account k']);
  });
});

describe('paginate', () => {
  test('answers the records of all pages, as they are taken, by the same filters', async () => {
    answer = (response, { url }) => {
      const after = new URL(url, baseUrl).searchParams.get('after');
      const page = after === null ? 1 : Number(after) + 1;
      const results = [{ customer_id: `c${page}a` }, { customer_id: `c${page}b` }];
      reply(response, 200, {
        count: 6,
        previous: null,
        next: page < 3 ? `${baseUrl}/api/customers?after=${page}` : null,
        results,
      });
    };
    const found: string[] = [];
    const list = paginate(clientOf(), '/api/customers', { params: { query: { search: 'acme', page_size: 2 } } });
    for await (const { customer_id } of list) {
      found.push(customer_id);
      if (found.length === 2) expect(seen.length).toBe(1);
    }
    expect(found).toEqual(['c1a', 'c1b', 'c2a', 'c2b', 'c3a', 'c3b']);
    expect(seen.map(({ url }) => url)).toEqual(
      ['', '&after=1', '&after=2'].map((after) => `/api/customers?search=acme&page_size=2${after}`),
    );
  });

  test('rejects with the refusal', async () => {
    answer = (response) => reply(response, 422, { search: ['Too long.'] });
    const first = paginate(clientOf(), '/api/customers').next();
    await expect(first).rejects.toThrow(ListError);
    await expect(first).rejects.toMatchObject({ status: 422, error: { search: ['Too long.'] } });
  });

  test('knows which paths are lists, and what is in them', () => {
    const wrong = async () => {
      // @ts-expect-error: an account is no list
      for await (const _ of paginate(clientOf(), '/api/account'));
      // @ts-expect-error: pages are counted by itself
      for await (const _ of paginate(clientOf(), '/api/plans', { params: { query: { page: 2 } } }));
      // @ts-expect-error: a plan has no such field
      for await (const plan of paginate(clientOf(), '/api/plans')) void plan.no_such_field;
    };
    expect(wrong).toBeTypeOf('function');
  });
});
