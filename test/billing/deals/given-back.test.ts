import { expect, test } from 'vitest';
import { billed, MONTH, off, YEAR } from './by-hand.ts';

/**
 * What goes back of a period that discounts have made cheaper, reckoned by hand (spec/discounts#given-back). Days are counted from the
 * start, each change is at noon.
 */

// 100 less 90: 10.00. To 60: 40 * 20 / 30 = 26.67, of which 10 were charged. To 90: 30 * 15 / 30 = 15.00, on an invoice of its own, where
// amounts do not act. To 60 again: 30 * 10 / 30 = 10.00; 25 were charged, 10 have gone back.
test('a credit that there was too little for leaves the next one whole', () => {
  const discounts = [off({ amount: '90' }, 1)];
  expect(billed(['100', [10, '60'], [15, '90'], [20, '60']], { of: MONTH, discounts, days: 21 })).toEqual({
    invoices: ['10', '15'],
    credits: ['10', '10'],
  });
});

// To 365: 355 of 365 days, so 355.00 that waits. To 73: 292 * 345 / 365 = 276.00 of that. Of the 100 the 79 act that were not credited: the
// month's invoice has 355 - 79 = 276.00. Canceled on day 65: 73 * 300 / 365 = 60.00, but all that was charged has gone back.
test('what was credited of a charge that waited does not go back of its invoice again', () => {
  const discounts = [off({ amount: '100' }, 1)];
  const cancel = { day: 65, isPlanned: false, billsUsage: true, isInvoicedNow: true, fee: 'charge_prorated' as const };
  const of = { of: YEAR, isInvoicedNow: false, discounts, cancel, days: 66 };
  expect(billed(['0', [10, '365'], [20, '73']], of)).toEqual({ invoices: ['276', '0'], credits: ['276'] });
});

// To 60: 60 * 20 / 30 = 40.00, which waits. To 30: 30 * 10 / 30 = 10.00, half of which is off: 5.00. The invoice: 40 and the fee of 30, less half.
test('of what waits goes back what percentages of now will leave', () => {
  const of = { of: MONTH, isInvoicedNow: false, discounts: [off({ percent: '50' })], days: 30 };
  expect(billed(['0', [10, '60'], [20, '30']], of)).toEqual({ invoices: ['35'], credits: ['5'] });
});

// 100 less 90: 10.00. To 130: 30 * 20 / 30 = 20.00, which waits. To 80: 50 * 15 / 30 = 25.00, 10 of the invoice and 15 of what waits. The
// cancel waives the 5 that are left of that: 10 + 20 - 25 - 5 = 0.
test('what waits is waived once', () => {
  const cancel = { day: 20, isPlanned: false, billsUsage: true, isInvoicedNow: true, fee: 'refund' as const };
  const of = { of: MONTH, isInvoicedNow: false, discounts: [off({ amount: '90' }, 1)], cancel, days: 21 };
  expect(billed(['100', [10, '130'], [15, '80']], of)).toEqual({ invoices: ['10', '15'], credits: ['25'] });
});

// To 365: 328.50 on the month's invoice, less 300: 28.50. To 36.50 on day 65: 328.50 * 300 / 365 = 270.00, but 28.50 were charged and 36.50 are
// to come: 65.00. Canceled on day 115: the fee of 36.50 * 115 / 365 = 11.50; of 28.50 for the upgrade 28.50 * 250 / 365 = 19.52 go back, of
// the credit 65 * 250 / 300 = 54.17 are charged again: 46.15.
test('in arrears a cancel charges again what was credited, not what was wanted', () => {
  const cancel = { day: 115, isPlanned: false, billsUsage: true, isInvoicedNow: true, fee: 'charge_prorated' as const };
  const of = { ...YEAR, timing: 'in_arrears' as const };
  const terms = { of, isInvoicedNow: false, discounts: [off({ amount: '300' }, 1)], cancel, days: 116 };
  expect(billed(['36.5', [0, '365'], [65, '36.5']], terms)).toEqual({
    invoices: ['28.5', '0', '0', '46.15'],
    credits: ['65'],
  });
});

// To 30: 30 * 20 / 30 = 20.00 less 15 %: 17.00. Canceled on day 20: 60 * 20 / 30 = 40.00 less 15 %: 34.00, and half of the credit again: 8.50. In
// all 34 + 8.50 - 17 = 25.50, as 20.00 + 10.00 for ten days each less 15 % are.
test.each([[['recurring_fee' as const]], [null]])('a percentage off %o is off what is charged again, too', (types) => {
  const cancel = { day: 20, isPlanned: false, billsUsage: true, isInvoicedNow: true, fee: 'charge_prorated' as const };
  const of = { ...MONTH, timing: 'in_arrears' as const };
  const terms = { of, discounts: [off({ percent: '15' })], discountedTypes: types, cancel, days: 21 };
  expect(billed(['60', [10, '30']], terms)).toEqual({ invoices: ['42.5'], credits: ['17'] });
});

// 60 less 15 %: 51.00. To 90: 30 * 20 / 30 = 20.00, which is no fee. To 60: 30 * 10 / 30 = 10.00 less what is off fees: 8.50.
test('a coupon of fees alone is off a credit, and not off the charge of a switch', () => {
  const terms = {
    of: MONTH,
    discounts: [off({ percent: '15' })],
    discountedTypes: ['recurring_fee' as const],
    days: 21,
  };
  expect(billed(['60', [10, '90'], [20, '60']], terms)).toEqual({ invoices: ['51', '20'], credits: ['8.5'] });
});

// To 90 of a quarter: 90 * 80 / 90 = 80.00, which waits. Paused from day 20 to day 100, so that three months wait for the resume: the first of
// their invoices has 80 less half, which is the coupon's one period; the third takes back 90 * 70 / 90 = 70.00 less half, 35.00.
test('a draft of periods that wait for a resume takes back what its own earlier part will have charged', () => {
  const of = { days: 90, billsMonths: true, timing: 'in_arrears' } as const;
  const terms = { of, isInvoicedNow: false, discounts: [off({ percent: '50' }, 1)], pauses: [{ from: 20, to: 100 }] };
  expect(billed(['0', [10, '90']], { ...terms, days: 101 })).toEqual({ invoices: ['40', '-35'], credits: [] });
});

const waits = { of: MONTH, isInvoicedNow: false, days: 30 };
const downAndUp: [string, ...[number, string][]] = ['0', [10, '60'], [20, '30']];

// To 60: 60 * 20 / 30 = 40.00, which waits. To 30: 30 * 10 / 30 = 10.00 are credited of that. The invoice: 40 and the fee of 30, of which 60 are
// left to take. 100 off take them: 10.00, which the credit pays.
test('an amount leaves what was credited of a charge that waited', () => {
  expect(billed(downAndUp, { ...waits, discounts: [off({ amount: '100' })] })).toEqual({
    invoices: ['10'],
    credits: ['10'],
  });
});

// 20 off are less than the 60: 50.00, of which the credit pays 10.
test('an amount that is covered by what was not credited is off in full', () => {
  expect(billed(downAndUp, { ...waits, discounts: [off({ amount: '20' })] })).toEqual({
    invoices: ['50'],
    credits: ['10'],
  });
});

// Of 60 to 30: 30 * 20 / 30 = 20.00 are credited of the fee to come. 50 off take the 40 that are left: 20.00, which the credit pays.
test('an amount leaves what was credited of a fee in arrears', () => {
  const terms = { of: { ...MONTH, timing: 'in_arrears' as const }, discounts: [off({ amount: '50' })], days: 30 };
  expect(billed(['60', [10, '30']], terms)).toEqual({ invoices: ['20'], credits: ['20'] });
  const fees = { ...terms, discountedTypes: ['recurring_fee' as const] };
  expect(billed(['60', [10, '30']], fees)).toEqual({ invoices: ['20'], credits: ['20'] });
});

// As above, canceled on day 20: the fee of 40, and of the credit of 20 half is charged again. 10 stay credited, so 30 of the fee are left to take.
test('what is charged again of a credit is no longer left by an amount', () => {
  const cancel = { day: 20, isPlanned: false, billsUsage: true, isInvoicedNow: true, fee: 'charge_prorated' as const };
  const of = { ...MONTH, timing: 'in_arrears' as const };
  const terms = { of, discounts: [off({ amount: '100' })], cancel, days: 21 };
  expect(billed(['60', [10, '30']], terms)).toEqual({ invoices: ['20'], credits: ['20'] });
  // The same of a charge that waits: 40, of which 10 were credited for 10 days. Canceled on day 25: of the charge 10.00 are taken back, of the credit
  // 5.00 charged again. 40 - 10 + 5 - 10 = 25 are left to take.
  const late = { ...terms, isInvoicedNow: false, cancel: { ...cancel, day: 25 }, days: 26 };
  expect(billed(downAndUp, late)).toEqual({ invoices: ['10'], credits: ['10'] });
});

// Of the charge of 40 that waits 10 are credited; canceled on day 25, 10 of it are taken back and 5 of the credit charged again: 40 - 10 + 5 - 10 = 25 are left to
// take. The first amount takes 15, the second 10: 10.00, which the credit pays. With 10 off and 50 % behind it 5.00 are credited, and 2.50 charged
// again: 10 of the 25 are off, then half of the 15 that are left: 7.50, and the 5.00 that the credit pays.
test('what an amount takes of a credit that is charged again is not there for discounts behind it', () => {
  const cancel = { day: 25, isPlanned: false, billsUsage: true, isInvoicedNow: true, fee: 'charge_prorated' as const };
  const terms = { of: { ...MONTH, timing: 'in_arrears' as const }, isInvoicedNow: false, cancel, days: 26 };
  const twice = { ...terms, discounts: [off({ amount: '15' }), off({ amount: '15' })] };
  expect(billed(downAndUp, twice)).toEqual({ invoices: ['10'], credits: ['10'] });
  const half = { ...terms, discounts: [off({ amount: '10' }), off({ percent: '50' })] };
  expect(billed(downAndUp, half)).toEqual({ invoices: ['12.5'], credits: ['5'] });
});

// 40 that wait, of which 10 less half are credited: 5.00. A percentage before the amount leaves 35 of 40 + 30, and the amount takes all but 5. One behind
// it is off the 10 that the amount leaves: 5.00.
test.each([[[off({ percent: '50' }), off({ amount: '100' })]], [[off({ amount: '100' }), off({ percent: '50' })]]])(
  'in any order with a percentage, %o',
  (discounts) => {
    expect(billed(downAndUp, { ...waits, discounts })).toEqual({ invoices: ['5'], credits: ['5'] });
  },
);

// The first amount takes 45 of the 60 that were not credited, the second the 15 that are left of them.
test('several amounts leave it once', () => {
  const discounts = [off({ amount: '45' }), off({ amount: '45' })];
  expect(billed(downAndUp, { ...waits, discounts })).toEqual({ invoices: ['10'], credits: ['10'] });
});

// Of the fee of 30 nothing is left to pay, all of the 10 is of the charge that waited: the cancel of the next period on its first day gives nothing back.
test('what is left is of the charge that was credited', () => {
  const cancel = { day: 30, isPlanned: false, billsUsage: true, isInvoicedNow: true, fee: 'refund' as const };
  const terms = { ...waits, discounts: [off({ amount: '100' })], cancel, days: 31 };
  expect(billed(downAndUp, terms)).toEqual({ invoices: ['10'], credits: ['10'] });
});

// A quarter to 60: 60.00, which waits. To 30 on day 15: 30 * 75 / 90 = 25.00, half of which is off: 12.50. The first month's invoice: 60 less half,
// the coupon's one period. To 60 on day 45: 30 * 45 / 90 = 15.00, which waits. Canceled on day 54: 60 * 36 / 90 = 24.00, all of the 15 that wait, of which
// nothing was credited, and 9 of the 60, less half: 4.50.
test('what was credited of a charge that has been invoiced since is not of one that waits', () => {
  const cancel = { day: 54, isPlanned: false, billsUsage: true, isInvoicedNow: true, fee: 'charge_prorated' as const };
  const of = { days: 90, billsMonths: true, timing: 'in_advance' } as const;
  const terms = { of, isInvoicedNow: false, discounts: [off({ percent: '50' }, 1)], cancel, days: 55 };
  expect(billed(['0', [0, '60'], [15, '30'], [45, '60']], terms)).toEqual({
    invoices: ['30', '0'],
    credits: ['12.5', '4.5'],
  });
});

// A quarter in arrears to 90: 90.00, which waits. To 45 on day 15: 45 * 75 / 90 = 37.50 are credited of that. The first month's invoice: 90 less all
// but those, 37.50. Canceled on day 45: of the charge 45 * 37.50 / 90 = 18.75 go back, of the credit 37.50 * 45 / 75 = 22.50 are charged again: 3.75.
test('what is charged again of a credit of an earlier invoice is nothing that an amount takes', () => {
  const cancel = { day: 45, isPlanned: false, billsUsage: true, isInvoicedNow: true, fee: 'charge_prorated' as const };
  const of = { days: 90, billsMonths: true, timing: 'in_arrears' } as const;
  const terms = { of, isInvoicedNow: false, discounts: [off({ amount: '100' })], cancel, days: 46 };
  expect(billed(['0', [0, '90'], [15, '45']], terms)).toEqual({ invoices: ['37.5', '3.75'], credits: ['37.5'] });
});
