import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { toPlain } from '../../core/decimal.ts';
import { createClickHouse } from '../../sql/clickhouse/clickhouse.ts';
import { findLateSpans } from '../../sql/clickhouse/metrics/late-spans.ts';
import { findUsages } from '../../sql/clickhouse/metrics/metric-by-window.ts';
import type { MetricQuestion } from '../../sql/clickhouse/metrics/metric-query.ts';
import { findMetricUsages } from '../../sql/clickhouse/metrics/metric-usage.ts';
import { NOTHING_ROLLED_UP } from '../../sql/clickhouse/metrics/rollup-query.ts';
import { findMetrics } from '../../sql/postgres/catalog/metrics.ts';
import { inTransaction } from '../../sql/postgres/postgres.ts';
import { howMany } from '../how-many.ts';
import { newAccount, withPostgres } from '../stack/accounts.ts';
import { stack } from '../stack/api.ts';
import { landed, makeMetric, track } from '../stack/resources.ts';

const clickhouse = createClickHouse(stack().clickhouse_url);
afterAll(() => clickhouse.close());

const HOUR = 3_600_000;
const FROM = Date.parse('2026-03-01T00:00:00Z');
const ZONES = ['UTC', 'Asia/Tokyo', 'America/New_York'];
const source = { clickhouse, rolledUp: NOTHING_ROLLED_UP };
const hour = fc.integer({ min: 0, max: 10 * 24 }).map((hours) => FROM + hours * HOUR);
const interval = fc.tuple(hour, hour).map((ends) => ({ startsAt: Math.min(...ends), endsAt: Math.max(...ends) }));

type Placed = { customerId: string; position: bigint; at: number };

/** Half of the events are of the first. */
const CUSTOMERS = ['acme', 'b', 'c', 'd', 'e', "f'"];
const customer = fc.constantFrom(...CUSTOMERS);

/** Events of two names on ten days, and metrics of every kind over them. */
async function fixture() {
  const { api, accountId } = await newAccount();
  const sum = { aggregation_type: 'sum', property_name: 'n' };
  const time_filter = { days_of_week: [1, 2, 3], hours: { from: 8, to: 20 } };
  const numeric_filters = [{ property_name: 'n', operator: 'gt', comparison_value: 2.5 }];
  const kinds = [{}, sum, { ...sum, aggregation_type: 'max' }, { ...sum, aggregation_type: 'unique' }];
  const others = kinds.map((kind) => ({ ...kind, event_name: "jo'b" }));
  const made = [...kinds, ...others, { time_filter }, { ...sum, numeric_filters, event_name: undefined }];
  const ids: string[] = [];
  for (const fields of made) ids.push(String((await makeMetric(api, fields)).metric_id));
  for (let i = 0; i < 60; i++) {
    const time_created = new Date(FROM + ((i * 7 * HOUR) % (240 * HOUR))).toISOString();
    const event_name = i % 3 === 0 ? "jo'b" : 'call';
    const properties = i % 5 === 0 ? {} : { n: (i % 7) - 1.25 };
    const customer_id = i % 2 === 0 ? 'acme' : (CUSTOMERS[i % CUSTOMERS.length] ?? '');
    await track(api, { customer_id, event_name, time_created, properties });
  }
  await landed(api);
  const metrics = await withPostgres((postgres) =>
    inTransaction(postgres, accountId, (tx) => findMetrics(tx, accountId, ids)),
  );
  const query = `SELECT customer_id AS customerId, position, toUnixTimestamp64Milli(time_created) AS at FROM usage_events
    WHERE account_id = {account_id:String} ORDER BY position`;
  const answer = await clickhouse.query({ query, query_params: { account_id: accountId }, format: 'JSONEachRow' });
  const rows = await answer.json<{ customerId: string; position: string; at: string }>();
  const placed: Placed[] = rows.map(({ customerId, position, at }) => {
    return { customerId, position: BigInt(position), at: Number(at) };
  });
  return { accountId, metrics, placed, position: fc.constantFrom(...placed.map(({ position }) => position)) };
}

test('any number of windows, and of customers, in few SELECTs: the totals that a question for each gives, each late event in its span', async () => {
  const { accountId, metrics, placed, position } = await fixture();
  type Interval = { startsAt: number; endsAt: number };
  type Window = { window: Interval; excluded: Interval[] };
  const drawn: fc.Arbitrary<Window> = fc.record({ window: interval, excluded: fc.array(interval, { maxLength: 3 }) });
  // Paused throughout: none of its time is left.
  const paused: fc.Arbitrary<Window> = interval.map((whole) => ({ window: whole, excluded: [whole] }));
  const asked = fc.record({
    some: fc.subarray(metrics, { minLength: 2, maxLength: 3 }),
    timeZone: fc.constantFrom(...ZONES),
    upTo: fc.option(position, { nil: undefined }),
    windows: fc.oneof<fc.Arbitrary<Window[]>[]>(
      fc.array(fc.oneof(drawn, paused), { minLength: 6, maxLength: 10 }),
      fc.array(paused, { minLength: 1, maxLength: 10 }),
    ),
    // One that is asked for all windows, or each for its own.
    customers: fc.oneof(fc.constant(['acme']), fc.array(customer, { minLength: 10, maxLength: 10 })),
    above: fc.option(position, { nil: undefined }),
  });
  await fc.assert(
    fc.asyncProperty(asked, async ({ some, timeZone, upTo, above, windows, customers }) => {
      const bound = { ...(upTo !== undefined && { upTo }), ...(above !== undefined && { above }) };
      const questions = some.flatMap((metric): MetricQuestion[] =>
        windows.map(({ window: { startsAt: start, endsAt: end }, excluded }, i) => {
          const customerId = customers[i % customers.length] ?? 'acme';
          return { accountId, customerId, metric, timeZone, start, end, excluded, ...bound };
        }),
      );
      // Asked again, a question has its answer twice.
      const all = [...questions, ...questions.slice(0, 3)];
      const [alone, together] = [await findMetricUsages(source, all), await findUsages(source, all)];
      const plain = (values: typeof alone) => values.map((one) => [toPlain(one.value), toPlain(one.eventsCount)]);
      expect(plain(together)).toEqual(plain(alone));
    }),
    { numRuns: howMany(5, 20) },
  );

  const watermark = fc
    .record({ customerId: customer, countedTo: position, window: interval })
    .map(({ window, ...one }) => {
      return { ...one, startsAt: window.startsAt, endsAt: window.endsAt + 1 };
    });
  await fc.assert(
    fc.asyncProperty(fc.array(watermark, { minLength: 1, maxLength: 20 }), position, async (some, upTo) => {
      const watermarks = some.map((one, i) => ({ ...one, subscriptionId: `sub-${i}` }));
      const expected = watermarks.flatMap(({ customerId, subscriptionId, countedTo, startsAt, endsAt }) => {
        const own = placed.filter((one) => one.customerId === customerId);
        const late = own.filter((one) => one.position > countedTo && one.position <= upTo);
        const times = late.map(({ at }) => at).filter((at) => at >= startsAt && at < endsAt);
        return times.length === 0 ? [] : [{ subscriptionId, from: Math.min(...times), to: Math.max(...times) }];
      });
      const found = await findLateSpans(clickhouse, accountId, watermarks, upTo);
      expect(new Set(found)).toEqual(new Set(expected));
    }),
    { numRuns: howMany(3, 10) },
  );
});
