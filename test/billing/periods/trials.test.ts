import { describe, expect, test } from 'vitest';
import { boundaryCharges } from '../../../billing/invoices/boundary-charges.ts';
import { headOfEnd, openingPart } from '../../../billing/invoices/opening-invoice.ts';
import { periodAfter } from '../../../billing/periods/periods.ts';
import { nextBoundary } from '../../../billing/periods/schedule.ts';
import { movedTrial, trialEnd, trialPeriod } from '../../../billing/periods/trials.ts';
import { successionOf, successorPeriod } from '../../../billing/subscriptions/switch.ts';
import { decimal } from '../../../core/decimal.ts';
import { at, boundaryOf, component, plan, subscription, wholeOf } from '../fixtures.ts';

/** Trials (spec/subscriptions#trials). */
const FROM = { startDate: '2027-01-17', endDate: '2027-01-31', timeZone: 'UTC' };
const datesAfter = (of: ReturnType<typeof plan>, count: number) => {
  let period = trialPeriod(of, FROM);
  return Array.from({ length: count }, () => {
    period = periodAfter({ ...of, timeZone: 'UTC' }, period);
    return [period.startDate, period.endDate, period.days, period.index, period.billing.index];
  });
};

describe('billing periods are counted from the end of the trial', () => {
  test('by fixed days', () => {
    expect(datesAfter(plan(), 2)).toEqual([
      ['2027-01-31', '2027-03-02', 30, 1, 1],
      ['2027-03-02', '2027-04-01', 30, 2, 2],
    ]);
  });

  test('by anniversary from that day, by the calendar from its next anchor', () => {
    expect(datesAfter(plan({ billingCalendar: 'anniversary' }), 2)).toEqual([
      ['2027-01-31', '2027-02-28', 28, 1, 1],
      ['2027-02-28', '2027-03-31', 31, 2, 2],
    ]);
    expect(datesAfter(plan({ billingCalendar: 'calendar', anchorDay: 10 }), 2)).toEqual([
      ['2027-01-31', '2027-02-10', 31, 1, 1],
      ['2027-02-10', '2027-03-10', 28, 2, 2],
    ]);
  });
});

test('it ends as it is asked for, else by the plan', () => {
  const offering = { trial: { days: 14, billsUsage: false } };
  expect(trialEnd('2027-01-17', {}, offering)).toBe('2027-01-31');
  expect(trialEnd('2027-01-17', { days: 0 }, offering)).toBeNull();
  expect(trialEnd('2027-01-17', { days: 1 }, {})).toBe('2027-01-18');
  expect(trialEnd('2027-01-17', { endsOn: '2027-02-01' }, offering)).toBe('2027-02-01');
  expect(() => trialEnd('2027-01-17', { endsOn: '2027-01-17' }, {})).toThrow();
});

test('its end is told three days before it, of a shorter one when it begins', () => {
  const position = { status: 'active', pendingInvoice: null, plannedCancel: null, plannedSwitch: null } as const;
  const rest = { resumesAt: null, billsAt: null };
  const openPeriod = trialPeriod(plan(), FROM);
  const notice = { kind: 'trial_will_end', dueAt: at('2027-01-28T00:00:00Z'), periodIndex: 0 };
  expect(nextBoundary({ ...position, ...rest, openPeriod })).toEqual(notice);
  const told = { ...openPeriod, trial: { noticeAt: null } };
  expect(nextBoundary({ ...position, ...rest, openPeriod: told })?.kind).toBe('close_period');
  const short = trialPeriod(plan(), { ...FROM, endDate: '2027-01-18' });
  expect(short.trial?.noticeAt).toBe(short.startsAt);
});

test('it may end on another day after today while it goes on', () => {
  const period = trialPeriod(plan(), FROM);
  const now = { at: at('2027-01-20T12:00:00Z'), today: '2027-01-20' };
  expect(movedTrial(plan(), period, '2027-02-15', now).endDate).toBe('2027-02-15');
  expect(() => movedTrial(plan(), period, '2027-01-20', now)).toThrow(expect.objectContaining({ code: 'invalid' }));
  const over = { at: period.endsAt, today: '2027-01-31' };
  expect(() => movedTrial(plan(), period, '2027-02-15', over)).toThrow(expect.objectContaining({ code: 'conflict' }));
});

describe('costs', () => {
  const ahead = plan({ chargeTiming: 'in_advance', components: [component({ prepaidUnits: decimal(10) })] });
  const ended = trialPeriod(ahead, FROM);
  const next = periodAfter({ ...ahead, timeZone: 'UTC' }, ended);

  test('nothing at its start; at its end what begins then', () => {
    const first = wholeOf(ahead, ended);
    expect(openingPart({ ...boundaryOf(ahead, { ended }), first }, { currency: 'USD' })).toBeNull();
    const boundary = { ...boundaryOf(ahead, { ended, next }), windows: [] };
    const { fees, prepaid, usages } = boundaryCharges(boundary);
    expect(fees.map(({ fee, periodStart }) => [fee.toFixed(), periodStart])).toEqual([['29', next.startsAt]]);
    expect(prepaid.map(({ units }) => units.toFixed())).toEqual(['10']);
    expect(usages).toEqual([]);
    expect(headOfEnd(boundary, 'period')).toMatchObject({ kind: 'opening', period: { index: 1 } });
  });

  test('usage where the plan bills it, without units that are prepaid later', () => {
    const boundary = boundaryOf(ahead, { ended, next, used: { metric_1: 12 } });
    const { fees, usages } = boundaryCharges(boundary);
    expect(fees).toHaveLength(1);
    expect(usages.map(({ quantity, prepaidUnits }) => [quantity.toFixed(), prepaidUnits.toFixed()])).toEqual([
      ['12', '0'],
    ]);
    expect(headOfEnd(boundary, 'period').kind).toBe('period');
  });

  test('no fee where it is canceled, by any behavior', () => {
    for (const flatFeeBehavior of ['charge_prorated', 'charge_full', 'refund'] as const) {
      const ending = { at: at('2027-01-20T12:00:00Z'), on: '2027-01-20', flatFeeBehavior, billUsage: true };
      expect(boundaryCharges({ ...boundaryOf(plan(), { ended, ending }), windows: [] }).fees).toEqual([]);
    }
  });
});

test('a switch keeps it, and counts what follows by the new plan', () => {
  const old = subscription({ currentPeriod: trialPeriod(plan(), FROM) });
  const next = plan({ planId: 'plan_2', billingPeriod: 'annual', billingCalendar: 'anniversary' });
  const now = at('2027-01-20T12:00:00Z');
  expect(successionOf(old, next, now)).toBe('carries_on');
  const period = successorPeriod(old, next, now, 'UTC');
  expect(period).toMatchObject({ startDate: '2027-01-17', endDate: '2027-01-31', anchorDate: '2027-01-31' });
  expect(periodAfter({ ...next, timeZone: 'UTC' }, period).endDate).toBe('2028-01-31');
});
