import { expect, test } from 'vitest';
import { statusAfterPause } from '../../../billing/periods/pauses.ts';
import { periodOf } from '../../../billing/periods/periods.ts';
import { type CancelRequest, decideCancel } from '../../../billing/subscriptions/cancel.ts';
import { assertNotBelowUsed, periodOfPrepaidChange } from '../../../billing/subscriptions/prepaid-changes.ts';
import { nextSubscriptionStatus, type SubscriptionStatus } from '../../../billing/subscriptions/states.ts';
import { decimal } from '../../../core/decimal.ts';
import { DomainError } from '../../../core/domain-error.ts';
import { at } from '../fixtures.ts';

const STATES = ['pending', 'active', 'paused', 'canceled', 'expired'] as const;

/** 2026-03-01 to 03-31, as a subscription that renews has it; it is noon on the 11th. */
const TERMS = {
  startDate: '2026-03-01',
  billingPeriod: 'monthly',
  usagePeriod: 'billing_period',
  anchorDate: null,
  timeZone: 'UTC',
} as const;
const currentPeriod = periodOf(TERMS, 0);
const noon = at('2026-03-11T12:00:00Z');

function cancel(cancelAt: CancelRequest['cancelAt'], invoicingBehavior: CancelRequest['invoicingBehavior']) {
  return (status: SubscriptionStatus) => {
    const request = { cancelAt, invoicingBehavior, flatFeeBehavior: 'charge_prorated', billUsage: true } as const;
    return decideCancel({ status, currentPeriod }, request, { at: noon, timeZone: 'UTC' }).kind;
  };
}

/** Of 100 units 40 are used. */
function prepay(units: number, when = noon) {
  return (status: SubscriptionStatus) => {
    const { index } = periodOfPrepaidChange(
      { status, currentPeriod, autoRenew: true, plannedCancel: null },
      TERMS,
      when,
    );
    assertNotBelowUsed({ before: decimal(100), after: decimal(units) }, decimal(40));
    return `period ${index}`;
  };
}

const pause = (resumesAt: number | null) => (status: SubscriptionStatus) => statusAfterPause(status, resumesAt, noon);

type Row = [what: string, outcome: (status: SubscriptionStatus) => string, ...expected: string[]];

/** What every state makes of every call and its options (spec/subscriptions): the outcome, or the code of the refusal. */
const NEXT = 'add_to_next_invoice';
const NOW = 'invoice_now';
const TABLE: Row[] = [
  // pending, active, paused, canceled, expired
  ['cancel immediately, next invoice', cancel('immediately', NEXT), 'now', 'now', 'now', 'conflict', 'conflict'],
  ['cancel immediately, invoice now', cancel('immediately', NOW), 'now', 'now', 'conflict', 'conflict', 'conflict'],
  ['cancel today, next invoice', cancel('2026-03-11', NEXT), 'now', 'now', 'now', 'conflict', 'conflict'],
  ['cancel today, invoice now', cancel('2026-03-11', NOW), 'now', 'now', 'conflict', 'conflict', 'conflict'],
  ['cancel at the end', cancel('end_of_period', NEXT), 'planned', 'planned', 'planned', 'conflict', 'conflict'],
  [
    'cancel at the end, invoice now',
    cancel('end_of_period', NOW),
    'planned',
    'planned',
    'conflict',
    'conflict',
    'conflict',
  ],
  ['cancel on a later date', cancel('2026-03-12', NEXT), 'planned', 'planned', 'planned', 'conflict', 'conflict'],
  ['cancel in a later period', cancel('2026-07-01', NEXT), 'planned', 'planned', 'planned', 'conflict', 'conflict'],
  ['cancel later, invoice now', cancel('2026-03-12', NOW), 'planned', 'planned', 'conflict', 'conflict', 'conflict'],
  ['cancel on a past date', cancel('2026-03-10', NEXT), 'invalid', 'invalid', 'invalid', 'invalid', 'invalid'],
  ['withdraw a cancel', cancel(null, NEXT), 'withdrawn', 'withdrawn', 'withdrawn', 'conflict', 'conflict'],
  ['withdraw, invoice now', cancel(null, NOW), 'withdrawn', 'withdrawn', 'withdrawn', 'conflict', 'conflict'],
  ['pause', pause(null), 'conflict', 'paused', 'conflict', 'conflict', 'conflict'],
  ['pause until later', pause(noon + 1), 'conflict', 'paused', 'conflict', 'conflict', 'conflict'],
  ['pause until now', pause(noon), 'invalid', 'invalid', 'invalid', 'invalid', 'invalid'],
  [
    'resume',
    (status) => nextSubscriptionStatus(status, 'resume'),
    'conflict',
    'conflict',
    'active',
    'conflict',
    'conflict',
  ],
  ['more prepaid units', prepay(150), 'conflict', 'period 0', 'conflict', 'conflict', 'conflict'],
  ['as many prepaid units', prepay(100), 'conflict', 'period 0', 'conflict', 'conflict', 'conflict'],
  ['as few as are used', prepay(40), 'conflict', 'period 0', 'conflict', 'conflict', 'conflict'],
  ['fewer than are used', prepay(39), 'conflict', 'conflict', 'conflict', 'conflict', 'conflict'],
  [
    'prepaid, period over',
    prepay(150, currentPeriod.endsAt),
    'conflict',
    'period 1',
    'conflict',
    'conflict',
    'conflict',
  ],
];

test.each(TABLE)('%s', (_, outcome, ...expected) => {
  const outcomes = STATES.map((status) => {
    try {
      return outcome(status);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      // A refusal by the state names it.
      if (error.code === 'conflict') expect(error.message).toContain(status);
      return error.code;
    }
  });
  expect(outcomes).toEqual(expected);
});
