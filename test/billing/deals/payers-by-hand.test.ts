import { expect, test } from 'vitest';
import { dealOf, MONTH, outcomeOf } from './by-hand.ts';
import type { Deal, DealChild, DealComponent } from './deal.ts';

/** One who pays for others, reckoned by hand (spec/invoices#sections, spec/customers#one-payer). Days are counted from the start of 2027. */
const START = Date.parse('2027-01-01T00:00:00Z');
const DAY = 86_400_000;

const ARREARS = { of: { ...MONTH, timing: 'in_arrears' as const } };
const AHEAD = { of: MONTH };
const CANCEL = { day: 9, isPlanned: true, isInvoicedNow: true, fee: 'charge_prorated' as const, billsUsage: true };
const calls: DealComponent = {
  ...{ metricId: 'm0', price: { model: 'per_unit', price: '1' }, freeTier: '0', prepaidUnits: '0', book: null },
  limits: { minimum: null, maximum: null },
};

const always = (deal: Deal): DealChild => ({ deal, joinsAt: null, leavesAt: null });
const until = (day: number, deal: Deal): DealChild => ({ deal, joinsAt: null, leavesAt: START + day * DAY });
/** Whose, what, and what credits leave of it. */
const bills = (deal: Deal) =>
  outcomeOf(deal).invoices.map(({ customer, subtotal, tax, due }) => `${customer}: ${subtotal} + ${tax}, ${due} due`);

test('tax is rounded once: 0.12 for each of three at 19 % is 0.07', () => {
  const children = [always(dealOf(['0.12'], ARREARS)), always(dealOf(['0.12'], ARREARS))];
  expect(bills(dealOf(['0.12'], { ...ARREARS, taxRate: '19', days: 30, children }))).toEqual([
    '0: 0.36 + 0.07, 0.43 due',
  ]);
});

test('one that leaves at the very instant is on the invoice of that, behind it it is invoiced itself', () => {
  const children = [until(30, dealOf(['5'], ARREARS))];
  expect(bills(dealOf(['10'], { ...ARREARS, days: 60, children }))).toEqual([
    '0: 15 + 0, 15 due',
    '0: 10 + 0, 10 due',
    '1: 5 + 0, 5 due',
  ]);
});

// 60 * 20 / 30 = 40.00 go back to who paid, and pay 40 of its 100.
test('what a customer that has left gives back is credited to who was billed, and is not in its own draft', () => {
  const events = [{ metricId: 'm0', time: START + DAY, value: '50', texts: { model: null, kind: null } }];
  const child = dealOf(['60'], { of: { ...MONTH, components: [calls] }, cancel: CANCEL, events });
  expect(bills(dealOf(['100'], { ...ARREARS, days: 30, children: [until(5, child)] }))).toEqual([
    '0: 60 + 0, 60 due',
    '0: 100 + 0, 60 due',
    '1: 50 + 0, 50 due',
  ]);
});

// 30 * 20 / 30 = 20.00 and its tax of 3.80, of 40 + 60 and 19.00.
test('what is on no invoice yet is given back with the tax of who pays', () => {
  const child = dealOf(['60', [10, '30']], { ...ARREARS, taxRate: '0' });
  expect(bills(dealOf(['40'], { ...ARREARS, taxRate: '19', days: 30, children: [always(child)] }))).toEqual([
    '0: 100 + 19, 95.2 due',
  ]);
});

// 60 go back of 100, and pay the 40 of the next month.
test('what is given back of one section pays for the next of others', () => {
  const child = dealOf(['60'], { ...AHEAD, cancel: { ...CANCEL, fee: 'refund' } });
  expect(bills(dealOf(['40'], { ...AHEAD, days: 30, children: [always(child)] }))).toEqual([
    '0: 100 + 0, 100 due',
    '0: 40 + 0, 0 due',
  ]);
});

// Canceled on day 10 with nothing due, when another begins with 15.00: that alone is drafted, and invoiced.
test('a closing of nothing within a period is no section, nor drafted as one', () => {
  const canceled = dealOf(['0'], { of: { ...ARREARS.of, components: [calls] }, cancel: CANCEL });
  const begun = dealOf(['15'], { ...AHEAD, startDate: '2027-01-11' });
  const { invoices } = outcomeOf(dealOf(['0'], { ...AHEAD, days: 20, children: [always(canceled), always(begun)] }));
  expect(invoices.map(({ kind, subtotal, sections }) => [kind, subtotal, sections.length])).toEqual([
    ['opening', '15', 1],
  ]);
});
