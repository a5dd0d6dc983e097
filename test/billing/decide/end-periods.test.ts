import { describe, expect, test } from 'vitest';
import { decidePeriodEnds, type PeriodEnd, type PeriodEndsInput } from '../../../billing/decide/end-periods.ts';
import { type Period, periodAfter } from '../../../billing/periods/periods.ts';
import type { Subscription } from '../../../billing/subscriptions/subscription.ts';
import { at, plan, plannedSwitchAt, subscription } from '../fixtures.ts';

const NOW = at('2026-03-31T00:00:05Z');
const INPUT: PeriodEndsInput = {
  account: { invoiceGraceSeconds: 3600 },
  timeZone: 'UTC',
  addons: new Map(),
  free: new Set(),
  planOf: ({ planId, version }) => plan({ planId, version, versionId: `planv_${version}` }),
  now: NOW,
};

function afterOf(one: Subscription): Period {
  return periodAfter({ ...one, timeZone: 'UTC' }, one.currentPeriod);
}

function endOf(over: Partial<Subscription> = {}, next?: Partial<Period> | null): PeriodEnd {
  const ended = subscription(over);
  const following = next === null ? null : { ...afterOf(ended), ...next };
  return { subscription: ended, next: following, isCanceled: false, switched: null };
}

describe('the end of a period', () => {
  test('begins the next one, and leaves the invoice for after the grace', () => {
    const end = endOf();
    const { changes, begun, renewed } = decidePeriodEnds([end], INPUT);
    const { currentPeriod } = end.subscription;
    expect(changes.periodsEnded).toEqual([
      {
        ...{ subscriptionId: 'sub_1', periodIndex: 0, closedAt: NOW, addons: [] },
        invoiceDueAt: currentPeriod.endsAt + 3_600_000,
      },
    ]);
    expect(changes.periodsAdded).toEqual([{ ...end.next, subscriptionId: 'sub_1' }]);
    expect(changes.subscriptionsChanged).toEqual([]);
    expect(begun.map(({ currentPeriod: { index } }) => index)).toEqual([1]);
    expect(renewed).toEqual([{ old: end.subscription, subscription: begun[0] }]);
  });

  test('of a free trial has no grace', () => {
    const { changes } = decidePeriodEnds([endOf()], { ...INPUT, free: new Set(['sub_1']) });
    expect(changes.periodsEnded).toMatchObject([{ invoiceDueAt: subscription().currentPeriod.endsAt }]);
  });

  test('in a pause waits for the resume, and is not published', () => {
    const { changes, renewed } = decidePeriodEnds([endOf({ status: 'paused' })], INPUT);
    expect(changes.periodsEnded).toMatchObject([{ invoiceDueAt: null, addons: null }]);
    expect(renewed).toEqual([]);
  });

  test('that is the last in a pause is invoiced after the grace', () => {
    const { changes, begun } = decidePeriodEnds([endOf({ status: 'paused' }, null)], INPUT);
    expect(changes.periodsEnded).toMatchObject([{ invoiceDueAt: subscription().currentPeriod.endsAt + 3_600_000 }]);
    expect(begun).toEqual([]);
    expect(changes.periodsAdded).toEqual([]);
  });

  test('drops a switch that could not be made', () => {
    const { endsAt } = subscription().currentPeriod;
    const { changes, renewed } = decidePeriodEnds([endOf({ plannedSwitch: plannedSwitchAt(endsAt) })], INPUT);
    expect(changes.subscriptionsChanged).toEqual([renewed[0]?.subscription]);
    expect(renewed[0]?.subscription.plannedSwitch).toBeNull();
  });

  test('begins a phase of the same plan', () => {
    const sent = { planId: null, version: 4, overrides: null };
    const { startDate } = afterOf(subscription());
    const phases = [{ startDate, planId: 'basic', version: 4, sent }];
    const { changes, begun } = decidePeriodEnds([endOf({ phases }, { version: 4 })], INPUT);
    expect(changes.versionsBegun).toEqual([{ subscriptionId: 'sub_1', version: 4, versionBefore: 3, periodIndex: 1 }]);
    expect(changes.phasesReplaced).toEqual([{ subscriptionId: 'sub_1', phases: [] }]);
    expect(begun).toMatchObject([{ version: 4, versionId: 'planv_4', phases: [] }]);
    expect(begun[0]?.currentPeriod.version).toBeUndefined();
  });
});
