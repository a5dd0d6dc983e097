import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { InvoiceLine, IssuedInvoice } from '../../../billing/invoices/invoice.ts';
import { emptyLine } from '../../../billing/invoices/invoice-lines.ts';
import { minimumKey } from '../../../billing/settle/charge-keys.ts';
import { costOf } from '../../../billing/settle/cost.ts';
import { type IssuedRecord, recordOf } from '../../../billing/settle/issued-charges.ts';
import { type KeyedPeriod, keyedPeriodsIn } from '../../../billing/settle/keyed-periods.ts';
import { decimal, sum } from '../../../core/decimal.ts';
import { howMany } from '../../how-many.ts';
import { issuedInvoice } from '../fixtures.ts';
import { anyCase, bothWays, on, PERIOD } from './period-case.ts';

const { startsAt, endsAt } = PERIOD;
const ID = 'sub_1/2026-11-01T00:00:00.000Z';
const KEYED: KeyedPeriod = {
  ...{ subscriptionId: 'sub_1', startsAt, endsAt, billing: { startsAt, endsAt }, firstHolderId: 'sub_1' },
  ...{ isInAdvance: false, minimums: [] },
};

const withIds = (lines: readonly Omit<InvoiceLine, 'lineId'>[]): InvoiceLine[] =>
  lines.map((line, i) => ({ ...line, lineId: `line_${i}` }));

function recorded(
  lines: readonly Omit<InvoiceLine, 'lineId'>[],
  periods: readonly KeyedPeriod[] = [KEYED],
  head: Partial<IssuedInvoice> = { kind: 'closing', periodStart: startsAt, periodEnd: endsAt },
): IssuedRecord {
  return recordOf(issuedInvoice({ ...head, lines: withIds(lines) }), keyedPeriodsIn(periods));
}

const line = (type: InvoiceLine['type'], amount: string, more: Partial<InvoiceLine> = {}) => ({
  ...emptyLine(type, type),
  ...{ subscriptionId: 'sub_1', planId: 'plan_1', version: 1, periodStart: startsAt, periodEnd: endsAt },
  ...{ amount: decimal(amount), ...more },
});

const netsOf = ({ charges }: IssuedRecord) => charges.map(({ net }) => net.toFixed(2));

test('an invoice keeps the keys of what its period costs, and nets that add up to its subtotal', () => {
  fc.assert(
    fc.property(anyCase, (drawn) => {
      const { invoice, facts } = bothWays(drawn);
      const minimums = facts.limits.filter(({ limits }) => limits.minimumAmount !== null);
      const periods = [{ ...KEYED, minimums: minimums.map(({ metricId }) => metricId) }];
      const { charges, takenBack } = recorded(invoice.lines, periods);
      const cost = costOf(facts, 2).filter(({ due }) => due !== 'start');
      const keys = charges.map(({ key }) => key);
      const limited = facts.limits.map((limit) => minimumKey(facts.periodId, limit));
      expect(keys.filter((key) => !limited.includes(key) && !cost.some((one) => one.key === key))).toEqual([]);
      expect(cost.filter(({ key, asked }) => asked.gt(0) && !keys.includes(key))).toEqual([]);
      expect(minimums.map((limit) => minimumKey(facts.periodId, limit)).filter((key) => !keys.includes(key))).toEqual(
        [],
      );
      const net = sum(charges.map((charge) => charge.net)).minus(sum(takenBack.map(({ amount }) => amount)));
      expect(net.toFixed(2)).toBe(invoice.subtotal.toFixed(2));
      expect(charges.filter((charge) => charge.net.lt(0))).toEqual([]);
    }),
    { numRuns: howMany(200, 10_000) },
  );
});

test('a maximum cuts the lines that it counts, less their discounts; an add-on is not counted', () => {
  const record = recorded([
    line('recurring_fee', '100', { discountAmount: decimal(50) }),
    line('usage', '50', { metricId: 'calls' }),
    line('addon', '10', { addonSubscriptionId: 'addon_1' }),
    line('true_up', '-30'),
  ]);
  expect(netsOf(record)).toEqual(['35.00', '35.00', '10.00']);
  expect(record.takenBack).toEqual([]);
});

test('what a maximum takes beyond its own invoice is taken back of earlier ones', () => {
  const record = recorded([line('usage', '10', { metricId: 'calls' }), line('true_up', '-30')]);
  expect(netsOf(record)).toEqual(['0.00']);
  expect(record.takenBack).toMatchObject([{ sourceId: 'line_1', amount: decimal(20), invoiceId: null }]);
});

test('the fee is that of the first holder, an upgrade that of the subscription that brought it', () => {
  const switched = [{ ...KEYED, subscriptionId: 'sub_2' }, KEYED];
  const later = { subscriptionId: 'sub_2', periodStart: on(10).at };
  const record = recorded(
    [line('recurring_fee', '60', { subscriptionId: 'sub_2' }), line('proration', '20', later)],
    switched,
  );
  expect(record.charges.map(({ key }) => key)).toEqual([`${ID}/recurring_fee/sub_1`, `${ID}/recurring_fee/sub_2`]);
  expect(record.terms).toMatchObject([{ kind: 'closing', periodId: ID }]);
});

test('lines below zero take back what they name', () => {
  const { charges, takenBack } = recorded([
    line('late_usage', '-40', { metricId: 'calls', discountAmount: decimal(-20) }),
    line('proration', '-5', { givenBackOf: 'inv_0' }),
  ]);
  expect(charges).toEqual([]);
  expect(takenBack.map(({ amount, invoiceId }) => [amount.toFixed(), invoiceId])).toEqual([
    ['20', null],
    ['5', 'inv_0'],
  ]);
});

test('what is charged again is no charge, also on an invoice of an earlier release', () => {
  const again = { subscriptionId: 'sub_2', periodStart: on(10).at };
  const { charges, chargedAgain } = recorded([
    line('recurring_fee', '40', { creditedBefore: decimal(10) }),
    line('proration', '10', { ...again, isChargedAgain: true }),
    line('proration', '10', { ...again, description: 'Switch from Pro to Basic: less 10 of 30 days' }),
  ]);
  expect(charges.map(({ net, back }) => [net.toFixed(), back.toFixed()])).toEqual([['40', '10']]);
  expect(chargedAgain.map(({ sourceId, at }) => [sourceId, at])).toEqual([
    ['line_1', on(10).at],
    ['line_2', on(10).at],
  ]);
});

test('each section of a consolidated invoice has terms of its own', () => {
  const section = { kind: 'period', periodStart: startsAt, periodEnd: endsAt, subtotal: decimal(10) } as const;
  const sections = [
    { ...section, customerId: 'c1', subscriptionId: 'sub_1' },
    { ...section, customerId: 'c2', subscriptionId: 'sub_9' },
  ];
  const other = { ...KEYED, subscriptionId: 'sub_9', firstHolderId: 'sub_9' };
  const discount = {
    of: 'discount',
    discountId: 'd',
    amount: decimal(10),
    percentOff: decimal(50),
    amountOff: null,
  } as const;
  const lines = withIds([
    line('recurring_fee', '10'),
    line('recurring_fee', '10', { subscriptionId: 'sub_9', customerId: 'c2', discountAmount: decimal(5) }),
    line('discount', '-5', { subscriptionId: 'sub_9', customerId: 'c2', basis: discount }),
  ]);
  const invoice = issuedInvoice({ subscriptionId: null, sections, lines });
  const { charges, terms } = recordOf(invoice, keyedPeriodsIn([KEYED, other]));
  expect(charges.map(({ section: of, net }) => [of, net.toFixed()])).toEqual([
    [0, '10'],
    [1, '5'],
  ]);
  expect(terms.map(({ periodId, discountsUsed }) => [periodId, discountsUsed])).toEqual([
    [ID, []],
    ['sub_9/2026-11-01T00:00:00.000Z', ['d']],
  ]);
});

test('the minimum of a plan is a key of the invoice that ends its billing period, that of a component of each month', () => {
  const months = [0, 10, 20].map((day) => {
    const [from, to] = [on(day).at, on(day + 10).at];
    return { ...KEYED, startsAt: from, endsAt: to, minimums: [null, 'calls'] };
  });
  const minimumsOf = (month: number) => {
    const [periodStart, periodEnd] = [on(month * 10).at, on(month * 10 + 10).at];
    const usage = line('usage', '1', { metricId: 'calls', periodStart, periodEnd });
    return recorded([usage], months, { kind: 'period', periodStart, periodEnd }).charges.map(({ key }) =>
      key.slice(ID.length),
    );
  };
  expect(minimumsOf(0).slice(1)).toEqual(['/true_up/2026-11-01T00:00:00.000Z/calls']);
  expect(minimumsOf(2).slice(1)).toEqual(['/true_up//', '/true_up/2026-11-21T00:00:00.000Z/calls']);
});
