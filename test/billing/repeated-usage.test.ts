import fc from 'fast-check';
import { expect, test } from 'vitest';
import { batchOf } from '../../aggregator/batch.ts';
import { decideBatch } from '../../aggregator/decide.ts';
import { aggregate } from '../../billing/aggregate.ts';
import { toPlain } from '../../billing/decimal.ts';
import type { UsageEvent } from '../../billing/metrics.ts';
import { fingerprintOf } from '../../stream/fingerprint.ts';
import { at, event, rule } from './samples.ts';

const NOVEMBER = { startsAt: at('2026-11-01T00:00:00Z'), endsAt: at('2026-12-01T00:00:00Z') };
const SCOPE = { customerId: 'c1', intervals: [NOVEMBER], timeZone: 'UTC' };

type Sent = { id: string; event: UsageEvent };

/** What lands of events that arrive in this order, so many at a time: the first of each id (contract 4). */
function landing(arrivals: Sent[], atATime: number): UsageEvent[] {
  const landed = new Set<string>();
  const kept: UsageEvent[] = [];
  for (let from = 0; from < arrivals.length; from += atATime) {
    const some = arrivals.slice(from, from + atATime);
    const events = some.map(({ id }) => {
      const row = { bytes: Buffer.from(id), start: 0, end: id.length };
      return { fingerprint: fingerprintOf('acct_1', id), tally: '0 acct_1', row };
    });
    const batch = batchOf([{ sequence: from + 1, bytes: 1, receivedAt: from, events }]);
    const accepted = decideBatch(batch, landed);
    kept.push(...some.filter((_, i) => accepted[i]).map((sent) => sent.event));
    for (const { fingerprint } of events) landed.add(fingerprint);
  }
  return kept;
}

const sent = fc.array(fc.tuple(fc.integer({ min: -50, max: 50 }), fc.integer({ min: -2, max: 32 })), { maxLength: 25 });
const usage = sent.map((rows) =>
  rows.map(([value, day], i): Sent => {
    const timeCreated = NOVEMBER.startsAt + day * 86_400_000;
    return { id: `id_${i}`, event: event({ v: { number: String(value / 4) } }, { timeCreated }) };
  }),
);

// "A repeat is counted once, for ever" (contract 4)
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
