import { describe, expect, test } from 'vitest';
import { changeSetFromJson, changeSetToJson } from '../../../billing/change-set.ts';
import {
  decideInheritance,
  decideNewSubscription,
  decideReplacement,
} from '../../../billing/decide/begin-subscription.ts';
import {
  decideEnd,
  decideEndOfAll,
  decideNothingLeft,
  decidePlannedCancel,
  decidePlannedSwitch,
} from '../../../billing/decide/end-subscription.ts';
import { decidePause, decideResume } from '../../../billing/decide/pause.ts';
import type { Phase } from '../../../billing/subscriptions/agreement.ts';
import { decimal } from '../../../core/decimal.ts';
import { at, plannedCancelAt, plannedSwitchAt, subscription } from '../fixtures.ts';

/** What calls and time change of subscriptions, without a database. */

const NOW = at('2026-03-11T12:00:00Z');

function phase(startDate: string, planId: string): Phase {
  return { startDate, planId, version: 1, sent: { planId, version: null, overrides: null } };
}

describe('a pause', () => {
  test('begins at its instant', () => {
    const { subscription: paused, changes } = decidePause(subscription(), { at: NOW, resumesAt: null, reason: 'rest' });
    expect(paused).toMatchObject({ status: 'paused', paused: { at: NOW, resumesAt: null } });
    expect(changes).toEqual({
      pausesBegun: [{ subscriptionId: 'sub_1', pausedAt: NOW, pausedOn: '2026-03-11', reason: 'rest' }],
      subscriptionsChanged: [paused],
    });
  });

  test('is refused unless the subscription is active', () => {
    const canceled = subscription({ status: 'canceled' });
    expect(() => decidePause(canceled, { at: NOW, resumesAt: null, reason: null })).toThrow('canceled');
  });

  test('ends with a resume, and a switch that fell due in it is planned for then', () => {
    const plannedSwitch = plannedSwitchAt(at('2026-03-06T00:00:00Z'));
    const before = subscription({ status: 'paused', paused: { at: 0, resumesAt: null }, plannedSwitch });
    const { subscription: resumed, changes } = decideResume(before, NOW);
    expect(resumed).toMatchObject({ status: 'active', paused: null, plannedSwitch: { at: NOW } });
    expect(changes).toEqual({
      pausesEnded: [{ subscriptionId: 'sub_1', at: NOW, on: '2026-03-11' }],
      subscriptionsChanged: [resumed],
    });
  });
});

describe('an end', () => {
  test('drops what was planned', () => {
    const before = subscription({ phases: [phase('2026-05-01', 'pro')], plannedSwitch: plannedSwitchAt(NOW + 1) });
    const { subscription: ended, changes } = decideEnd(before, { trigger: 'cancel', at: NOW, billsAt: NOW + 2 });
    expect(ended).toMatchObject({ status: 'canceled', ended: { at: NOW, reason: 'canceled' }, billsAt: NOW + 2 });
    expect(ended).toMatchObject({ plannedSwitch: null, phases: [] });
    expect(changes).toEqual({
      subscriptionsChanged: [ended],
      phasesReplaced: [{ subscriptionId: 'sub_1', phases: [] }],
    });
  });

  test('of a subscription without phases writes none', () => {
    const { changes } = decideEnd(subscription(), { trigger: 'expire', at: NOW });
    expect(changes.phasesReplaced).toEqual([]);
    expect(changes.subscriptionsChanged).toMatchObject([{ status: 'expired', ended: { reason: 'expired' } }]);
  });

  test('of a customer ends each of its subscriptions, and nothing falls due any more', () => {
    const { ended, changes } = decideEndOfAll([subscription(), subscription({ subscriptionId: 'sub_2' })], NOW);
    expect(ended.map(({ status }) => status)).toEqual(['canceled', 'canceled']);
    expect(changes.periodsClosed).toEqual([
      { subscriptionId: 'sub_1', periodIndex: 0, closedAt: NOW },
      { subscriptionId: 'sub_2', periodIndex: 0, closedAt: NOW },
    ]);
    expect(changes.stepsDone).toHaveLength(2);
    expect(decideNothingLeft('c1', ['sub_3'])).toEqual({
      leftToInvoiceDropped: ['c1'],
      stepsDone: [{ kind: 'subscription', subscriptionId: 'sub_3' }],
    });
  });

  test('that is planned drops the phases from its date on', () => {
    const phases = [phase('2026-03-20', 'basic'), phase('2026-03-25', 'basic')];
    const cancel = plannedCancelAt(at('2026-03-22T00:00:00Z'));
    const { subscription: planned, changes } = decidePlannedCancel(subscription({ phases }), cancel, 'UTC');
    expect(planned.plannedCancel).toEqual(cancel);
    expect(changes.phasesReplaced).toEqual([{ subscriptionId: 'sub_1', phases: phases.slice(0, 1) }]);
    const withdrawn = decidePlannedCancel(planned, null, 'UTC');
    expect(withdrawn.subscription.plannedCancel).toBeNull();
    expect(withdrawn.changes.phasesReplaced).toEqual([]);
  });
});

test('a planned switch takes the place of phases', () => {
  const planned = plannedSwitchAt(at('2026-03-25T00:00:00Z'));
  const { subscription: after, changes } = decidePlannedSwitch(
    subscription({ phases: [phase('2026-05-01', 'pro')] }),
    planned,
  );
  expect(after).toMatchObject({ plannedSwitch: planned, phases: [] });
  expect(changes.phasesReplaced).toEqual([{ subscriptionId: 'sub_1', phases: [] }]);
});

describe('a beginning', () => {
  test('stores the subscription with its period and units, and plans a phase of this period as a switch', () => {
    const made = subscription({ phases: [phase('2026-03-20', 'pro'), phase('2026-05-01', 'basic')] });
    const terms = { timeZone: 'UTC', prepaid: [{ metricId: 'metric_1', units: decimal(5) }], usageLeft: null };
    const { subscription: begun, changes } = decideNewSubscription(made, terms);
    expect(begun.plannedSwitch).toMatchObject({ newPlanId: 'pro', at: at('2026-03-20T00:00:00Z') });
    expect(changes.subscriptionsAdded).toEqual([begun]);
    expect(changes.periodsAdded).toEqual([{ ...begun.currentPeriod, subscriptionId: 'sub_1' }]);
    expect(changes.phasesReplaced).toEqual([{ subscriptionId: 'sub_1', phases: begun.phases }]);
    expect(changes.prepaidUnitsAdded).toEqual([{ subscriptionId: 'sub_1', metricId: 'metric_1', units: decimal(5) }]);
    expect(changeSetFromJson(changeSetToJson(changes))).toEqual(changes);
  });

  test('by a switch ends the old subscription', () => {
    const successor = subscription({ subscriptionId: 'sub_2', previousSubscriptionId: 'sub_1' });
    const { subscription: next, changes } = decideReplacement(subscription(), successor, NOW, 'UTC');
    expect(next).toEqual(successor);
    expect(changes.subscriptionsChanged).toMatchObject([
      { subscriptionId: 'sub_1', ended: { at: NOW, reason: 'switched' }, replacedBy: 'sub_2' },
    ]);
    expect(changes.subscriptionsAdded).toEqual([successor]);
    expect(changes.phasesReplaced).toEqual([]);
  });

  test('takes along what is attached, and copies pauses only within a period', () => {
    const move = { from: 'sub_1', to: 'sub_2', hasDiscounts: true };
    const units = [{ metricId: 'metric_1', units: decimal(5) }];
    const inheritance = { periodIndex: 2, billingIndex: 1, units, switched: null };
    expect(decideInheritance(move, inheritance)).toEqual({
      successions: [{ ...move, periodIndex: 2, billingIndex: 1, units, copiesPauses: false }],
      periodsSwitched: [],
    });
    const switched = { plans: [], windows: [], usageFrom: { all: NOW, metrics: {} } };
    const within = decideInheritance(move, { ...inheritance, switched });
    expect(within.successions).toMatchObject([{ copiesPauses: true }]);
    expect(within.periodsSwitched).toEqual([{ subscriptionId: 'sub_2', switched }]);
  });
});
