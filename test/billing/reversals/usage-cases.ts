import type { LifePlan } from '../lives/life.ts';
import { A, amount, CALLS, cancel, type Example, lifeOf, pay, percent, subscribe, use } from './example.ts';

const QUARTER: LifePlan = { ...CALLS, days: 90, billsMonths: true };
const prepaid = (units: string, more: Partial<LifePlan>): LifePlan => ({
  ...{ fee: '0', ...more, components: [{ metric: 'calls', price: '1', prepaid: units }] },
});

/** Units, usage, limits, and what becomes of void invoices. */
export const USAGE_CASES: Example[] = [
  {
    id: 'maximum-with-units',
    plays: 'on the stack',
    title: 'a plan maximum of 120, 100 prepaid, 50 more units `invoice_now`, all at 50 % off (75.00 paid), cancel',
    why: '15.00 back: the maximum after the discount is 60.00',
    life: lifeOf(
      { units: prepaid('100', { maximum: '120' }) },
      [
        ...[subscribe('units', percent('50')), pay(1)],
        { at: 10, do: 'units', metric: 'calls', units: '150', invoicing: 'now' },
        ...[pay(11), cancel(20)],
      ],
      21,
    ),
    expected: { net: { a: '60' } },
    today: { net: { a: '45' } },
  },
  {
    id: 'opening-void',
    title: 'an opening invoice of 130 (fee 100, prepaid 50, maximum 130) is voided, then cancel',
    why: 'no closing charge: nothing of the period stands',
    life: lifeOf(
      { units: prepaid('50', { fee: '100', maximum: '130' }) },
      [subscribe('units'), { at: 1, do: 'void' }, cancel(10)],
      31,
    ),
    expected: { net: { a: '0' }, invoices: ['a opening 130, void'] },
    today: { net: { a: '20' }, invoices: ['a opening 130, void', 'a closing 20, due 20'] },
  },
  {
    id: 'minimum-month-void',
    title: "a quarter of at least 225, its first month's 100 voided, nothing else used",
    why: '125.00 at the end: the 100 were forgiven',
    life: lifeOf(
      { quarter: { ...QUARTER, minimum: '225' } },
      [subscribe('quarter'), use(10, '100'), { at: 31, do: 'void' }],
      91,
    ),
    expected: { net: { a: '125' } },
  },
  {
    id: 'tax-in-shares',
    title: 'net 9.90 at 19 %, corrected by 3, 3 and 4 of 10 units',
    why: '2.97 + 0.56, 2.97 + 0.57, 3.96 + 0.75: 9.90 and 1.88 in all',
    life: {
      customers: [{ ...A, taxRate: '19' }],
      plans: { calls: { ...CALLS, components: [{ metric: 'calls', price: '0.99' }] } },
      steps: [
        ...[subscribe('calls'), use(10, '10'), pay(31)],
        ...[use(35, '-3', 10), use(65, '-3', 10), use(95, '-4', 10)],
      ],
      until: 121,
    },
    expected: { net: { a: '0' }, credits: ['a 3.53', 'a 3.54', 'a 4.71'] },
    today: { net: { a: '0.01' }, credits: ['a 3.53', 'a 3.53', 'a 4.71'] },
  },
  {
    id: 'subscribed-again',
    title: 'canceled in the morning and subscribed again the same day, 5 events at 1.00 before both calls',
    why: '5.00 in all',
    life: lifeOf(
      { calls: CALLS },
      [subscribe('calls'), use(10.2, '5'), cancel(10.4), { ...subscribe('calls'), at: 10.5 }],
      41,
    ),
    expected: { net: { a: '5' } },
  },
  {
    id: 'subscribed-again-first',
    title: 'subscribed again to another plan in the morning and then canceled, 5 events at 1.00 before both calls',
    why: '5.00 in all',
    life: lifeOf(
      { calls: CALLS, other: CALLS },
      [
        ...[subscribe('calls'), use(10.2, '5'), { ...subscribe('other'), at: 10.4 }],
        { at: 10.5, do: 'cancel', subscription: 0, invoicing: 'now' },
      ],
      41,
    ),
    expected: { net: { a: '5' } },
  },
  {
    id: 'refund-then-back-and-forth',
    title: '1,000.00 paid, 400.00 refunded by hand, -900 (600.00 back), then +900',
    why: '600.00 are charged: the 400.00 stay forgiven',
    life: lifeOf(
      { calls: CALLS },
      [
        ...[subscribe('calls'), use(10, '1000'), pay(31), { at: 32, do: 'refund', amount: '400' } as const],
        ...[use(35, '-900', 10), use(65, '900', 10)],
      ],
      91,
    ),
    expected: {
      net: { a: '600' },
      invoices: ['a period 1000, due 0', 'a period -600, due 0', 'a period 600, due 0'],
    },
    today: { net: { a: '600' }, invoices: ['a period 1000, due 0', 'a period -900, due 0', 'a period 900, due 0'] },
  },
  {
    id: 'reversing-invoice-void',
    title: "January 1,000.00 paid, -900 on February's invoice of 1,000.00 (100.00 due), which is voided",
    why: '900.00 become a credit',
    life: lifeOf(
      { calls: CALLS },
      [...[subscribe('calls'), use(10, '1000'), pay(31), use(35, '-900', 10), use(40, '1000')], { at: 61, do: 'void' }],
      62,
    ),
    expected: { net: { a: '100' }, credits: ['a 900'] },
    today: { net: { a: '1000' }, credits: [] },
  },
  {
    id: 'minimum-void-then-late',
    title: 'a minimum of 50, 10 used (50.00 billed), voided, 30 more at 1.00 late',
    why: "0.00: it would have been 50.00 as well; February's minimum of 50.00 is charged",
    life: lifeOf(
      { calls: { ...CALLS, minimum: '50' } },
      [subscribe('calls'), use(10, '10'), { at: 31, do: 'void' }, use(35, '30', 10)],
      61,
    ),
    expected: { net: { a: '50' } },
  },
  {
    id: 'maximum-after-refund',
    title: 'a quarter of at most 100: 90 paid, 30 refunded by hand, 50 more used',
    why: '10.00 more: 90 - 30 + 10',
    life: lifeOf(
      { quarter: { ...QUARTER, maximum: '100' } },
      [subscribe('quarter'), use(10, '90'), pay(31), { at: 32, do: 'refund', amount: '30' }, use(40, '50')],
      91,
    ),
    expected: { net: { a: '70' } },
  },
  {
    id: 'no-count-left',
    title: "January empty, February's 1,000.00 free by 100 % once, then 1,000.00 late for January",
    why: '1,000.00: no count is left',
    life: lifeOf({ calls: CALLS }, [subscribe('calls', percent('100', 1)), use(40, '1000'), use(65, '1000', 10)], 91),
    expected: { net: { a: '1000' } },
  },
  {
    id: 'usage-months-once',
    title: 'a yearly plan with usage months of 100.00, 100.00 off once',
    why: '1,100.00 in the year',
    life: lifeOf(
      { year: { ...CALLS, days: 365, billsMonths: true } },
      [subscribe('year', amount('100', 1)), ...Array.from({ length: 12 }, (_, month) => use(15 + month * 30, '100'))],
      366,
    ),
    expected: { net: { a: '1100' } },
  },
];
