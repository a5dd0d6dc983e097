import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { countByBook } from '../../billing/metering/book-usage.ts';
import { createClickHouse } from '../../sql/clickhouse/clickhouse.ts';
import { findBookUsages } from '../../sql/clickhouse/metrics/book-usage.ts';
import { NOTHING_ROLLED_UP } from '../../sql/clickhouse/metrics/rollup-query.ts';
import { listUnpricedUsage } from '../../sql/clickhouse/metrics/unpriced-usage.ts';
import { stack } from '../stack/api.ts';
import { land, scenario, shown } from './book-fixtures.ts';

const clickhouse = createClickHouse(stack().clickhouse_url);
afterAll(() => clickhouse.close());

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
    }),
    { numRuns: 60 },
  );
});
