import { beforeAll, describe, expect, test } from 'vitest';
import { newAccount, type TestAccount } from '../../stack/accounts.ts';
import { itemsOf, type Json } from '../../stack/api.ts';
import { trackCalls } from '../../stack/bills.ts';
import { makeClock } from '../../stack/clocks.ts';
import { landed, makeCustomer, makeMetric, makePlan, track } from '../../stack/resources.ts';
import { waitUntil } from '../../stack/wait-until.ts';
import { advance } from '../../workflows/in-process-clock.ts';

let account: TestAccount;
let metric: string;
let otherMetric: string;
/** Plan ids by what they do with the metric. */
const plans: Record<string, string> = {};
/** All that a plan names of the features. */
let features: Json[];

beforeAll(async () => {
  account = await newAccount();
  metric = String((await makeMetric(account.api, { metric_name: 'Calls' })).metric_id);
  otherMetric = String((await makeMetric(account.api, { event_name: 'other' })).metric_id);
  const components = [{ metric_id: metric, free_tier: 2, overage_price: 0.01 }];
  const limited = { name: 'calls', included: true, limit: 3, metric_id: metric };
  const bodies: Record<string, object> = {
    billed: { components },
    limited: {
      components,
      features: [
        limited,
        { name: 'sso', included: true },
        { name: 'audit', included: false },
        { name: 'seats', included: true, limit: 5 },
      ],
    },
    flat: {},
  };
  for (const [name, fields] of Object.entries(bodies)) {
    const plan = await makePlan(account.api, fields);
    plans[name] = String(plan.plan_id);
    if (name === 'limited') features = itemsOf(plan.features);
  }
});

/** A customer on the named plan from today on; its id, and that of its subscription. */
async function subscribed(plan: string, more: object = {}, ofCustomer: object = {}) {
  const customer = await makeCustomer(account.api, { customer_name: 'Acme', ...ofCustomer });
  const body = { customer_id: customer.customer_id, plan_id: plans[plan], ...more };
  const made = await account.api.post('/api/subscriptions', body);
  expect(made.status, made.text).toBe(201);
  return { customer: String(customer.customer_id), subscription: String(made.body.subscription_id) };
}

async function metricAccess(customer: string, metricId = metric): Promise<Json> {
  const answer = await account.api.get(`/api/metric-access?customer_id=${customer}&metric_id=${metricId}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.exact;
}

async function featureAccess(customer: string, name: string): Promise<Json> {
  const answer = await account.api.get(`/api/feature-access?customer_id=${customer}&feature_name=${name}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.exact;
}

/** The answer once `usage` shows: within a second of the event, on a machine that has the time. */
function withUsage(customer: string, usage: string, ask = () => metricAccess(customer)): Promise<Json> {
  return waitUntil(ask, (answer) => (answer.usage as unknown) === usage);
}

const now = () => new Date().toISOString();

describe('of a metric', () => {
  test('the complete answer', async () => {
    const { customer, subscription } = await subscribed('limited');
    await trackCalls(account.api, customer, now(), 2);
    const answer = await withUsage(customer, '2');
    const record = (await account.api.get(`/api/subscriptions/${subscription}`)).body;
    expect(answer).toEqual({
      customer: { customer_id: customer, customer_name: 'Acme', email: 'billing@acme.example' },
      metric: { metric_id: metric, metric_name: 'Calls', event_name: 'call' },
      access: true,
      reason: null,
      usage: '2',
      limit: '3',
      remaining: '1',
      resets_at: record.current_period_end,
      as_of: expect.stringMatching(/Z$/),
      access_per_subscription: [
        {
          subscription: {
            subscription_id: subscription,
            plan_id: plans.limited,
            version: '1',
            start_date: record.start_date,
            end_date: null,
          },
          metric_usage: '2',
          metric_free_limit: '2',
          metric_total_limit: '3',
          access: true,
        },
      ],
    });
  });

  test('the limit is reached', async () => {
    const { customer } = await subscribed('limited');
    await trackCalls(account.api, customer, now(), 4);
    const answer = await withUsage(customer, '4');
    expect(answer).toMatchObject({ access: false, reason: 'limit_reached', limit: '3', remaining: '0' });
  });

  test('billed by a component: unlimited', async () => {
    const { customer } = await subscribed('billed');
    await trackCalls(account.api, customer, now(), 5);
    const answer = await withUsage(customer, '5');
    expect(answer).toMatchObject({ access: true, reason: null, limit: null, remaining: null });
    expect(answer.access_per_subscription).toMatchObject([{ metric_free_limit: '2', metric_total_limit: null }]);
  });

  test('a plan that does not name it', async () => {
    const { customer } = await subscribed('flat');
    expect(await metricAccess(customer)).toMatchObject({ access: false, reason: 'not_in_plan', limit: null });
    expect((await metricAccess(customer)).access_per_subscription).toMatchObject([
      { metric_free_limit: null, access: false },
    ]);
    const billed = await subscribed('billed');
    expect(await metricAccess(billed.customer, otherMetric)).toMatchObject({ access: false, reason: 'not_in_plan' });
  });

  test('pending and canceled subscriptions do not count, a paused one gives access at once', async () => {
    const pending = await subscribed('limited', { start_date: '2999-01-01' });
    expect(await metricAccess(pending.customer)).toMatchObject({
      access: false,
      reason: 'no_subscription',
      usage: null,
      resets_at: null,
      access_per_subscription: [],
    });

    const { customer, subscription } = await subscribed('limited');
    await trackCalls(account.api, customer, now(), 3);
    expect((await withUsage(customer, '3')).access).toBe(false);
    const act = (action: string) => account.api.post(`/api/subscriptions/${subscription}/${action}`, {});
    expect((await act('pause')).status).toBe(200);
    expect(await metricAccess(customer)).toMatchObject({ access: true, reason: 'paused', usage: '3' });
    expect(await metricAccess(customer, otherMetric)).toMatchObject({ access: false, reason: 'not_in_plan' });
    expect((await act('resume')).status).toBe(200);
    expect(await metricAccess(customer)).toMatchObject({ access: false, reason: 'limit_reached' });
    expect((await act('cancel')).status).toBe(200);
    expect(await metricAccess(customer)).toMatchObject({ access: false, reason: 'no_subscription' });
  });

  test('of several subscriptions the first that grants access', async () => {
    const { customer } = await subscribed('flat');
    await account.api.post('/api/subscriptions', { customer_id: customer, plan_id: plans.limited });
    const answer = await metricAccess(customer);
    expect(answer).toMatchObject({ access: true, reason: null, limit: '3' });
    expect(answer.access_per_subscription).toMatchObject([{ access: false }, { access: true }]);
  });
});

describe('of a feature', () => {
  test('on, off, limited by a metric, limited by nothing that measures it', async () => {
    const { customer } = await subscribed('limited');
    const sso = await featureAccess(customer, 'sso');
    expect(sso).toMatchObject({ access: true, reason: null, usage: null, limit: null });
    expect(sso.feature).toEqual({ feature_id: features[1]?.feature_id, name: 'sso' });
    expect(sso.metric).toBeUndefined();
    expect(await featureAccess(customer, 'audit')).toMatchObject({ access: false, reason: 'not_in_plan' });
    expect(await featureAccess(customer, 'seats')).toMatchObject({ access: true, usage: null, limit: '5' });
    await trackCalls(account.api, customer, now(), 3);
    const answer = await withUsage(customer, '3', () => featureAccess(customer, 'calls'));
    expect(answer).toMatchObject({ access: false, reason: 'limit_reached', limit: '3', remaining: '0' });
    expect(answer.access_per_subscription).toMatchObject([{ metric_free_limit: '2', metric_total_limit: '3' }]);
  });

  test('by its id, and not in the plan', async () => {
    const { customer } = await subscribed('billed');
    const id = features[1]?.feature_id;
    const answer = await account.api.get(`/api/feature-access?customer_id=${customer}&feature_id=${id}`);
    expect(answer.body).toMatchObject({ access: false, reason: 'not_in_plan', feature: { name: 'sso' } });
  });
});

test('on a test clock usage later than its time counts, and starts anew with the period', async () => {
  const clock = await makeClock(account.api, '2026-03-01T00:00:00Z');
  const { customer } = await subscribed('limited', {}, { test_clock_id: clock });
  await trackCalls(account.api, customer, '2026-03-20T00:00:00Z', 3);
  await track(account.api, { customer_id: customer, time_created: '2026-03-31T00:00:00Z' });
  const answer = await withUsage(customer, '3');
  expect(answer).toMatchObject({ access: false, reason: 'limit_reached', resets_at: '2026-03-31T00:00:00.000Z' });
  await advance(account.api, clock, '2026-03-31T12:00:00Z');
  // An answer may lack an event for a moment (spec/access#freshness).
  expect(await withUsage(customer, '1')).toMatchObject({ access: true, remaining: '2' });
});

describe('refusals', () => {
  test('unknown customer, metric and feature are 404, as those of another account', async () => {
    const { customer } = await subscribed('limited');
    const other = await newAccount();
    await makeCustomer(other.api, { customer_id: customer });
    for (const [api, path] of [
      [account.api, `/api/metric-access?customer_id=nobody&metric_id=${metric}`],
      [account.api, `/api/metric-access?customer_id=${customer}&metric_id=none`],
      [account.api, `/api/feature-access?customer_id=nobody&feature_name=sso`],
      [account.api, `/api/feature-access?customer_id=${customer}&feature_name=none`],
      [account.api, `/api/feature-access?customer_id=${customer}&feature_id=none`],
      [other.api, `/api/metric-access?customer_id=${customer}&metric_id=${metric}`],
      [other.api, `/api/feature-access?customer_id=${customer}&feature_id=${features[1]?.feature_id}`],
    ] as const) {
      const answer = await api.get(path);
      expect([path, answer.status]).toEqual([path, 404]);
    }
  });

  test.each([
    ['metric-access?', ['customer_id', 'metric_id']],
    ['metric-access?customer_id=a', ['metric_id']],
    ['feature-access?', ['customer_id', 'feature_name']],
    ['feature-access?customer_id=%20&feature_name=', ['customer_id', 'feature_name']],
    ['feature-access?customer_id=a&feature_name=b&feature_id=c', ['feature_id']],
  ])('%s is 422', async (path, fields) => {
    const answer = await account.api.get(`/api/${path}`);
    expect(answer.status).toBe(422);
    expect(Object.keys(answer.body).sort()).toEqual(fields);
  });
});

describe('all that plans name', () => {
  const listed = async (customer: string, query = '') => {
    const answer = await account.api.get(`/api/customers/${customer}/access${query}`);
    expect(answer.status, answer.text).toBe(200);
    return answer.exact;
  };

  test('each as its own check answers: features, then metrics', async () => {
    const { customer } = await subscribed('flat');
    await account.api.post('/api/subscriptions', { customer_id: customer, plan_id: plans.limited });
    await trackCalls(account.api, customer, now(), 3);
    await waitUntil(
      () => metricAccess(customer),
      ({ usage }) => String(usage) === '3',
    );
    const { results, count } = await listed(customer);
    const entries = itemsOf(results);
    expect([count, entries.map(({ type, name }) => `${type} ${name}`)]).toEqual([
      '5',
      ['feature calls', 'feature sso', 'feature audit', 'feature seats', 'metric Calls'],
    ]);
    for (const { type, id, name, ...entry } of entries) {
      const {
        customer: _,
        metric: __,
        feature: ___,
        access_per_subscription,
        as_of,
        ...check
      } = String(type) === 'metric'
        ? await metricAccess(customer, String(id))
        : await featureAccess(customer, String(name));
      expect(entry).toEqual(check);
    }
    expect(entries[0]).toMatchObject({
      access: false,
      reason: 'limit_reached',
      usage: '3',
      limit: '3',
      remaining: '0',
    });
    expect(entries[2]).toMatchObject({ access: false, reason: 'not_in_plan' });
    const second = await listed(customer, '?page=2&page_size=4');
    expect(second.results).toEqual(entries.slice(4));
  });

  test('nothing where no subscription counts; an unknown customer is 404', async () => {
    const { customer } = await subscribed('limited', { start_date: '2090-01-01' });
    expect((await listed(customer)).results).toEqual([]);
    expect((await account.api.get('/api/customers/nobody/access')).status).toBe(404);
  });
});

test('what has landed is in the answer', async () => {
  const { customer } = await subscribed('billed');
  await trackCalls(account.api, customer, now(), 7);
  const sent = Date.now();
  await landed(account.api);
  const answer = await waitUntil(
    () => metricAccess(customer),
    ({ as_of }) => Date.parse(String(as_of)) >= sent,
  );
  expect(answer.usage).toBe('7');
});
