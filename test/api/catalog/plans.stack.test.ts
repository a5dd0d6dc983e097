import { beforeAll, describe, expect, test } from 'vitest';
import { newAccount, type TestAccount } from '../../stack/accounts.ts';
import { itemsOf } from '../../stack/api.ts';
import { makeMetric, makePlan } from '../../stack/resources.ts';

let account: TestAccount;
let metric_id: unknown;

beforeAll(async () => {
  account = await newAccount();
  ({ metric_id } = await makeMetric(account.api));
});

describe('create and retrieve', () => {
  test('a flat plan: the complete record with its defaults', async () => {
    const made = await account.api.post('/api/plans', { name: 'Flat', billing_period: 'yearly' });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      plan_id: expect.stringMatching(/^plan_[0-9a-z]{26}$/),
      name: 'Flat',
      recurring_fee: 0,
      billing_period: 'annual',
      billing_calendar: 'fixed_days',
      anchor_day: null,
      usage_period: 'billing_period',
      currency: 'usd',
      currency_options: null,
      charge_timing: 'in_arrears',
      components: [],
      features: [],
      minimum_amount: null,
      maximum_amount: null,
      trial_days: null,
      bill_usage_in_trial: false,
      version: 1,
      version_id: expect.stringMatching(/^planv_[0-9a-z]{26}$/),
      status: 'active',
      created_at: expect.stringMatching(/Z$/),
      metadata: {},
    });
    expect((await account.api.get(`/api/plans/${made.body.plan_id}`)).text).toBe(made.text);
  });

  test('every field, with exact numbers', async () => {
    const made = await account.api.post(
      '/api/plans',
      `{"name": "Pro", "recurring_fee": "29.90", "billing_period": "monthly", "currency": "EUR",
        "payment_timing": "in_arrears", "metadata": {"tier": "2"},
        "components": [{"metric_id": "${metric_id}", "free_tier": 0.3, "price": 0.000000000001, "rounding": "round_up",
                        "overage_price": null, "tiers": null, "package_size": null}],
        "features": [{"name": "sso", "included": true},
                     {"name": "seats", "included": true, "limit": 12345678901234567890.000000000000000001, "metric_id": "${metric_id}"}]}`,
    );
    expect(made.status).toBe(201);
    expect(made.exact).toMatchObject({
      recurring_fee: '29.9',
      currency: 'eur',
      charge_timing: 'in_arrears',
      components: [
        {
          component_id: expect.stringMatching(/^comp_/),
          metric_id,
          pricing_model: 'per_unit',
          free_tier: '0.3',
          overage_price: '0.000000000001',
          tiers: null,
          package_size: null,
          rounding: 'round_up',
          prepaid_units: '0',
        },
      ],
      features: [
        { feature_id: expect.stringMatching(/^feat_/), name: 'sso', included: true, limit: null, metric_id: null },
        { name: 'seats', included: true, limit: '12345678901234567890.000000000000000001', metric_id },
      ],
      metadata: { tier: '2' },
    });
    expect((await account.api.get(`/api/plans/${made.body.plan_id}`)).text).toBe(made.text);
  });

  test('tiers', async () => {
    const tiers = [
      { up_to: 10, unit_price: 1.5, flat_fee: 2 },
      { up_to: null, unit_price: 0.25 },
    ];
    for (const pricing_model of ['tiered', 'volume']) {
      const plan = await makePlan(account.api, { components: [{ metric_id, pricing_model, tiers }] });
      expect(plan.components).toMatchObject([
        { pricing_model, overage_price: null, tiers: [tiers[0], { ...tiers[1], flat_fee: 0 }] },
      ]);
    }
    const packages = { metric_id, pricing_model: 'package', overage_price: 5, package_size: 100 };
    expect((await makePlan(account.api, { components: [packages] })).components).toMatchObject([packages]);
  });

  test('a feature has one id per name and account', async () => {
    const features = [{ name: 'audit log', included: true }];
    const one = await makePlan(account.api, { features });
    const two = await makePlan(account.api, { features: [{ name: 'other', included: true }, ...features] });
    const idOf = (plan: typeof one, i: number) => itemsOf(plan.features)[i]?.feature_id;
    expect(idOf(two, 1)).toBe(idOf(one, 0));
    expect(idOf(two, 0)).not.toBe(idOf(one, 0));
    const other = await newAccount();
    expect(idOf(await makePlan(other.api, { features }), 0)).not.toBe(idOf(one, 0));
  });

  test('many plans naming the same new features at once', async () => {
    const features = Array.from({ length: 5 }, (_, i) => ({ name: `parallel ${i}`, included: true }));
    const backwards = features.toReversed();
    const plans = await Promise.all(
      Array.from({ length: 8 }, (_, i) => makePlan(account.api, { features: i % 2 ? features : backwards })),
    );
    const ids = plans.flatMap((plan) => itemsOf(plan.features).map(({ feature_id }) => feature_id));
    expect(new Set(ids).size).toBe(5);
  });
});

describe('refusals', () => {
  test('every bad field at once, nested by path', async () => {
    const answer = await account.api.post('/api/plans', {
      recurring_fee: -1,
      billing_period: 'weekly',
      currency: 'dollars',
      components: [
        { metric_id, free_tier: -1, rounding: 'up' },
        { metric_id, overage_price: 0.0000000000001 },
        { metric_id: 'm3', pricing_model: 'volume', tiers: [{ up_to: 5, unit_price: -1 }] },
        { metric_id: 'm4', pricing_model: 'package', overage_price: 1 },
        { metric_id: 'm5', overage_price: 1, price: 1 },
      ],
      features: [
        { name: 'a', included: 'yes' },
        { name: 'a', included: true },
        { included: true, limit: -1 },
      ],
      colour: 'red',
    });
    expect(answer.status).toBe(422);
    expect(Object.keys(answer.body).sort()).toEqual([
      'billing_period',
      'colour',
      'components.0.free_tier',
      'components.0.overage_price',
      'components.0.rounding',
      'components.1.metric_id',
      'components.1.overage_price',
      'components.2.tiers.0.unit_price',
      'components.2.tiers.0.up_to',
      'components.3.package_size',
      'components.4.price',
      'currency',
      'features.0.included',
      'features.1.name',
      'features.2.limit',
      'features.2.name',
      'name',
      'recurring_fee',
    ]);
  });

  test('money with more decimals than the currency has', async () => {
    const tiers = [{ up_to: null, unit_price: 0.001, flat_fee: 0.001 }];
    const component = { metric_id, pricing_model: 'tiered', tiers };
    const body = { name: 'P', billing_period: 'monthly', recurring_fee: 1.001, components: [component] };
    const answer = await account.api.post('/api/plans', body);
    expect(answer.status).toBe(422);
    expect(Object.keys(answer.body).sort()).toEqual(['components.0.tiers.0.flat_fee', 'recurring_fee']);
    expect((await account.api.post('/api/plans', { ...body, currency: 'kwd' })).status).toBe(201);
    expect(
      (await account.api.post('/api/plans', { ...body, components: [], recurring_fee: 1.5, currency: 'jpy' })).status,
    ).toBe(422);
  });

  test('overage_price together with tiers is 400, whatever else is wrong', async () => {
    const component = { metric_id, pricing_model: 'tiered', tiers: [{ up_to: null, unit_price: 1 }], overage_price: 1 };
    const answer = await account.api.post('/api/plans', { billing_period: 'weekly', components: [component] });
    expect(answer.status).toBe(400);
    expect(answer.body.detail).toContain('components.0');
  });

  test('an unknown metric is 404, in a component and in a feature', async () => {
    const base = { name: 'P', billing_period: 'monthly' };
    const components = [{ metric_id: 'metric_x', overage_price: 1 }];
    const features = [{ name: 'f', included: true, metric_id: 'metric_x' }];
    expect((await account.api.post('/api/plans', { ...base, components })).status).toBe(404);
    expect((await account.api.post('/api/plans', { ...base, features })).status).toBe(404);
    const other = await newAccount();
    expect(
      (await other.api.post('/api/plans', { ...base, components: [{ metric_id, overage_price: 1 }] })).status,
    ).toBe(404);
  });
});

describe('versions', () => {
  test('PATCH makes the next version; what it does not name stays', async () => {
    const components = [{ metric_id, overage_price: 0.5 }];
    const one = await makePlan(account.api, { components, features: [{ name: 'sso', included: true }] });
    const two = await account.api.patch(`/api/plans/${one.plan_id}`, { recurring_fee: '31.00', name: 'Pro 2' });
    expect(two.status).toBe(200);
    expect(two.body).toEqual({
      ...one,
      name: 'Pro 2',
      recurring_fee: 31,
      version: 2,
      version_id: expect.not.stringMatching(String(one.version_id)),
      created_at: expect.stringMatching(/Z$/),
    });
    const three = await account.api.patch(`/api/plans/${one.plan_id}`, { components: [], features: [] });
    expect(three.body).toMatchObject({ version: 3, name: 'Pro 2', recurring_fee: 31, components: [], features: [] });
    expect((await account.api.get(`/api/plans/${one.plan_id}`)).body).toEqual(three.body);
    const versions = await account.api.get(`/api/plans/${one.plan_id}/versions`);
    expect(versions.body).toEqual({ count: 3, next: null, previous: null, results: [three.body, two.body, one] });
  });

  test('parts may be sent back as they were read', async () => {
    const components = [{ metric_id, free_tier: 10, tiers: [{ up_to: null, unit_price: 2 }], pricing_model: 'tiered' }];
    const features = [{ name: 'sso', included: true }];
    const one = (await account.api.post('/api/plans', { name: 'P', billing_period: 'monthly', components, features }))
      .body;
    const sent = { components: one.components, features: one.features };
    const two = await account.api.patch(`/api/plans/${one.plan_id}`, sent);
    expect(two.status).toBe(200);
    expect(two.body).toMatchObject({
      components: [{ metric_id, free_tier: 10, tiers: [{ up_to: null, unit_price: 2, flat_fee: 0 }] }],
      features: one.features,
    });
  });

  test('two PATCHes at once make two versions', async () => {
    const { plan_id } = await makePlan(account.api);
    const fees = [1, 2, 3, 4, 5];
    const answers = await Promise.all(
      fees.map((recurring_fee) => account.api.patch(`/api/plans/${plan_id}`, { recurring_fee })),
    );
    expect(answers.map(({ body }) => Number(body.version)).sort()).toEqual([2, 3, 4, 5, 6]);
    expect((await account.api.get(`/api/plans/${plan_id}/versions`)).body.count).toBe(6);
  });

  test('refusals', async () => {
    const { plan_id } = await makePlan(account.api, { currency: 'jpy' });
    const path = `/api/plans/${plan_id}`;
    expect((await account.api.patch(path, { recurring_fee: 0.5 })).status).toBe(422);
    expect((await account.api.patch(path, { currency: 'usd', billing_period: 'annual' })).body).toEqual({
      currency: ['Unknown field.'],
      billing_period: ['Unknown field.'],
    });
    expect((await account.api.patch(path, { name: null })).status).toBe(422);
    const components = [{ metric_id: 'metric_x', overage_price: 1 }];
    expect((await account.api.patch(path, { components })).status).toBe(404);
    const tiers = [{ up_to: null, unit_price: 1 }];
    expect((await account.api.patch(path, { components: [{ metric_id, overage_price: 1, tiers }] })).status).toBe(400);
    expect((await account.api.get(path)).body.version).toBe(1);
  });
});

test('an archived plan stays readable and cannot be archived again', async () => {
  const made = await makePlan(account.api);
  const archived = await account.api.post(`/api/plans/${made.plan_id}/archive`);
  expect(archived.status).toBe(200);
  expect(archived.body).toEqual({ ...made, status: 'archived' });
  expect((await account.api.get(`/api/plans/${made.plan_id}`)).body).toEqual(archived.body);
  const again = await account.api.post(`/api/plans/${made.plan_id}/archive`);
  expect(again.status).toBe(409);
  expect(again.body.detail).toContain('archived');
});

test('the list has latest versions, newest plan first', async () => {
  const { api } = await newAccount();
  const first = await makePlan(api);
  const second = await makePlan(api);
  const changed = await api.patch(`/api/plans/${first.plan_id}`, { recurring_fee: 30 });
  const list = await api.get('/api/plans');
  expect(list.body).toEqual({ count: 2, next: null, previous: null, results: [second, changed.body] });
});
