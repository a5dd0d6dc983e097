import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../../core/ids.ts';
import { newAccount, type TestAccount } from '../../stack/accounts.ts';
import { itemsOf, type Json } from '../../stack/api.ts';
import { landed, makeCustomer, makeMetric, track } from '../../stack/resources.ts';

let account: TestAccount;
const metrics: Record<string, Json> = {};
const started = new Date();

const JUNE = 'start=2026-06-01&end=2026-07-01';

beforeAll(async () => {
  account = await newAccount();
  const { api } = account;
  await makeCustomer(api, { customer_id: 'acme' });
  await makeCustomer(api, { customer_id: 'berlin', timezone: 'Europe/Berlin' });
  const types = {
    count: {},
    sum: { property_name: 'gb' },
    max: { property_name: 'gb' },
    unique: { property_name: 'region' },
  };
  for (const [aggregation_type, fields] of Object.entries(types)) {
    metrics[aggregation_type] = await makeMetric(api, { aggregation_type, ...fields });
  }
  metrics.filtered = await makeMetric(api, {
    aggregation_type: 'sum',
    property_name: 'gb',
    numeric_filters: [{ property_name: 'gb', operator: 'gt', comparison_value: '0.1' }],
    categorical_filters: [{ property_name: 'region', operator: 'isnotin', comparison_value: ['us'] }],
  });
  metrics.workdays = await makeMetric(api, {
    time_filter: { days_of_week: [1, 2, 3, 4, 5], hours: { from: 9, to: 17 } },
  });

  const acme = (time_created: string, properties: object, more: object = {}) =>
    track(api, { customer_id: 'acme', time_created, properties, ...more });
  // Exact by text: 0.1 and 0.2 as numbers, a numeric string, a text that is no number.
  await acme('2026-06-01T00:00:00Z', { gb: 0.1, region: 'eu' });
  await acme('2026-06-01T23:59:59.999Z', { gb: 0.2, region: 'us' });
  const repeated = await acme('2026-06-03T10:00:00Z', { gb: '5', region: 'eu' });
  await acme('2026-06-03T10:30:00Z', { gb: 'much', region: 1 });
  await acme('2026-06-30T23:59:59Z', { region: '1' });
  // Not counted: a repeat, another name, the instant of the end, another customer.
  await acme('2026-06-03T10:00:00Z', { gb: 100, region: 'xx' }, { idempotency_id: repeated });
  await acme('2026-06-03T10:00:00Z', { gb: 100, region: 'xx' }, { event_name: 'other' });
  await acme('2026-07-01T00:00:00Z', { gb: 100, region: 'xx' });
  // Berlin: 00:30 local on June 2 (a Tuesday) and 09:00 local on June 3.
  await track(api, { customer_id: 'berlin', time_created: '2026-06-01T22:30:00Z' });
  await track(api, { customer_id: 'berlin', time_created: '2026-06-03T07:00:00Z' });
  await landed(api);
});

function usage(metric: string, query: string) {
  return account.api.get(`/api/metrics/${metrics[metric]?.metric_id}/usage?${query}`);
}

describe('in all', () => {
  test('the complete record', async () => {
    const answer = await usage('sum', `customer_id=acme&${JUNE}`);
    expect(answer.status).toBe(200);
    expect(answer.exact).toEqual({
      metric_id: metrics.sum?.metric_id,
      customer_id: 'acme',
      start: '2026-06-01T00:00:00.000Z',
      end: '2026-07-01T00:00:00.000Z',
      granularity: 'total',
      as_of: expect.stringMatching(/Z$/),
      results: [
        { start: '2026-06-01T00:00:00.000Z', end: '2026-07-01T00:00:00.000Z', value: '5.3', events_count: '5' },
      ],
    });
    expect(Date.parse(String(answer.body.as_of))).toBeGreaterThanOrEqual(started.getTime());
  });

  test.each([
    ['count', '5', '5'],
    ['sum', '5.3', '5'],
    ['max', '5', '5'],
    ['unique', '3', '5'],
    ['filtered', '5', '1'],
  ])('%s is %s', async (metric, value, events_count) => {
    const answer = await usage(metric, `customer_id=acme&${JUNE}`);
    expect(answer.exact.results).toMatchObject([{ value, events_count }]);
  });

  test('0.1 + 0.2 is 0.3', async () => {
    const answer = await usage('sum', 'customer_id=acme&start=2026-06-01&end=2026-06-02');
    expect(answer.text).toContain('"value":0.3,');
  });

  test.each(['count', 'sum', 'max', 'unique'])('nothing there: %s is 0', async (metric) => {
    const answer = await usage(metric, 'customer_id=acme&start=2025-01-01&end=2025-02-01');
    expect(answer.body.results).toMatchObject([{ value: 0, events_count: 0 }]);
  });

  test('date-times with offsets, start inclusive, end exclusive', async () => {
    const asked = encodeURIComponent('2026-06-03T12:00:00+02:00');
    const answer = await usage('count', `customer_id=acme&start=${asked}&end=2026-06-03T10:30:00Z`);
    expect(answer.body).toMatchObject({ start: '2026-06-03T10:00:00.000Z', results: [{ value: 1 }] });
    const unencoded = await usage('count', 'customer_id=acme&start=2026-06-03T12:00:00+02:00&end=2026-06-03T10:30:00Z');
    expect(unencoded.body.results).toEqual(answer.body.results);
  });

  test('a date is local midnight of the customer', async () => {
    const answer = await usage('count', 'customer_id=berlin&start=2026-06-02&end=2026-06-03');
    expect(answer.body).toMatchObject({
      start: '2026-06-01T22:00:00.000Z',
      end: '2026-06-02T22:00:00.000Z',
      results: [{ value: 1 }],
    });
  });

  test("a time filter is in the customer's zone", async () => {
    expect((await usage('workdays', `customer_id=berlin&${JUNE}`)).body.results).toMatchObject([{ value: 1 }]);
    expect((await usage('workdays', `customer_id=acme&${JUNE}`)).body.results).toMatchObject([{ value: 2 }]);
  });
});

describe('in buckets', () => {
  test('every day, in the zone of the customer, the first and the last clipped', async () => {
    const answer = await usage(
      'count',
      'customer_id=berlin&start=2026-06-01T12:00:00Z&end=2026-06-03T12:00:00Z&granularity=day',
    );
    expect(answer.body.results).toEqual([
      { start: '2026-06-01T12:00:00.000Z', end: '2026-06-01T22:00:00.000Z', value: 0, events_count: 0 },
      { start: '2026-06-01T22:00:00.000Z', end: '2026-06-02T22:00:00.000Z', value: 1, events_count: 1 },
      { start: '2026-06-02T22:00:00.000Z', end: '2026-06-03T12:00:00.000Z', value: 1, events_count: 1 },
    ]);
  });

  test('every hour', async () => {
    const answer = await usage('max', 'customer_id=acme&start=2026-06-03&end=2026-06-04&granularity=hour');
    const results = itemsOf(answer.body.results);
    expect(results).toHaveLength(24);
    expect(results.filter((bucket) => Number(bucket.events_count) > 0)).toEqual([
      { start: '2026-06-03T10:00:00.000Z', end: '2026-06-03T11:00:00.000Z', value: 5, events_count: 2 },
    ]);
  });

  test('by property: the groups that occur, the largest first, null without the property', async () => {
    const answer = await usage('sum', `customer_id=acme&${JUNE}&group_by=gb`);
    expect(itemsOf(answer.body.results).map(({ group }) => group)).toEqual(['5', '0.2', '0.1', 'much', null]);
    const regions = await usage('count', `customer_id=acme&${JUNE}&group_by=region`);
    expect(regions.body.results).toMatchObject([
      { group: '1', value: 2 },
      { group: 'eu', value: 2 },
      { group: 'us', value: 1 },
    ]);
    const days = await usage(
      'count',
      'customer_id=acme&start=2026-06-01&end=2026-06-04&group_by=region&granularity=day',
    );
    expect(itemsOf(days.body.results).map(({ start, group }) => [String(start).slice(8, 10), group])).toEqual([
      ['01', 'eu'],
      ['01', 'us'],
      ['03', '1'],
      ['03', 'eu'],
    ]);
  });

  test('beyond the limit the groups are one row, which a group of the text "other" is not', async () => {
    const all = await usage('sum', `customer_id=acme&${JUNE}`);
    const two = await usage('sum', `customer_id=acme&${JUNE}&group_by=gb&limit=2`);
    const results = itemsOf(two.body.results);
    expect(results.map(({ group, other }) => [group, other])).toEqual([
      ['5', undefined],
      ['0.2', undefined],
      [undefined, true],
    ]);
    expect(results.reduce((total, { value }) => total + Number(value), 0)).toBeCloseTo(
      Number(all.body.results?.[0]?.value),
      10,
    );
    const one = await usage('max', `customer_id=acme&${JUNE}&group_by=gb&limit=1`);
    expect(one.body.results).toMatchObject([
      { group: '5', value: 5 },
      { other: true, value: 0.2 },
    ]);
    const enough = await usage('count', `customer_id=acme&${JUNE}&group_by=region&limit=3`);
    expect(enough.body.results).toHaveLength(3);
    const days = await usage(
      'count',
      'customer_id=acme&start=2026-06-01&end=2026-06-04&group_by=region&granularity=day&limit=1',
    );
    expect(days.body.results).toMatchObject([
      { start: '2026-06-01T00:00:00.000Z', group: 'eu', value: 1 },
      { start: '2026-06-01T00:00:00.000Z', other: true, value: 1 },
      { start: '2026-06-03T00:00:00.000Z', group: 'eu', value: 1 },
      { start: '2026-06-03T00:00:00.000Z', other: true, value: 1 },
    ]);
  });
});

describe('refusals', () => {
  test('every bad parameter at once', async () => {
    const answer = await usage('count', 'start=yesterday&granularity=week&group_by=');
    expect(answer.status).toBe(422);
    expect(Object.keys(answer.body).sort()).toEqual(['customer_id', 'end', 'granularity', 'group_by', 'start']);
    expect(answer.body.end).toEqual(['Required.']);
  });

  test.each([
    ['end', 'start=2026-06-02&end=2026-06-01'],
    ['end', 'start=2026-06-01&end=2026-06-01'],
    ['end', 'start=2026-06-01T00:00:00Z&end=2026-06-01'],
    ['start', 'start=2026-06-01T00:00:00&end=2026-06-02'],
    ['start', 'start=2026-02-30&end=2026-06-02'],
    ['granularity', 'start=2000-01-01&end=2026-01-01&granularity=hour'],
    ['limit', 'start=2026-06-01&end=2026-06-02&group_by=region&limit=0'],
    ['limit', 'start=2026-06-01&end=2026-06-02&group_by=region&limit=10001'],
    ['limit', 'start=2026-06-01&end=2026-06-02&group_by=region&limit=x'],
    ['limit', 'start=2026-06-01&end=2026-06-02&limit=10'],
    ['limit', 'start=2026-06-01&end=2026-07-01&group_by=region&granularity=hour&limit=27'],
  ])('%s: %s', async (field, interval) => {
    const answer = await usage('count', `customer_id=acme&${interval}`);
    expect(answer.status).toBe(422);
    expect(Object.keys(answer.body)).toEqual([field]);
  });

  test('an unknown customer, and one of another account, is 404', async () => {
    const unknown = await usage('count', `customer_id=nobody&${JUNE}`);
    expect(unknown.status).toBe(404);
    expect(unknown.body.detail).toContain('nobody');
    const other = await newAccount();
    const metric = await makeMetric(other.api);
    const foreign = await other.api.get(`/api/metrics/${metric.metric_id}/usage?customer_id=acme&${JUNE}`);
    expect(foreign.status).toBe(404);
  });

  test('what the records say now holds, whatever they said when it was asked before', async () => {
    const { api } = account;
    const customer_id = `moving-${newId('evt')}`;
    const question = () => usage('count', `customer_id=${encodeURIComponent(customer_id)}&${JUNE}`);
    await makeCustomer(api, { customer_id });
    for (const { timezone, start } of [
      { timezone: 'UTC', start: '2026-06-01T00:00:00.000Z' },
      { timezone: 'Asia/Tokyo', start: '2026-05-31T15:00:00.000Z' },
    ]) {
      expect((await api.patch(`/api/customers/${customer_id}/`, { timezone })).status).toBe(200);
      for (let i = 0; i < 2; i++) expect((await question()).body).toMatchObject({ start, results: [{ start }] });
    }
    expect((await api.post(`/api/customers/${customer_id}/delete/`)).status).toBe(204);
    for (let i = 0; i < 2; i++) expect((await question()).status).toBe(404);
  });

  test("another account's events of a customer of the same id do not count", async () => {
    const other = await newAccount();
    await makeCustomer(other.api, { customer_id: 'acme' });
    const metric = await makeMetric(other.api);
    const answer = await other.api.get(`/api/metrics/${metric.metric_id}/usage?customer_id=acme&${JUNE}`);
    expect(answer.body.results).toMatchObject([{ value: 0 }]);
  });
});
