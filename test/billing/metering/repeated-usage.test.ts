import fc from 'fast-check';
import { expect, test } from 'vitest';
import { batchOf, readGroup } from '../../../aggregator/batch.ts';
import { decideBatch } from '../../../aggregator/decide.ts';
import type { UsageEvent } from '../../../billing/catalog/metrics.ts';
import { aggregate } from '../../../billing/metering/aggregate.ts';
import { toPlain } from '../../../core/decimal.ts';
import { encodeUsageMessage } from '../../../stream/usage-message.ts';
import { encodeUsageEvent } from '../../../stream/usage-row.ts';
import { at, event, rule } from '../fixtures.ts';

const NOVEMBER = { startsAt: at('2026-11-01T00:00:00Z'), endsAt: at('2026-12-01T00:00:00Z') };
const SCOPE = { customerId: 'c1', intervals: [NOVEMBER], timeZone: 'UTC' };

type Sent = { id: string; event: UsageEvent };

/** What lands of events that arrive in this order, so many at a time: the first of each id (spec/events#acceptance). */
function landing(arrivals: Sent[], atATime: number): UsageEvent[] {
  const landed = new Set<string>();
  const kept: UsageEvent[] = [];
  for (let from = 0; from < arrivals.length; from += atATime) {
    const some = arrivals.slice(from, from + atATime);
    const batch = batchOf([readGroup({ sequence: from + 1, data: messageOf(some) }, 1)]);
    const { accepted } = decideBatch(
      batch,
      some.map(({ id }) => landed.has(id)),
    );
    kept.push(...some.filter((_, i) => accepted[i]).map((one) => one.event));
    for (const { id } of some) landed.add(id);
  }
  return kept;
}

/** All that is looked at of these events is their id. */
function messageOf(some: Sent[]): Buffer {
  const rest = { accountId: 'acct_1', customerId: 'c1', eventName: 'e', timeCreated: 0, receivedAt: 0 };
  const properties = { numbers: {}, strings: {}, booleans: {} };
  return encodeUsageMessage(some.map(({ id }) => encodeUsageEvent({ ...rest, ...properties, idempotencyId: id })));
}

const sent = fc.array(fc.tuple(fc.integer({ min: -50, max: 50 }), fc.integer({ min: -2, max: 32 })), { maxLength: 25 });
const usage = sent.map((rows) =>
  rows.map(([value, day], i): Sent => {
    const timeCreated = NOVEMBER.startsAt + day * 86_400_000;
    return { id: `id_${i}`, event: event({ v: { number: String(value / 4) } }, { timeCreated }) };
  }),
);

// "A repeat is counted once, for ever" (spec/events#repeats)
test.each(['count', 'sum', 'max', 'unique'] as const)('%s: events repeated, in any order, change nothing', (type) => {
  const metric = rule({ aggregationType: type, propertyName: type === 'count' ? null : 'v' });
  const arrivals = usage.chain((once) =>
    fc.tuple(
      fc.constant(once),
      fc
        .subarray(once)
        .chain((again) =>
          fc.shuffledSubarray([...once, ...again, ...again], { minLength: once.length + 2 * again.length }),
        ),
      fc.integer({ min: 1, max: 9 }),
    ),
  );
  fc.assert(
    fc.property(arrivals, ([once, repeated, atATime]) => {
      const told = (events: UsageEvent[]) => {
        const { value, eventsCount } = aggregate(metric, events, SCOPE);
        return [toPlain(value), toPlain(eventsCount)];
      };
      expect(told(landing(repeated, atATime))).toEqual(told(once.map((one) => one.event)));
    }),
  );
});
