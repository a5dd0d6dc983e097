import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import type { Metric } from '../../billing/catalog/metrics.ts';
import { toPlain } from '../../core/decimal.ts';
import { createClickHouse } from '../../sql/clickhouse/clickhouse.ts';
import { type CustomerQuestion, findMetricValues } from '../../sql/clickhouse/metrics/metric-by-customer.ts';
import { findMetricUsages } from '../../sql/clickhouse/metrics/metric-usage.ts';
import { NOTHING_ROLLED_UP } from '../../sql/clickhouse/metrics/rollup-query.ts';
import { findMetrics } from '../../sql/postgres/catalog/metrics.ts';
import { inTransaction } from '../../sql/postgres/postgres.ts';
import { howMany } from '../how-many.ts';
import { newAccount, withPostgres } from '../stack/accounts.ts';
import { stack } from '../stack/api.ts';
import { trackCalls } from '../stack/bills.ts';
import { landed, makeMetric } from '../stack/resources.ts';

const clickhouse = createClickHouse(stack().clickhouse_url);
afterAll(() => clickhouse.close());

const DAY = 86_400_000;
const FROM = Date.parse('2026-03-01T00:00:00Z');
const CUSTOMERS = ['a', 'b', "c'd", 'é', 'never seen'];
const ZONES = ['UTC', 'Asia/Tokyo', 'America/New_York'];

test('many customers in one SELECT: the values that a question for each gives', async () => {
  const { api, accountId } = await newAccount();
  const sum = { aggregation_type: 'sum', property_name: 'n' };
  const time_filter = { days_of_week: [1, 2, 3], hours: { from: 8, to: 20 } };
  const numeric_filters = [{ property_name: 'n', operator: 'gt', comparison_value: 2.5 }];
  const kinds = [{}, sum, { ...sum, aggregation_type: 'max' }, { ...sum, aggregation_type: 'unique' }];
  const made = [...kinds, { time_filter }, { ...sum, numeric_filters, event_name: undefined }];
  const ids: string[] = [];
  for (const fields of made) ids.push(String((await makeMetric(api, fields)).metric_id));
  for (let i = 0; i < 60; i++) {
    const at = new Date(FROM + ((i * 7 * 3_600_000) % (10 * DAY))).toISOString();
    await trackCalls(api, CUSTOMERS[i % 4] ?? '', at, 1, i % 5 === 0 ? {} : { n: (i % 7) - 1.25 });
  }
  await landed(api);
  const metrics = await withPostgres((postgres) =>
    inTransaction(postgres, accountId, (tx) => findMetrics(tx, accountId, ids)),
  );

  const positions = await listPositions(accountId);
  const hour = fc.integer({ min: 0, max: 10 * 24 }).map((hours) => FROM + hours * 3_600_000);
  const pause = fc.tuple(hour, hour).map((ends) => ({ startsAt: Math.min(...ends), endsAt: Math.max(...ends) }));
  const question: fc.Arbitrary<CustomerQuestion> = fc.record({
    accountId: fc.constant(accountId),
    customerId: fc.constantFrom(...CUSTOMERS),
    metric: fc.constantFrom<Metric>(...metrics),
    timeZone: fc.constantFrom(...ZONES),
    start: fc.integer({ min: 0, max: 8 * 24 }).map((hours) => FROM + hours * 3_600_000),
    end: fc.integer({ min: 0, max: 12 * 24 }).map((hours) => FROM + hours * 3_600_000),
    excluded: fc.array(pause, { maxLength: 2 }),
    above: fc.option(fc.constantFrom(...positions), { nil: undefined }),
  }) as fc.Arbitrary<CustomerQuestion>;
  const upTo = fc.option(fc.constantFrom(...positions), { nil: undefined });
  await fc.assert(
    fc.asyncProperty(fc.array(question, { maxLength: 12 }), upTo, async (questions, upTo) => {
      const ordered = questions.map((one) => ({ ...one, end: Math.max(one.start + 1, one.end) }));
      const alone = ordered.map((one) => ({ ...one, ...(upTo !== undefined && { upTo }) }));
      const expected = await findMetricUsages({ clickhouse, rolledUp: NOTHING_ROLLED_UP }, alone);
      const values = await findMetricValues(clickhouse, ordered, upTo);
      expect(values.map(toPlain)).toEqual(expected.map(({ value }) => toPlain(value)));
    }),
    { numRuns: howMany(8, 40) },
  );
});

/** Where the account's events stand in the stream. */
async function listPositions(accountId: string): Promise<bigint[]> {
  const query = 'SELECT position FROM usage_events WHERE account_id = {account_id:String} ORDER BY position';
  const answer = await clickhouse.query({ query, query_params: { account_id: accountId }, format: 'JSONEachRow' });
  return (await answer.json<{ position: string }>()).map(({ position }) => BigInt(position));
}
