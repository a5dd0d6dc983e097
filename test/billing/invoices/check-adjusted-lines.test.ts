import { expect, test } from 'vitest';
import { checkInvoice } from '../../../billing/invoices/check-invoice.ts';
import type { InvoiceLine } from '../../../billing/invoices/invoice.ts';
import { emptyLine } from '../../../billing/invoices/invoice-lines.ts';
import type { LineBasis } from '../../../billing/invoices/line-basis.ts';
import { decimal } from '../../../core/decimal.ts';

/** Parity of lines that limits and discounts made (spec/invoices#order-of-computation): each comes out of what it was reckoned from. */
const CHARGED = { of: 'limits', charged: decimal('33.5'), truedUp: decimal(0), isLate: false } as const;
const BASES: [LineBasis, string][] = [
  [{ ...CHARGED, minimumAmount: decimal(40), maximumAmount: null }, '6.5'],
  [{ ...CHARGED, charged: decimal(140), minimumAmount: null, maximumAmount: decimal(130) }, '-10'],
  [
    { ...CHARGED, truedUp: decimal('6.5'), charged: decimal(36), minimumAmount: decimal(40), maximumAmount: null },
    '-2.5',
  ],
  [{ of: 'discount', discountId: 'disc_1', amount: decimal(130), percentOff: decimal(15), amountOff: null }, '-19.5'],
  [{ of: 'discount', discountId: 'disc_2', amount: decimal(12), percentOff: null, amountOff: decimal(20) }, '-12'],
  [
    {
      ...{ of: 'discount', discountId: 'disc_3', amount: decimal(60), credited: decimal(10) },
      ...{ percentOff: null, amountOff: decimal(100) },
    },
    '-60',
  ],
];

function differences(basis: LineBasis, amount: string) {
  const type = basis.of === 'limits' ? 'true_up' : 'discount';
  const line: InvoiceLine = { ...emptyLine(type, type), lineId: 'line_1', amount: decimal(amount), basis };
  const sums = { subtotal: line.amount, taxRate: decimal(0), taxAmount: decimal(0), total: line.amount };
  return checkInvoice(sums, [{ line, pricing: null, usage: null }], 2).map(({ field }) => field);
}

test.each(BASES)('%o makes %s, and nothing else', (basis, amount) => {
  expect(differences(basis, amount)).toEqual([]);
  expect(differences(basis, decimal(amount).plus('0.01').toFixed())).toEqual(['amount', 'subtotal', 'total']);
});
