import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Phase } from '../../../billing/subscriptions/agreement.ts';
import {
  ownPhases,
  phaseBegunBy,
  phaseStarts,
  phasesAfter,
  phasesBefore,
  phasesToCome,
  plannedAfterPause,
  versionIn,
  withPhasePlanned,
} from '../../../billing/subscriptions/phases.ts';
import type { Subscription } from '../../../billing/subscriptions/subscription.ts';
import { successorOf } from '../../../billing/subscriptions/switch.ts';
import { decimal } from '../../../core/decimal.ts';
import { addDays } from '../../../core/instants.ts';
import { at, plan, plannedCancelAt, plannedSwitchAt, subscription } from '../fixtures.ts';

/** What is agreed on with a subscription for later dates (spec/subscriptions#phases). */
const phase = (startDate: string, over: Partial<Phase> = {}): Phase => {
  const sent = { planId: null, version: null, overrides: null };
  return { startDate, planId: 'plan_1', version: 1, sent, ...over };
};
const OTHER = { planId: 'plan_2', version: null };
/** Of plan_1, in a period from 2027-01-01 to 2027-02-01 in Paris. */
const held = (phases: Phase[], over: Partial<Subscription> = {}) => {
  const period = { startDate: '2027-01-01', endDate: '2027-02-01', timeZone: 'Europe/Paris' };
  const of = subscription({ planId: 'plan_1', version: 1, phases, ...over });
  const span = { ...period, startsAt: at('2026-12-31T23:00:00Z'), endsAt: at('2027-01-31T23:00:00Z') };
  return { ...of, currentPeriod: { ...of.currentPeriod, ...span, billing: { ...of.currentPeriod.billing, ...span } } };
};
const datesOf = (phases: readonly Phase[]) => phases.map(({ startDate }) => startDate);

describe('a phase of the same plan', () => {
  const phases = [
    phase('2027-02-15', { version: -1 }),
    phase('2027-03-01', { version: -2 }),
    phase('2027-04-10', OTHER),
  ];
  const sub = held([...phases, phase('2027-05-01', { version: 3 })]);

  test('bills the periods that begin on or after its date, until the next one', () => {
    const versions = ['2027-02-14', '2027-02-15', '2027-02-28', '2027-03-01', '2027-06-01'].map((date) => {
      return phaseBegunBy(sub, date)?.version;
    });
    // Of two that begin within a period the later one bills the next; those behind another plan are that one's.
    expect(versions).toEqual([undefined, -1, -1, -2, -2]);
    expect(datesOf(ownPhases(sub))).toEqual(['2027-02-15', '2027-03-01']);
  });

  test('leaves earlier periods the version that they had', () => {
    expect(versionIn({ planId: 'plan_1', version: -1 }, {})).toEqual({ planId: 'plan_1', version: -1 });
    expect(versionIn({ planId: 'plan_1', version: -1 }, { version: 2 })).toEqual({ planId: 'plan_1', version: 2 });
  });
});

describe('a phase of another plan', () => {
  test('is planned as a switch once its date is in the billing period, or its end; what was asked for stays with it', () => {
    const sent = { planId: 'plan_2', version: 4, overrides: { recurringFee: decimal(120) } };
    const agreed = phase('2027-01-20', { planId: 'plan_2', version: -7, sent });
    const planned = withPhasePlanned(held([agreed, phase('2027-03-01')]), 'Asia/Tokyo');
    // Within the period a date is in the zone that the period began with.
    expect(planned.plannedSwitch).toMatchObject({
      ...{ at: at('2027-01-19T23:00:00Z'), newPlanId: 'plan_2', effectiveDate: '2027-01-20' },
      ...{ agreed: { version: -7, overrides: sent.overrides }, phase: sent },
      ...{ invoicingBehavior: 'add_to_next_invoice', usageBehavior: 'transfer_to_new_subscription' },
    });
    expect(datesOf(planned.phases)).toEqual(['2027-03-01']);
    expect(phasesToCome(planned).map(({ startDate }) => startDate)).toEqual(['2027-01-20', '2027-03-01']);
    const atEnd = withPhasePlanned(held([phase('2027-02-01', OTHER)]), 'Europe/Paris').plannedSwitch;
    expect(atEnd).toMatchObject({ at: at('2027-01-31T23:00:00Z') });
    expect(atEnd).not.toHaveProperty('agreed');
  });

  test('comes on its date also where a phase of the same plan has not begun by then, which it overtakes', () => {
    const phases = [phase('2027-01-10', { version: -1 }), phase('2027-01-20', OTHER), phase('2027-03-01', OTHER)];
    const planned = withPhasePlanned(held([...phases, phase('2027-05-01')]), 'Europe/Paris');
    expect(planned.plannedSwitch?.effectiveDate).toBe('2027-01-20');
    expect(phasesToCome(planned).map(({ startDate }) => startDate)).toEqual([...datesOf(phases), '2027-05-01']);
    // Where it is passed over, as the customer has come to hold the plan, or waits for a resume, the first one begins.
    expect(phaseBegunBy(planned, '2027-06-01')?.version).toBe(-1);
    const next = successorOf(planned, plan({ planId: 'plan_2' }), {
      ...{ subscriptionId: 'sub_2', at: at('2027-01-19T23:00:00Z'), timeZone: 'Europe/Paris' },
    });
    expect(datesOf(next.phases)).toEqual(['2027-03-01', '2027-05-01']);
  });

  test.each([
    ['one of a later period', [phase('2027-02-02', OTHER)], {}],
    ['one behind a phase of the same plan that begins before', [phase('2027-02-01'), phase('2027-02-02', OTHER)], {}],
    [
      'one where a switch is planned',
      [phase('2027-01-20', OTHER)],
      { plannedSwitch: plannedSwitchAt(at('2027-01-10T00:00:00Z')) },
    ],
    [
      'one on the day of a planned cancel',
      [phase('2027-01-20', OTHER)],
      { plannedCancel: plannedCancelAt(at('2027-01-19T23:00:00Z')) },
    ],
  ])('%s waits', (_what, phases, over) => {
    const sub = held(phases, over);
    expect(withPhasePlanned(sub, 'Europe/Paris')).toBe(sub);
  });
});

test('whatever is agreed on: each date has one phase, and what has begun and what is to come are all of them', () => {
  const day = fc.integer({ min: 1, max: 400 }).map((n) => addDays('2027-01-01', n));
  const dates = fc.uniqueArray(day, { maxLength: 20, size: 'max' }).map((all) => all.toSorted());
  const plans = fc.array(fc.boolean(), { minLength: 20, maxLength: 20 });
  fc.assert(
    fc.property(dates, plans, day, (starts, isOther, date) => {
      const phases = starts.map((start, i) => phase(start, isOther[i] ? OTHER : { version: i + 1 }));
      const sub = held(phases);
      const begun = phaseBegunBy(sub, date);
      const own = ownPhases(sub);
      expect(begun).toBe(own.filter(({ startDate }) => startDate <= date).at(-1));
      expect([...phasesBefore(phases, date), ...phases.filter(({ startDate }) => startDate >= date)]).toEqual(phases);
      if (begun) expect([...phases.slice(0, phases.indexOf(begun) + 1), ...phasesAfter(phases, begun)]).toEqual(phases);
      const planned = withPhasePlanned(sub, 'Europe/Paris');
      expect(phasesToCome(planned).map(({ startDate }) => startDate)).toEqual(starts);
    }),
  );
});

describe('a resume', () => {
  const march = { at: at('2027-03-10T12:00:00Z'), on: '2027-03-10' };
  const third = { planId: 'plan_3', version: null };
  const paused = (phases: Phase[]) => {
    const end = { endDate: '2027-04-01', endsAt: at('2027-03-31T22:00:00Z') };
    const { currentPeriod, ...planned } = withPhasePlanned(held(phases), 'Europe/Paris');
    return { ...planned, currentPeriod: { ...currentPeriod, billing: { ...currentPeriod.billing, ...end } } };
  };

  test('makes a switch that fell due in the pause, never after the period, and leaves any other', () => {
    const { plannedSwitch, phases } = plannedAfterPause(paused([phase('2027-01-20', OTHER)]), march);
    expect([plannedSwitch?.newPlanId, plannedSwitch?.at, phases]).toEqual(['plan_2', march.at, []]);
    const late = { at: at('2027-04-05T00:00:00Z'), on: '2027-04-05' };
    expect(plannedAfterPause(paused([phase('2027-01-20', OTHER)]), late).plannedSwitch?.at).toBe(
      at('2027-03-31T22:00:00Z'),
    );
    const early = { at: at('2027-01-10T00:00:00Z'), on: '2027-01-10' };
    const before = paused([phase('2027-01-20', OTHER)]);
    expect(plannedAfterPause(before, early).plannedSwitch).toBe(before.plannedSwitch);
    expect(plannedAfterPause(subscription(), march).plannedSwitch).toBeNull();
  });

  test('makes only the last of several phases that fell due in the pause', () => {
    const due = paused([phase('2027-01-20', OTHER), phase('2027-02-20', third), phase('2027-05-01', OTHER)]);
    const { plannedSwitch, phases } = plannedAfterPause(due, march);
    expect([plannedSwitch?.newPlanId, plannedSwitch?.at]).toEqual(['plan_3', march.at]);
    expect(datesOf(phases)).toEqual(['2027-05-01']);
  });

  test('switches nothing if the last of them is back on the plan of now', () => {
    const back = phase('2027-02-20', { version: null });
    const { plannedSwitch, phases } = plannedAfterPause(paused([phase('2027-01-20', OTHER), back]), march);
    expect([plannedSwitch, datesOf(phases)]).toEqual([null, ['2027-02-20']]);
  });
});

test('a phase takes effect with the first billing period that starts on or after its date, another plan on its date', () => {
  const calendar = { billingCalendar: 'anniversary', anchorDay: null } as const;
  const of = held(
    [phase('2027-01-20'), phase('2027-02-10'), phase('2027-02-20'), phase('2027-05-07', OTHER)],
    calendar,
  );
  const { currentPeriod } = of;
  const starts = phaseStarts({ ...of, currentPeriod: { ...currentPeriod, anchorDate: '2027-01-01' } }, 'Europe/Paris');
  expect(starts.map(({ phase: { startDate }, on }) => [startDate, on])).toEqual([
    ['2027-01-20', '2027-02-01'],
    ['2027-02-20', '2027-03-01'],
    ['2027-05-07', '2027-05-07'],
  ]);
});
