import { z } from '@hono/zod-openapi';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Operation } from '../../api/operation.ts';
import { pathAliases } from '../../api/path-aliases.ts';
import { OPERATIONS } from '../../api/routes.ts';
import { SCOPES } from '../../core/scopes.ts';
import { howMany } from '../how-many.ts';
import { apiWithScopes, newAccount, type TestAccount } from '../stack/accounts.ts';
import { type Answer, type Api, api, itemsOf } from '../stack/api.ts';

/** What every operation has in common (spec/api#errors): keys, bodies, ids, methods, pages, other spellings of its path. */
const NAMES = OPERATIONS.map((one) => [`${one.method.toUpperCase()} ${one.path}`, one] as const);
const WITH_BODY = NAMES.filter(([, one]) => ['post', 'put', 'patch'].includes(one.method));
const WITH_ID = NAMES.filter(([, one]) => one.path.includes('{'));
const LISTS = NAMES.filter(([, one]) => one.query instanceof z.ZodObject && 'page' in one.query.shape);

/** A good body where `{}` is not one, and a good query where one is needed; ids in braces are those of `ids`. */
const BODIES: Record<string, unknown> = {
  'POST /api/test-clocks/{test_clock_id}/advance': { frozen_time: '2027-01-01T00:00:00Z' },
  'POST /api/plans/{plan_id}/prices': { metric_id: 'metric_1', when: {}, overage_price: 1 },
  'PUT /api/subscriptions/{subscription_id}/phases': { phases: [] },
  'POST /api/subscriptions/{subscription_id}/components/change-prepaid-units': { metric_id: 'metric_1', units: 1 },
  'POST /api/payment-providers/{provider}/connect': { redirect_url: 'https://app.test/done' },
  'POST /api/subscriptions/{subscription_id}/switch_plan/': { new_plan_id: 'plan_1' },
  'POST /api/subscriptions/{subscription_id}/addons/attach': { addon_id: 'addon_1' },
  'POST /api/subscriptions/{subscription_id}/addons/cancel': { addon_id: 'addon_1' },
  'POST /api/subscriptions/{subscription_id}/discounts': { coupon_id: 'coupon_1' },
};
/** What an account has from the start: a key, and the processors that it could connect. */
const BORN_WITH: Record<string, number> = { '/api/api-keys': 1, '/api/audit-log': 2, '/api/payment-providers': 2 };
const QUERIES: Record<string, string> = {
  'GET /api/ingestion/audit': '?start=2026-01-01&end=2026-02-01',
  'GET /api/search': '?q=nobody',
  'GET /api/events/trace': '?idempotency_id=nobody',
  'GET /api/customers/{customer_id}/draft_invoice/explain': '?subscription_id={subscription_id}&metric_id={metric_id}',
  'GET /api/metric-access': '?customer_id=nobody&metric_id={metric_id}',
  'GET /api/feature-access': '?customer_id=nobody&feature_name=sso',
  'GET /api/metrics/{metric_id}/usage': '?customer_id=nobody&start=2026-01-01&end=2026-02-01',
};

let account: TestAccount;
let other: TestAccount;
/** Ids of records of `account`, by the name they have in paths. */
const ids: Record<string, string> = {};

beforeAll(async () => {
  account = await newAccount();
  other = await newAccount();
  const customer = await account.api.post('/api/customers/', { customer_id: 'acme', email: 'a@acme.example' });
  const metric = await account.api.post('/api/metrics', { metric_name: 'calls', aggregation_type: 'count' });
  const plan = await account.api.post('/api/plans', {
    name: 'Flat',
    billing_period: 'monthly',
    features: [{ name: 'sso', included: true }],
    components: [{ metric_id: metric.body.metric_id, overage_price: 1 }],
  });
  const event = {
    event_name: 'call',
    customer_id: 'acme',
    idempotency_id: 'acme',
    time_created: '2026-01-01T00:00:00Z',
  };
  expect((await account.api.post('/api/track', event)).status).toBe(200);
  const credit = await account.api.post('/api/credits', { customer_id: 'acme', amount: 1 });
  const subscription = await account.api.post('/api/subscriptions', {
    customer_id: 'acme',
    plan_id: plan.body.plan_id,
  });
  const addon = await account.api.post('/api/addons', { name: 'Seats', kind: 'quantity', price: 5 });
  const coupon = await account.api.post('/api/coupons', { name: 'Offer', percent_off: 5, duration: 'once' });
  const { subscription_id } = subscription.body;
  const { coupon_id } = coupon.body;
  const discount = await account.api.post(`/api/subscriptions/${subscription_id}/discounts`, { coupon_id });
  const clock = await account.api.post('/api/test-clocks', { frozen_time: '2026-01-01T00:00:00Z' });
  const key = await account.api.post('/api/api-keys', { name: 'Second' });
  const webhook = await account.api.post('/api/webhooks', { webhook_url: 'http://127.0.0.1:9/' });
  for (const made of [key, customer, metric, plan, credit, subscription, addon, coupon, discount, clock, webhook]) {
    expect(made.status).toBe(201);
  }
  ids.key_id = String(key.body.key_id);
  ids.customer_id = 'acme';
  ids.metric_id = String(metric.body.metric_id);
  ids.plan_id = String(plan.body.plan_id);
  ids.credit_id = String(credit.body.credit_id);
  ids.subscription_id = String(subscription.body.subscription_id);
  ids.addon_id = String(addon.body.addon_id);
  ids.coupon_id = String(coupon_id);
  ids.discount_id = String(discount.body.discount_id);
  ids.webhook_endpoint_id = String(webhook.body.webhook_endpoint_id);
  ids.test_clock_id = String(clock.body.test_clock_id);
});

function call(
  client: Api,
  operation: Operation,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
): Promise<Answer> {
  return client[operation.method](path, body, headers);
}

/** What every operation refuses by the same code: each of the values at some of them. */
function inTurn<T>(values: readonly T[], operation: Operation): T[] {
  const from = OPERATIONS.indexOf(operation) % values.length;
  return [...values.slice(from), ...values].slice(0, howMany(2, values.length));
}

const takesBody = ({ method }: Operation) => ['post', 'put', 'patch'].includes(method);

function pathWith(operation: Operation, id: (name: string) => string): string {
  return operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(id(name)));
}

const unknownPath = (operation: Operation) => pathWith(operation, () => 'no-such-id');
const ownPath = (operation: Operation) => pathWith(operation, (name) => ids[name] ?? 'no-such-id');

describe('keys', () => {
  test.each(NAMES)('%s without a key is 401', async (_, operation) => {
    const answer = await call(api(null), operation, unknownPath(operation));
    expect(answer.status).toBe(401);
    expect(answer.body).toEqual({
      detail: 'Send an API key, as X-API-KEY or as Authorization: Bearer.',
      code: 'unauthorized',
      request_id: expect.any(String),
    });
    expect(answer.headers.get('x-request-id')).toBe(answer.body.request_id);
  });

  test.each(NAMES)('%s with an unknown key is 401, before its body is looked at', async (_, operation) => {
    const body = operation.method === 'get' || operation.method === 'delete' ? undefined : 'not JSON';
    const answer = await call(api('mb_test_unknown'), operation, unknownPath(operation), body);
    expect(answer.status).toBe(401);
  });

  test('a key with all scopes but the one that is needed is 403', async () => {
    for (const scope of SCOPES) {
      const operations = OPERATIONS.filter((one) => one.scope === scope);
      if (operations.length === 0) continue;
      const client = await apiWithScopes(
        account,
        SCOPES.filter((one) => one !== scope),
      );
      for (const operation of operations) {
        const body = operation.method === 'get' || operation.method === 'delete' ? undefined : 'not JSON';
        const answer = await call(client, operation, unknownPath(operation), body);
        expect([operation.path, answer.status]).toEqual([operation.path, 403]);
        expect(answer.body.detail).toContain(scope);
      }
    }
  });
});

describe('bodies', () => {
  test.each(WITH_BODY)('%s refuses what is not a JSON object with 400', async (_, operation) => {
    for (const body of inTurn(['{"a":', '[]', '"text"', '1', 'null'], operation)) {
      const answer = await call(account.api, operation, ownPath(operation), body);
      expect([body, answer.status]).toEqual([body, 400]);
      expect(answer.body.detail).toEqual(expect.any(String));
    }
  });

  test.each(WITH_BODY)('%s refuses another content type with 400', async (_, operation) => {
    const answer = await call(account.api, operation, ownPath(operation), '{}', { 'Content-Type': 'text/plain' });
    expect(answer.status).toBe(400);
  });

  test.each(WITH_BODY)('%s refuses more than 10 levels with 400', async (_, operation) => {
    const nested = `{"metadata":${'['.repeat(10)}${']'.repeat(10)}}`;
    expect((await call(account.api, operation, ownPath(operation), nested)).status).toBe(400);
  });

  test.each(WITH_BODY)('%s refuses more than 1 MiB with 413', async (_, operation) => {
    const answer = await call(account.api, operation, ownPath(operation), `{"a":"${'x'.repeat(1 << 20)}"}`);
    expect(answer.status).toBe(413);
  });

  test('an event of several megabytes is 413, and the connection lives on', async () => {
    for (let i = 0; i < 3; i++) {
      expect((await account.api.post('/api/track', 'x'.repeat(5 << 20))).status).toBe(413);
      expect((await account.api.post('/api/track', {})).status).toBe(422);
    }
  });

  test.each([1 << 20, 20 << 20])(
    'a body of more than %i bytes without a key is 401, and the connection lives on',
    async (bytes) => {
      for (let i = 0; i < 3; i++) {
        expect((await api(null).post('/api/plans', 'x'.repeat(bytes + 1))).status).toBe(401);
        expect((await account.api.post('/api/plans', 'x'.repeat(bytes + 1))).status).toBe(413);
        expect((await account.api.get('/api/plans')).status).toBe(200);
      }
    },
  );

  test.each(WITH_BODY)(
    '%s refuses unknown fields and NUL with 422, also for an id that does not exist',
    async (_, operation) => {
      const unknown = await call(account.api, operation, unknownPath(operation), { no_such_field: 1 });
      expect(unknown.status).toBe(422);
      expect(unknown.body.no_such_field).toEqual(['Unknown field.']);
      expect((await call(account.api, operation, unknownPath(operation), { a: '\0' })).status).toBe(422);
    },
  );
});

describe('ids', () => {
  test.each(WITH_ID)(
    "%s answers 404 for an unknown id, and the same for another account's",
    async (name, operation) => {
      const body = operation.method === 'get' || operation.method === 'delete' ? undefined : (BODIES[name] ?? {});
      const query = QUERIES[name] ?? '';
      const unknown = await call(account.api, operation, unknownPath(operation) + query, body);
      expect(unknown.status).toBe(404);
      expect(unknown.body.detail).toContain('no-such-id');

      const path = ownPath(operation);
      const foreign = await call(other.api, operation, path + query, body);
      expect(foreign.status).toBe(404);
      const id = Object.values(ids).find((one) => path.split('/').includes(one)) ?? 'no-such-id';
      expect(foreign.body.detail).toBe(String(unknown.body.detail).replace('no-such-id', id));
    },
  );

  test.each(WITH_ID)('%s answers 404 for an id that nothing can have', async (name, operation) => {
    const body = operation.method === 'get' || operation.method === 'delete' ? undefined : (BODIES[name] ?? {});
    const path = operation.path.replaceAll(/\{\w+\}/g, 'a%00b');
    expect((await call(account.api, operation, path + (QUERIES[name] ?? ''), body)).status).toBe(404);
  });
});

describe('parameters', () => {
  test.each(NAMES)('%s refuses one that it does not have, and one that stands twice', async (name, operation) => {
    const own = new URLSearchParams(QUERIES[name] ?? '');
    const body = takesBody(operation) ? (BODIES[name] ?? {}) : undefined;
    const ask = (query: URLSearchParams) => call(account.api, operation, `${unknownPath(operation)}?${query}`, body);
    const mistyped = await ask(new URLSearchParams([...own, ['no_such_parameter', '1'], ['__proto__', '1']]));
    expect([mistyped.status, mistyped.body.no_such_parameter]).toEqual([422, ['Unknown parameter.']]);
    expect(Object.getOwnPropertyDescriptor(mistyped.body, '__proto__')?.value).toEqual(['Unknown parameter.']);
    const parameters = Object.keys(operation.query?.shape ?? {});
    if (parameters.length === 0) return;
    const values = parameters.map((parameter) => [parameter, own.get(parameter) ?? '1']);
    const twice = await ask(new URLSearchParams([...values, ...values]));
    const refusals = Object.fromEntries(parameters.map((parameter) => [parameter, ['Must stand only once.']]));
    expect([twice.status, twice.body]).toEqual([422, refusals]);
  });

  test('POST /api/track has none', async () => {
    const event = { event_name: 'e', customer_id: 'acme', idempotency_id: 'e', time_created: new Date().toISOString() };
    const answer = await account.api.post('/api/track?dry_run=true', event);
    expect([answer.status, answer.body]).toEqual([422, { dry_run: ['Unknown parameter.'] }]);
  });
});

describe('methods', () => {
  const paths = [...new Set(OPERATIONS.map((one) => one.path))];
  test.each(paths)('%s answers other methods with 405 and Allow', async (path) => {
    const allowed = OPERATIONS.filter((one) => one.path === path).map((one) => one.method.toUpperCase());
    const other = allowed.includes('PUT') ? account.api.delete : account.api.put;
    const answer = await other(path.replaceAll(/\{\w+\}/g, 'x'), {});
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')?.split(', ').sort()).toEqual(allowed.sort());
  });
});

describe('lists', () => {
  let empty: TestAccount;
  beforeAll(async () => {
    empty = await newAccount();
    const ahead = { name: 'Ahead', recurring_fee: 29, billing_period: 'monthly', charge_timing: 'in_advance' };
    const { plan_id } = (await account.api.post('/api/plans', ahead)).body;
    const subscribed = await account.api.post('/api/subscriptions', { customer_id: ids.customer_id, plan_id });
    const invoices = await account.api.get(`/api/invoices?subscription_id=${subscribed.body.subscription_id}`);
    ids.invoice_id = String(itemsOf(invoices.body.results)[0]?.invoice_id);
  });

  test.each(LISTS)('%s: bad pages are 400, a page past the end is 404', async (_, operation) => {
    const path = ownPath(operation);
    for (const query of inTurn(
      ['page=0', 'page=x', 'page=-1', 'page_size=0', 'page_size=201', 'page_size=1.5'],
      operation,
    )) {
      expect([query, (await account.api.get(`${path}?${query}`)).status]).toEqual([query, 400]);
    }
    expect((await account.api.get(`${path}?page=9999`)).status).toBe(404);
    const first = await account.api.get(`${path}?page=1&page_size=200`);
    expect(first.status).toBe(200);
    expect(Object.keys(first.body)).toEqual(['count', 'next', 'previous', 'results']);
  });

  test.each(LISTS.filter(([, one]) => !one.path.includes('{')))(
    "%s shows nothing of another account's",
    async (_, operation) => {
      const answer = await empty.api.get(operation.path);
      expect(answer.body.count).toBe(BORN_WITH[operation.path] ?? 0);
      expect(answer.text).not.toContain(account.accountId);
      expect(Object.values(ids).filter((id) => answer.text.includes(id))).toEqual([]);
    },
  );
});

describe('paths', () => {
  test.each(NAMES)('%s answers under each of its spellings, with and without the slash', async (name, operation) => {
    const body = operation.method === 'get' || operation.method === 'delete' ? undefined : 'not JSON';
    const expected = body === undefined ? undefined : 400;
    for (const alias of pathAliases(operation)) {
      const path = alias.replaceAll(/:\w+/g, 'no-such-id');
      for (const spelling of [path, `${path}/`]) {
        const answer = await call(account.api, operation, spelling + (QUERIES[name] ?? ''), body);
        if (expected !== undefined) expect([spelling, answer.status]).toEqual([spelling, expected]);
        else expect([spelling, answer.body.detail]).not.toEqual([spelling, 'There is nothing at this path.']);
      }
    }
  });

  test('a path that does not exist is 404 in the same shape', async () => {
    const answer = await account.api.get('/api/nothing');
    expect(answer.status).toBe(404);
    expect(answer.body.detail).toBe('There is nothing at this path.');
    expect(answer.headers.get('x-request-id')).toEqual(expect.any(String));
  });
});

describe('documentation', () => {
  const readable = NAMES.filter(([, one]) => one.method === 'get' && one.response instanceof z.ZodObject);
  test.each(readable)('%s answers with exactly the fields it documents', async (name, operation) => {
    // A resource that `beforeAll` does not make is read by the tests of its own.
    if (ownPath(operation).includes('no-such-id')) return;
    const query = (QUERIES[name] ?? '')
      .replace('nobody', 'acme')
      .replaceAll(/\{(\w+)\}/g, (_, id: string) => ids[id] ?? '');
    const answer = await account.api.get(ownPath(operation) + query);
    expect(answer.status).toBe(200);
    const documented = Object.keys((operation.response as z.ZodObject).shape);
    // It stands only in lists of more than 10,000.
    expect(Object.keys(answer.body)).toEqual(documented.filter((field) => field !== 'count_is_capped'));
  });

  test('openapi.json and docs need no key', async () => {
    expect((await api(null).get('/openapi.json')).body.openapi).toBe('3.1.0');
    expect((await api(null).get('/docs')).text).toContain('/docs/api/customers#createCustomer');
  });
});
