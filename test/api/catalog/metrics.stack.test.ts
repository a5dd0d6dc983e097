import { beforeAll, describe, expect, test } from 'vitest';
import { newAccount, type TestAccount } from '../../stack/accounts.ts';
import { makeMetric, makePlan } from '../../stack/resources.ts';

let account: TestAccount;

beforeAll(async () => {
  account = await newAccount();
});

describe('create and retrieve', () => {
  test('only what is required: the complete record with its defaults', async () => {
    const made = await account.api.post('/api/metrics', { metric_name: 'Everything', aggregation_type: 'count' });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      metric_id: expect.stringMatching(/^metric_[0-9a-z]{26}$/),
      metric_name: 'Everything',
      aggregation_type: 'count',
      event_name: null,
      property_name: null,
      numeric_filters: [],
      categorical_filters: [],
      time_filter: null,
      is_cost_metric: false,
      unit_cost: 1,
      status: 'active',
      created_at: expect.stringMatching(/Z$/),
    });
    expect((await account.api.get(`/api/metrics/${made.body.metric_id}`)).text).toBe(made.text);
  });

  test('every field, with exact numbers', async () => {
    const made = await account.api.post(
      '/api/metrics',
      `{"metric_name": "Gigabytes", "aggregation_type": "sum", "event_name": "upload", "property_name": "gb",
        "numeric_filters": [{"property_name": "gb", "operator": "gte", "comparison_value": 0.100000000000000001},
                            {"property_name": "n", "operator": "lt", "comparison_value": "12345678901234567890"}],
        "categorical_filters": [{"property_name": "region", "operator": "isnotin", "comparison_value": ["eu", 1.50, true, ""]}],
        "time_filter": {"days_of_week": [1, 5], "hours": {"from": 9, "to": 24}},
        "is_cost_metric": true, "unit_cost": 0.000000000001}`,
    );
    expect(made.status).toBe(201);
    expect(made.exact).toMatchObject({
      numeric_filters: [
        { property_name: 'gb', operator: 'gte', comparison_value: '0.100000000000000001' },
        { property_name: 'n', operator: 'lt', comparison_value: '12345678901234567890' },
      ],
      categorical_filters: [
        { property_name: 'region', operator: 'isnotin', comparison_value: ['eu', '1.5', 'true', ''] },
      ],
      time_filter: { days_of_week: ['1', '5'], hours: { from: '9', to: '24' } },
      is_cost_metric: true,
      unit_cost: '0.000000000001',
    });
    expect((await account.api.get(`/api/metrics/${made.body.metric_id}/`)).text).toBe(made.text);
  });

  test.each(['sum', 'max', 'unique'])('%s by other names of its fields', async (aggregation) => {
    const body = { name: 'Other', aggregation, property: 'p', event_filter: { event_name: 'e' } };
    const made = await account.api.post('/api/metrics', body);
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      metric_name: 'Other',
      aggregation_type: aggregation,
      property_name: 'p',
      event_name: 'e',
    });
    const third = await account.api.post('/metrics', {
      name: 'Other',
      usage_aggregation_type: aggregation,
      property: 'p',
    });
    expect(third.body.aggregation_type).toBe(aggregation);
  });

  test('names need not be unique', async () => {
    await makeMetric(account.api, { metric_name: 'Twin' });
    await makeMetric(account.api, { metric_name: 'Twin' });
  });

  test('GET /metrics is not the list, GET /metrics/<id> is the metric', async () => {
    const { metric_id } = await makeMetric(account.api);
    expect((await account.api.get('/metrics')).headers.get('content-type')).toMatch(/^text\/plain/);
    expect((await account.api.get(`/metrics/${metric_id}`)).body.metric_id).toBe(metric_id);
  });
});

describe('refusals', () => {
  test('every bad field at once, also what only holds between fields', async () => {
    const answer = await account.api.post('/api/metrics', {
      aggregation_type: 'sum',
      event_name: 7,
      numeric_filters: [{ property_name: 'n', operator: 'between', comparison_value: 'many' }, 'x'],
      categorical_filters: [{ property_name: '', operator: 'isin', comparison_value: [] }],
      time_filter: { days_of_week: [0, 8], hours: { from: 24, to: 25 } },
      is_cost_metric: 'yes',
      unit_cost: -1,
      colour: 'red',
    });
    expect(answer.status).toBe(422);
    expect(Object.keys(answer.body).sort()).toEqual([
      'categorical_filters.0.comparison_value',
      'categorical_filters.0.property_name',
      'colour',
      'event_name',
      'is_cost_metric',
      'metric_name',
      'numeric_filters.0.comparison_value',
      'numeric_filters.0.operator',
      'numeric_filters.1',
      'property_name',
      'time_filter.days_of_week.0',
      'time_filter.days_of_week.1',
      'time_filter.hours.from',
      'time_filter.hours.to',
      'unit_cost',
    ]);
  });

  test.each([
    ['property_name', { aggregation_type: 'count', property_name: 'p' }],
    ['property_name', { aggregation_type: 'unique' }],
    ['aggregation_type', { aggregation_type: 'average' }],
    ['aggregation_type', {}],
    ['metric_name', { aggregation_type: 'count', metric_name: '  ' }],
    ['time_filter', { aggregation_type: 'count', time_filter: {} }],
    ['time_filter.hours', { aggregation_type: 'count', time_filter: { hours: { from: 9, to: 9 } } }],
    ['event_filter.weekday', { aggregation_type: 'count', event_filter: { weekday: 1 } }],
    ['name', { aggregation_type: 'count', name: 'a' }],
  ])('%s: %j', async (field, fields) => {
    const answer = await account.api.post('/api/metrics', { metric_name: 'M', ...fields });
    expect(answer.status).toBe(422);
    expect(Object.keys(answer.body)).toEqual([field]);
  });
});

describe('change', () => {
  test('PATCH changes the name and nothing else', async () => {
    const made = await makeMetric(account.api);
    const changed = await account.api.patch(`/api/metrics/${made.metric_id}`, { metric_name: 'Renamed' });
    expect(changed.status).toBe(200);
    expect(changed.body).toEqual({ ...made, metric_name: 'Renamed' });
    expect((await account.api.get(`/api/metrics/${made.metric_id}`)).body).toEqual(changed.body);
    expect((await account.api.patch(`/api/metrics/${made.metric_id}`, { name: 'Again' })).body.metric_name).toBe(
      'Again',
    );
  });

  test('PATCH refuses what cannot change', async () => {
    const { metric_id } = await makeMetric(account.api);
    const refused = await account.api.patch(`/api/metrics/${metric_id}`, { aggregation_type: 'sum', metric_name: '' });
    expect(refused.status).toBe(422);
    expect(Object.keys(refused.body).sort()).toEqual(['aggregation_type', 'metric_name']);
  });
});

describe('archive', () => {
  test('an unused metric is archived, once', async () => {
    const made = await makeMetric(account.api);
    const archived = await account.api.post(`/api/metrics/${made.metric_id}/archive`);
    expect(archived.status).toBe(200);
    expect(archived.body).toEqual({ ...made, status: 'archived' });
    const again = await account.api.post(`/api/metrics/${made.metric_id}/archive`);
    expect(again.status).toBe(409);
    expect(again.body.detail).toContain('archived');
  });

  test('409 while the latest version of a plan bills it or measures a feature by it', async () => {
    const { metric_id } = await makeMetric(account.api);
    const plan = await makePlan(account.api, { components: [{ metric_id, overage_price: 1 }] });
    expect((await account.api.post(`/api/metrics/${metric_id}/archive`)).status).toBe(409);
    const features = [{ name: 'calls', included: true, limit: 10, metric_id }];
    await account.api.patch(`/api/plans/${plan.plan_id}`, { components: [], features });
    const used = await account.api.post(`/api/metrics/${metric_id}/archive`);
    expect(used.status).toBe(409);
    expect(used.body.detail).toContain(plan.plan_id);
    await account.api.patch(`/api/plans/${plan.plan_id}`, { features: [] });
    expect((await account.api.post(`/api/metrics/${metric_id}/archive`)).status).toBe(200);
  });

  test('a plan cannot take an archived metric', async () => {
    const { metric_id } = await makeMetric(account.api);
    await account.api.post(`/api/metrics/${metric_id}/archive`);
    const body = { name: 'P', billing_period: 'monthly', components: [{ metric_id, overage_price: 1 }] };
    expect((await account.api.post('/api/plans', body)).status).toBe(409);
  });
});

test('the list is newest first', async () => {
  const { api } = await newAccount();
  const ids = [];
  for (let i = 0; i < 5; i++) ids.unshift((await makeMetric(api)).metric_id);
  const list = await api.get('/api/metrics?page_size=5');
  expect(list.body).toMatchObject({ count: 5, next: null, results: ids.map((metric_id) => ({ metric_id })) });
});
