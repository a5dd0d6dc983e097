import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countByBook } from '../../billing/metering/book-usage.ts';
import type { Price } from '../../billing/pricing/price.ts';
import { decimal } from '../../core/decimal.ts';
import { findBookUsages } from '../../sql/clickhouse/metrics/book-usage.ts';
import { stretchesOf } from '../../sql/clickhouse/metrics/metric-query.ts';
import { NOTHING_ROLLED_UP } from '../../sql/clickhouse/metrics/rollup-query.ts';
import { countUnpricedUsage, sumUnpricedUsage } from '../../sql/clickhouse/metrics/unpriced-counts.ts';
import { listUnpricedUsage } from '../../sql/clickhouse/metrics/unpriced-usage.ts';
import { howMany } from '../how-many.ts';
import { ownClickHouse } from '../stack/own-database.ts';
import { land, scenario, shown } from './book-fixtures.ts';
import { distance } from './usage-fixtures.ts';

const clickhouse = ownClickHouse();

/** A price that no event has by itself. */
const PER_UNIT: Price = { pricingModel: 'per_unit', overagePrice: decimal(1) };

test('many questions for the same events, each by its own rows and in its own time, are answered alike', async () => {
  const changes = fc.array(fc.record({ from: distance, to: distance, rows: fc.nat(10), excluded: fc.boolean() }), {
    ...{ minLength: 5, maxLength: 8 },
  });
  await fc.assert(
    fc.asyncProperty(scenario, changes, async ({ events, question }, changed) => {
      const accountId = await land(clickhouse, events);
      const { customerId, timeZone, metric, book, start, end } = question;
      const middle = (start + end) / 2;
      const rows = book.rows.map(({ row, from }) => ({ from, row: { ...row, price: PER_UNIT } }));
      const asked = changed.map((change) => ({
        ...{ ...question, accountId, start: middle + Math.min(change.from, change.to) },
        ...{ end: middle + Math.max(change.from, change.to) },
        excluded: change.excluded ? [{ startsAt: middle, endsAt: middle + 3_600_000 }] : [],
        book: { ...book, rows: rows.slice(change.rows), unmatched: { pricingModel: null } },
      }));
      const source = { clickhouse, rolledUp: NOTHING_ROLLED_UP };
      const found = await findBookUsages(source, asked);
      const all = found.flat().length;
      expect((await findBookUsages(source, asked, all)).flat().length).toBe(all);
      if (all > 0) await expect(findBookUsages(source, asked, all - 1)).rejects.toThrow('combinations');
      for (const [i, one] of asked.entries()) {
        const intervals = stretchesOf(one);
        const expected = countByBook(metric, events, { customerId, intervals, timeZone }, one.book);
        expect(found[i]?.map(shown).toSorted()).toEqual(expected.map(shown).toSorted());
      }
    }),
    { numRuns: howMany(6, 60) },
  );
});

test('combinations, their rows and values are those of the rule over an array', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async ({ events, question }) => {
      const accountId = await land(clickhouse, events);
      const source = { clickhouse, rolledUp: NOTHING_ROLLED_UP };
      const { customerId, start: startsAt, end: endsAt, timeZone } = question;
      const scope = { customerId, intervals: [{ startsAt, endsAt }], timeZone };
      const expected = countByBook(question.metric, events, scope, question.book);
      const find = (most: number) => findBookUsages(source, [{ ...question, accountId }], most);
      const [found = []] = await find(expected.length);
      expect(found.map(shown).toSorted()).toEqual(expected.map(shown).toSorted());
      if (expected.length > 0) await expect(find(expected.length - 1)).rejects.toThrow('combinations of');

      const others = ['nobody', customerId].map((id) => ({ ...question, accountId, customerId: id }));
      const held = expected
        .filter(({ row }) => row === null)
        .map(({ usage: { byEvent: _, ...usage }, ...one }) => ({ ...one, usage }));
      const [none, unpriced = []] = await listUnpricedUsage(clickhouse, others, 100);
      expect([none, unpriced.map(shown).toSorted()]).toEqual([[], held.map(shown).toSorted()]);

      // The first two share a SELECT, each in its own window.
      const middle = Math.floor((startsAt + endsAt) / 2);
      const asked = [
        { ...question, accountId, end: middle, customerIds: [customerId] },
        { ...question, accountId, customerIds: ['nobody'] },
        { ...question, accountId, customerIds: ['nobody', customerId] },
      ];
      const firstHalf = countByBook(
        question.metric,
        events,
        { ...scope, intervals: [{ startsAt, endsAt: middle }] },
        question.book,
      );
      const inFirstHalf = firstHalf.filter(({ row }) => row === null).length;
      const counts = await countUnpricedUsage(clickhouse, asked);
      expect(counts.map((count) => [...count.keys()].filter((id) => id !== customerId))).toEqual([[], [], []]);
      expect(counts.map((count) => count.get(customerId) ?? 0)).toEqual([inFirstHalf, 0, held.length]);
      const sums = await sumUnpricedUsage(clickhouse, asked.slice(1), 1_000);
      expect(sums.map(({ texts, events }) => `${Object.values(texts)} ${events}`).toSorted()).toEqual(
        held.map(({ texts, usage }) => `${Object.values(texts)} ${usage.eventsCount}`).toSorted(),
      );
    }),
    { numRuns: howMany(6, 60) },
  );
});
