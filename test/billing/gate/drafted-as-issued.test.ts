import { expect, test } from 'vitest';
import type { Life } from '../lives/life.ts';
import { compareDraft, textOf } from './compare.ts';
import { ARREARS, FREE_ARREARS, lifeOf, QUARTER } from './known-difference.ts';

/** Lives whose drafts once differed from the invoices that followed, each with the draft and the invoices that it has. */
const LIVES: [title: string, life: Life, bills: string[]][] = [
  [
    'a fee of 90 in arrears with 50 % off, an upgrade to 354 on day 23 with `invoice_now`, a cancel on day 29',
    lifeOf(
      { '90': { ...ARREARS, fee: '90' }, '354': { ...ARREARS, fee: '354' } },
      { at: 0, do: 'subscribe', plan: '90', discounts: [{ off: { percent: '50' }, periods: null }] },
      { at: 1, do: 'switch', plan: '354', invoicing: 'now', inDays: 22 },
      { at: 2, do: 'cancel', invoicing: 'now', inDays: 27 },
    ),
    [
      'proration 2027-01-24: proration 61.6, discount -30.8; due 30.8',
      'closing 2027-01-30: recurring_fee 87, proration -4.4, discount -43.5; due 39.1',
    ],
  ],
  [
    'an upgrade with `add_to_next_invoice` and a cancel with `invoice_now`',
    lifeOf(
      { free: { fee: '0' }, month: { fee: '30' } },
      { at: 0, do: 'subscribe', plan: 'free' },
      { at: 1, do: 'switch', plan: 'month', inDays: 22 },
      { at: 2, do: 'cancel', invoicing: 'now', inDays: 27 },
    ),
    ['closing 2027-01-30: proration 7, proration -1; due 6'],
  ],
  [
    'an upgrade on day 22 of a period, a downgrade on day 12 of the next',
    lifeOf(
      { free: FREE_ARREARS, month: ARREARS },
      { at: 0, do: 'subscribe', plan: 'free' },
      { at: 20, do: 'switch', plan: 'month', inDays: 2 },
      { at: 33, do: 'switch', plan: 'free', inDays: 9 },
    ),
    ['period 2027-03-02: recurring_fee 30, credit -18; due 12'],
  ],
  [
    'the same with an amount off, which takes what no credit takes',
    lifeOf(
      { free: FREE_ARREARS, month: ARREARS },
      { at: 0, do: 'subscribe', plan: 'free', discounts: [{ off: { amount: '60' }, periods: null }] },
      { at: 1, do: 'switch', plan: 'month', inDays: 15, invoicing: 'now' },
      { at: 32, do: 'switch', plan: 'free', inDays: 3 },
    ),
    ['period 2027-03-02: recurring_fee 30, discount -5, credit -25; due 0'],
  ],
  [
    'a quarter with usage months, two upgrades of which one was charged at once, and a downgrade',
    lifeOf(
      { units: { ...QUARTER, fee: '0' }, '30': QUARTER, '47.11': { ...QUARTER, fee: '47.11' } },
      { at: 0, do: 'subscribe', plan: 'units' },
      { at: 6, do: 'switch', plan: '30', inDays: 8 },
      { at: 59, do: 'switch', plan: '47.11', invoicing: 'now', inDays: 4 },
      { at: 66, do: 'switch', plan: 'units', inDays: 1 },
      { at: 66, do: 'attach', price: '20', isOnce: true },
    ),
    ['period 2027-04-01: addon 20, credit -5.13, credit -6.91; due 7.96'],
  ],
  [
    'a planned cancel of a customer with a payer, behind an upgrade that was charged at once',
    {
      customers: [{ id: 'p' }, { id: 'a', billedTo: 'p' }],
      plans: {
        '47.11': { fee: '47.11', days: 90 },
        '100': { fee: '100', days: 90, components: [{ metric: 'calls', price: '0.5', prepaid: '20' }] },
      },
      steps: [
        { at: 0, customer: 'a', do: 'subscribe', plan: '47.11' },
        { at: 7, customer: 'a', do: 'cancel', invoicing: 'now', inDays: 35 },
        { at: 14, customer: 'a', do: 'switch', plan: '100', invoicing: 'now', inDays: 1 },
        { at: 28, customer: 'p', do: 'pay' },
      ],
      until: 100,
    },
    ['closing 2027-02-12: a: prepaid_units calls x20 10, a: usage calls x0 0, credit -10; due 0'],
  ],
  [
    "a payer's planned cancel without usage beside another's fee",
    {
      customers: [{ id: 'p' }, { id: 'a', billedTo: 'p' }],
      plans: { calls: { fee: '0', components: [{ metric: 'calls', price: '1' }] }, month: { fee: '30' } },
      steps: [
        { at: 0, customer: 'p', do: 'subscribe', plan: 'calls' },
        { at: 0, customer: 'a', do: 'subscribe', plan: 'month' },
        { at: 5, customer: 'p', do: 'cancel', inDays: 24 },
      ],
      until: 100,
    },
    ['period 2027-01-31: a: recurring_fee 30; due 30'],
  ],
  [
    "another's planned cancel beside the end of a payer's trial",
    {
      customers: [{ id: 'p' }, { id: 'a', billedTo: 'p' }],
      plans: { month: { fee: '30' }, free: { fee: '0' } },
      steps: [
        { at: 0, customer: 'a', do: 'subscribe', plan: 'free' },
        { at: 5, customer: 'a', do: 'cancel', inDays: 20 },
        { at: 16, customer: 'p', do: 'subscribe', plan: 'month', trialDays: 14 },
      ],
      until: 100,
    },
    ['opening 2027-01-31: recurring_fee 30; due 30'],
  ],
  [
    'a planned cancel of a subscription without a fee',
    lifeOf(
      { month: FREE_ARREARS },
      { at: 0, do: 'subscribe', plan: 'month' },
      { at: 1, do: 'cancel', inDays: 19, invoicing: 'now' },
    ),
    [],
  ],
  [
    "a cancel at which nothing is due, whose credit pays another's invoice",
    {
      customers: [{ id: 'p' }, { id: 'a', billedTo: 'p' }],
      plans: { quarter: { fee: '30', days: 90 } },
      steps: [
        { at: 0, customer: 'a', do: 'subscribe', plan: 'quarter' },
        { at: 12, customer: 'p', do: 'subscribe', plan: 'quarter' },
        { at: 53, customer: 'p', do: 'pay' },
        { at: 62, customer: 'a', do: 'cancel', inDays: 13 },
      ],
      until: 100,
    },
    ['period 2027-04-13: recurring_fee 30, credit -5; due 25'],
  ],
];

test.each(LIVES)('%s', (_, life, bills) => {
  const [one] = compareDraft(life).compared;
  expect(one?.drafted.map(textOf)).toEqual(one?.issued.map(textOf));
  expect(one?.issued.map(textOf)).toEqual(bills);
});
