import { beforeAll, describe, expect, test } from 'vitest';
import type { MetricRule } from '../../billing/catalog/metrics.ts';
import { decimal } from '../../core/decimal.ts';
import { newId } from '../../core/ids.ts';
import { inTransactionWithUsage } from '../../services/usage/answered-usage.ts';
import { OF_A_CLOSING, type QuestionLimits } from '../../sql/clickhouse/clickhouse.ts';
import { findLateSpans } from '../../sql/clickhouse/metrics/late-spans.ts';
import { findMetricValues } from '../../sql/clickhouse/metrics/metric-by-customer.ts';
import type { MetricQuestion } from '../../sql/clickhouse/metrics/metric-query.ts';
import { findMetricUsage, findMetricUsages } from '../../sql/clickhouse/metrics/metric-usage.ts';
import { NOTHING_ROLLED_UP } from '../../sql/clickhouse/metrics/rollup-query.ts';
import { listRunningUsage } from '../../sql/clickhouse/metrics/running-usage.ts';
import { insertUsageBatch } from '../../sql/clickhouse/usage/usage-landing.ts';
import { rule } from '../billing/fixtures.ts';
import { howMany } from '../how-many.ts';
import { stack } from '../stack/api.ts';
import { ownClickHouse, patientPool } from '../stack/own-database.ts';
import { placedRows } from './placed-rows.ts';

const clickhouse = ownClickHouse();
const source = { clickhouse, rolledUp: NOTHING_ROLLED_UP };

const START = Date.UTC(2026, 0, 1);
const HOUR = 3_600_000;
const END = START + 1_000 * HOUR;

/** An account whose customer `c` has one event an hour, `n` of them, each with a text of its own. */
async function accountWith(n: number): Promise<string> {
  const accountId = newId('acct');
  const rows = Array.from({ length: n }, (_, i) => ({
    ...{ accountId, customerId: 'c', eventName: 'call', timeCreated: START + i * HOUR, idempotencyId: `id-${i}` },
    ...{ numbers: { hour: String(i) }, strings: { text: `text ${i}` }, booleans: {} },
    ...{ position: BigInt(i + 1), epoch: 1, receivedAt: START, fingerprint: i.toString(16).padStart(32, '0') },
  }));
  await insertUsageBatch(clickhouse, placedRows(rows), accountId);
  return accountId;
}

/** A metric of as many filters as one may have, which lets the first `n` hours through. */
function firstHours(n: number): MetricRule {
  const names = Array.from({ length: 20 }, (_, i) => `property ${i} of metric ${n} ${'with a long name'.repeat(5)}`);
  const above = names.slice(1).map((_, i) => ({ operator: 'gt' as const, comparisonValue: decimal(-1 - i - n) }));
  const below = { operator: 'lt' as const, comparisonValue: decimal(n) };
  return rule({
    eventName: 'call',
    numericFilters: [...above, below].map((filter) => ({ propertyName: 'hour', ...filter })),
    categoricalFilters: names.map((propertyName) => ({
      ...{ propertyName, operator: 'isnotin' as const },
      comparisonValue: [`not this ${n}`, 'nor that'],
    })),
  });
}

const scope = { customerId: 'c', timeZone: 'UTC', start: START, end: END };
const plain = (usages: readonly { value: { toFixed(): string } }[]) => usages.map(({ value }) => value.toFixed());

describe('any number of questions', () => {
  test('of small ones', async () => {
    const accountId = await accountWith(20);
    const questions = Array.from({ length: howMany(260, 800) }, (_, i): MetricQuestion => {
      return { ...scope, accountId, metric: rule({ eventName: 'call' }), start: START + (i % 25) * HOUR };
    });
    const expected = questions.map((_, i) => String(Math.max(0, 20 - (i % 25))));
    expect(plain(await findMetricUsages(source, questions))).toEqual(expected);
  });

  test('of metrics with forty filters each', async () => {
    const accountId = await accountWith(100);
    const questions = Array.from({ length: 30 }, (_, i) => ({ ...scope, accountId, metric: firstHours(i) }));
    expect(plain(await findMetricUsages(source, questions))).toEqual(questions.map((_, i) => String(i)));
  });

  test('of one account and of many, by customer', async () => {
    const accounts = await Promise.all([accountWith(10), accountWith(30)]);
    const metrics = Array.from({ length: howMany(150, 400) }, (_, i) => ({
      ...rule({
        eventName: 'call',
        numericFilters: [{ propertyName: 'hour', operator: 'lt', comparisonValue: decimal(i) }],
      }),
      ...{ metricId: `metric_${newId('req')}`, metricName: '', isCostMetric: false, unitCost: decimal(1) },
      ...{ status: 'active' as const, createdAt: START },
    }));
    const questions = metrics.flatMap((metric, i) => {
      const accountId = accounts[i % 2] ?? '';
      const others = Array.from({ length: i === 0 ? 500 : 1 }, (_, n) => ({
        ...scope,
        accountId,
        metric,
        customerId: `other ${n}`,
      }));
      return [...others, { ...scope, accountId, metric }];
    });
    const values = await findMetricValues(clickhouse, questions);
    const expected = questions.map(({ metric, customerId }) => {
      const i = metrics.indexOf(metric);
      return customerId === 'c' ? Math.min(i, i % 2 === 0 ? 10 : 30) : 0;
    });
    expect(values.map(Number)).toEqual(expected);
  });

  test('of running totals', async () => {
    const accountId = await accountWith(30);
    const questions = Array.from({ length: 30 }, (_, i) => ({ ...scope, accountId, metric: firstHours(i) }));
    const answers = await listRunningUsage(clickhouse, questions);
    expect(answers.map((days) => Number(days.at(-1)?.quantity ?? 0))).toEqual(questions.map((_, i) => i));
  });

  test('of closed periods that events may have come late for', async () => {
    const accountId = await accountWith(3);
    const watermarks = Array.from({ length: 120 }, (_, i) => {
      return { customerId: 'c', subscriptionId: `sub_${i}`, countedTo: BigInt(i % 4), startsAt: START, endsAt: END };
    });
    const spans = await findLateSpans(clickhouse, accountId, watermarks);
    const expected = watermarks.flatMap(({ subscriptionId, countedTo }) => {
      const from = START + Number(countedTo) * HOUR;
      return countedTo < 3n ? [{ subscriptionId, from, to: START + 2 * HOUR }] : [];
    });
    expect(spans).toEqual(expected);
  });
});

describe('one question', () => {
  test('with filters as long as they could once be', async () => {
    const accountId = await accountWith(50);
    const texts = Array.from({ length: 900 }, (_, i) => `text ${i + 10} \\ ' ${'long'.repeat(90)}`);
    const filter = (operator: 'isin' | 'isnotin', comparisonValue: string[]) => ({
      propertyName: 'text',
      operator,
      comparisonValue,
    });
    const categoricalFilters = [
      filter('isnotin', [...texts, 'text 3']),
      filter('isin', [...texts, 'text 3', 'text 4']),
    ];
    const metric = rule({ aggregationType: 'unique', propertyName: 'text', categoricalFilters });
    expect(plain([await findMetricUsage(source, { ...scope, accountId, metric })])).toEqual(['1']);
  });

  test('about a customer that was paused thousands of times', async () => {
    const accountId = await accountWith(1_000);
    const excluded = Array.from({ length: 3_000 }, (_, i) => {
      return { startsAt: START + (i / 4) * HOUR, endsAt: START + (i / 4) * HOUR + 1 };
    });
    const metric = rule({ eventName: 'call' });
    const question = { ...scope, accountId, metric, excluded, upTo: 10_000n };
    expect(plain([await findMetricUsage(source, question)])).toEqual(['250']);
    expect((await listRunningUsage(clickhouse, [question]))[0]?.at(-1)?.quantity.toFixed()).toBe('250');
    const rules = { metricId: newId('metric'), metricName: '', isCostMetric: false, unitCost: decimal(1) };
    const byCustomer = { ...question, metric: { ...metric, ...rules, status: 'active' as const, createdAt: START } };
    expect((await findMetricValues(clickhouse, [byCustomer])).map(Number)).toEqual([250]);
  });
});

describe('too much at once', () => {
  const accountId = newId('acct');
  /** Of a customer. */
  const TEXTS = 250_000;

  /** So many texts of 100 bytes each for two customers, and one for a third. */
  beforeAll(() =>
    clickhouse.command({
      query: `INSERT INTO usage_events (account_id, customer_id, event_name, time_created, strings, position)
        SELECT {accountId:String}, if(number = 0, 'small', concat('c', toString(number % 2))), 'call',
          fromUnixTimestamp64Milli({start:Int64}), map('text', repeat(toString(number), 15)), number + 1 FROM numbers({events:UInt32} + 1)`,
      query_params: { accountId, start: START, events: 2 * TEXTS },
    }),
  );

  const metric = rule({ aggregationType: 'unique', propertyName: 'text' });
  const questions = ['c0', 'small', 'c1'].map((customerId) => ({ ...scope, accountId, customerId, metric }));
  const settings = { ...OF_A_CLOSING.settings, max_memory_usage: '20000000' };
  const alone = {
    ...OF_A_CLOSING.alone,
    max_memory_usage: '70000000',
    max_bytes_before_external_group_by: '5000000',
  };
  const limits = { ...OF_A_CLOSING, settings, alone };

  test('a closing halves what is too much for one statement, and counts what is too much by itself on disk', async () => {
    expect(plain(await findMetricUsages({ ...source, limits }, questions))).toEqual([
      String(TEXTS),
      '1',
      String(TEXTS),
    ]);
    const { alone: _, ...ofACaller } = limits;
    await expect(findMetricUsages({ ...source, limits: ofACaller }, questions)).rejects.toThrow(/memory limit/i);
  });

  test('so does what a closing tells of a subscription in its transaction', async () => {
    const named = { metricId: newId('metric'), metricName: '', isCostMetric: false, unitCost: decimal(1) };
    const asked = questions.map((question) => {
      return { ...question, metric: { ...question.metric, ...named, status: 'active' as const, createdAt: START } };
    });
    const postgres = patientPool(stack().postgres_url);
    const tell = (of: QuestionLimits) =>
      inTransactionWithUsage({ ...source, postgres, limits: of }, accountId, async ({ usage }) =>
        usage.valuesOf(asked),
      );
    try {
      expect((await tell(limits)).map((value) => value.toFixed())).toEqual([String(TEXTS), '1', String(TEXTS)]);
      const { alone: _, ...ofACaller } = limits;
      await expect(tell(ofACaller)).rejects.toThrow(/memory limit/i);
    } finally {
      await postgres.end();
    }
  });
});
