import { expect, test } from 'vitest';
import { chargesInTurn } from '../../../billing/invoices/charges-in-turn.ts';
import { periodAfter, periodOf } from '../../../billing/periods/periods.ts';
import { prorationAmount } from '../../../billing/pricing/proration-amount.ts';
import { decimal, toPlain, ZERO } from '../../../core/decimal.ts';
import { addDays } from '../../../core/instants.ts';
import { at, boundaryOf, plan, switchedOf } from '../fixtures.ts';

const MONTHLY = {
  startDate: '2026-03-01',
  billingPeriod: 'monthly',
  usagePeriod: 'billing_period',
  anchorDate: null,
  timeZone: 'UTC',
} as const;
const period = periodOf(MONTHLY, 0);
const { startsAt, startDate } = period;

/**
 * Subscriptions switched from 10 to 100 on day 0, in arrears, each charged 90 (with tax more) by one invoice of another of the
 * customer's; paused from day 10 to day 20, so that 30 of each was not used. Of the invoice `left` can still go back.
 */
function takenBack(left: number, taxRate = ZERO): string[][] {
  const { charge } = chargesInTurn();
  const pause = { pausedOn: addDays(startDate, 10), resumedOn: addDays(startDate, 20) };
  const pauses = [
    { pausedAt: at(`${pause.pausedOn}T00:00:00Z`), resumedAt: at(`${pause.resumedOn}T00:00:00Z`), ...pause },
  ];
  const [basic, pro] = [10, 100].map((fee) =>
    plan({ planId: `plan_${fee}`, recurringFee: decimal(fee), components: [] }),
  );
  return ['sub_a', 'sub_b'].map((subscriptionId) => {
    const began = { subscriptionId, at: startsAt, on: startDate };
    const plans = [basic, pro].map((of = plan()) => ({ ...began, plan: of }));
    const [amount, charges] = [decimal(90), decimal(180)];
    const shared = { invoiceId: 'inv_x', taxRate, amount, charges, left: decimal(left), unpaid: ZERO };
    const switchCharges = [{ subscriptionId, at: startsAt, ...shared }];
    const ended = switchedOf(plans, period, { pauses });
    const { prorations } = charge({ ...boundaryOf(pro ?? plan(), { ended: period, pauses }), ended, switchCharges });
    return prorations.map((one) => `${toPlain(prorationAmount(one))} of ${one.givenBackOf}`);
  });
}

/** spec/credits#given-back-once */
test.each<[string, string[][]]>([
  ['180', [['-30 of inv_x'], ['-30 of inv_x']]],
  ['45', [['-30 of inv_x'], ['-15 of inv_x']]],
  ['30', [['-30 of inv_x'], []]],
])('closed together, two subscriptions take back no more than %s that is left of one invoice', (left, expected) => {
  expect(takenBack(Number(left))).toEqual(expected);
});

/** Three periods that waited for a resume, paid in advance: an add-on once, the other for each period once (spec/plans#add-ons). */
test('an add-on is charged once, also where periods are charged together', () => {
  const ahead = plan({ chargeTiming: 'in_advance', components: [] });
  const terms = { quantity: 1, from: 0, to: null, billedTo: null, price: decimal(5) };
  const addons = (['one_time', 'recurring'] as const).map((kind) => {
    return { ...terms, kind, addonId: kind, name: kind, addonSubscriptionId: kind };
  });
  const periods = [period];
  for (let i = 0; i < 3; i++) periods.push(periodAfter(MONTHLY, periods[i] ?? period));
  const { charge } = chargesInTurn();
  const charged = periods.slice(0, 3).map((ended, i) => {
    const boundary = { ...boundaryOf(ahead, { ended, next: periods[i + 1] ?? null }), addons };
    return charge(boundary).addons.map(({ addonId, periodIndex }) => `${addonId} ${periodIndex}`);
  });
  expect(charged).toEqual([['one_time 0', 'recurring 0', 'recurring 1'], ['recurring 2'], ['recurring 3']]);
});

/** 30 and its tax of 20 % are 36; of 48 that leaves 12, and that is 10 and its tax. */
test('what is left is counted with its tax', () => {
  expect(takenBack(48, decimal(20))).toEqual([['-30 of inv_x'], ['-10 of inv_x']]);
});
