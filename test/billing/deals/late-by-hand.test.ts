import { expect, test } from 'vitest';
import { billed, MONTH } from './by-hand.ts';
import type { DealBook, DealComponent, DealEvent, DealPlan } from './deal.ts';

/** What comes late, reckoned by hand (spec/invoices#late-usage). Days are counted from the start of 2027. */
const START = Date.parse('2027-01-01T00:00:00Z');
const DAY = 86_400_000;

const NO_LIMITS = { minimum: null, maximum: null };
const calls: DealComponent = {
  ...{ metricId: 'm0', price: { model: 'per_unit', price: '1' }, freeTier: '0', prepaidUnits: '0', book: null },
  limits: NO_LIMITS,
};
const QUARTER: Partial<DealPlan> = { days: 90, billsMonths: true, timing: 'in_arrears', components: [calls] };

function used(value: string, day: number, landsOn?: number): DealEvent {
  const landed = landsOn === undefined ? {} : { landsAt: START + landsOn * DAY };
  return { metricId: 'm0', time: START + day * DAY, value, texts: { model: null, kind: null }, ...landed };
}

// At least 225 for 40 unpaused days of 90: 100.00. The first month has 50, the second in time 0 and 30 late, so that the third is to add 20.
test('late usage on an earlier invoice of a resume counts for the limits of its plan on the later one', () => {
  const of = { ...QUARTER, limits: { minimum: '225', maximum: null } };
  const events = [used('50', 10), used('30', 20, 50)];
  const outcome = billed(['0'], { of, events, pauses: [{ from: 40, to: 90 }], days: 91 });
  expect(outcome).toEqual({ invoices: ['50', '30', '20'], credits: [] });
});

// At most 100, and a fee of 90 of which 40 of 90 days come to 40.00. The first month has 50, the second in time 0 and 80 late, of which 30 are
// too much; of the fee at the end all is.
test('what a maximum has taken of late usage on an earlier invoice of a resume is not taken again on the later one', () => {
  const of = { ...QUARTER, limits: { minimum: null, maximum: '100' } };
  const events = [used('50', 10), used('80', 20, 50)];
  const outcome = billed(['90'], { of, events, pauses: [{ from: 40, to: 90 }], days: 91 });
  expect(outcome).toEqual({ invoices: ['50', '50', '0'], credits: [] });
});

// Of a book without rows nothing is held when the first month is billed. On day 32 a price of 2 comes, on day 35 3 of the first month: 6.00,
// as if they had been held.
test('what comes late, behind the first price that it has, is drafted as it is billed where late usage is ignored', () => {
  const book: DealBook = { groupBy: ['model'], rows: [], unmatched: 'hold' };
  const row = {
    id: 'added',
    isOverride: false,
    when: {},
    from: null,
    price: { model: 'per_unit', price: '2' },
  } as const;
  const additions = [{ day: 32, plan: 0, metricId: 'm0', row: { ...row, freeTier: '0' } }];
  const of: Partial<DealPlan> = { ...MONTH, timing: 'in_arrears', components: [{ ...calls, price: null, book }] };
  const outcome = billed(['30'], { of, additions, ignoresLate: true, events: [used('3', 10, 35)], days: 61 });
  expect(outcome).toEqual({ invoices: ['30', '36'], credits: [] });
});
