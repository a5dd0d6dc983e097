import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { UsageEvent } from '../../billing/catalog/metrics.ts';
import { aggregate } from '../../billing/metering/aggregate.ts';
import { textsOf } from '../../billing/metering/book-usage.ts';
import { bucketsOf } from '../../billing/metering/buckets.ts';
import { type PercentagePrice, priceEvents } from '../../billing/pricing/percentage.ts';
import { decimal, isDecimal, toPlain, ZERO } from '../../core/decimal.ts';
import { newId } from '../../core/ids.ts';
import { localDateAt } from '../../core/instants.ts';
import { findUsages } from '../../sql/clickhouse/metrics/metric-by-window.ts';
import { listMetricEvents } from '../../sql/clickhouse/metrics/metric-events.ts';
import type { MetricQuestion } from '../../sql/clickhouse/metrics/metric-query.ts';
import { NOTHING_ROLLED_UP } from '../../sql/clickhouse/metrics/rollup-query.ts';
import { listRunningUsage } from '../../sql/clickhouse/metrics/running-usage.ts';
import { insertUsageBatch } from '../../sql/clickhouse/usage/usage-landing.ts';
import { howMany } from '../how-many.ts';
import { ownClickHouse } from '../stack/own-database.ts';
import { placedRows } from './placed-rows.ts';
import { ANCHORS, distance, event, metricRule, name, propertyMaps } from './usage-fixtures.ts';

const clickhouse = ownClickHouse();

type PlacedEvent = UsageEvent & { position: bigint };

async function land(events: readonly PlacedEvent[]): Promise<string> {
  const accountId = newId('acct');
  const rows = events.map(({ customerId, eventName, timeCreated, position, properties }) => {
    const place = { position, epoch: 1, receivedAt: timeCreated, fingerprint: position.toString(16).padStart(32, '0') };
    const sent = { accountId, customerId, eventName, timeCreated, idempotencyId: `id-${position}` };
    return { ...sent, ...propertyMaps(properties), ...place };
  });
  if (rows.length > 0) await insertUsageBatch(clickhouse, placedRows(rows), accountId);
  return accountId;
}

const money = fc.constantFrom('0', '0.3', '1.000000000001', '999.99').map(decimal);
const perEvent: fc.Arbitrary<PercentagePrice> = fc.record({
  pricingModel: fc.constant('percentage'),
  percentage: fc.constantFrom('0', '2.9', '33.333333333333', '100').map(decimal),
  fixedAmount: money,
  perEventMinimum: fc.option(money),
  perEventMaximum: fc.option(money.map((amount) => amount.plus(1000))),
});

const scenario = fc
  .record({
    zone: fc.constantFrom(...ANCHORS),
    events: fc.array(event, { maxLength: 60, size: 'max' }),
    metrics: fc.array(metricRule, { minLength: 3, maxLength: 3 }),
    excluded: fc.tuple(distance, distance),
    percentages: fc.array(perEvent, { minLength: 3, maxLength: 3 }),
    bounds: fc.tuple(fc.nat(60), fc.option(fc.nat(30), { nil: undefined })),
    // Questions that differ from the first of their metric in these alone share its SELECT.
    others: fc.array(fc.record({ from: distance, to: distance, upTo: fc.nat(60), eventName: name }), { maxLength: 2 }),
    grouped: fc.tuple(name, fc.array(fc.nat(59), { maxLength: 2 })),
  })
  .map(
    ({
      zone: { timeZone, anchor },
      events,
      metrics,
      percentages,
      excluded: [a, b],
      bounds: [upTo, above],
      ...more
    }) => {
      const span = 61 * 3_600_000;
      const placed = events.map(
        ({ distance: d, ...rest }, i): PlacedEvent => ({ ...rest, timeCreated: anchor + d, position: BigInt(i + 1) }),
      );
      const [property, likeEvents] = more.grouped;
      const combinations = likeEvents.flatMap((i) => placed[i] ?? []).map((one) => textsOf(one, [property]));
      const questions = metrics.map((metric, i) => ({
        ...{ customerId: 'c', timeZone, metric, start: anchor - span, end: anchor + span, upTo: BigInt(upTo) },
        excluded: [{ startsAt: anchor + Math.min(a, b), endsAt: anchor + Math.max(a, b) }],
        ...(above !== undefined && { above: BigInt(above) }),
        perEvent: metric.aggregationType === 'sum' ? (percentages[i] ?? null) : null,
      }));
      const alike = questions.flatMap((question) => [
        ...more.others.map(({ from, to, eventName, ...other }) => ({
          ...question,
          metric: { ...question.metric, eventName: question.metric.eventName && eventName },
          ...{ start: anchor + Math.min(from, to), end: anchor + Math.max(from, to), upTo: BigInt(other.upTo) },
        })),
        ...combinations.map((combination) => ({ ...question, combination })),
      ]);
      return { events: placed, questions, alike };
    },
  );

type Question = Omit<MetricQuestion, 'accountId'>;

/** What a question counts, by the model: up to `until`. */
function counted(events: readonly PlacedEvent[], question: Question, until: number) {
  const { metric, customerId, timeZone, start, upTo = 0n, above = -1n, excluded = [] } = question;
  const isOfCombination = (one: UsageEvent) =>
    Object.entries(question.combination ?? {}).every(([name, text]) => textsOf(one, [name])[name] === text);
  const seen = events.filter(
    (one) =>
      one.position <= upTo &&
      one.position > above &&
      isOfCombination(one) &&
      !excluded.some((x) => x.startsAt <= one.timeCreated && one.timeCreated < x.endsAt),
  );
  const usage = aggregate(metric, seen, { customerId, intervals: [{ startsAt: start, endsAt: until }], timeZone });
  return { ...usage, byEvent: question.perEvent ? pricesOf(seen, question, question.perEvent, until) : undefined };
}

/** What the events that count come to by a price each, one by one. */
function pricesOf(seen: readonly PlacedEvent[], question: Question, price: PercentagePrice, until: number) {
  const { metric, customerId, timeZone, start } = question;
  const each = { customerId, intervals: [{ startsAt: start, endsAt: until }], timeZone };
  return priceEvents(
    price,
    seen.map((one) => aggregate(metric, [one], each).value),
  );
}

const NOTHING = { billable: ZERO, amount: ZERO };

/** Decimals as their digits. */
function plainly(of: object) {
  return Object.fromEntries(Object.entries(of).flatMap(([name, x]) => (isDecimal(x) ? [[name, toPlain(x)]] : [])));
}

test('running totals day by day, what prices the events, and the events, are those of the rule over an array', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async ({ events, questions, alike }) => {
      const accountId = await land(events);
      const asked = [...questions, ...alike].map((question): MetricQuestion => ({ ...question, accountId }));
      const answers = await listRunningUsage(clickhouse, asked);
      for (const [i, question] of asked.entries()) {
        const running = answers[i] ?? [];
        for (const { startsAt, endsAt } of bucketsOf('day', question.start, question.end, question.timeZone)) {
          const date = localDateAt(startsAt, question.timeZone);
          const found = running.findLast((one) => one.date <= date);
          const { value, byEvent } = counted(events, question, endsAt);
          expect(found?.quantity.toFixed() ?? '0').toBe(toPlain(value));
          if (byEvent) expect(plainly(found?.byEvent ?? NOTHING)).toEqual(plainly(byEvent));
        }
        const total = counted(events, question, question.end);
        if (i >= questions.length) continue;
        const [found] = await findUsages({ clickhouse, rolledUp: NOTHING_ROLLED_UP }, [question]);
        expect(found && plainly(found)).toEqual(plainly({ value: total.value, eventsCount: total.eventsCount }));
        if (total.byEvent) expect(plainly(found?.byEvent ?? {})).toEqual(plainly(total.byEvent));
        const listed = await listMetricEvents(clickhouse, question, { limit: 1_000 });
        expect(String(listed.length)).toBe(toPlain(counted(events, question, question.end).eventsCount));
        const half = await listMetricEvents(clickhouse, question, { limit: 3 });
        const rest = await listMetricEvents(clickhouse, question, { after: half.at(-1)?.place, limit: 1_000 });
        expect([...half, ...rest].map(({ idempotencyId }) => idempotencyId).slice(0, listed.length)).toEqual(
          listed.map(({ idempotencyId }) => idempotencyId),
        );
      }
    }),
    { numRuns: howMany(10, 40) },
  );
});

test('the last position that is asked for counts, and the one above which is asked does not', async () => {
  const start = Date.UTC(2026, 10, 20);
  const events = [1, 2, 3].map((n): PlacedEvent => {
    const properties = { n: { kind: 'number', value: decimal(n) } } as const;
    return { customerId: 'c', eventName: 'e', timeCreated: start + n, position: BigInt(n), properties };
  });
  const accountId = await land(events);
  const span = { customerId: 'c', timeZone: 'UTC', start, end: start + 10 };
  const filters = { eventName: 'e', numericFilters: [], categoricalFilters: [], timeFilter: null };
  const values = { count: ['2', '1'], sum: ['3', '2'], max: ['2', '2'], unique: ['2', '1'] };
  for (const aggregationType of Object.keys(values) as (keyof typeof values)[]) {
    const metric = { ...filters, aggregationType, propertyName: aggregationType === 'count' ? null : 'n' };
    const upTo = { ...span, accountId, metric, upTo: 2n };
    const running = await listRunningUsage(clickhouse, [upTo, { ...upTo, above: 1n }]);
    const found = running.map((days) => days.at(-1)?.quantity.toFixed());
    expect([aggregationType, found]).toEqual([aggregationType, values[aggregationType]]);
  }
});
