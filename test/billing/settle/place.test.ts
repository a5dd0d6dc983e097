import { expect, test } from 'vitest';
import { type InvoiceMoney, type PlaceInput, place } from '../../../billing/settle/place.ts';
import { decimal, ZERO } from '../../../core/decimal.ts';
import { Life, period, usage } from './life.ts';

/** A month of 1,000.00 of which 900.00 go back. */
function correction(taxRate = 0) {
  const life = new Life().set(period('jan', { priced: [usage(1_000)], isClosed: true }));
  life.issue('INV-JAN', 'jan', ['end'], { taxRate });
  return life.set(period('jan', { priced: [usage(100)], isClosed: true })).differences();
}

function placed(money: Partial<InvoiceMoney>, takesLines: PlaceInput['takesLines'], taxRate = 0) {
  const whole = {
    invoiceId: 'INV-JAN',
    payerId: 'payer',
    due: ZERO,
    money: ZERO,
    credits: [],
    isPaymentInFlight: false,
  };
  const moneyOf = new Map([['INV-JAN', { ...whole, ...money }]]);
  return place(correction(taxRate), { moneyOf, takesLines, places: 2 }).map(({ kind, total, reverses, ...rest }) => {
    const reversed = reverses.map(({ amount, taxAmount }) => `${amount.toFixed(2)} + ${taxAmount.toFixed(2)}`);
    return { kind, total: total.toFixed(2), reversed, ...('expiresAt' in rest && { expiresAt: rest.expiresAt }) };
  });
}

test('what was paid in money is a line of the next invoice of the same payer', () => {
  expect(placed({ money: decimal(1_000) }, { payerId: 'payer' })).toEqual([
    { kind: 'line', total: '900.00', reversed: ['900.00 + 0.00'] },
  ]);
});

test('a payer who has been replaced gets a refund or a credit, with its tax', () => {
  expect(placed({ money: decimal(1_190) }, { payerId: 'other' }, 19)).toEqual([
    { kind: 'refund_or_credit', total: '1071.00', reversed: ['900.00 + 171.00'] },
  ]);
});

test('what an open invoice still says is due is lowered there', () => {
  expect(placed({ due: decimal(1_000) }, { payerId: 'payer' })).toEqual([
    { kind: 'applied', total: '900.00', reversed: ['900.00 + 0.00'] },
  ]);
});

test('while a payment is in flight, the due is lowered only after it', () => {
  expect(placed({ due: decimal(1_000), isPaymentInFlight: true }, null).map(({ kind }) => kind)).toEqual([
    'after_payment',
  ]);
});

test('what a credit has paid goes back as a credit with its expiry, after the money', () => {
  const credits = [{ creditId: 'promo', amount: decimal(600), expiresAt: '2027-02-07' }];
  expect(placed({ money: decimal(400), credits }, { payerId: 'payer' })).toEqual([
    { kind: 'line', total: '400.00', reversed: ['400.00 + 0.00'] },
    { kind: 'credit', total: '500.00', reversed: ['500.00 + 0.00'], expiresAt: '2027-02-07' },
  ]);
});

test('the parts of a reversal add up with their tax', () => {
  expect(placed({ due: decimal('333.33'), money: decimal('856.67') }, null, 19)).toEqual([
    { kind: 'applied', total: '333.33', reversed: ['280.11 + 53.22'] },
    { kind: 'refund_or_credit', total: '737.67', reversed: ['619.89 + 117.78'] },
  ]);
});
