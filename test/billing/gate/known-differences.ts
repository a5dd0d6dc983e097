import { behindPause, type KnownDifference, lifeOf, some } from './known-difference.ts';

export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [
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
];
