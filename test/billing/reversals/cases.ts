import type { LifePlan, LifeStep } from '../lives/life.ts';
import { A, amount, CALLS, type Example, fees, lifeOf, percent, subscribe } from './example.ts';

const pay = (at: number): LifeStep => ({ at, do: 'pay' });
const use = (at: number, value: string, of = at): LifeStep => ({ at, do: 'use', metric: 'calls', value, of });
const to = (plan: string, at: number): LifeStep => ({ at, do: 'switch', plan, invoicing: 'now' });
const toLater = (plan: string, at: number): LifeStep => ({ at, do: 'switch', plan, invoicing: 'next' });
const cancel = (at: number): LifeStep => ({ at, do: 'cancel', invoicing: 'now' });
const redeem = (at: number, discount = percent('50')): LifeStep => ({ at, do: 'redeem', discount });

const QUARTER: LifePlan = { ...CALLS, days: 90, billsMonths: true };
const prepaid = (units: string, more: Partial<LifePlan>): LifePlan => ({
  ...{ fee: '0', ...more, components: [{ metric: 'calls', price: '1', prepaid: units }] },
});

/** Fees, upgrades, downgrades and cancels. */
export const FEE_CASES: Example[] = [
  {
    id: 'upgrade-refunded',
    title: 'a fee of 60 is paid, an upgrade to 90 on day 10 (20.00 paid) is refunded by hand, cancel on day 20',
    why: '20.00 back (60 * 10 / 30): the upgrade is refunded already',
    life: lifeOf(
      fees('60', '90'),
      [subscribe('60'), pay(1), to('90', 10), pay(11), { at: 12, do: 'refund' }, cancel(20)],
      21,
    ),
    expected: { net: { a: '40' } },
    today: { net: { a: '30' } },
  },
  {
    id: 'two-tax-rates',
    title: 'a fee of 30 at 20 % tax is paid, an upgrade to 60 on day 10 at 0 % (20.00), cancel on day 20',
    why: '22.00 back: 10 + 2 of the fee, 10 of the upgrade',
    life: {
      customers: [{ ...A, taxRate: '20' }],
      plans: fees('30', '60'),
      steps: [subscribe('30'), pay(1), { at: 9, do: 'tax', rate: '0' }, to('60', 10), pay(11), cancel(20)],
      until: 21,
    },
    expected: { net: { a: '34' } },
    today: { net: { a: '36' } },
  },
  {
    id: 'two-payers',
    title: 'a fee of 30 is paid by another, then an upgrade to 60 on day 10 by the customer itself, cancel on day 20',
    why: '10.00 of the fee to the former payer, 10.00 of the upgrade to the customer',
    life: {
      customers: [{ id: 'former' }, { ...A, billedTo: 'former' }],
      plans: fees('30', '60'),
      steps: [
        { ...subscribe('30'), customer: 'a' },
        { ...pay(1), customer: 'former' },
        { at: 5, customer: 'a', do: 'bill_to', payer: null },
        { ...to('60', 10), customer: 'a' },
        { ...pay(11), customer: 'a' },
        { ...cancel(20), customer: 'a' },
      ],
      until: 21,
    },
    expected: { net: { former: '20', a: '10' } },
    today: { net: { former: '30', a: '0' } },
  },
  {
    id: 'former-payer-cancel',
    title: 'a fee of 60 is paid by another, the customer leaves it, cancel on day 20',
    why: '20.00 back to the former payer',
    life: {
      customers: [{ id: 'former' }, { ...A, billedTo: 'former' }],
      plans: fees('60'),
      steps: [
        { ...subscribe('60'), customer: 'a' },
        { ...pay(1), customer: 'former' },
        { at: 5, customer: 'a', do: 'bill_to', payer: null },
        { ...cancel(20), customer: 'a' },
      ],
      until: 21,
    },
    expected: { net: { former: '40', a: '0' } },
  },
  {
    id: 'free-fee-paid-upgrade',
    title: 'a fee of 100 with 100 % off once, an upgrade to 200 the same day (100.00 paid), back to 100 on day 15',
    why: '50.00 back: half of the upgrade, which was paid in full',
    life: lifeOf(fees('100', '200'), [subscribe('100', percent('100', 1)), to('200', 0.5), pay(1), to('100', 15)], 16),
    expected: { net: { a: '50' } },
    today: { net: { a: '100' } },
  },
  {
    id: 'free-fee-back-at-once',
    title: 'a fee of 100 with 100 % off once, an upgrade to 200 (100.00 paid), back at once',
    why: '100.00 back: all of the upgrade',
    life: lifeOf(
      fees('100', '200'),
      [subscribe('100', percent('100', 1)), to('200', 0.5), pay(0.6), to('100', 0.7)],
      1,
    ),
    expected: { net: { a: '0' } },
    today: { net: { a: '100' } },
  },
  {
    id: 'half-upgrade-and-back',
    title: 'a fee of 100 is paid, a coupon of 50 % is redeemed, an upgrade to 200 (50.00 paid), back the same day',
    why: '50.00 back, not 100.00',
    life: lifeOf(
      fees('100', '200'),
      [subscribe('100'), pay(0.1), redeem(0.2), to('200', 0.3), pay(0.4), to('100', 0.5)],
      1,
    ),
    expected: { net: { a: '100' } },
    today: { net: { a: '50' } },
  },
  {
    id: 'half-upgrade-and-back-twice',
    title: 'a fee of 100 is paid, a coupon of 50 % is redeemed, an upgrade to 200 and back, twice',
    why: 'the month still costs 100.00',
    life: lifeOf(
      fees('100', '200'),
      [
        ...[subscribe('100'), pay(0.1), redeem(0.2), to('200', 0.3), pay(0.35), to('100', 0.4)],
        ...[to('200', 0.5), pay(0.55), to('100', 0.6)],
      ],
      1,
    ),
    expected: { net: { a: '100' } },
    today: { net: { a: '0' } },
  },
  {
    id: 'half-upgrade-waits-and-back',
    title: 'a fee of 100 is paid, 50 % redeemed, up to 200 and back the same day, both with `add_to_next_invoice`',
    why: '100.00, and 50.00 for the next month: the waiting upgrade goes, not the paid fee',
    life: lifeOf(
      fees('100', '200'),
      [subscribe('100'), pay(0.1), redeem(0.2), toLater('200', 0.3), toLater('100', 0.4)],
      31,
    ),
    expected: { net: { a: '150' } },
    today: { net: { a: '100' } },
  },
  {
    id: 'free-down-and-up',
    title: 'a fee of 100 is paid, 100 % redeemed, down to 0 and up to 100 the same day',
    why: '100.00: the upgrade restores what was taken off',
    life: lifeOf(
      fees('100', '0'),
      [subscribe('100'), pay(0.1), redeem(0.2, percent('100')), to('0', 0.3), to('100', 0.4)],
      1,
    ),
    expected: { net: { a: '100' } },
    today: { net: { a: '0' } },
  },
  {
    id: 'amount-off-fee',
    title: 'a fee of 300 less a coupon of 60.00 once, in advance, canceled on day 10',
    why: '200.00 back: 100 less 60 is 40, 240 was paid',
    life: lifeOf(fees('300'), [subscribe('300', amount('60', 1)), pay(1), cancel(10)], 11),
    expected: { net: { a: '40' } },
    today: { net: { a: '80' } },
  },
  {
    id: 'arrears-credit-then-free',
    title: 'in arrears a fee of 60 to 30 on day 10 (a credit of 20.00), then 100 % off once is redeemed',
    why: 'the invoice is 0.00, the credit too',
    life: lifeOf(
      { '60': { fee: '60', timing: 'in_arrears' }, '30': { fee: '30', timing: 'in_arrears' } },
      [subscribe('60'), to('30', 10), redeem(11, percent('100', 1))],
      31,
    ),
    expected: { net: { a: '0' }, credits: [] },
    today: { net: { a: '-20' }, credits: ['a 20'] },
  },
  {
    id: 'promotional-credit',
    title: 'a promotional credit of 60.00 that expires in a week pays the fee, cancel the same day',
    why: 'a credit of 60.00 with that expiry',
    life: lifeOf(fees('60'), [{ at: 0, do: 'grant', amount: '60', expiresInDays: 7 }, subscribe('60'), cancel(0.5)], 1),
    expected: { credits: ['a 60 until 2027-01-08'] },
    today: { credits: ['a 60'] },
  },
  {
    id: 'two-phases-in-a-pause',
    title: 'two phases, to 40 from day 10 and to 50 from day 20, fall due in one pause from day 5 to day 25',
    why: 'as if only the last had been planned: 50.00 from the resume on, so 30 + 20 * 5 / 30',
    life: lifeOf(
      fees('30', '40', '50'),
      [
        {
          ...{ at: 0, do: 'subscribe', plan: '30' },
          phases: [
            { inDays: 10, plan: '40' },
            { inDays: 20, plan: '50' },
          ],
        },
        { at: 5, do: 'pause' },
        { at: 25, do: 'resume' },
        { at: 26, do: 'cancel', atEnd: true, fee: 'charge_full', invoicing: 'now' },
      ],
      31,
    ),
    expected: { net: { a: '33.33' } },
    today: { net: { a: '35' } },
  },
];

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
    today: { net: { a: '10' } },
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
    today: { net: { a: '10' } },
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
