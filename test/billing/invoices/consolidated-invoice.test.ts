import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type ComputedSection,
  computeConsolidated,
  sectionOf,
} from '../../../billing/invoices/consolidated-invoice.ts';
import { chargesSubtotal } from '../../../billing/invoices/invoice.ts';
import { decimal, sum } from '../../../core/decimal.ts';
import { at, credit } from '../fixtures.ts';

/** One invoice of a payer and those billed to it (spec/invoices#sections). */

const [START, END] = [at('2026-11-01T00:00:00Z'), at('2026-12-01T00:00:00Z')];
const ON = { currency: 'USD', today: '2026-12-01', discounts: [] };

function section(
  customerId: string,
  subscriptionId: string,
  amount: string,
  kind: 'period' | 'closing' = 'period',
): ComputedSection {
  const origin = { subscriptionId, planId: 'plan_1', version: 1, periodStart: START, periodEnd: END };
  const fees = [{ ...origin, planName: 'Pro', fee: decimal(amount), billedDays: 30, days: 30 }];
  const part = { kind, periodStart: START, periodEnd: END, fees, prepaid: [], usages: [], pending: [] };
  return sectionOf({ customerId, subscriptionId }, part, ON);
}

const payer = { customerId: 'acme', taxRate: decimal(19), credits: [], ...ON };

test('tax is rounded once: 0.12 for each of three at 19 % is 0.07', () => {
  const all = [section('b', 'sub_1', '0.12'), section('acme', 'sub_9', '0.12'), section('a', 'sub_5', '0.12')];
  const invoice = computeConsolidated(all, payer);
  expect([invoice.subtotal, invoice.taxAmount, invoice.total].map(String)).toEqual(['0.36', '0.07', '0.43']);
  expect(invoice.kind).toBe('period');
});

test('the payer comes first, then by id; lines name whose they are', () => {
  const ids = [
    ['b', 'sub_1'],
    ['a', 'sub_7'],
    ['acme', 'sub_9'],
    ['a', 'sub_5'],
  ] as const;
  const invoice = computeConsolidated(
    ids.map(([customer, id]) => section(customer, id, '1')),
    payer,
  );
  const inOrder = ['acme sub_9', 'a sub_5', 'a sub_7', 'b sub_1'];
  expect(invoice.sections.map(({ customerId, subscriptionId }) => `${customerId} ${subscriptionId}`)).toEqual(inOrder);
  expect(invoice.lines.map(({ customerId = 'acme', subscriptionId }) => `${customerId} ${subscriptionId}`)).toEqual(
    inOrder,
  );
});

test('credits of the payer pay for all of it, and stand behind the charges', () => {
  const all = [section('a', 'sub_1', '10'), section('acme', 'sub_2', '10', 'closing')];
  const invoice = computeConsolidated(all, {
    ...payer,
    taxRate: decimal(0),
    credits: [credit({ amountRemaining: decimal(15) })],
  });
  expect(invoice.lines.map(({ type, amount }) => `${type} ${amount}`)).toEqual([
    'recurring_fee 10',
    'recurring_fee 10',
    'credit -15',
  ]);
  expect([invoice.kind, String(invoice.amountDue), invoice.status]).toEqual(['period', '5', 'open']);
});

test('sections sum to the invoice, whatever their order', () => {
  const cents = fc.array(fc.tuple(fc.constantFrom('acme', 'a', 'b'), fc.integer({ min: -500, max: 5_000 })), {
    minLength: 1,
    maxLength: 20,
  });
  fc.assert(
    fc.property(cents, (drawn) => {
      const all = drawn.map(([customer, amount], i) =>
        section(customer, `sub_${i}`, decimal(amount).shiftedBy(-2).toFixed()),
      );
      const invoice = computeConsolidated(all, payer);
      expect(sum(invoice.sections.map(({ subtotal }) => subtotal)).eq(invoice.subtotal)).toBe(true);
      expect(chargesSubtotal(invoice.lines).eq(invoice.subtotal)).toBe(true);
      expect(invoice.lines.filter(({ type }) => type !== 'credit')).toHaveLength(all.length);
      expect(computeConsolidated(all.toReversed(), payer)).toEqual(invoice);
    }),
    { seed: 20_270_210 },
  );
});
