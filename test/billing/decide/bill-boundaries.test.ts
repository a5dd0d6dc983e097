import { describe, expect, test } from 'vitest';
import { type Bill, invoicesOfBills, keptOfBills, leaveForNext } from '../../../billing/decide/bill-boundaries.ts';
import { type ChargeInput, decideCharges } from '../../../billing/decide/charge-boundaries.ts';
import type { BoundaryInput } from '../../../billing/invoices/boundary-charges.ts';
import type { PendingItems } from '../../../billing/invoices/pending-items.ts';
import type { CountedLate } from '../../../billing/metering/late-usage.ts';
import { periodAfter, periodOf } from '../../../billing/periods/periods.ts';
import { decimal, toPlain, ZERO } from '../../../core/decimal.ts';
import { boundaryOf, component, plan, subscription } from '../fixtures.ts';

/** What boundaries charge, and which invoices they make, is decided by plain data alone. */

const TERMS = {
  startDate: '2026-01-01',
  billingPeriod: 'monthly',
  usagePeriod: 'billing_period',
  timeZone: 'UTC',
} as const;
const FIRST = periodOf({ ...TERMS, anchorDate: null }, 0);
const SECOND = periodAfter(TERMS, FIRST);
const PLAN = plan({ recurringFee: ZERO, components: [component({ overagePrice: decimal(2) })] });

const INPUT: ChargeInput = {
  account: { lateUsage: 'next_invoice' },
  customer: { customerId: 'acme', currency: 'USD' },
  usageCutoff: 7n,
  terms: {},
  limitedLines: [],
  switchCharges: [],
};

const NOTHING_WAITS: PendingItems = { seqs: [], lines: [], counts: [] };

const firstMonth = (used: number, more: Partial<BoundaryInput> = {}): BoundaryInput => {
  return { ...boundaryOf(PLAN, { ended: FIRST, next: SECOND, used: { metric_1: used } }), ...more };
};

/** Ten units that came late for the period before. */
const LATE: CountedLate = {
  ...{
    subscriptionId: 'sub_1',
    planId: 'plan_1',
    version: 3,
    periodStart: FIRST.startsAt - 1,
    periodEnd: FIRST.startsAt,
  },
  ...{
    metricName: 'Calls',
    component: component({ overagePrice: decimal(2) }),
    prepaidUnits: ZERO,
    prepaidBefore: ZERO,
  },
  before: { value: decimal(5), eventsCount: decimal(5) },
  after: { value: decimal(15), eventsCount: decimal(15) },
  ...{ countedFrom: 3n, timeZone: 'UTC' },
};

function billOf(boundary: BoundaryInput, more: Partial<Bill> = {}): Bill {
  const [charges] = decideCharges(INPUT, [boundary], []).charges;
  if (!charges) throw new Error('nothing was charged');
  return { boundary, charges, kind: 'period', making: 'scheduled', late: [], ...more };
}

describe('charges of boundaries', () => {
  test('are kept with the span and the cutoff that late usage is told from', () => {
    const { charges, changes } = decideCharges(INPUT, [firstMonth(3)], []);
    expect(charges.map(({ usages }) => usages.map(({ quantity }) => toPlain(quantity)))).toEqual([['3']]);
    expect(changes.usageBilled).toEqual(charges[0]?.usages);
    const { startsAt, endsAt } = FIRST;
    const watermark = { customerId: 'acme', subscriptionId: 'sub_1', countedTo: 7n, startsAt, endsAt };
    expect(changes.watermarks).toEqual([watermark]);
  });

  test('name the pending invoice whose fee they take', () => {
    const pendingOpening = { subscriptionId: 'sub_0', periodIndex: 4 };
    expect(decideCharges(INPUT, [firstMonth(0, { pendingOpening })], []).changes.nextFeesTaken).toEqual([
      pendingOpening,
    ]);
  });

  test('bill an add-on once, and not again where its charge was fixed when the period ended', () => {
    const addon = { addonId: 'addon_1', name: 'Seat', addonSubscriptionId: 'asub_1', price: decimal(5) };
    const attached = { ...addon, kind: 'recurring', quantity: 1, from: 0, to: null, billedTo: null } as const;
    const input = { ...INPUT, terms: { sub_1: { prepaidUnits: [], addons: [attached] } } };
    const { charges, changes } = decideCharges(input, [firstMonth(0)], []);
    expect(changes.addonsBilled).toHaveLength(1);
    const fixed = firstMonth(0, { fixedAddons: charges[0]?.addons ?? [] });
    const again = decideCharges(input, [fixed], []);
    expect(again.charges[0]?.addons).toEqual(charges[0]?.addons);
    expect(again.changes.addonsBilled).toEqual([]);
  });

  test('of a limited component are kept by period', () => {
    const limits = { minimumAmount: null, maximumAmount: decimal(4) };
    const limited = plan({ recurringFee: ZERO, components: [{ ...component({ overagePrice: decimal(2) }), limits }] });
    const boundary = boundaryOf(limited, { ended: FIRST, next: SECOND, used: { metric_1: 3 } });
    const [amount] = decideCharges(INPUT, [boundary], []).changes.limitedAmounts ?? [];
    expect(amount).toMatchObject({ subscriptionId: 'sub_1', metricId: 'metric_1', startsAt: FIRST.startsAt, limits });
    expect(toPlain(amount?.charged ?? ZERO)).toBe('6');
  });
});

describe('invoices of bills', () => {
  const waits: PendingItems = { ...NOTHING_WAITS, seqs: ['1'] };

  test('what waits is on the first of them', () => {
    const input = { account: INPUT.account, pending: waits, usageCutoff: 7n };
    const [first, second] = invoicesOfBills(input, [billOf(firstMonth(1)), billOf(firstMonth(2))]);
    expect(first?.taken).toEqual(waits);
    expect(second).not.toHaveProperty('taken');
    expect(first?.onlyIfDue).toBe(false);
  });

  test('late usage is left out for an account that ignores it', () => {
    const bill = billOf(firstMonth(1), { late: [LATE] });
    const lateBy = (lateUsage: 'ignore' | 'next_invoice') => {
      const input = { account: { lateUsage }, pending: NOTHING_WAITS, usageCutoff: 7n };
      return invoicesOfBills(input, [bill]).map(({ charged, counts }) => [
        charged.late,
        counts?.map(({ type }) => type),
      ]);
    };
    expect(lateBy('next_invoice')).toEqual([[[LATE], ['usage', 'late_usage']]]);
    expect(lateBy('ignore')).toEqual([[[], ['usage']]]);
  });

  test('what a switch begins within a period is on its opening invoice, and its add-ons are billed with it', () => {
    const begun = subscription({ subscriptionId: 'sub_2', currentPeriod: SECOND });
    const { charges } = billOf(firstMonth(0));
    const addon = { subscriptionId: 'sub_2', addonSubscriptionId: 'asub_1' } as (typeof charges.addons)[number];
    const opening = { ...charges, usages: [], addons: [addon] };
    const bill = billOf(firstMonth(1), { kind: 'closing', begun: { subscription: begun, charges: opening } });
    const input = { account: INPUT.account, pending: NOTHING_WAITS, usageCutoff: 7n };
    const [invoice] = invoicesOfBills(input, [bill]);
    expect(invoice).toMatchObject({ subscriptionId: 'sub_2', period: SECOND, charged: { kind: 'opening' } });
    expect(keptOfBills([bill], [{ invoiceId: 'new:1' }]).addonsBilled).toEqual([addon]);
    expect(keptOfBills([bill], [null]).addonsBilled).toEqual([]);
  });
});

test('what is left for the next invoice is rounded once, with what it was counted from', () => {
  const third = plan({ recurringFee: ZERO, components: [component({ overagePrice: decimal('0.335') })] });
  const boundary = boundaryOf(third, { ended: FIRST, used: { metric_1: 1 } });
  const [charges] = decideCharges(INPUT, [boundary], []).charges;
  if (!charges) throw new Error('nothing was charged');
  const [left] = leaveForNext(INPUT, boundary, { charges, late: [] }).pendingAdded ?? [];
  expect(left?.owner).toEqual({ customerId: 'acme', subscriptionId: 'sub_1' });
  expect(left?.lines.map(({ amount }) => toPlain(amount))).toEqual(['0.34']);
  expect(left?.counts).toMatchObject([{ type: 'usage', countedFrom: null, countedTo: 7n }]);
});
