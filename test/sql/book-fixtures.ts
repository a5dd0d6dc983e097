import type { ClickHouseClient } from '@clickhouse/client';
import fc from 'fast-check';
import type { UsageEvent } from '../../billing/catalog/metrics.ts';
import type { CountedCombination } from '../../billing/metering/aggregate.ts';
import { bookQuestion } from '../../billing/metering/book-usage.ts';
import type { PercentagePrice } from '../../billing/pricing/percentage.ts';
import type { Price } from '../../billing/pricing/price.ts';
import { type PriceRow, rowKey } from '../../billing/pricing/price-book.ts';
import { decimal, toPlain, ZERO } from '../../core/decimal.ts';
import { newId } from '../../core/ids.ts';
import { localDateAt } from '../../core/instants.ts';
import { insertUsageBatch } from '../../sql/clickhouse/usage/usage-landing.ts';
import { placedRows } from './placed-rows.ts';
import { ANCHORS, distance, event, metricRule, name, propertyMaps } from './usage-fixtures.ts';

/** Random usage and price books for the tests of what counts by them. */

/** Lands events of one account, whose id it answers, one position after another from 1 on. */
export async function land(clickhouse: ClickHouseClient, events: readonly UsageEvent[]): Promise<string> {
  const accountId = newId('acct');
  const rows = events.map(({ customerId, eventName, timeCreated, properties }, i) => {
    const position = BigInt(i + 1);
    const place = { position, epoch: 1, receivedAt: timeCreated, fingerprint: position.toString(16).padStart(32, '0') };
    return {
      ...{ accountId, customerId, eventName, timeCreated },
      idempotencyId: `id-${i}`,
      ...propertyMaps(properties),
      ...place,
    };
  });
  if (rows.length > 0) await insertUsageBatch(clickhouse, placedRows(rows), accountId);
  return accountId;
}

const text = fc.oneof(fc.constantFrom('1', 'true', '', 'a', null), name);
const perUnit: Price = { pricingModel: 'per_unit', overagePrice: decimal(1) };
const money = fc.constantFrom('0', '0.3', '2.5').map(decimal);
const percentage: fc.Arbitrary<Price> = fc.record<PercentagePrice>({
  pricingModel: fc.constant('percentage'),
  percentage: fc.constantFrom('2.9', '33.333333333333').map(decimal),
  fixedAmount: money,
  perEventMinimum: fc.option(money),
  perEventMaximum: fc.option(money.map((amount) => amount.plus(10))),
});

/** Events around an anchor, and a question about them by a price book, for which an account is missing. */
export const scenario = fc
  .record({
    zone: fc.constantFrom(...ANCHORS),
    events: fc.array(event, { maxLength: 60, size: 'max' }),
    metric: metricRule,
    groupBy: fc.uniqueArray(name, { minLength: 1, maxLength: 3 }),
    rows: fc.array(
      fc.record({
        texts: fc.array(fc.option(text, { freq: 2, nil: undefined }), { minLength: 3, maxLength: 3 }),
        from: fc.oneof(
          fc.constant(null),
          distance,
          distance.map((d) => `day ${d}`),
        ),
        price: fc.oneof(fc.constant(perUnit), percentage),
        rank: fc.constantFrom('override', 'own', 'later'),
      }),
      { maxLength: 10, size: 'max' },
    ),
    unmatched: fc.oneof(fc.constant<Price>({ pricingModel: null }), percentage),
  })
  .map(({ zone: { timeZone, anchor }, events, metric, groupBy, rows, unmatched }) => {
    const start = anchor - 61 * 3_600_000;
    const made = rows.map(
      ({ texts, from, price, rank }, i): PriceRow => ({
        priceId: `price_${i}`,
        when: Object.fromEntries(groupBy.flatMap((by, n) => (texts[n] === undefined ? [] : [[by, texts[n]]]))),
        from: typeof from === 'string' ? localDateAt(anchor + Number(from.slice(4)), timeZone) : from && anchor + from,
        price: metric.aggregationType === 'sum' ? price : perUnit,
        freeTier: ZERO,
        isOverride: rank === 'override',
        addition: rank === 'later' ? { at: anchor, on: {} } : null,
        seq: BigInt(i),
      }),
    );
    const once = [...new Map(made.map((row) => [`${row.isOverride} ${rowKey(row)}`, row])).values()];
    const book = { groupBy, rows: once, unmatched: 'hold' as const };
    const own: Price = metric.aggregationType === 'sum' ? unmatched : { pricingModel: null };
    return {
      events: events.map(({ distance: d, ...rest }): UsageEvent => ({ ...rest, timeCreated: anchor + d })),
      question: {
        ...{ customerId: 'c', timeZone, metric, start, end: anchor + 61 * 3_600_000 },
        book: bookQuestion(book, own, { startsAt: start, timeZone, testClockId: null }),
      },
    };
  });

/** A combination as text, to compare. */
export const shown = ({ texts, row, usage, firstEventAt }: CountedCombination) => {
  const { value, eventsCount, byEvent } = usage;
  const numbers = [value, eventsCount, ...(byEvent ? [byEvent.billable, byEvent.amount] : [])];
  return JSON.stringify([Object.values(texts), row?.priceId ?? null, numbers.map(toPlain), firstEventAt]);
};
