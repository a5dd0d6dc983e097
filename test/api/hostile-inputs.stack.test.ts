import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { beforeAll, describe, expect, test } from 'vitest';
import { newAccount, type TestAccount } from '../stack/accounts.ts';
import { type Json, stack } from '../stack/api.ts';
import { landed } from '../stack/resources.ts';
import { waitUntil } from '../stack/wait-until.ts';

/** What a hostile day brings: clear refusals, text kept as it was sent, processes that live on. */

let account: TestAccount;
beforeAll(async () => {
  account = await newAccount();
});

type Sent = { method?: string; path: string; headers?: Record<string, string | string[]>; chunks?: Iterable<string> };

/** Sends a path as it is (fetch would tidy it up); a body in chunks, without its length. */
function send({
  method = 'GET',
  path,
  headers = {},
  chunks,
}: Sent): Promise<{ status: number; body: Json; text: string }> {
  const { hostname, port } = new URL(stack().base_url);
  return new Promise((resolve, reject) => {
    const all = { 'X-API-KEY': account.key, 'Content-Type': 'application/json', ...headers };
    const sent = request({ hostname, port, method, path, headers: all }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      answer.on('end', () => {
        const isJson = answer.headers['content-type']?.startsWith('application/json') && text !== '';
        resolve({ status: answer.statusCode ?? 0, body: isJson ? JSON.parse(text) : {}, text });
      });
    });
    sent.on('error', reject);
    for (const chunk of chunks ?? []) sent.write(chunk);
    sent.end();
  });
}

const postCustomer = (text: string) => account.api.post('/api/customers/', text);

describe('bodies', () => {
  test.each<[string, string, number, RegExp]>([
    ['500,000 open brackets', '['.repeat(500_000), 400, /deeper than 10/],
    ['30,000 objects in each other', `${'{"a":'.repeat(30_000)}1${'}'.repeat(30_000)}`, 400, /deeper than 10/],
    ['half a string', '{"customer_id": "a', 400, /not valid JSON/],
    ['a byte order mark', '\ufeff{"customer_id":"with-mark","email":"a@b.example"}', 201, /"with-mark"/],
    ['two byte order marks', '\ufeff\ufeff{}', 400, /not valid JSON/],
    ['100,001 values', `{"metadata":[${'0,'.repeat(100_000)}0]}`, 400, /more than 100,000 values/],
    ['white space as an id', '{"customer_id":" \\u2003","email":"a@b.example"}', 422, /may not be blank/],
    ['NaN', '{"tax_rate":NaN}', 400, /not valid JSON/],
    ['a comment', '{/**/}', 400, /not valid JSON/],
    ['__proto__', '{"__proto__":{"email":"a@b.example"},"constructor":1}', 422, /"__proto__":\["Unknown field."\]/],
    ['NUL within __proto__', '{"__proto__":"\\u0000"}', 422, /__proto__/],
    ['1e400', '{"customer_id":"a","email":"a@b.example","tax_rate":1e400}', 422, /"tax_rate"/],
    ['1e-400', '{"customer_id":"a","email":"a@b.example","tax_rate":1e-400}', 422, /"tax_rate"/],
    ['a number of 100,000 digits', `{"tax_rate":1${'0'.repeat(100_000)}}`, 422, /"tax_rate"/],
    ['a lone surrogate', '{"customer_id":"\\ud800","email":"a@b.example"}', 422, /"customer_id"/],
    ['a lone surrogate as a name', '{"metadata":{"\\udfff":"x"}}', 422, /"metadata\./],
    ['NUL', '{"customer_id":"a\\u0000b","email":"a@b.example"}', 422, /"customer_id"/],
  ])('%s', async (_what, text, status, says) => {
    const answer = await postCustomer(text);
    expect(answer.status).toBe(status);
    expect(answer.text).toMatch(says);
  });

  test('90,000 fields, of a body and of its metadata', async () => {
    const many = Array.from({ length: 90_000 }, (_, i) => `"${i.toString(36)}":""`).join(',');
    const fields = await postCustomer(`{${many}}`);
    expect([fields.status, Object.keys(fields.body).length, fields.body.email]).toEqual([422, 100, ['Required.']]);
    const metadata = await postCustomer(`{"customer_id":"a","email":"a@b.example","metadata":{${many}}}`);
    expect([metadata.status, metadata.body]).toEqual([422, { metadata: ['Must have at most 50 keys.'] }]);
    const some = many.split(',').slice(0, 5_000).join(',');
    const properties = await account.api.post('/api/track', `{"properties":{${some}}}`);
    expect([properties.status, Object.keys(properties.body)]).toEqual([422, expect.arrayContaining(['properties'])]);
  });

  test('of a name that comes twice, the last value counts', async () => {
    const { api } = await newAccount();
    const twice = '{"customer_id":"first","email":"a@b.example","customer_id":"last"}';
    const made = await api.post('/api/customers/', twice);
    expect([made.status, made.body.customer_id]).toEqual([201, 'last']);
  });

  test.each(['/api/track', '/api/plans'])('%s: chunks without end are 413, and memory stays flat', async (path) => {
    const bytesOf = () => ['ingest', 'api'].map((name) => residentBytes(name as 'ingest' | 'api'));
    const flood = () =>
      Promise.all(
        Array.from({ length: 8 }, () =>
          send({ method: 'POST', path, chunks: Array.from({ length: 64 }, () => 'x'.repeat(64 << 10)) }),
        ),
      );
    const growth = async () => {
      const before = bytesOf();
      for (let i = 0; i < 10; i++) {
        expect((await flood()).map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 413));
      }
      return Math.max(...bytesOf().map((bytes, i) => bytes - Number(before[i])));
    };
    await flood();
    // 320 MB go through: were they kept, it would show each time. Other tests have these processes grow as well.
    await waitUntil(growth, (bytes) => bytes < 220 << 20);
  });
});

/** Memory that a process of the stack holds; where the machine does not tell, none. */
function residentBytes(name: 'ingest' | 'api'): number {
  try {
    const pages = readFileSync(`/proc/${stack().pids[name]}/statm`, 'utf8').split(' ')[1];
    return Number(pages) * 4_096;
  } catch {
    return 0;
  }
}

describe('paths', () => {
  beforeAll(async () => {
    for (const id of ['a/b', 'a%2Fb', '..%2f', '%']) {
      expect((await account.api.post('/api/customers/', { customer_id: id, email: 'a@b.example' })).status).toBe(201);
    }
  });

  test.each([
    ['/api/customers/a%2Fb/', 'a/b'],
    ['/api/customers/a%252Fb/', 'a%2Fb'],
    ['/api/customers/..%252f/', '..%2f'],
    ['/api/customers/%25/', '%'],
    ['/%61pi/%63ustomers/%61%2Fb', 'a/b'],
    ['/customers/a%2fb', 'a/b'],
  ])('%s is the customer %s', async (path, id) => {
    const answer = await send({ path });
    expect([answer.status, answer.body.customer_id]).toEqual([200, id]);
  });

  test.each([
    '/api/customers/../account',
    '/api/customers/%2e%2e/account',
    '/api/customers/.%2E/account',
    '/api/customers/%252e%252e/',
    '/api/customers/..%2faccount',
    '/api/customers/..%5caccount',
    '/api/track/../customers/',
    '/livez/../api/customers/',
    '/api//customers/',
    '//api/customers/',
    '/api/customers//',
    '/api/customers%2f',
    '/api%2fcustomers/',
    '/api/customers/a/b/',
    '/api/customers/%00/',
    '/api/customers/%ff/',
    '/api/customers/%zz/',
    '/API/customers/',
    '/api/customers;x=1/',
    `/api/customers/${'x'.repeat(8_000)}/`,
  ])('%s is 404', async (path) => {
    const answer = await send({ path });
    expect([answer.status, answer.body]).toEqual([404, expect.objectContaining({ detail: expect.any(String) })]);
  });

  test.each(['TRACE', 'PROPFIND', 'OPTIONS', 'PUT'])('%s is 405 everywhere', async (method) => {
    for (const path of [
      '/api/customers/',
      '/api/track',
      '/livez',
      '/readyz/api',
      '/metrics',
      '/openapi.json',
      '/docs',
    ]) {
      expect([path, (await send({ method, path })).status]).toEqual([path, 405]);
    }
  });
});

describe('headers', () => {
  const next = async (headers: Record<string, string | string[]>) =>
    String((await send({ path: '/api/customers/?page_size=1', headers })).body.next);

  test('two keys are no key; what is around a key belongs to it', async () => {
    for (const key of [[account.key, account.key], `${account.key},`, `"${account.key}"`, `Bearer ${account.key}`]) {
      expect((await send({ path: '/api/customers/', headers: { 'X-API-KEY': key } })).status).toBe(401);
      expect((await send({ method: 'POST', path: '/api/track', headers: { 'X-API-KEY': key } })).status).toBe(401);
    }
  });

  test('links are made from what the caller asked, never from what it claims in a header', async () => {
    const own = `${stack().base_url}/api/customers/`;
    expect(await next({})).toMatch(own);
    for (const host of ['billing.example', 'billing.example:8443, b', 'a.example/../x?y', 'user@a.example', '"']) {
      const claimed = { 'X-Forwarded-Host': host, 'X-Forwarded-Proto': 'https', 'X-Forwarded-Port': '8443' };
      expect(await next({ ...claimed, Forwarded: `host=${host};proto=https` })).toMatch(own);
    }
  });

  test('a request id that is none is replaced, and a body where none belongs is nobody’s', async () => {
    const answer = await account.api.get('/api/customers/', undefined, { 'X-Request-Id': 'x'.repeat(500) });
    expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
    const chunks = ['{"a":1}'];
    expect((await send({ path: '/api/customers/', headers: { 'Transfer-Encoding': 'chunked' }, chunks })).status).toBe(
      200,
    );
    expect(
      (await send({ method: 'POST', path: '/api/plans', headers: { 'Content-Encoding': 'gzip' }, chunks })).status,
    ).toBe(415);
  });
});

describe('text that wants to be a program is kept as it was sent', () => {
  const TEXTS = [
    "'; DROP TABLE customers; --",
    "' OR '1'='1",
    '" OR 1=1 --',
    "\\'; SELECT 1; --",
    '$1 $account_id {customer:String} {{7*7}} %s %27 ?',
    "') FORMAT Null; DROP TABLE usage_events --",
    '`; \u202e</script><script>alert(1)</script>',
    '=cmd|/C calc!A0',
    'ＳＥＬＥＣＴ ünïcödé \u{1F4A5} e\u0301',
    '__proto__',
  ];

  test.each(TEXTS)('%s', async (text) => {
    const { api } = await newAccount();
    const made = async (path: string, body: object): Promise<Json> => {
      const answer = await api.post(path, body);
      expect([path, answer.status, answer.text]).toEqual([path, 201, answer.text]);
      return answer.body;
    };
    const address = { line1: text, city: text, state: text, postal_code: text, country: text };
    const metadata = { [text === '__proto__' ? 'key' : text]: text };
    const customer = { customer_id: text, customer_name: text, billing_address: address, metadata };
    const kept: [Json, object][] = [
      [await made('/api/customers/', { ...customer, email: 'a@b.example' }), customer],
      [await made('/api/addons', { name: text, kind: 'one_time', price: 1 }), { name: text }],
      [await made('/api/credits', { customer_id: text, amount: 1, description: text }), { description: text }],
      [await made('/api/api-keys', { name: text }), { name: text }],
      [await made('/api/webhooks', { name: text, webhook_url: 'http://127.0.0.1:9/' }), { name: text }],
    ];
    const filter = { property_name: text, operator: 'isin', comparison_value: [text] };
    const asked = { metric_name: text, event_name: text, property_name: text, categorical_filters: [filter] };
    const metric = await made('/api/metrics', { ...asked, aggregation_type: 'unique' });
    const components = [{ metric_id: metric.metric_id, overage_price: 1 }];
    const features = [{ name: text, included: true }];
    const plan = await made('/api/plans', { name: text, billing_period: 'monthly', components, features });
    kept.push([metric, asked], [plan, { name: text, features: [expect.objectContaining({ name: text })] }]);
    for (const [record, sent] of kept) expect(record).toMatchObject(sent);

    const time_created = new Date().toISOString();
    const event = { event_name: text, customer_id: text, idempotency_id: text, time_created };
    expect(
      (
        await api.post(
          '/api/track',
          `{"properties":{${JSON.stringify(text)}:${JSON.stringify(text)}},${JSON.stringify(event).slice(1)}`,
        )
      ).status,
    ).toBe(200);
    await landed(api);
    const query = new URLSearchParams({ customer_id: text, event_name: text, idempotency_id: text });
    const events = await api.get(`/api/events?${query}`);
    expect(events.body.results).toMatchObject([event]);
    expect(events.text).toContain(`"properties":{${JSON.stringify(text)}:${JSON.stringify(text)}}`);
    const question = new URLSearchParams({ customer_id: text, start: '2020-01-01', end: '2200-01-01', group_by: text });
    const usage = await api.get(`/api/metrics/${metric.metric_id}/usage?${question}`);
    expect(usage.body.results).toMatchObject([{ value: 1, events_count: 1, group: text }]);
    expect((await api.get(`/api/customers/${encodeURIComponent(text)}/`)).body).toMatchObject(customer);
  });

  test('nothing of it was done: every process is the one that started, and answers', async () => {
    await waitUntil(
      () => account.api.get('/readyz'),
      ({ status }) => status === 200,
    );
    for (const name of ['ingest', 'api', 'aggregator', 'worker', 'postgres', 'clickhouse'] as const) {
      expect(() => process.kill(Number(stack().pids[name]), 0)).not.toThrow();
    }
  });
});
