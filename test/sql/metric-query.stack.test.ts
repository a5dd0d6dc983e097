import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type MetricRule, propertyOf, propertyText, type UsageEvent } from '../../billing/catalog/metrics.ts';
import { aggregate } from '../../billing/metering/aggregate.ts';
import { bucketsOf, type Interval } from '../../billing/metering/buckets.ts';
import { decimal, toPlain } from '../../core/decimal.ts';
import { newId } from '../../core/ids.ts';
import { type GroupQuestion, listMetricGroups } from '../../sql/clickhouse/metrics/metric-groups.ts';
import { type MetricQuestion, metricQuery } from '../../sql/clickhouse/metrics/metric-query.ts';
import {
  findMetricUsage,
  findMetricUsages,
  listMetricUsage,
  listMetricUsages,
  type UsageSource,
} from '../../sql/clickhouse/metrics/metric-usage.ts';
import { answerFromRollups, NOTHING_ROLLED_UP } from '../../sql/clickhouse/metrics/rollup-query.ts';
import { insertUsageBatch } from '../../sql/clickhouse/usage/usage-landing.ts';
import { insertRollups } from '../../sql/clickhouse/usage/usage-rollups.ts';
import { howMany } from '../how-many.ts';
import { ownClickHouse } from '../stack/own-database.ts';
import { placedRows } from './placed-rows.ts';
import { ANCHORS, distance, event, metricRule, name, propertyMaps } from './usage-fixtures.ts';

/** The queries on the real engine against the rule of billing/metering/aggregate.ts over an array. */
const clickhouse = ownClickHouse();

type PlacedEvent = UsageEvent & { position: bigint };

const byEvents: UsageSource = { clickhouse, rolledUp: NOTHING_ROLLED_UP };

/** Two spans; a question's usage cutoff may lie above both, within the second, or below. */
const SPANS = [
  { from: 0n, to: 15n },
  { from: 15n, to: 35n },
];
const byRollups: UsageSource = {
  clickhouse,
  rolledUp: {
    ...NOTHING_ROLLED_UP,
    spansOf: ({ upTo }) => SPANS.map(({ to }) => to).filter((to) => upTo === undefined || to <= upTo),
    refresh: async () => {},
  },
};

/** Stores the events as an account's own, and answers the account. Its positions begin at 1. */
async function land(events: readonly PlacedEvent[]): Promise<string> {
  const accountId = newId('acct');
  const rows = events.map((placed) => {
    const { customerId, eventName, timeCreated, position } = placed;
    const maps = propertyMaps(placed.properties);
    const fingerprint = position.toString(16).padStart(32, '0');
    const stored = { position, epoch: 1, receivedAt: timeCreated, fingerprint };
    return {
      ...{ accountId, customerId, eventName, timeCreated, idempotencyId: `id-${position}` },
      ...maps,
      ...stored,
    };
  });
  const encoded = placedRows(rows);
  if (rows.length > 0) await insertUsageBatch(clickhouse, encoded, accountId);
  return accountId;
}

type Question = Omit<MetricQuestion, 'accountId'>;
type Scenario = Question & { groupBy: string; limit: number };

/** The model: buckets one by one, groups one by one, the rest as one. Values as plain text, so that a difference is readable. */
function model(events: readonly PlacedEvent[], question: Question, groupBy?: string, limit?: number) {
  const { metric, timeZone, start, end, upTo, granularity = 'total', customerId } = question;
  const seen = events.filter((placed) => upTo === undefined || placed.position <= upTo);
  const usage = (of: readonly PlacedEvent[], bucket: Interval) => {
    const intervals = [{ startsAt: bucket.startsAt, endsAt: bucket.endsAt }];
    const counted = of.filter(({ timeCreated: t }) => !question.excluded?.some((x) => x.startsAt <= t && t < x.endsAt));
    const { value, eventsCount } = aggregate(metric, counted, { customerId, intervals, timeZone });
    return { ...bucket, value: toPlain(value), events: toPlain(eventsCount) };
  };
  const buckets = bucketsOf(granularity, start, end, timeZone);
  if (groupBy === undefined) return buckets.map((bucket) => usage(seen, bucket));
  const whole = { startsAt: start, endsAt: end };
  const groupOf = (placed: PlacedEvent) => {
    const property = propertyOf(placed, groupBy);
    return property === undefined ? null : propertyText(property);
  };
  const largest = [...Map.groupBy(seen, groupOf)]
    .map(([group, own]) => ({ group, own, ...usage(own, whole) }))
    .filter(({ events: n }) => n !== '0')
    .sort(largestFirst)
    .slice(0, limit);
  const told = new Set(largest.map(({ group }) => group));
  const rest = seen.filter((placed) => !told.has(groupOf(placed)));
  return buckets.flatMap((bucket) =>
    [
      ...largest.map(({ group, own }) => ({ ...usage(own, bucket), group })).sort(largestFirst),
      { ...usage(rest, bucket), other: true },
    ].filter(({ events: n }) => n !== '0'),
  );
}

type Grouped = { group: string | null; value: string };
const largestFirst = (a: Grouped, b: Grouped) =>
  decimal(b.value).comparedTo(decimal(a.value)) || byText(a.group, b.group);

/** Texts by their bytes, as ClickHouse has them; nothing comes last. */
function byText(a: string | null, b: string | null): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

const plain = <T extends { value: { toFixed(): string }; eventsCount: { toFixed(): string } }>(usage: T) => {
  const { value, eventsCount, ...rest } = usage;
  return { ...rest, value: value.toFixed(), events: eventsCount.toFixed() };
};

const LONG = 61 * 3_600_000;

const scenario = fc
  .record({
    zone: fc.constantFrom(...ANCHORS),
    events: fc.array(event, { maxLength: 60, size: 'max' }),
    questions: fc.array(
      fc.record({
        metric: metricRule,
        span: fc.oneof(fc.constant<[number, number]>([-LONG, LONG]), fc.tuple(distance, distance)),
        excluded: fc.array(fc.tuple(distance, distance), { maxLength: 2, size: 'xsmall' }),
        upTo: fc.option(fc.nat(60), { nil: undefined }),
        granularity: fc.constantFrom('total' as const, 'day' as const, 'hour' as const),
        groupBy: name,
        limit: fc.integer({ min: 1, max: 5 }),
      }),
      { minLength: 4, maxLength: 4 },
    ),
  })
  .map(({ zone: { timeZone, anchor }, events, questions }) => ({
    events: events.map(
      ({ distance: d, ...e }, i): PlacedEvent => ({ ...e, timeCreated: anchor + d, position: BigInt(i + 1) }),
    ),
    questions: questions.map(
      ({ span: [a, b], excluded, upTo, ...rest }): Scenario => ({
        ...{ customerId: 'c', timeZone, ...rest },
        start: anchor + Math.min(a, b),
        end: anchor + Math.max(a, b) + 1,
        excluded: excluded.map(([x, y]) => ({ startsAt: anchor + Math.min(x, y), endsAt: anchor + Math.max(x, y) })),
        ...(upTo !== undefined && { upTo: BigInt(upTo) }),
      }),
    ),
  }));

/** Scenarios that are rolled up together: a span is of all accounts. */
const TOGETHER = 5;
const scenarios = fc.array(scenario, { minLength: TOGETHER, maxLength: TOGETHER });

test('every question has the answer of the rule, read event by event and with what is counted beforehand', async () => {
  let matched = 0;
  let fromRollups = 0;
  await fc.assert(
    fc.asyncProperty(scenarios, async (drawn) => {
      const landed = [];
      for (const one of drawn) landed.push({ ...one, accountId: await land(one.events) });
      for (const span of SPANS) await insertRollups(clickhouse, span);
      for (const { accountId, events, questions } of landed) {
        const asked = questions.map((question) => ({ ...question, accountId }));
        for (const source of [byEvents, byRollups]) matched += await expectAnswers(source, asked, events);
        await expectGroups(asked, events);
        fromRollups += asked.filter((question) => usesRollups(question)).length;
      }
    }),
    // Ends a long shrinking in time to report what it has found.
    { numRuns: howMany(10, 35) / TOGETHER, interruptAfterTimeLimit: 150_000 },
  );
  expect(matched).toBeGreaterThan(howMany(50, 200));
  expect(fromRollups).toBeGreaterThan(howMany(3, 10));
});

/** Whether totals and buckets are the model's; the number of events that matched. */
async function expectAnswers(
  source: UsageSource,
  asked: MetricQuestion[],
  events: readonly PlacedEvent[],
): Promise<number> {
  const inDays = asked.map((question) => ({ ...question, granularity: 'day' as const }));
  const totalled = [...asked, ...asked.flatMap(piecesOf)];
  // A statement lists questions of one granularity; days are asked of all of them.
  const others = ['total', 'hour'].map((granularity) =>
    asked.filter((question) => question.granularity === granularity),
  );
  const listed = [inDays, ...others];
  const [totals, ...lists] = await Promise.all([
    findMetricUsages(source, totalled),
    ...listed.map((alike) => listMetricUsages(source, alike)),
  ]);
  const expectedTotals = totalled.map((question) => {
    const [expected] = model(events, { ...question, granularity: 'total' });
    return { value: expected?.value ?? '0', events: expected?.events ?? '0' };
  });
  expect(totals.map(plain)).toEqual(expectedTotals);
  const told = lists.flat().map((buckets) => buckets.map(sorted));
  expect(told).toEqual(listed.flat().map((question) => model(events, question).map(sorted)));
  return expectedTotals.slice(0, asked.length).reduce((sum, one) => sum + Number(one.events), 0);
}

/** Whether groups are the model's; they are read event by event alone. */
async function expectGroups(asked: GroupQuestion[], events: readonly PlacedEvent[]): Promise<void> {
  const answers = await Promise.all(asked.map((question) => listMetricGroups(clickhouse, question)));
  const expected = asked.map((question) => model(events, question, question.groupBy, question.limit));
  expect(answers.map((groups) => groups.map(sorted))).toEqual(expected.map((groups) => groups.map(sorted)));
}

/** The question for some of its interval's parts, in no order: the same metric in periods that follow one another, with a gap. */
function piecesOf(question: MetricQuestion): MetricQuestion[] {
  const { start, end } = question;
  const at = (part: number) => start + Math.floor(((end - start) * part) / 5);
  return [
    { ...question, start: at(3), end },
    { ...question, start, end: at(1) },
    { ...question, start: at(1), end: at(2) },
  ];
}

function usesRollups({ granularity: _, ...total }: MetricQuestion): boolean {
  return metricQuery([total], answerFromRollups(byRollups.rolledUp)).sql.includes('usage_rollups');
}

function sorted<T extends object>(result: T): object {
  return Object.fromEntries(
    Object.entries('eventsCount' in result ? plain(result as never) : result).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

test('days of fifty metrics are one statement, which tells the same as one for each', async () => {
  const START = Date.UTC(2026, 10, 1);
  const placedEvents = Array.from({ length: 40 }, (_, i): PlacedEvent => {
    const properties = { n: { kind: 'number', value: decimal(`${i}.000000000000000001`) } } as const;
    const timeCreated = START + i * 7_200_000;
    return { eventName: 'call', customerId: 'c', timeCreated, position: BigInt(i + 1), properties };
  });
  const accountId = await land(placedEvents);
  let statements = 0;
  const query = (params: Parameters<typeof clickhouse.query>[0]) => {
    statements++;
    return clickhouse.query({ ...params, format: 'JSONEachRow' });
  };
  const types = ['count', 'sum', 'max', 'unique'] as const;
  const questions = Array.from({ length: 50 }, (_, i) => {
    const aggregationType = types[i % 4] ?? 'count';
    const filter = { propertyName: 'n', operator: 'gt', comparisonValue: decimal(i) } as const;
    const propertyName = aggregationType === 'count' ? null : 'n';
    const rest = { numericFilters: [filter], categoricalFilters: [], timeFilter: null };
    const metric: MetricRule = { aggregationType, eventName: 'call', propertyName, ...rest };
    const scope = { accountId, customerId: 'c', timeZone: 'UTC', start: START, end: START + 4 * 86_400_000 };
    return { ...scope, metric, granularity: 'day' as const };
  });
  const source = { clickhouse: { query }, rolledUp: NOTHING_ROLLED_UP };
  // Of a property that is a number the texts are asked for anew, once.
  await listMetricUsages(source, questions);
  statements = 0;
  const together = await listMetricUsages(source, questions);
  expect(statements).toBe(1);
  // Of each type the first three, and all of them in a thorough run.
  const some = questions.slice(0, howMany(12, 50));
  const alone = await Promise.all(some.map((question) => listMetricUsage(byEvents, question)));
  expect(together.slice(0, some.length).map((days) => days.map(plain))).toEqual(alone.map((days) => days.map(plain)));
  expect(together[1]?.map(plain)).toMatchObject([{ value: '66.000000000000000011' }, {}, {}, {}]);
});

describe('exactly', () => {
  const rule = (over: Partial<MetricRule>): MetricRule => ({
    ...{ aggregationType: 'sum', eventName: 'call', propertyName: 'n' },
    ...{ numericFilters: [], categoricalFilters: [], timeFilter: null },
    ...over,
  });
  const START = Date.UTC(2026, 10, 1);
  const ask = (accountId: string, metric: MetricRule) =>
    findMetricUsage(byEvents, {
      ...{ accountId, customerId: 'c', metric, timeZone: 'UTC', start: START, end: START + 86_400_000 },
    });
  const placedEvents = (texts: string[]): PlacedEvent[] =>
    texts.map((value, i) => ({
      ...{ eventName: 'call', customerId: 'c', timeCreated: START + i, position: BigInt(i + 1) },
      properties: { n: { kind: 'string', value } },
    }));

  test('a sum far beyond 38 digits does not wrap', async () => {
    const accountId = await land(placedEvents(Array(3_000).fill('99999999999999999999.999999999999999999')));
    const { value } = await ask(accountId, rule({}));
    expect(value.toFixed()).toBe('299999999999999999999999.999999999999997');
  });

  test('a comparison holds beside its value, and at it where it says so', async () => {
    const accountId = await land(placedEvents(['1', '2', '2.000000000000000001']));
    const counts = { gt: '1', gte: '2', lt: '1', lte: '2', eq: '1' };
    for (const operator of Object.keys(counts) as (keyof typeof counts)[]) {
      const numericFilters = [{ propertyName: 'n', operator, comparisonValue: decimal(2) }];
      const { eventsCount } = await ask(accountId, rule({ numericFilters }));
      expect([operator, eventsCount.toFixed()]).toEqual([operator, counts[operator]]);
    }
  });

  test('a max of negatives is negative, of nothing numeric 0', async () => {
    const accountId = await land(placedEvents(['-5', 'none', '-5.000000000000000001']));
    expect((await ask(accountId, rule({ aggregationType: 'max' }))).value.toFixed()).toBe('-5');
    const filtered = rule({
      aggregationType: 'max',
      categoricalFilters: [{ propertyName: 'n', operator: 'isin', comparisonValue: ['none'] }],
    });
    const usage = await ask(accountId, filtered);
    expect([usage.value.toFixed(), usage.eventsCount.toFixed()]).toEqual(['0', '1']);
  });

  test('another account sees nothing; an empty period is 0', async () => {
    await land(placedEvents(['1']));
    const usage = await ask(newId('acct'), rule({ aggregationType: 'count', propertyName: null }));
    expect([usage.value.toFixed(), usage.eventsCount.toFixed()]).toEqual(['0', '0']);
    const question = { customerId: 'c', metric: rule({}), timeZone: 'UTC', start: START, end: START };
    const accountId = newId('acct');
    expect(await listMetricUsage(byEvents, { ...question, accountId, granularity: 'day' })).toEqual([]);
    expect(await findMetricUsages(byEvents, [])).toEqual([]);
  });

  test('a filter with a thousand long values goes to the server in the body', async () => {
    const accountId = await land(placedEvents(['☃'.repeat(1_000), 'other']));
    const comparisonValue = ['☃'.repeat(1_000), ...Array.from({ length: 999 }, (_, i) => `${i}${"'".repeat(60)}`)];
    const filters = { categoricalFilters: [{ propertyName: 'n', operator: 'isin' as const, comparisonValue }] };
    const usage = await ask(accountId, rule({ aggregationType: 'unique', ...filters }));
    expect([usage.value.toFixed(), usage.eventsCount.toFixed()]).toEqual([decimal(1).toFixed(), '1']);
  });
});
