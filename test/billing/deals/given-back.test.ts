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

// To 365: 355 of 365 days, so 355.00 that waits. To 73: 292 * 345 / 365 = 276.00 of that. The month's invoice has 355 - 100 = 255.00. Canceled
// on day 65: 73 * 300 / 365 = 60.00, but more than was charged has gone back.
test('what was credited of a charge that waited does not go back of its invoice again', () => {
  const discounts = [off({ amount: '100' }, 1)];
  const cancel = { day: 65, isPlanned: false, billsUsage: true, isInvoicedNow: true, fee: 'charge_prorated' as const };
  const of = { of: YEAR, isInvoicedNow: false, discounts, cancel, days: 66 };
  expect(billed(['0', [10, '365'], [20, '73']], of)).toEqual({ invoices: ['255', '0'], credits: ['276'] });
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
