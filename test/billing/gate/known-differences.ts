import {
  ARREARS,
  behindPause,
  FREE_ARREARS,
  isSwitchedThenCanceled,
  type KnownDifference,
  lifeOf,
  QUARTER,
  some,
  withCreditsJoined,
  withoutInvoicesOfNothing,
  withoutLinesOfNothing,
} from './known-difference.ts';

export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [
  {
    id: 'coupon-switch-cancel',
    title:
      'a planned cancel behind a planned upgrade takes back what a coupon has left of it, its draft takes back all of it',
    covers: (player, customer) =>
      player
        .contractsOf(customer)
        .some(({ held, discounts }) => isSwitchedThenCanceled(held.subscription) && discounts.length > 0),
    examples: [
      {
        title:
          'a fee of 90 in arrears with 50 % off, an upgrade to 354 on day 23 with `invoice_now`, a cancel on day 29',
        life: lifeOf(
          { '90': { ...ARREARS, fee: '90' }, '354': { ...ARREARS, fee: '354' } },
          { at: 0, do: 'subscribe', plan: '90', discounts: [{ off: { percent: '50' }, periods: null }] },
          { at: 1, do: 'switch', plan: '354', invoicing: 'now', inDays: 22 },
          { at: 2, do: 'cancel', invoicing: 'now', inDays: 27 },
        ),
        drafted: [
          'proration 2027-01-24: proration 61.6, discount -30.8; due 30.8',
          'closing 2027-01-30: recurring_fee 87, proration -8.8, discount -39.1; due 39.1',
        ],
        issued: [
          'proration 2027-01-24: proration 61.6, discount -30.8; due 30.8',
          'closing 2027-01-30: recurring_fee 87, proration -4.4, discount -43.5; due 39.1',
        ],
      },
    ],
  },
  {
    id: 'two-phases',
    title: 'of several phases in one period, or one at its end, the draft knows the first only',
    covers: some((one) => {
      const { plannedSwitch, phases, currentPeriod } = behindPause(one);
      const { endDate } = currentPeriod;
      const next = plannedSwitch?.effectiveDate ?? endDate;
      return next < endDate && phases.some(({ startDate }) => startDate > next && startDate <= endDate);
    }),
    examples: [
      {
        title: 'from 0 to 30 on day 15, and back to 0 on day 17',
        life: lifeOf(
          { free: { fee: '0' }, month: { fee: '30' }, other: { fee: '0' } },
          {
            ...{ at: 0, do: 'subscribe', plan: 'free' },
            phases: [
              { inDays: 15, plan: 'month' },
              { inDays: 17, plan: 'other' },
            ],
          },
        ),
        drafted: ['period 2027-01-31: recurring_fee 30, proration 15; due 45'],
        issued: ['period 2027-01-31: proration 15, credit -13; due 2'],
      },
    ],
  },
  {
    id: 'line-order',
    title:
      'the charge of a planned upgrade comes before what a planned cancel takes back of it, in the draft behind it',
    covers: some(
      (one) => isSwitchedThenCanceled(one) && one.plannedSwitch?.invoicingBehavior === 'add_to_next_invoice',
    ),
    examples: [
      {
        title: 'an upgrade with `add_to_next_invoice` and a cancel with `invoice_now`',
        life: lifeOf(
          { free: { fee: '0' }, month: { fee: '30' } },
          { at: 0, do: 'subscribe', plan: 'free' },
          { at: 1, do: 'switch', plan: 'month', inDays: 22 },
          { at: 2, do: 'cancel', invoicing: 'now', inDays: 27 },
        ),
        drafted: ['closing 2027-01-30: proration -1, proration 7; due 6'],
        issued: ['closing 2027-01-30: proration 7, proration -1; due 6'],
      },
    ],
  },
  {
    id: 'downgrade-in-arrears',
    title: "a planned downgrade in arrears is drafted as if it took back an earlier period's upgrade, too",
    covers: some(
      ({ chargeTiming, plannedSwitch, previousSubscriptionId }) =>
        chargeTiming === 'in_arrears' && plannedSwitch !== null && previousSubscriptionId !== null,
    ),
    examples: [
      {
        title: 'an upgrade on day 22 of a period, a downgrade on day 12 of the next',
        life: lifeOf(
          { free: FREE_ARREARS, month: ARREARS },
          { at: 0, do: 'subscribe', plan: 'free' },
          { at: 20, do: 'switch', plan: 'month', inDays: 2 },
          { at: 33, do: 'switch', plan: 'free', inDays: 9 },
        ),
        drafted: ['period 2027-03-02: recurring_fee 30, credit -8, credit -10; due 12'],
        issued: ['period 2027-03-02: recurring_fee 30, credit -18; due 12'],
      },
      {
        title: 'the same with an amount off, which takes what no credit takes',
        life: lifeOf(
          { free: FREE_ARREARS, month: ARREARS },
          { at: 0, do: 'subscribe', plan: 'free', discounts: [{ off: { amount: '60' }, periods: null }] },
          { at: 1, do: 'switch', plan: 'month', inDays: 15, invoicing: 'now' },
          { at: 32, do: 'switch', plan: 'free', inDays: 3 },
        ),
        drafted: ['period 2027-03-02: recurring_fee 30, discount -19, credit -11; due 0'],
        issued: ['period 2027-03-02: recurring_fee 30, discount -5, credit -25; due 0'],
      },
    ],
  },
  {
    id: 'credit-lines',
    title:
      'what a planned downgrade or cancel credits of several charges is drafted as other credits, or in another order',
    covers: some(
      ({ plannedSwitch, plannedCancel, previousSubscriptionId }) =>
        (plannedSwitch !== null || plannedCancel !== null) && previousSubscriptionId !== null,
    ),
    without: withCreditsJoined,
    examples: [
      {
        title: 'a quarter with usage months, two upgrades of which one was charged at once, and a downgrade',
        life: lifeOf(
          { units: { ...QUARTER, fee: '0' }, '30': QUARTER, '47.11': { ...QUARTER, fee: '47.11' } },
          { at: 0, do: 'subscribe', plan: 'units' },
          { at: 6, do: 'switch', plan: '30', inDays: 8 },
          { at: 59, do: 'switch', plan: '47.11', invoicing: 'now', inDays: 4 },
          { at: 66, do: 'switch', plan: 'units', inDays: 1 },
          { at: 66, do: 'attach', price: '20', isOnce: true },
        ),
        drafted: ['period 2027-04-01: addon 20, credit -6.91, credit -5.13; due 7.96'],
        issued: ['period 2027-04-01: addon 20, credit -5.13, credit -6.91; due 7.96'],
      },
      {
        title: 'a planned cancel of a customer with a payer, behind an upgrade that was charged at once',
        life: {
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
        drafted: [
          'closing 2027-02-12: a: prepaid_units calls x20 10, a: usage calls x0 0, credit -9.25, credit -0.75; due 0',
        ],
        issued: ['closing 2027-02-12: a: prepaid_units calls x20 10, a: usage calls x0 0, credit -10; due 0'],
      },
    ],
  },
  {
    id: 'former-payer',
    title: 'a planned downgrade of a customer that has left its payer credits the payer, whose draft does not know',
    covers: (player, customer) =>
      player
        .contractsPaidBefore(customer)
        .some(({ held: { subscription: one } }) => one.plannedSwitch || one.plannedCancel),
    examples: [
      {
        title: 'a fee of 60 that the payer was billed, to 30 on day 18 of the period',
        life: {
          customers: [{ id: 'p' }, { id: 'a', billedTo: 'p' }],
          plans: { '30': { fee: '30' }, '60': { fee: '60' } },
          steps: [
            { at: 0, customer: 'p', do: 'subscribe', plan: '30' },
            { at: 0, customer: 'a', do: 'subscribe', plan: '60' },
            { at: 38, customer: 'a', do: 'bill_to', payer: null },
            { at: 40, customer: 'a', do: 'switch', plan: '30', inDays: 8 },
          ],
          until: 100,
        },
        drafted: ['period 2027-03-02: recurring_fee 30; due 30'],
        issued: ['period 2027-03-02: recurring_fee 30, credit -12; due 18'],
      },
    ],
  },
  {
    id: 'lines-of-nothing',
    title: 'what a planned cancel leaves for a later invoice has no lines of zero, its draft has',
    covers: some(({ plannedCancel }) => plannedCancel?.invoicingBehavior === 'add_to_next_invoice'),
    without: withoutLinesOfNothing,
    examples: [
      {
        title: "a payer's planned cancel without usage beside another's fee",
        life: {
          customers: [{ id: 'p' }, { id: 'a', billedTo: 'p' }],
          plans: { calls: { fee: '0', components: [{ metric: 'calls', price: '1' }] }, month: { fee: '30' } },
          steps: [
            { at: 0, customer: 'p', do: 'subscribe', plan: 'calls' },
            { at: 0, customer: 'a', do: 'subscribe', plan: 'month' },
            { at: 5, customer: 'p', do: 'cancel', inDays: 24 },
          ],
          until: 100,
        },
        drafted: ['period 2027-01-31: usage calls x0 0, a: recurring_fee 30; due 30'],
        issued: ['period 2027-01-31: a: recurring_fee 30; due 30'],
      },
    ],
  },
  {
    id: 'kind-of-sections',
    title: 'a planned cancel at which nothing is due decides the kind of the draft that others share',
    covers: (player, customer) =>
      player.contractsOf(customer).length > 1 &&
      some(({ plannedCancel }) => plannedCancel?.invoicingBehavior === 'add_to_next_invoice')(player, customer),
    without: (bills) => bills.map((bill) => ({ ...bill, kind: 'any kind' })),
    examples: [
      {
        title: "another's planned cancel beside the end of a payer's trial",
        life: {
          customers: [{ id: 'p' }, { id: 'a', billedTo: 'p' }],
          plans: { month: { fee: '30' }, free: { fee: '0' } },
          steps: [
            { at: 0, customer: 'a', do: 'subscribe', plan: 'free' },
            { at: 5, customer: 'a', do: 'cancel', inDays: 20 },
            { at: 16, customer: 'p', do: 'subscribe', plan: 'month', trialDays: 14 },
          ],
          until: 100,
        },
        drafted: ['period 2027-01-31: recurring_fee 30; due 30'],
        issued: ['opening 2027-01-31: recurring_fee 30; due 30'],
      },
    ],
  },
  {
    id: 'invoices-of-nothing',
    title: 'a closing within a period is not issued if nothing is due, but drafted',
    covers: () => true,
    without: withoutInvoicesOfNothing,
    examples: [
      {
        title: 'a planned cancel of a subscription without a fee',
        life: lifeOf(
          { month: FREE_ARREARS },
          { at: 0, do: 'subscribe', plan: 'month' },
          { at: 1, do: 'cancel', inDays: 19, invoicing: 'now' },
        ),
        drafted: ['closing 2027-01-21: ; due 0'],
        issued: [],
      },
    ],
  },
];
