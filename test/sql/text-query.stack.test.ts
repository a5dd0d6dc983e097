import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { MetricRule } from '../../billing/catalog/metrics.ts';
import { newId } from '../../core/ids.ts';
import type { MetricQuestion } from '../../sql/clickhouse/metrics/metric-query.ts';
import { findMetricUsages } from '../../sql/clickhouse/metrics/metric-usage.ts';
import { NOTHING_ROLLED_UP, type RolledUp } from '../../sql/clickhouse/metrics/rollup-query.ts';
import { isToldByTexts } from '../../sql/clickhouse/metrics/text-query.ts';
import { insertUsageBatch } from '../../sql/clickhouse/usage/usage-landing.ts';
import { insertRollups } from '../../sql/clickhouse/usage/usage-rollups.ts';
import { insertTexts } from '../../sql/clickhouse/usage/usage-texts.ts';
import { howMany } from '../how-many.ts';
import { ownClickHouse } from '../stack/own-database.ts';
import { placedRows } from './placed-rows.ts';

const clickhouse = ownClickHouse();

const DAY = 86_400_000;
/** Around it a month ends. */
const MONTH_END = Date.UTC(2026, 11, 1);
const SPANS = [0n, 10n, 20n, 30n].map((from) => ({ from, to: from + 10n }));
const USERS: MetricRule = {
  ...{ aggregationType: 'unique', eventName: 'call', propertyName: 'user' },
  ...{ numericFilters: [], categoricalFilters: [], timeFilter: null },
};
const EVERY_EVENT = { events: 1, eventsAText: 0 };

type Event = { timeCreated: number; user: string | undefined };

/** Stores events of a new account at positions from 1 on. */
async function land(events: readonly Event[], customerId = 'c'): Promise<string> {
  const accountId = newId('acct');
  const rows = events.map(({ timeCreated, user }, i) => ({
    ...{
      accountId,
      customerId,
      eventName: 'call',
      timeCreated,
      idempotencyId: `${i}`,
      epoch: 1,
      receivedAt: timeCreated,
    },
    ...{ numbers: {}, strings: user === undefined ? {} : { user }, booleans: {} },
    ...{ fingerprint: (i + 1).toString(16).padStart(32, '0'), position: BigInt(i + 1) },
  }));
  await insertUsageBatch(clickhouse, placedRows(rows), accountId);
  return accountId;
}

/** Spans whose texts are told are those in which every event has one, as the aggregator finds them. */
function rolledUpAt(events: readonly Event[]): RolledUp {
  const told = SPANS.filter(({ from, to }) => {
    const own = events.slice(Number(from), Number(to));
    return own.length > 0 && own.every(({ user }) => user !== undefined);
  });
  return {
    ...NOTHING_ROLLED_UP,
    spansOf: ({ upTo }) => SPANS.map(({ to }) => to).filter((to) => upTo === undefined || to <= upTo),
    textSpansOf: () => new Set(told.map(({ to }) => to)),
  };
}

const instant = fc.integer({ min: -40, max: 40 }).map((days) => MONTH_END + days * DAY);
const anyUser = fc.constantFrom('a', 'b', 'c', '', "d'", 'ünïcødé ☃');
const scenario = fc.record({
  events: fc.array(
    fc.record({ timeCreated: instant, user: fc.oneof({ weight: 20, arbitrary: anyUser }, fc.constant(undefined)) }),
    { minLength: 1, maxLength: 55, size: 'max' },
  ),
  questions: fc.array(
    fc.record({ edges: fc.tuple(instant, instant), upTo: fc.option(fc.nat(60), { nil: undefined }) }),
    { minLength: 8, maxLength: 8 },
  ),
});

/** Scenarios that are rolled up together: a span is of all accounts. */
const TOGETHER = 5;
const scenarios = fc.array(scenario, { minLength: TOGETHER, maxLength: TOGETHER });

type Asked = { edges: [number, number]; upTo: number | undefined };
type Landed = { accountId: string; events: readonly Event[]; questions: readonly Asked[] };

/** Whether the answers are those of the events; how many of them are told by what was counted beforehand. */
async function expectTexts({ accountId, events, questions }: Landed): Promise<number> {
  const rolledUp = rolledUpAt(events);
  const asked = questions.map(({ edges, upTo }): MetricQuestion => {
    const [start = 0, end = 0] = edges.toSorted((a, b) => a - b);
    const cutoff = upTo === undefined ? {} : { upTo: BigInt(upTo) };
    return { accountId, customerId: 'c', metric: USERS, timeZone: 'UTC', start, end: end + 1, ...cutoff };
  });
  const answers = await findMetricUsages({ clickhouse, rolledUp }, asked);
  expect(answers.map(({ value, eventsCount }) => [value.toFixed(), eventsCount.toFixed()])).toEqual(
    asked.map(({ start, end, upTo }) => {
      const own = events.filter(({ timeCreated: at }, i) => {
        return at >= start && at < end && (upTo === undefined || i + 1 <= upTo);
      });
      const users = new Set(own.flatMap(({ user }) => user ?? []));
      return [String(users.size), String(own.length)];
    }),
  );
  return asked.filter((question) => isToldByTexts(rolledUp, question)).length;
}

test('distinct texts are those of the events, told beforehand or read, whatever the interval and the cutoff', async () => {
  let told = 0;
  await fc.assert(
    fc.asyncProperty(scenarios, async (drawn) => {
      const landed = [];
      for (const one of drawn) landed.push({ ...one, accountId: await land(one.events) });
      for (const span of SPANS) {
        await insertTexts(clickhouse, span, EVERY_EVENT);
        await insertRollups(clickhouse, span);
      }
      for (const one of landed) told += await expectTexts(one);
    }),
    { numRuns: howMany(10, 25) / TOGETHER, interruptAfterTimeLimit: 120_000 },
  );
  expect(told).toBeGreaterThan(howMany(8, 20));
});
