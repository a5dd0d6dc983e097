import { expect, test } from 'vitest';
import { chargedLines } from '../../../billing/invoices/compute-invoice.ts';
import { explainLine } from '../../../billing/invoices/explain-line.ts';
import { billableLines } from '../../../billing/invoices/pending-items.ts';
import { lateBehind, limitedAfter } from '../../../billing/metering/late-true-ups.ts';
import type { LateCharge, LimitedAmount } from '../../../billing/pricing/charges.ts';
import { decimal } from '../../../core/decimal.ts';
import { component } from '../fixtures.ts';

const PERIOD = { subscriptionId: 'sub_1', startsAt: 0, endsAt: 100 };
const ORIGIN = { subscriptionId: 'sub_1', planId: 'plan_1', version: 1, periodStart: 0, periodEnd: 100 };

function limited(metricId: string | null, charged: string, minimum: string | null, maximum: string | null = null) {
  const limits = { minimumAmount: minimum && decimal(minimum), maximumAmount: maximum && decimal(maximum) };
  return { ...PERIOD, metricId, name: metricId ?? 'Pro', charged: decimal(charged), limits } as LimitedAmount;
}

/** Usage at 1 a unit that was billed for `before` and has become `after`. */
function late(metricId: string, before: string, after: string, of: readonly LimitedAmount[]): LateCharge {
  const usage = (value: string) => ({ value: decimal(value), eventsCount: decimal(value) });
  const units = { prepaidUnits: decimal(0), prepaidBefore: decimal(0) };
  const priced = component({ metricId, overagePrice: decimal(1) });
  const counted = { before: usage(before), after: usage(after), limited: of };
  return { ...ORIGIN, metricName: metricId, component: priced, ...units, ...counted };
}

function linesOf(charges: readonly LateCharge[]) {
  const lines = chargedLines({ fees: [], prepaid: [], usages: [], late: charges, pending: [] }, 2);
  for (const line of lines) explainLine({ ...line, lineId: 'line_1' }, null, 2);
  return lines.map(({ type, metricId, amount }) => [type, metricId, amount.toFixed()]);
}

// spec/rating#limits: the minimum of 40 was billed for 33.50, 10.00 more come late.
test('late usage below the minimum is taken back as far as it was billed', () => {
  const charge = late('calls', '33.5', '43.5', [limited('calls', '33.5', '40')]);
  expect(linesOf([charge])).toEqual([
    ['late_usage', 'calls', '10'],
    ['true_up', 'calls', '-6.5'],
  ]);
  expect(limitedAfter([charge], 2).map(({ charged }) => charged.toFixed())).toEqual(['43.5']);
});

test('late usage within the limits has no true_up', () => {
  expect(linesOf([late('calls', '50', '60', [limited('calls', '50', '40', '100')])])).toHaveLength(1);
});

// The plan came to 125 of at most 130: of 3.50 and 20, late, it takes what is beyond 5.
test('a plan counts all late usage of its period, with what its components make of it', () => {
  const plan = limited(null, '125', null, '130');
  const charges = [
    late('calls', '33.5', '43.5', [limited('calls', '33.5', '40'), plan]),
    late('bytes', '0', '20', [plan]),
  ];
  expect(linesOf(charges)).toEqual([
    ['late_usage', 'calls', '10'],
    ['late_usage', 'bytes', '20'],
    ['true_up', 'calls', '-6.5'],
    ['true_up', null, '-18.5'],
  ]);
  expect(limitedAfter(charges, 2).map(({ metricId, charged }) => [metricId, charged.toFixed()])).toEqual([
    ['calls', '43.5'],
    [null, '148.5'],
  ]);
});

// 90 of at most 100; then 30, with 20 that came late for the 90: 140 in all, of which 10 are left to bill.
test('late usage of a billing period comes behind what the invoice that bills it makes of the limits of that', () => {
  const kept = limited(null, '90', null, '100');
  const { limits } = kept;
  const month = { ...ORIGIN, metricId: null, name: 'Pro', charged: decimal(120), truedUp: decimal(0), limits };
  const trueUps = [{ ...month, isLate: false }];
  const charge = late('calls', '90', '110', [kept]);
  const lines = chargedLines({ fees: [], prepaid: [], usages: [], late: [charge], trueUps, pending: [] }, 2);
  expect(lines.map(({ type, amount }) => [type, amount.toFixed()])).toEqual([
    ['late_usage', '20'],
    ['true_up', '-20'],
    ['true_up', '-20'],
  ]);
  const after = limitedAfter(lateBehind([charge], trueUps), 2);
  expect(after.map(({ charged }) => charged.toFixed())).toEqual(['140']);
});

// 90 by a plan without limits; a switch to one of at most 100, which is reached when 20 come late for the 90.
test('late usage from before a switch is limited by the last plan of the billing period', () => {
  const limits = { minimumAmount: null, maximumAmount: decimal(100) };
  const ofPlan = { ...ORIGIN, metricId: null, name: 'Max', charged: decimal(100), truedUp: decimal(0), limits };
  const trueUps = [{ ...ofPlan, subscriptionId: 'sub_2', holders: ['sub_1', 'sub_2'], isLate: false }];
  const charge = { ...late('calls', '90', '110', []), periodEnd: 30 };
  const lines = chargedLines({ fees: [], prepaid: [], usages: [], late: [charge], trueUps, pending: [] }, 2);
  expect(lines.map(({ type, subscriptionId, amount }) => [type, subscriptionId, amount.toFixed()])).toEqual([
    ['late_usage', 'sub_1', '20'],
    ['true_up', 'sub_1', '-20'],
  ]);
  const after = limitedAfter(lateBehind([charge], trueUps), 2);
  expect(after.map(({ subscriptionId, charged }) => [subscriptionId, charged.toFixed()])).toEqual([['sub_1', '120']]);
});

test('where late usage is ignored, what was held is billed with what limits make of it', () => {
  const least = [limited('calls', '33.5', '40')];
  const linesIn = (charges: readonly LateCharge[]) => {
    const lines = chargedLines({ fees: [], prepaid: [], usages: [], late: charges, pending: [] }, 2);
    const billed = billableLines({ seqs: [], lines, counts: [] }, { lateUsage: 'ignore' });
    return billed.lines.map(({ type, amount }) => [type, amount.toFixed()]);
  };
  const came = late('calls', '33.5', '43.5', least);
  expect(linesIn([came])).toEqual([]);
  expect(linesIn([{ ...came, wasHeld: true }])).toEqual([
    ['late_usage', '10'],
    ['true_up', '-6.5'],
  ]);
});
