import { expect, test } from 'vitest';
import type { PeriodFacts } from '../../../billing/settle/facts.ts';
import { decimal } from '../../../core/decimal.ts';
import { amountOff, fee, Life, percentOff, period, planLimits, units, usage } from './life.ts';

const untilDay = (to: number) => [{ from: 0, to }];

/** A period in advance with these prices of its fee. */
function ahead(fees: PeriodFacts['fees'], change: Partial<PeriodFacts> = {}): PeriodFacts {
  return period('jan', { isInAdvance: true, fees, ...change });
}

test('a layer that was refunded by hand does not go back again, and the layer below does not stand in for it', () => {
  const life = new Life().set(ahead([fee(0, 60)]));
  life.issue('INV-1', 'jan', ['start']);
  life.set(ahead([fee(0, 60), fee(10, 90)]));
  expect(life.issue('INV-2', 'jan', ['change'], { kind: 'proration' })).toBe('20.00');
  life.refund('INV-2');
  expect(life.set(ahead([fee(0, 60), fee(10, 90)], { used: untilDay(20), isClosed: true })).settle()).toBe('-20.00');
});

test('each charge goes back at its own tax rate', () => {
  const life = new Life().set(ahead([fee(0, 30)]));
  life.issue('INV-1', 'jan', ['start'], { taxRate: 20 });
  life.set(ahead([fee(0, 30), fee(10, 60)]));
  life.issue('INV-2', 'jan', ['change'], { kind: 'proration' });
  expect(life.set(ahead([fee(0, 30), fee(10, 60)], { used: untilDay(20), isClosed: true })).settle()).toBe('-22.00');
});

test('what goes back of an upgrade is what was paid for it, not what a coupon made free', () => {
  const life = new Life();
  life.discounts.push(percentOff(100, 1));
  life.set(ahead([fee(0, 100)]));
  expect(life.issue('INV-1', 'jan', ['start'])).toBe('0.00');
  life.set(ahead([fee(0, 100), fee(0, 200)]));
  expect(life.issue('INV-2', 'jan', ['change'], { kind: 'proration' })).toBe('100.00');
  expect(life.set(ahead([fee(0, 100), fee(0, 200), fee(15, 100, 'down')])).settle()).toBe('-50.00');
});

test('an upgrade and its way back on one day leave what was paid before', () => {
  const life = new Life().set(ahead([fee(0, 100)]));
  life.issue('INV-1', 'jan', ['start']);
  life.discounts.push(percentOff(50, null));
  life.set(ahead([fee(0, 100), fee(0, 200)]));
  expect(life.issue('INV-2', 'jan', ['change'], { kind: 'proration' })).toBe('50.00');
  expect(life.set(ahead([fee(0, 100), fee(0, 200), fee(0, 100, 'down')])).settle()).toBe('-50.00');
});

test('no loop of switches within a day gains or loses a cent', () => {
  const life = new Life().set(ahead([fee(0, 100)]));
  life.issue('INV-1', 'jan', ['start'], { taxRate: 19 });
  life.discounts.push(percentOff(33, null));
  const fees = [fee(0, 100)];
  for (let i = 0; i < 20; i++) {
    fees.push(fee(7, i % 2 === 0 ? '133.37' : '100', `loop-${i}`));
    life.set(ahead(fees));
    life.issue(`INV-LOOP-${i}`, 'jan', ['change'], { kind: 'proration', taxRate: 19 });
    life.settle();
  }
  expect(life.paid.get('payer')?.toFixed(2)).toBe('119.00');
});

test('an upgrade restores what was taken off the same days, at the terms of what was taken', () => {
  const life = new Life().set(ahead([fee(0, 100)]));
  life.issue('INV-1', 'jan', ['start']);
  life.discounts.push(percentOff(100, 1));
  expect(life.set(ahead([fee(0, 100), fee(0, 0, 'down')])).settle()).toBe('-100.00');
  expect(life.set(ahead([fee(0, 100), fee(0, 0, 'down'), fee(0, 100, 'up')])).settle()).toBe('100.00');
});

test('an amount off leaves of a canceled fee what it would have left of the used days', () => {
  const life = new Life();
  life.discounts.push(amountOff(60, 1));
  life.set(ahead([fee(0, 300)]));
  expect(life.issue('INV-1', 'jan', ['start'])).toBe('240.00');
  expect(life.set(ahead([fee(0, 300)], { used: untilDay(10), isClosed: true })).settle()).toBe('-200.00');
});

test('the maximum after a discount bounds what a closed period costs', () => {
  const limits = [planLimits(null, 120)];
  const life = new Life();
  life.discounts.push(percentOff(50, null));
  life.set(ahead([], { units: [units(100)], limits }));
  expect(life.issue('INV-1', 'jan', ['start'])).toBe('50.00');
  life.set(ahead([], { units: [units(100, 150)], limits }));
  expect(life.issue('INV-2', 'jan', ['change'], { kind: 'proration' })).toBe('25.00');
  expect(life.settle()).toBe('0.00');
  expect(life.set(ahead([], { units: [units(100, 150)], limits, isClosed: true })).settle()).toBe('-15.00');
});

test('a cancel charges nothing of a period whose opening invoice was voided', () => {
  const limits = [planLimits(null, 130)];
  const life = new Life().set(ahead([fee(0, 100)], { units: [units(50)], limits }));
  expect(life.issue('INV-1', 'jan', ['start'], { kind: 'opening' })).toBe('130.00');
  life.void('INV-1').set(ahead([fee(0, 100)], { units: [units(50)], limits, used: [], isClosed: true }));
  expect(life.settle()).toBe('0.00');
  expect(life.issue('INV-2', 'jan', ['end'], { kind: 'closing' })).toBe('0.00');
});

test('what was voided counts toward a minimum', () => {
  const limits = [planLimits(225, null)];
  const month = (windowId: string, units: number) => ({ ...usage(units, windowId), due: 'window' as const });
  const life = new Life().set(period('q1', { priced: [month('m1', 100)], limits }));
  expect(life.issue('INV-1', 'q1', ['window'])).toBe('100.00');
  life.void('INV-1').set(period('q1', { priced: [month('m1', 100)], limits, isClosed: true }));
  expect(life.issue('INV-2', 'q1', ['end'])).toBe('125.00');
});

test('late usage below a minimum that was voided is not charged', () => {
  const limits = [planLimits(50, null)];
  const life = new Life().set(period('jan', { priced: [usage(10)], limits, isClosed: true }));
  expect(life.issue('INV-1', 'jan', ['end'])).toBe('50.00');
  life.void('INV-1').set(period('jan', { priced: [usage(40)], limits, isClosed: true }));
  expect(life.settle()).toBe('0.00');
});

test('a refund by hand frees no room under a maximum', () => {
  const limits = [planLimits(null, 100)];
  const month = (windowId: string, units: number) => ({ ...usage(units, windowId), due: 'window' as const });
  const life = new Life().set(period('q1', { priced: [month('m1', 90)], limits }));
  life.issue('INV-1', 'q1', ['window']);
  life.refund('INV-1', 30);
  life.set(period('q1', { priced: [month('m1', 90), month('m2', 50)], limits, isClosed: true }));
  expect(life.issue('INV-2', 'q1', ['window'])).toBe('10.00');
});

test('an amount off once lowers one billing period with usage months by its amount', () => {
  const life = new Life();
  life.discounts.push(amountOff(100, 1));
  const months = Array.from({ length: 12 }, (_, i) => ({ ...usage(100, `m${i}`), due: 'window' as const }));
  const totals = months.map((_, i) => {
    life.set(period('year', { priced: months.slice(0, i + 1) }));
    return life.issue(`INV-${i}`, 'year', ['window']);
  });
  expect(totals).toEqual(['0.00', ...Array.from({ length: 11 }, () => '100.00')]);
});

test('a fee in arrears that a coupon makes free leaves no credit of an earlier downgrade', () => {
  const life = new Life().set(period('jan', { fees: [fee(0, 60), fee(10, 30)] }));
  life.discounts.push(percentOff(100, 1));
  life.set(period('jan', { fees: [fee(0, 60), fee(10, 30)], isClosed: true }));
  expect(life.issue('INV-1', 'jan', ['end'])).toBe('0.00');
  expect(life.settle()).toBe('0.00');
  expect(decimal(0).eq(life.paid.get('payer') ?? 1)).toBe(true);
});
