import { expect, test } from 'vitest';
import { amountOff, Life, percentOff, period, usage } from './life.ts';

/** January billed 1,000 units at 1.00; the cases say by which terms. */
function january(prepare: (life: Life) => unknown = () => {}, options = {}): Life {
  const life = new Life();
  prepare(life);
  life.set(period('jan', { priced: [usage(1_000)], isClosed: true }));
  life.issue('INV-JAN', 'jan', ['end'], options);
  life.settle();
  return life;
}

/** An event of -900 for January arrives. */
function correct(life: Life, units = 100): string {
  return life.set(period('jan', { priced: [usage(units)], isClosed: true })).settle();
}

test('a late correction of a paid invoice gives back the difference of the quantity', () => {
  expect(correct(january())).toBe('-900.00');
});

test('a late correction gives back nothing of a month that a coupon made free', () => {
  expect(correct(january((life) => life.discounts.push(percentOff(100, 1))))).toBe('0.00');
});

test('a late correction gives back what the corrected month costs less at its percentage', () => {
  expect(correct(january((life) => life.discounts.push(percentOff(50, null))))).toBe('-450.00');
});

test('an amount off is taken again of what is left', () => {
  expect(correct(january((life) => life.discounts.push(amountOff(990, 1))))).toBe('-10.00');
});

test('nothing of a void invoice goes back', () => {
  expect(correct(january().void('INV-JAN'))).toBe('0.00');
});

test('a refund by hand lowers what is left, never the difference', () => {
  const life = january();
  expect(life.refund('INV-JAN', 400)).toBe('400.00');
  expect(correct(life)).toBe('-600.00');
  // What was forgiven stays forgiven when the usage comes back.
  expect(correct(life, 1_000)).toBe('600.00');
});

test('nothing more goes back of an invoice that was refunded whole', () => {
  const life = january();
  life.refund('INV-JAN');
  expect(correct(life)).toBe('0.00');
});

test('a refund without an amount gives back what a correction has left', () => {
  const life = january();
  expect(correct(life)).toBe('-900.00');
  expect(life.refund('INV-JAN')).toBe('100.00');
});

test('a correction goes to the payer of the invoice, with its tax', () => {
  const life = january(undefined, { taxRate: 19, payerId: 'former' });
  life.set(period('feb', { priced: [usage(0)], isClosed: true }));
  life.issue('INV-FEB', 'feb', ['end'], { payerId: 'child' });
  expect(correct(life)).toBe('-1071.00');
  expect(life.paid.get('former')?.toFixed(2)).toBe('119.00');
  expect(life.paid.get('child')?.toFixed(2)).toBe('0.00');
});

test('a correction takes no part in the discounts of a later invoice', () => {
  const life = january();
  life.discounts.push(percentOff(100, 1));
  life.set(period('feb', { priced: [usage(1_000)], isClosed: true }));
  expect(life.issue('INV-FEB', 'feb', ['end'])).toBe('0.00');
  expect(correct(life)).toBe('-900.00');
});

test('the tax of corrections adds up to the tax of what they give back', () => {
  const life = new Life();
  life.set(period('jan', { priced: [usage('9.90')], isClosed: true }));
  life.issue('INV-JAN', 'jan', ['end'], { taxRate: 19 });
  const moved = ['6.93', '3.96', '0'].map((net) => {
    life.set(period('jan', { priced: [usage(net)], isClosed: true }));
    const [difference] = life.differences();
    life.settle();
    return [difference?.net.toFixed(2), difference?.tax.toFixed(2)];
  });
  expect(moved).toEqual([
    ['-2.97', '-0.56'],
    ['-2.97', '-0.57'],
    ['-3.96', '-0.75'],
  ]);
});

test('late usage of a month is charged in full if no count of the coupon is left', () => {
  const life = new Life();
  life.discounts.push(percentOff(100, 1));
  life.set(period('jan', { priced: [usage(0)], isClosed: true }));
  life.issue('INV-JAN', 'jan', ['end']);
  life.set(period('feb', { priced: [usage(1_000)], isClosed: true }));
  expect(life.issue('INV-FEB', 'feb', ['end'])).toBe('0.00');
  expect(correct(life, 1_000)).toBe('1000.00');
});
