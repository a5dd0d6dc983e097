import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import type { UsageEvent } from '../../billing/catalog/metrics.ts';
import { aggregate } from '../../billing/metering/aggregate.ts';
import { bucketsOf } from '../../billing/metering/buckets.ts';
import { toPlain } from '../../core/decimal.ts';
import { newId } from '../../core/ids.ts';
import { localDateAt } from '../../core/instants.ts';
import { createClickHouse } from '../../sql/clickhouse/clickhouse.ts';
import { listMetricEvents } from '../../sql/clickhouse/metrics/metric-events.ts';
import type { MetricQuestion } from '../../sql/clickhouse/metrics/metric-query.ts';
import { listRunningUsage } from '../../sql/clickhouse/metrics/running-usage.ts';
import { insertUsageBatch } from '../../sql/clickhouse/usage/usage-landing.ts';
import { stack } from '../stack/api.ts';
import { placedRows } from './placed-rows.ts';
import { ANCHORS, distance, event, metricRule, propertyMaps } from './usage-fixtures.ts';

const clickhouse = createClickHouse(stack().clickhouse_url);
afterAll(() => clickhouse.close());

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

const scenario = fc
  .record({
    zone: fc.constantFrom(...ANCHORS),
    events: fc.array(event, { maxLength: 60, size: 'max' }),
    metrics: fc.array(metricRule, { minLength: 3, maxLength: 3 }),
    excluded: fc.tuple(distance, distance),
    bounds: fc.tuple(fc.nat(60), fc.option(fc.nat(30), { nil: undefined })),
  })
  .map(({ zone: { timeZone, anchor }, events, metrics, excluded: [a, b], bounds: [upTo, above] }) => {
    const span = 61 * 3_600_000;
    return {
      events: events.map(
        ({ distance: d, ...rest }, i): PlacedEvent => ({ ...rest, timeCreated: anchor + d, position: BigInt(i + 1) }),
      ),
      questions: metrics.map((metric) => ({
        ...{ customerId: 'c', timeZone, metric, start: anchor - span, end: anchor + span, upTo: BigInt(upTo) },
        excluded: [{ startsAt: anchor + Math.min(a, b), endsAt: anchor + Math.max(a, b) }],
        ...(above !== undefined && { above: BigInt(above) }),
      })),
    };
  });

type Question = Omit<MetricQuestion, 'accountId'>;

/** What a question counts, by the model: up to `until`. */
function counted(events: readonly PlacedEvent[], question: Question, until: number) {
  const { metric, customerId, timeZone, start, upTo = 0n, above = -1n, excluded = [] } = question;
  const seen = events.filter(
    ({ position, timeCreated: t }) =>
      position <= upTo && position > above && !excluded.some((x) => x.startsAt <= t && t < x.endsAt),
  );
  return aggregate(metric, seen, { customerId, intervals: [{ startsAt: start, endsAt: until }], timeZone });
}

test('running totals day by day, and the events, are those of the rule over an array', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async ({ events, questions }) => {
      const accountId = await land(events);
      const asked = questions.map((question): MetricQuestion => ({ ...question, accountId }));
      const answers = await listRunningUsage(clickhouse, asked);
      for (const [i, question] of asked.entries()) {
        const running = answers[i] ?? [];
        for (const { startsAt, endsAt } of bucketsOf('day', question.start, question.end, question.timeZone)) {
          const date = localDateAt(startsAt, question.timeZone);
          const found = running.findLast((one) => one.date <= date)?.quantity.toFixed() ?? '0';
          expect(found).toBe(toPlain(counted(events, question, endsAt).value));
        }
        const listed = await listMetricEvents(clickhouse, question, { limit: 1_000 });
        expect(String(listed.length)).toBe(toPlain(counted(events, question, question.end).eventsCount));
        const half = await listMetricEvents(clickhouse, question, { limit: 3 });
        const rest = await listMetricEvents(clickhouse, question, { after: half.at(-1)?.place, limit: 1_000 });
        expect([...half, ...rest].map(({ idempotencyId }) => idempotencyId).slice(0, listed.length)).toEqual(
          listed.map(({ idempotencyId }) => idempotencyId),
        );
      }
    }),
    { numRuns: 40 },
  );
});
