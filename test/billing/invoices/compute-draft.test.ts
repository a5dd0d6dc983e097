import { describe, expect, it } from 'vitest';
import { sumOfInvoices } from '../../../billing/invoices/compute-draft.ts';
import {
  computeInvoice,
  computeInvoices,
  type InvoicePart,
  type InvoicesInput,
} from '../../../billing/invoices/compute-invoice.ts';
import { decimal, toPlain } from '../../../core/decimal.ts';
import { at, credit } from '../fixtures.ts';

function part(subscriptionId: string, amount: string, start: string, end: string): InvoicePart {
  const periodStart = at(start);
  const periodEnd = at(end);
  const charge = { subscriptionId, planId: 'plan_1', version: 1, periodStart, periodEnd, planName: subscriptionId };
  const fees = [{ ...charge, fee: decimal(amount), billedDays: 30, days: 30 }];
  return { kind: 'period', periodStart, periodEnd, fees, prepaid: [], usages: [], pending: [] };
}

const PARTS = [
  part('sub_1', '10.05', '2026-11-01T00:00:00Z', '2026-12-01T00:00:00Z'),
  part('sub_2', '20.05', '2026-11-10T00:00:00Z', '2026-12-10T00:00:00Z'),
];
const TERMS = { currency: 'USD', taxRate: decimal(10), today: '2026-11-20' };

function computeDraft(input: InvoicesInput) {
  const parts = [...computeInvoices(input)];
  return { parts, whole: sumOfInvoices(parts, input) };
}

describe('a draft', () => {
  // tax of each part rounded: 1.005 -> 1.01, 2.005 -> 2.01; one credit of 12 pays 11.06, then 0.94
  it('is the sum of its parts, with a credit used once', () => {
    const { whole, parts } = computeDraft({
      ...TERMS,
      credits: [credit({ amountRemaining: decimal(12) })],
      parts: PARTS,
    });
    expect(parts.map((p) => toPlain(p.amountDue))).toEqual(['0', '21.12']);
    expect(toPlain(whole.subtotal)).toBe('30.1');
    expect(toPlain(whole.taxAmount)).toBe('3.02');
    expect(toPlain(whole.total)).toBe('33.12');
    expect(toPlain(whole.creditsApplied)).toBe('12');
    expect(toPlain(whole.amountDue)).toBe('21.12');
    expect(whole.applications.map((a) => [a.credit.creditId, toPlain(a.amount)])).toEqual([['credit_1', '12']]);
    expect(whole.lines.map((line) => line.type)).toEqual(['recurring_fee', 'recurring_fee', 'credit', 'credit']);
    expect([whole.periodStart, whole.periodEnd]).toEqual([PARTS[0]?.periodStart, PARTS[1]?.periodEnd]);
  });

  it('computes a part as the final invoice is computed', () => {
    const credits = [credit()];
    const [first] = PARTS.map((p) => computeInvoice({ ...p, ...TERMS, credits }));
    expect(computeDraft({ ...TERMS, credits, parts: PARTS.slice(0, 1) }).parts).toEqual([{ ...first, leaves: null }]);
  });

  // "With no live subscription: zero lines, 200." (spec/invoices#draft)
  it('of no subscription is empty', () => {
    const { whole } = computeDraft({ ...TERMS, credits: [credit()], parts: [] });
    expect(whole).toMatchObject({ lines: [], applications: [], periodStart: null, periodEnd: null });
    expect([whole.subtotal, whole.total, whole.amountDue].map(toPlain)).toEqual(['0', '0', '0']);
  });
});
