import { describe, expect, it } from 'vitest';
import type { CollectedFee } from '../../../billing/credits/charged-fee.ts';
import { type ChargedUnits, creditOfFewerUnits } from '../../../billing/credits/units-credit.ts';
import type { ApplicableDiscount } from '../../../billing/discounts/discounts.ts';
import type { NewInvoiceLine } from '../../../billing/invoices/invoice.ts';
import { emptyLine } from '../../../billing/invoices/invoice-lines.ts';
import { decimal, ZERO } from '../../../core/decimal.ts';

const HALF: ApplicableDiscount = {
  ...{ discountId: 'disc_1', subscriptionId: 'sub_1', holders: ['sub_1'], periodsRemaining: null, name: 'Half' },
  ...{ appliesTo: null, percentOff: decimal(50), amountOff: null, currency: null },
};

function waits(amount: number, creditedBefore?: number): NewInvoiceLine {
  const line = { ...emptyLine('proration', 'Calls'), subscriptionId: 'sub_1', metricId: 'metric_1' };
  return { ...line, amount: decimal(amount), ...(creditedBefore && { creditedBefore: decimal(creditedBefore) }) };
}

/** `others`: what else is left of the invoice. */
function charged(amount: number, discount = 0, others = 0): CollectedFee {
  const invoice = { invoiceId: 'inv_1', taxRate: ZERO, left: decimal(amount).plus(others), unpaid: ZERO };
  return { ...invoice, amount: decimal(amount), discount: decimal(discount) };
}

/** What was credited before of an invoice, or (null) of what was on none. */
const back = (amount: number, invoiceId: string | null = 'inv_1') => ({ invoiceId, amount: decimal(amount) });

/** The parts that are credited, by invoice, and what of each waiting line. */
function credited(wanted: number, of: Partial<ChargedUnits>) {
  const units = { charged: [], waiting: [], credited: [], discounts: [], rateOfNow: ZERO, places: 2, ...of };
  const { parts, ofLines } = creditOfFewerUnits(decimal(wanted), units);
  return {
    parts: parts.map(({ invoiceId, amount }) => `${invoiceId} ${amount.toFixed()}`),
    ofLines: ofLines.map(({ line, amount }) => `${line.amount.toFixed()}: ${amount.toFixed()}`),
  };
}

describe('fewer prepaid units', () => {
  // spec/prepaid-units#changes
  it('of what waits are less the percentages of now', () => {
    const waiting = [waits(100)];
    expect(credited(60, { waiting, discounts: [HALF] })).toEqual({ parts: ['null 30'], ofLines: ['100: 30'] });
    expect(credited(60, { waiting })).toEqual({ parts: ['null 60'], ofLines: ['100: 60'] });
  });

  it('of what waits are never more than is left of it', () => {
    const waiting = [waits(100, 30)];
    expect(credited(60, { waiting, credited: [back(30, null)], discounts: [HALF] }).parts).toEqual(['null 20']);
  });

  it('are of invoices first, each less its own discounts', () => {
    const waiting = [waits(50)];
    expect(credited(120, { charged: [charged(50, 50)], waiting })).toEqual({
      parts: ['inv_1 50', 'null 20'],
      ofLines: ['50: 20'],
    });
    expect(credited(120, { charged: [charged(100)], waiting, discounts: [HALF] })).toEqual({
      parts: ['inv_1 100', 'null 10'],
      ofLines: ['50: 10'],
    });
    expect(credited(60, { charged: [charged(50, 50)], waiting }).parts).toEqual(['inv_1 30']);
  });

  // 100 units at 1 less half beside a fee, to 40: 30 of the 50. To 100 without the discount, to 40: 20 are left of the 50, the price of 40.
  it('are of what is left of an invoice for units, whatever it charges besides', () => {
    const before = { waiting: [waits(60)], credited: [back(30)] };
    const parts = ['inv_1 20', 'null 20'];
    expect(credited(60, { charged: [{ ...charged(50, 50), left: decimal(20) }], ...before }).parts).toEqual(parts);
    expect(credited(60, { charged: [charged(50, 50, 70)], ...before }).parts).toEqual(parts);
  });

  // 100 units at 1, to 40: 60 of an invoice that is void since; to 100 for 60; to 40: 60, or 50 where 10 of that had gone back.
  it('are of what is left of invoices that are not void', () => {
    const before = { charged: [charged(60)], credited: [back(60, 'inv_void')] };
    expect(credited(60, before).parts).toEqual(['inv_1 60']);
    expect(credited(60, { ...before, credited: [...before.credited, back(10)] }).parts).toEqual(['inv_1 50']);
    expect(credited(60, { charged: [charged(60)], credited: [back(60, null)] }).parts).toEqual([]);
  });

  // 104 of 1,000 less 90 % are 10.4; what rounding has taken off is no price of what waits.
  it('of an invoice are rounded once, though more waits', () => {
    const yen = { charged: [charged(100, 900)], waiting: [waits(50)], places: 0 };
    expect(credited(104, yen)).toEqual({ parts: ['inv_1 10'], ofLines: [] });
    expect(credited(61, { ...yen, charged: [charged(500, 500)] }).parts).toEqual(['inv_1 31']);
  });

  it('that were free give nothing back', () => {
    expect(credited(60, { charged: [charged(0, 100)], waiting: [waits(50)] })).toEqual({ parts: [], ofLines: [] });
  });
});
