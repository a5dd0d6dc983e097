import type { LifeStep } from '../lives/life.ts';
import { A, amount, CALLS, type Example, lifeOf, percent, subscribe } from './example.ts';

/**
 * What an event of -900 units takes back of January, which was billed for 1,000 units at 1.00. January's invoice is issued on day 30,
 * the event lands on day 35, February's invoice is issued on day 60.
 */
const PLANS = { calls: CALLS };
const use: LifeStep = { at: 10, do: 'use', metric: 'calls', value: '1000' };
const pay: LifeStep = { at: 31, do: 'pay' };
const correct: LifeStep = { at: 35, do: 'use', metric: 'calls', value: '-900', of: 10 };
const begun = [subscribe('calls'), use];

export const JANUARY: Example[] = [
  {
    ...{
      id: 'january-paid',
      title: 'paid, no discount',
      why: '1,000.00 charged, 900.00 back: the difference of quantity',
    },
    life: lifeOf(PLANS, [...begun, pay, correct], 61),
    expected: { net: { a: '100' } },
  },
  {
    ...{ id: 'january-free', title: 'a coupon of 100 % once', why: '0.00 charged: nothing was paid' },
    life: lifeOf(PLANS, [subscribe('calls', percent('100', 1)), use, correct], 61),
    expected: { net: { a: '0' } },
    today: { net: { a: '-900' } },
  },
  {
    ...{
      id: 'january-half',
      title: 'a coupon of 50 % forever',
      why: '500.00 charged, 450.00 back: 100 units cost 50.00',
    },
    life: lifeOf(PLANS, [subscribe('calls', percent('50')), use, pay, correct], 61),
    expected: { net: { a: '50' } },
    today: { net: { a: '-400' } },
  },
  {
    ...{ id: 'january-amount-off', title: 'a coupon of 990.00 off, once' },
    why: '10.00 charged, 10.00 back: 100 units less 990.00 cost 0.00',
    life: lifeOf(PLANS, [subscribe('calls', amount('990', 1)), use, pay, correct], 61),
    expected: { net: { a: '0' } },
    today: { net: { a: '-890' } },
  },
  {
    ...{ id: 'january-void', title: 'void', why: '0.00 back: nothing of a void invoice is reversed' },
    life: lifeOf(PLANS, [...begun, { at: 31, do: 'void' }, correct], 61),
    expected: { net: { a: '0' } },
    today: { net: { a: '-900' } },
  },
  {
    ...{ id: 'january-open', title: 'open', why: 'what is due becomes 100.00' },
    life: lifeOf(PLANS, [...begun, correct], 36),
    expected: { net: { a: '100' }, invoices: ['a period 1000, due 100'] },
    today: { net: { a: '1000' }, invoices: ['a period 1000, due 1000'] },
  },
  {
    ...{ id: 'january-uncollectible', title: 'uncollectible', why: 'what is due becomes 100.00' },
    life: lifeOf(PLANS, [...begun, { at: 31, do: 'give_up' }, correct], 36),
    expected: { net: { a: '100' }, invoices: ['a period 1000, due 100'] },
    today: { net: { a: '1000' }, invoices: ['a period 1000, due 1000'] },
  },
  {
    ...{ id: 'january-refunded-in-part', title: 'paid, 400.00 refunded by hand' },
    why: '600.00 left, 600.00 back: the difference is 900.00, 600.00 is left',
    life: lifeOf(PLANS, [...begun, pay, { at: 32, do: 'refund', amount: '400' }, correct], 61),
    expected: { net: { a: '0' } },
    today: { net: { a: '-300' } },
  },
  {
    ...{ id: 'january-refunded', title: 'paid, then refunded 1,000.00', why: '0.00 left, 0.00 back' },
    life: lifeOf(PLANS, [...begun, pay, { at: 32, do: 'refund' }, correct], 61),
    expected: { net: { a: '0' } },
    today: { net: { a: '-900' } },
  },
  {
    ...{ id: 'january-refunded-after', title: 'paid; the correction first, then a refund without an amount' },
    why: '1,000.00 charged, 900.00 back, then 100.00',
    life: lifeOf(PLANS, [...begun, pay, correct, { at: 61, do: 'refund', invoice: 0 }], 62),
    expected: { net: { a: '0' } },
    today: { net: { a: '-900' } },
  },
  {
    ...{ id: 'january-former-payer', title: 'billed to a payer at 19 %, who has since been replaced' },
    why: '1,190.00 charged, 1,071.00 back, to the former payer',
    life: {
      customers: [{ id: 'former', taxRate: '19' }, { id: 'new' }, { ...A, billedTo: 'former' }],
      plans: PLANS,
      steps: [
        ...begun.map((step) => ({ ...step, customer: 'a' })),
        { ...pay, customer: 'former' },
        { at: 32, customer: 'a', do: 'bill_to', payer: 'new' },
        { ...correct, customer: 'a' },
      ],
      until: 61,
    },
    expected: { net: { former: '119', new: '0', a: '0' } },
    today: { net: { former: '1190', new: '-1071', a: '0' } },
  },
  {
    ...{ id: 'january-then-free', title: 'paid 1,000.00; in February 100 % off and 1,000 units used' },
    why: '900.00 back, February costs 0.00: a reversal takes no part in the discounts of the invoice that it stands on',
    life: lifeOf(
      PLANS,
      [...begun, pay, { at: 32, do: 'redeem', discount: percent('100', 1) }, correct, { ...use, at: 40 }],
      61,
    ),
    expected: { net: { a: '100' } },
    today: { net: { a: '1000' } },
  },
];
