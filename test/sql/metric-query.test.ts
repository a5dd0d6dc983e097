import { describe, expect, test } from 'vitest';
import type { MetricRule } from '../../billing/catalog/metrics.ts';
import { decimal } from '../../core/decimal.ts';
import { metricGroupsQuery } from '../../sql/clickhouse/metrics/metric-groups.ts';
import { type MetricQuestion, metricQuery } from '../../sql/clickhouse/metrics/metric-query.ts';
import { uniqueOfTexts } from '../../sql/clickhouse/metrics/metric-usage.ts';
import { answerFromRollups, NOTHING_ROLLED_UP } from '../../sql/clickhouse/metrics/rollup-query.ts';
import { usageEventQueries } from '../../sql/clickhouse/usage/usage-events.ts';

/** The exact text of the statements: a change of it is a change of what the engine is asked, and is seen in review. */

const COUNT: MetricRule = {
  aggregationType: 'count',
  eventName: 'call',
  propertyName: null,
  numericFilters: [],
  categoricalFilters: [],
  timeFilter: null,
};
const QUESTION: MetricQuestion = {
  accountId: 'acct_1',
  customerId: 'customer',
  metric: COUNT,
  timeZone: 'Europe/Berlin',
  start: Date.UTC(2026, 2, 1),
  end: Date.UTC(2026, 3, 1),
};
const metric = (over: Partial<MetricRule>): MetricRule => ({ ...COUNT, ...over });

const WHERE = `WHERE account_id = {account_id:String}
  AND customer_id = {customer_id:String}
  AND event_name = {event_name:String}
  AND time_created >= fromUnixTimestamp64Milli({start:Int64}, 'UTC') AND time_created < fromUnixTimestamp64Milli({end:Int64}, 'UTC')`;
const TOTAL = 'SELECT 0 AS question,';
const text = (name: string) =>
  `multiIf(mapContains(strings, {${name}:String}), strings[{${name}:String}], ` +
  `mapContains(numbers, {${name}:String}), toString(numbers[{${name}:String}]), ` +
  `mapContains(booleans, {${name}:String}), toString(booleans[{${name}:String}]), NULL)`;

describe('the four aggregations', () => {
  test.each([
    [COUNT, 'toString(count())'],
    [
      metric({ aggregationType: 'sum', propertyName: 'size' }),
      'toString(sum(toDecimal256(numbers[{property:String}], 18)))',
    ],
    [
      metric({ aggregationType: 'max', propertyName: 'size' }),
      'toString(maxIf(numbers[{property:String}], mapContains(numbers, {property:String})))',
    ],
    [metric({ aggregationType: 'unique', propertyName: 'size' }), `toString(uniqExact(${text('property')}))`],
  ])('%#', (rule, value) => {
    const { sql, params } = metricQuery([{ ...QUESTION, metric: rule }]);
    expect(sql).toBe(`${TOTAL}
  ${value} AS value,
  count() AS events
FROM usage_events
${WHERE}`);
    expect(params).toEqual({
      account_id: 'acct_1',
      customer_id: 'customer',
      event_name: 'call',
      start: QUESTION.start,
      end: QUESTION.end,
      ...(rule.propertyName && { property: 'size' }),
    });
  });

  test('an aggregation other than count without its property is a bug', () => {
    expect(() => metricQuery([{ ...QUESTION, metric: metric({ aggregationType: 'sum' }) }])).toThrow();
  });
});

test('a usage cutoff, pauses and all filters', () => {
  const rule = metric({
    eventName: null,
    numericFilters: [
      { propertyName: 'size', operator: 'gt', comparisonValue: decimal('0.5') },
      { propertyName: 'size', operator: 'lte', comparisonValue: decimal('12345678901234567890.000000000000000001') },
    ],
    categoricalFilters: [
      { propertyName: 'region', operator: 'isin', comparisonValue: ['eu', '1'] },
      { propertyName: 'model', operator: 'isnotin', comparisonValue: ['a'] },
    ],
    timeFilter: { daysOfWeek: [1, 5], hours: { from: 8, to: 24 } },
  });
  const { start } = QUESTION;
  const excluded = [
    { startsAt: start + 10, endsAt: start + 20 },
    { startsAt: start + 30, endsAt: start + 40 },
  ];
  const before = { startsAt: start - 20, endsAt: start };
  const asked = { ...QUESTION, metric: rule, excluded: [before, ...excluded], upTo: 1n << 62n };
  const { sql, params } = metricQuery([asked]);
  const at = 'toUnixTimestamp64Milli(time_created)';
  const paused = (s: string, e: string) =>
    `  AND NOT (time_created >= fromUnixTimestamp64Milli({${s}:Int64}, 'UTC') AND time_created < fromUnixTimestamp64Milli({${e}:Int64}, 'UTC'))`;
  expect(
    sql,
  ).toBe(`WITH ${at} + transform(roundDown(${at}, {zone_starts:Array(Int64)}), {zone_starts:Array(Int64)}, {zone_offsets:Array(Int64)}) AS local_time
${TOTAL}
  toString(count()) AS value,
  count() AS events
FROM usage_events
${WHERE.replace('  AND event_name = {event_name:String}\n', '')}
${paused('excluded_start', 'excluded_end')}
${paused('excluded_start_2', 'excluded_end_2')}
  AND position <= {up_to:UInt64}
  AND numbers[{filter_property:String}] > {than:Decimal(38, 18)}
  AND (mapContains(numbers, {filter_property:String}) AND numbers[{filter_property:String}] <= {than_2:Decimal(38, 18)})
  AND ifNull(${text('filter_property_2')} IN {values:Array(String)}, 0)
  AND NOT strings[{filter_property_3:String}] IN {values_2:Array(String)}
  AND (intDiv(local_time, 86400000) + 3) % 7 + 1 IN {days_of_week:Array(UInt8)}
  AND intDiv(local_time, 3600000) % 24 >= {from_hour:UInt8}
  AND intDiv(local_time, 3600000) % 24 < {to_hour:UInt8}`);
  expect(params).toMatchObject({
    ...{ excluded_start: start + 10, excluded_end: start + 20 },
    ...{ excluded_start_2: start + 30, excluded_end_2: start + 40 },
    up_to: 4611686018427387904n,
    ...{ filter_property: 'size', than: '0.5', than_2: '12345678901234567890.000000000000000001' },
    ...{ filter_property_2: 'region', values: ['eu', '1'], filter_property_3: 'model', values_2: ['a'] },
    // Berlin's summer time begins on 2026-03-29 at 01:00 UTC.
    zone_starts: [QUESTION.start, Date.UTC(2026, 2, 29, 1)],
    zone_offsets: [3_600_000, 7_200_000],
    ...{ days_of_week: [1, 5], from_hour: 8, to_hour: 24 },
  });
});

test('days and groups: the buckets of a month travel as runs of equal length, the largest groups are found by the same conditions', () => {
  const { sql, params } = metricGroupsQuery({ ...QUESTION, granularity: 'day', groupBy: 'model', limit: 2 });
  const at = 'toUnixTimestamp64Milli(time_created)';
  const model = text('group_by');
  expect(sql).toBe(`WITH roundDown(${at}, {run_starts:Array(Int64)}) AS run,
  transform(run, {run_starts:Array(Int64)}, {run_lengths:Array(Int64)}) AS run_length
SELECT
  run + intDiv(${at} - run, run_length) * run_length AS bucket,
  if(isNull((${model})), '', concat('=', (${model}))) NOT IN (SELECT if(isNull(told), '', concat('=', told)) FROM (
SELECT ${model} AS told
FROM usage_events
${WHERE}
GROUP BY told
ORDER BY count() DESC, told NULLS LAST LIMIT {limit:UInt32}
)) AS other,
  if(other, NULL, ${model}) AS grp,
  toString(count()) AS value,
  count() AS events
FROM usage_events
${WHERE}
GROUP BY bucket, other, grp
ORDER BY bucket, other, count() DESC, grp NULLS LAST`);
  expect(params).toMatchObject({
    run_starts: [
      Date.UTC(2026, 2, 1),
      Date.UTC(2026, 2, 1, 23),
      Date.UTC(2026, 2, 28, 23),
      Date.UTC(2026, 2, 29, 22),
      Date.UTC(2026, 2, 31, 22),
    ],
    run_lengths: [23, 24, 23, 24, 2].map((hours) => hours * 3_600_000),
    ...{ group_by: 'model', limit: 2 },
  });
});

test('several questions are one statement and share what they have in common', () => {
  const sum = metric({ aggregationType: 'sum', propertyName: 'size' });
  const { sql, params } = metricQuery([QUESTION, { ...QUESTION, metric: sum, start: QUESTION.start + 1 }]);
  expect(sql).toBe(`${TOTAL}
  toString(count()) AS value,
  count() AS events
FROM usage_events
${WHERE}
UNION ALL
SELECT 1 AS question,
  toString(sum(toDecimal256(numbers[{property:String}], 18))) AS value,
  count() AS events
FROM usage_events
${WHERE.replace('{start:', '{start_2:')}`);
  expect(params).toMatchObject({ start: QUESTION.start, start_2: QUESTION.start + 1, property: 'size' });
});

test('whatever a user chose is a parameter, never a part of the text', () => {
  const evil = `x' OR 1=1; DROP TABLE usage_events -- \\ "\`{}`;
  const rule: MetricRule = {
    aggregationType: 'unique',
    eventName: evil,
    propertyName: evil,
    numericFilters: [{ propertyName: evil, operator: 'eq', comparisonValue: decimal(1) }],
    categoricalFilters: [{ propertyName: evil, operator: 'isin', comparisonValue: [evil] }],
    timeFilter: null,
  };
  const question = { ...QUESTION, accountId: evil, customerId: evil, metric: rule };
  expect(metricQuery([question]).sql).not.toContain('DROP');
  expect(metricGroupsQuery({ ...question, groupBy: evil, limit: 1 }).sql).not.toContain('DROP');
});

test('a page of events: the account first, an id by its fingerprint', () => {
  const filter = { customerId: 'c', eventName: 'e', idempotency: { id: 'i', fingerprint: '7' }, start: 1, end: 2 };
  const { page, count } = usageEventQueries('acct_1', filter, { limit: 50, offset: 100 });
  const from = `FROM usage_events
WHERE account_id = {account_id:String}
  AND customer_id = {customer_id:String}
  AND event_name = {event_name:String}
  AND fingerprint = {fingerprint:UInt128}
  AND idempotency_id = {idempotency_id:String}
  AND time_created >= fromUnixTimestamp64Milli({start:Int64}, 'UTC')
  AND time_created < fromUnixTimestamp64Milli({end:Int64}, 'UTC')`;
  // The keys are found first. Of the page's rows those stay whose bytes fit, and the first one in any case.
  const inner = `AND (time_created, epoch, position) IN (SELECT time_created, epoch, position ${from}
ORDER BY time_created DESC, epoch DESC, position DESC LIMIT {limit:UInt64} OFFSET {offset:UInt64})
) WHERE bytes_up_to <= {bytes:UInt64} OR row_of_page = 1
ORDER BY time_created DESC, epoch DESC, position DESC`;
  expect(page.sql.startsWith('SELECT * FROM (\nSELECT event_name, customer_id, idempotency_id,')).toBe(true);
  expect(page.sql.endsWith(`${from}\n  ${inner}`)).toBe(true);
  expect(count.sql).toBe(`SELECT count() AS count FROM (SELECT 1 ${from} LIMIT 10001)`);
  expect(page.params).toEqual({
    ...{ account_id: 'acct_1', customer_id: 'c', event_name: 'e', fingerprint: '7', idempotency_id: 'i' },
    ...{ start: 1, end: 2, limit: 51, offset: 100, bytes: page.params.bytes },
  });
});

test('what is counted beforehand: whole hours of whole spans; parts of hours, and what came after, event by event', () => {
  const rule = metric({ aggregationType: 'sum', propertyName: 'size' });
  const paused = { startsAt: QUESTION.start + 5_400_000, endsAt: QUESTION.start + 10_800_000 };
  const question = { ...QUESTION, metric: rule, start: QUESTION.start + 1, excluded: [paused], upTo: 9_999n };
  const answer = answerFromRollups({ ...NOTHING_ROLLED_UP, spansOf: () => [100n, 200n] });
  const { sql, params } = metricQuery([question], answer);
  const numbers = 'numbers[{property:String}]';
  const has = 'mapContains(numbers, {property:String})';
  const events = `SELECT count() AS events, sum(toDecimal256(${numbers}, 18)) AS total, maxIf(${numbers}, ${has}) AS highest, countIf(${has}) > 0 AS has_number
FROM usage_events
${WHERE}
  AND NOT (time_created >= fromUnixTimestamp64Milli({excluded_start:Int64}, 'UTC') AND time_created < fromUnixTimestamp64Milli({excluded_end:Int64}, 'UTC'))
  AND position <= {up_to:UInt64}`;
  const at = (name: string) => `fromUnixTimestamp64Milli({${name}:Int64}, 'UTC')`;
  expect(sql).toBe(`${TOTAL}
  toString(sum(total)) AS value,
  sum(pieces.events) AS events
FROM (
SELECT events, tupleElement(${numbers}, 'total') AS total, tupleElement(${numbers}, 'highest') AS highest, ${has} AS has_number
FROM usage_rollups
WHERE account_id = {account_id:String}
  AND customer_id = {customer_id:String}
  AND event_name = {event_name:String}
  AND hour >= {first_hour:Int64} AND hour < {last_hour:Int64}
  AND NOT (hour >= {excluded_hour:Int64} AND hour < {resumed_hour:Int64})
  AND span_to IN {spans:Array(UInt64)}
LIMIT 1 BY event_name, hour, span_to
UNION ALL
${events}
  AND position > {rolled_to:UInt64}
UNION ALL
${events}
  AND position <= {rolled_to:UInt64} AND (time_created < ${at('part_hour')} OR (time_created >= ${at('part_hour')} AND time_created < ${at('part_hour_2')}))
) AS pieces`);
  const hour = (n: number) => QUESTION.start + n * 3_600_000;
  expect(params).toMatchObject({
    ...{ spans: [100n, 200n], rolled_to: 200n, up_to: 9_999n, first_hour: hour(1), last_hour: QUESTION.end },
    ...{
      excluded_hour: hour(1),
      resumed_hour: hour(3),
      part_hour: hour(1),
      part_hour_2: hour(3),
    },
  });
});

test('a plain count is told by the index of the table, whatever is counted beforehand; one up to a usage cutoff is not', () => {
  const answer = answerFromRollups({ ...NOTHING_ROLLED_UP, spansOf: () => [100n] });
  expect(metricQuery([QUESTION], answer)).toEqual(metricQuery([QUESTION]));
  expect(metricQuery([{ ...QUESTION, upTo: 200n }], answer).sql).toContain('usage_rollups');
  expect(metricQuery([{ ...QUESTION, granularity: 'day' }], answer).sql).toContain('usage_rollups');
});

test('distinct texts of a property that is text in every event: one column is read, and there is no value where it is not', () => {
  const rule = metric({ aggregationType: 'unique', propertyName: 'size' });
  const { sql, params } = metricQuery([{ ...QUESTION, metric: rule }], uniqueOfTexts);
  expect(sql).toBe(`${TOTAL}
  if(min(mapContains(strings, {property:String})), toString(uniqExact(strings[{property:String}])), '') AS value,
  count() AS events
FROM usage_events
${WHERE}`);
  expect(params).toMatchObject({ property: 'size' });
});
