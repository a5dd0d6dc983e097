import { afterAll, expect, test } from 'vitest';
import type { Metric } from '../../../billing/catalog/metrics.ts';
import { ZERO } from '../../../core/decimal.ts';
import { newId } from '../../../core/ids.ts';
import { createClickHouse } from '../../../sql/clickhouse/clickhouse.ts';
import { findMetricValues } from '../../../sql/clickhouse/metrics/metric-by-customer.ts';
import { stack } from '../../stack/api.ts';

const clickhouse = createClickHouse(stack().clickhouse_url);
afterAll(() => clickhouse.close());

const DAY_MS = 86_400_000;
const CUSTOMERS = 400;
const metric: Metric = {
  ...{ metricId: 'metric_1', metricName: 'Calls', aggregationType: 'count', eventName: 'call', propertyName: null },
  ...{ numericFilters: [], categoricalFilters: [], timeFilter: null },
  ...{ isCostMetric: false, unitCost: ZERO, status: 'active', createdAt: 0 },
};

test('many customers with the longest ids, each of whom was paused, are asked about together', async () => {
  const accountId = newId('acct');
  const questions = Array.from({ length: CUSTOMERS }, (_, i) => ({
    ...{ accountId, metric, timeZone: 'UTC', start: 0, end: 30 * DAY_MS },
    customerId: `${'😀'.repeat(252)}${String(i).padStart(4, '0')}`,
    excluded: [{ startsAt: DAY_MS, endsAt: 2 * DAY_MS }],
  }));
  const values = await findMetricValues(clickhouse, questions);
  expect(values.map((value) => value.toNumber())).toEqual(questions.map(() => 0));
});
