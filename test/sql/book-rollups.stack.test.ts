import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type BookQuestion, countByBook } from '../../billing/metering/book-usage.ts';
import type { Interval } from '../../billing/metering/buckets.ts';
import { decimal } from '../../core/decimal.ts';
import { findBookRollups } from '../../sql/clickhouse/metrics/book-rollup-query.ts';
import { findBookUsages } from '../../sql/clickhouse/metrics/book-usage.ts';
import { NOTHING_ROLLED_UP, type RolledUp } from '../../sql/clickhouse/metrics/rollup-query.ts';
import { bookRuleKey, insertBookRollups, listBookSpans } from '../../sql/clickhouse/usage/book-rollups.ts';
import { countUsage, deleteUsage } from '../../sql/clickhouse/usage/erase-usage.ts';
import { howMany } from '../how-many.ts';
import { ownClickHouse } from '../stack/own-database.ts';
import { land, scenario, shown } from './book-fixtures.ts';

const clickhouse = ownClickHouse();

const HOUR = 3_600_000;
const MANY_ROWS = 1_000;
/** As for a customer with many events. */
const LARGE: RolledUp = { ...NOTHING_ROLLED_UP, spansOf: () => [1n] };

/** Where spans end, which of them are rolled up twice or left out, up to where is counted, and what does not count, in hours around the middle. */
const spans = fc.record({
  ends: fc
    .uniqueArray(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 6 })
    .map((all) => all.toSorted((a, b) => a - b)),
  twice: fc.nat(6),
  leftOut: fc.uniqueArray(fc.nat(2), { maxLength: 1 }),
  upTo: fc.option(fc.nat(60), { nil: undefined }),
  paused: fc.option(fc.tuple(fc.integer({ min: -60, max: 60 }), fc.integer({ min: 1, max: 40 })), { nil: undefined }),
});

/** The interval without what does not count. */
function counted({ startsAt, endsAt }: Interval, excluded: readonly Interval[]): Interval[] {
  const [gap] = excluded;
  if (!gap) return [{ startsAt, endsAt }];
  return [
    { startsAt, endsAt: Math.min(endsAt, gap.startsAt) },
    { startsAt: Math.max(startsAt, gap.endsAt), endsAt },
  ].filter((one) => one.startsAt < one.endsAt);
}

test('what is counted beforehand and what is not come to what the rule says of all events', async () => {
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(scenario, spans, async ({ events, question }, { ends, twice, leftOut, upTo, paused }) => {
      const accountId = await land(clickhouse, events);
      const { customerId, start, end, metric, timeZone, book } = question;
      const middle = (start + end) / 2;
      const excluded = paused
        ? [{ startsAt: middle + paused[0] * HOUR, endsAt: middle + (paused[0] + paused[1]) * HOUR }]
        : [];
      const asked = { ...question, accountId, excluded, ...(upTo !== undefined && { upTo: BigInt(upTo) }) };
      const rule = { metric, groupBy: book.groupBy };
      if (bookRuleKey(rule) !== undefined) {
        for (const [i, to] of ends.entries()) {
          const span = { from: BigInt(ends[i - 1] ?? 0), to: BigInt(to) };
          // Rows are too many from none on where none may be.
          const most = leftOut.includes(i) ? 1 : MANY_ROWS;
          for (let times = twice === i ? 2 : 1; times > 0; times--)
            await insertBookRollups(clickhouse, { accountId, customerId }, rule, span, most);
        }
      }
      answered += (await findBookRollups({ clickhouse, rolledUp: LARGE }, [asked])).size;

      const scope = { customerId, intervals: counted({ startsAt: start, endsAt: end }, excluded), timeZone };
      const expected = countByBook(metric, events.slice(0, upTo), scope, book).map(shown).toSorted();
      const [rolled = []] = await findBookUsages({ clickhouse, rolledUp: LARGE }, [asked]);
      expect(rolled.map(shown).toSorted()).toEqual(expected);
      const [raw = []] = await findBookUsages({ clickhouse, rolledUp: NOTHING_ROLLED_UP }, [asked]);
      expect(raw.map(shown).toSorted()).toEqual(expected);
    }),
    { numRuns: howMany(6, 40) },
  );
  expect(answered).toBeGreaterThan(howMany(2, 10));
});

const DAY = 24 * HOUR;
const START = Date.UTC(2026, 10, 1);
const RULE = {
  metric: {
    ...{ aggregationType: 'sum' as const, eventName: 'tokens', propertyName: 'tokens' },
    ...{ numericFilters: [], categoricalFilters: [], timeFilter: null },
  },
  groupBy: ['model'],
};
const NO_ROWS: BookQuestion = { groupBy: RULE.groupBy, rows: [], unmatched: { pricingModel: null }, holds: true };

/** An event an hour, each with `model`. */
function eventsOf(count: number, model: (i: number) => string) {
  return Array.from({ length: count }, (_, i) => ({
    ...{ customerId: 'c', eventName: 'tokens', timeCreated: START + i * HOUR },
    properties: {
      tokens: { kind: 'number' as const, value: decimal(1) },
      model: { kind: 'string' as const, value: model(i) },
    },
  }));
}

test('a span with too many combinations is left out and read event by event, those behind it are not', async () => {
  const accountId = await land(
    clickhouse,
    eventsOf(96, (i) => (i >= 24 && i < 48 ? `once-${i}` : 'a')),
  );
  const customer = { accountId, customerId: 'c' };
  for (const from of [0n, 24n, 48n]) await insertBookRollups(clickhouse, customer, RULE, { from, to: from + 24n }, 6);
  const rule = bookRuleKey(RULE) ?? '';
  expect(
    await listBookSpans(clickhouse, [
      { ...customer, rule },
      { ...customer, rule: 'other' },
    ]),
  ).toEqual([
    [
      { from: 0n, to: 24n, leftOut: false },
      { from: 24n, to: 48n, leftOut: true },
      { from: 48n, to: 72n, leftOut: false },
    ],
    [],
  ]);
  const question = {
    ...customer,
    metric: RULE.metric,
    timeZone: 'UTC',
    start: START,
    end: START + 30 * DAY,
    book: NO_ROWS,
  };
  const source = { clickhouse, rolledUp: LARGE };
  const found = (await findBookRollups(source, [question])).get(question);
  expect(found).toMatchObject({ ends: [24n, 72n], gaps: [{ from: 24n, to: 48n }] });
  const [rolled = []] = await findBookUsages(source, [question]);
  const [raw = []] = await findBookUsages({ ...source, rolledUp: NOTHING_ROLLED_UP }, [question]);
  expect(rolled).toHaveLength(25);
  expect(rolled.map(shown).toSorted()).toEqual(raw.map(shown).toSorted());
});

test('an erased customer is erased from what was counted beforehand', async () => {
  const accountId = await land(
    clickhouse,
    eventsOf(48, () => 'a'),
  );
  const customer = { accountId, customerId: 'c' };
  await insertBookRollups(clickhouse, customer, RULE, { from: 0n, to: 48n }, 6);
  expect((await countUsage(clickhouse, customer)).rollups).toBe(3);
  await deleteUsage(clickhouse, customer);
  expect(await countUsage(clickhouse, customer)).toEqual({ events: 0, rollups: 0 });
});
