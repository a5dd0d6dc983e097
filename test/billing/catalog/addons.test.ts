import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addonCharges, type ChargeableAddon } from '../../../billing/invoices/addon-charges.ts';
import { boundaryCharges } from '../../../billing/invoices/boundary-charges.ts';
import { addonLine } from '../../../billing/invoices/invoice-lines.ts';
import { periodOf } from '../../../billing/periods/periods.ts';
import { decimal } from '../../../core/decimal.ts';
import { boundaryOf, plan } from '../fixtures.ts';

const period = (k: number) =>
  periodOf(
    {
      startDate: '2026-01-01',
      billingPeriod: 'monthly',
      usagePeriod: 'billing_period',
      anchorDate: null,
      timeZone: 'UTC',
    },
    k,
  );

function addon(over: Partial<ChargeableAddon> = {}): ChargeableAddon {
  const record = { addonId: 'addon_1', name: 'Seats', kind: 'quantity', price: decimal('2.5') } as const;
  return { ...record, addonSubscriptionId: 'addonsub_1', quantity: 3, from: 0, to: null, billedTo: null, ...over };
}

type Timing = 'in_arrears' | 'in_advance';

/** Indexes of the periods that the boundary between `ended` and `next` charges. */
function charged(of: ChargeableAddon, chargeTiming: Timing, ended: number | null, next: number | null): number[] {
  const terms = {
    chargeTiming,
    ended: ended === null ? null : period(ended),
    next: next === null ? null : period(next),
  };
  const invoiced = terms.ended ?? terms.next;
  const origin = { subscriptionId: 'sub_1', planId: 'plan_1', version: 1 };
  const charges = addonCharges([of], { ...terms, invoiced }, ({ startsAt, endsAt }) => ({
    ...origin,
    periodStart: startsAt,
    periodEnd: endsAt,
  }));
  for (const charge of charges) expect(charge.periodStart).toBe(period(charge.periodIndex).startsAt);
  return charges.map(({ periodIndex }) => periodIndex);
}

describe('which periods a boundary charges', () => {
  // "recurring and quantity on every invoice from the current period on, without proration. ... Cancel: not charged from
  // the next period on"; "Recurring add-ons follow the plan's timing" (spec/plans#add-ons, spec/subscriptions#invoices-on-schedule)
  it.each<[string, Partial<ChargeableAddon>, Timing, number | null, number | null, number[]]>([
    ['in_arrears: the period that ended', { from: 2 }, 'in_arrears', 2, 3, [2]],
    ['in_arrears: also the last one', { from: 0, billedTo: 1 }, 'in_arrears', 2, null, [2]],
    ['in_arrears: nothing at the start', {}, 'in_arrears', null, 0, []],
    ['in_arrears: canceled in the period that ended', { to: 2, billedTo: 1 }, 'in_arrears', 2, 3, [2]],
    ['in_arrears: canceled before it', { to: 1, billedTo: 1 }, 'in_arrears', 2, 3, []],
    ['in_arrears: attached after its end, in the grace', { from: 3 }, 'in_arrears', 2, 3, []],
    ['in_advance: the next period', { billedTo: 2 }, 'in_advance', 2, 3, [3]],
    ['in_advance: attached in a paid period: that one and the next', { from: 2 }, 'in_advance', 2, 3, [2, 3]],
    ['in_advance: attached and canceled in a paid period', { from: 2, to: 2 }, 'in_advance', 2, 3, [2]],
    ['in_advance: canceled in a paid period', { to: 2, billedTo: 2 }, 'in_advance', 2, 3, []],
    ['in_advance: the first period, at the start', {}, 'in_advance', null, 0, [0]],
    ['in_advance: no next one at the end', { billedTo: 2 }, 'in_advance', 2, null, []],
    ['in_advance: attached in the last period', { from: 2 }, 'in_advance', 2, null, [2]],
  ])('%s', (_, over, timing, ended, next, expected) => {
    expect(charged(addon(over), timing, ended, next)).toEqual(expected);
    const recurring = addon({ ...over, kind: 'recurring', quantity: 1 });
    expect(charged(recurring, timing, ended, next)).toEqual(expected);
  });

  // "one_time goes on the next invoice once"
  it.each<[Timing, number | null, number | null, number[]]>([
    ['in_arrears', 2, 3, [2]],
    ['in_advance', 2, 3, [2]],
    ['in_advance', null, 0, [0]],
    ['in_arrears', 2, null, [2]],
  ])('one_time, %s, between %s and %s', (timing, ended, next, expected) => {
    expect(charged(addon({ kind: 'one_time', quantity: 1 }), timing, ended, next)).toEqual(expected);
  });

  // Whenever it was attached and canceled: each period from one to the other once, none beside them.
  it('over a life charges each period of its own exactly once, under either timing', () => {
    const life = fc.record({
      timing: fc.constantFrom<Timing>('in_arrears', 'in_advance'),
      periods: fc.integer({ min: 1, max: 24 }),
      from: fc.integer({ min: 0, max: 23 }),
      lasts: fc.option(fc.integer({ min: 0, max: 23 })),
    });
    fc.assert(
      fc.property(life, ({ timing, periods, from, lasts }) => {
        const to = lasts === null ? null : from + lasts;
        const bill: number[] = [];
        let billedTo: number | null = null;
        for (let k = -1; k < periods; k++) {
          // Known at the boundary only once they have happened: attached by its end, canceled by its end.
          if (from > k && !(k === -1 && from === 0)) continue;
          const of = addon({ from, to: to !== null && to <= k ? to : null, billedTo });
          const indexes = charged(of, timing, k === -1 ? null : k, k === periods - 1 ? null : k + 1);
          bill.push(...indexes);
          billedTo = indexes.at(-1) ?? billedTo;
        }
        const last = Math.min(to ?? Number.POSITIVE_INFINITY, periods - 1);
        const expected = Array.from({ length: Math.max(0, last - from + 1) }, (_, i) => from + i);
        expect(bill).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });
});

// "Recurring add-ons nothing for a wholly paused period" (spec/subscriptions#pause); "one_time goes on the next invoice once" (spec/plans#add-ons).
it('a pause of the whole period takes a recurring one off its invoice, and not one that is charged once', () => {
  const ended = period(0);
  const pauses = [{ pausedAt: ended.startsAt, pausedOn: ended.startDate, resumedAt: null, resumedOn: null }];
  const { addons } = boundaryCharges({
    ...boundaryOf(plan({ components: [] }), { ended, pauses }),
    addons: [addon({ kind: 'recurring', quantity: 1 }), addon({ addonId: 'addon_2', kind: 'one_time', quantity: 1 })],
  });
  expect(addons.map(({ addonId }) => addonId)).toEqual(['addon_2']);
});

describe('the line of an add-on', () => {
  // "`quantity` is charged every period, price times quantity" (spec/plans#add-ons)
  it('names price and quantity, and its own period', () => {
    const [ended, next] = [period(0), period(1)];
    const { addons } = boundaryCharges({
      ...boundaryOf(plan({ components: [] }), { ended, next }),
      addons: [addon(), addon({ addonId: 'addon_2', kind: 'one_time', name: 'Setup', quantity: 1 })],
    });
    expect(addons.map(addonLine)).toMatchObject([
      {
        type: 'addon',
        description: 'Seats: 3 units',
        subscriptionId: 'sub_1',
        version: 3,
        addonId: 'addon_1',
        periodStart: ended.startsAt,
        periodEnd: ended.endsAt,
        quantity: decimal(3),
        billableQuantity: decimal(3),
        unitPrice: decimal('2.5'),
        amount: decimal('7.5'),
        metricId: null,
        eventsCount: null,
      },
      { description: 'Setup', addonId: 'addon_2', amount: decimal('2.5') },
    ]);
  });
});
