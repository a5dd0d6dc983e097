import { describe, expect, test } from 'vitest';
import {
  type AccessCase,
  countedPeriod,
  decideAccess,
  type Entitlement,
  entitlementToFeature,
  entitlementToMetric,
} from '../../../billing/entitlements/access.ts';
import { periodOf } from '../../../billing/periods/periods.ts';
import type { Feature } from '../../../billing/subscriptions/subscription.ts';
import { decimal } from '../../../core/decimal.ts';
import { at, component, plannedCancelAt } from '../fixtures.ts';

const METRIC = 'metric_1';

function feature(over: Partial<Omit<Feature, 'limit'>> & { limit?: number | null } = {}): Feature {
  const { limit = null, ...rest } = over;
  const named = { featureId: 'feat_1', name: 'exports', included: true, metricId: METRIC, ...rest };
  return { ...named, limit: limit === null ? null : decimal(limit) };
}

/** `-` or `<limit> free <free tier>`, null where there is none. */
function textOf(entitlement: Entitlement | null): string {
  if (entitlement === null) return '-';
  return `${entitlement.limit?.toFixed() ?? null} free ${entitlement.freeLimit?.toFixed() ?? null}`;
}

describe('what a plan gives of a metric', () => {
  const billed = component({ freeTier: decimal(1000) });
  test.each([
    ['nothing names it', [], [], '-'],
    ['a component of another metric', [component({ metricId: 'metric_2' })], [], '-'],
    ['a component bills it: unlimited', [billed], [], 'null free 1000'],
    ['a feature limits it', [], [feature({ limit: 10 })], '10 free null'],
    ["the feature's limit wins over the component", [billed], [feature({ limit: 10 })], '10 free 1000'],
    ['a feature without limit', [], [feature()], 'null free null'],
    [
      'of several limits the widest',
      [],
      [feature({ limit: 10 }), feature({ limit: 30, featureId: 'f2' })],
      '30 free null',
    ],
    ['of several, one unlimited', [], [feature({ limit: 10 }), feature({ featureId: 'f2' })], 'null free null'],
    ['a feature that is not included', [], [feature({ limit: 10, included: false })], '-'],
    ['not included, but billed', [billed], [feature({ limit: 10, included: false })], 'null free 1000'],
    ["another metric's feature", [], [feature({ limit: 10, metricId: 'metric_2' })], '-'],
  ])('%s', (_, components, features, expected) => {
    expect(textOf(entitlementToMetric({ components, features }, METRIC))).toBe(expected);
  });
});

describe('what a plan gives of a feature', () => {
  const billed = component({ freeTier: decimal(1000) });
  test.each([
    ['the plan does not name it', [], [feature({ featureId: 'other' })], '-', undefined],
    ['not included', [billed], [feature({ included: false })], '-', undefined],
    ['on', [], [feature({ metricId: null })], 'null free null', null],
    ['a limit that nothing measures', [], [feature({ limit: 5, metricId: null })], '5 free null', null],
    ['a limit on a metric', [], [feature({ limit: 5 })], '5 free null', METRIC],
    ['a limit on a metric that is billed', [billed], [feature({ limit: 5 })], '5 free 1000', METRIC],
  ])('%s', (_, components, features, expected, metricId) => {
    const entitlement = entitlementToFeature({ components, features }, 'feat_1');
    expect(textOf(entitlement)).toBe(expected);
    expect(entitlement?.metricId).toBe(metricId);
  });
});

type CaseOptions = { status?: 'active' | 'paused'; limit?: number | null; usage?: number | null; named?: boolean };

/** A subscription whose period ends at `resetsAt`, so that an answer shows whose figures it has. */
function caseOf(resetsAt: number, options: CaseOptions = {}): AccessCase {
  const { status = 'active', limit = null, usage = 0, named = true } = options;
  const subscription = { status } as AccessCase['subscription'];
  const entitlement = { metricId: METRIC, limit: limit === null ? null : decimal(limit), freeLimit: null };
  const counted = usage === null || !named ? null : decimal(usage);
  return { subscription, entitlement: named ? entitlement : null, usage: counted, resetsAt };
}

describe('access', () => {
  test.each<[string, AccessCase[], string]>([
    ['no subscription', [], 'false no_subscription null/null left null resets null'],
    ['not in the plan', [caseOf(1, { named: false })], 'false not_in_plan null/null left null resets 1'],
    ['unlimited', [caseOf(1, { usage: 7 })], 'true null 7/null left null resets 1'],
    ['below the limit', [caseOf(1, { usage: 4, limit: 5 })], 'true null 4/5 left 1 resets 1'],
    ['at the limit', [caseOf(1, { usage: 5, limit: 5 })], 'false limit_reached 5/5 left 0 resets 1'],
    ['over the limit', [caseOf(1, { usage: 9, limit: 5 })], 'false limit_reached 9/5 left 0 resets 1'],
    ['a limit of 0', [caseOf(1, { usage: 0, limit: 0 })], 'false limit_reached 0/0 left 0 resets 1'],
    ['negative usage', [caseOf(1, { usage: -2, limit: 5 })], 'true null -2/5 left 7 resets 1'],
    ['a limit that nothing measures', [caseOf(1, { usage: null, limit: 5 })], 'true null null/5 left null resets 1'],
    ['paused', [caseOf(1, { status: 'paused', usage: 9, limit: 5 })], 'true paused 9/5 left 0 resets 1'],
    [
      'paused, and not in the plan',
      [caseOf(1, { status: 'paused', named: false })],
      'false not_in_plan null/null left null resets 1',
    ],
    [
      'the first that grants access is shown',
      [caseOf(1, { usage: 5, limit: 5 }), caseOf(2, { usage: 5, limit: 9 }), caseOf(3)],
      'true null 5/9 left 4 resets 2',
    ],
    [
      'where none does, the newest',
      [caseOf(1, { usage: 6, limit: 6 }), caseOf(2, { usage: 5, limit: 5 })],
      'false limit_reached 5/5 left 0 resets 2',
    ],
    [
      'a limit reached in one, the other does not name it',
      [caseOf(1, { usage: 6, limit: 6 }), caseOf(2, { named: false })],
      'false limit_reached null/null left null resets 2',
    ],
    [
      'paused first, active later',
      [caseOf(1, { status: 'paused', usage: 6, limit: 6 }), caseOf(2)],
      'true paused 6/6 left 0 resets 1',
    ],
  ])('%s', (_, cases, expected) => {
    const { access, reason, usage, limit, remaining, resetsAt } = decideAccess(cases);
    const figures = `${usage?.toFixed() ?? null}/${limit?.toFixed() ?? null} left ${remaining?.toFixed() ?? null}`;
    expect(`${access} ${reason} ${figures} resets ${resetsAt}`).toBe(expected);
  });

  test('each subscription says for itself', () => {
    const cases = [caseOf(1, { usage: 5, limit: 5 }), caseOf(2), caseOf(3, { named: false })];
    expect(decideAccess(cases).perSubscription.map(({ access }) => access)).toEqual([false, true, false]);
  });
});

describe('the period that counts', () => {
  const terms = {
    startDate: '2026-03-01',
    billingPeriod: 'monthly',
    usagePeriod: 'billing_period',
    anchorDate: null,
    timeZone: 'UTC',
  } as const;
  const subscription = { ...terms, currentPeriod: periodOf(terms, 0), autoRenew: true, plannedCancel: null };
  const pause = { pausedAt: at('2026-03-05T00:00:00Z'), pausedOn: '2026-03-05', resumedAt: null, resumedOn: null };
  const resumed = { ...pause, resumedAt: at('2026-03-07T00:00:00Z'), resumedOn: '2026-03-07' };

  /** Days of start, end, excluded intervals and reset. */
  function daysOf({ start, end, excluded, resetsAt }: ReturnType<typeof countedPeriod>): string {
    const day = (instant: number) => new Date(instant).toISOString().slice(5, 10);
    const without = excluded.map(({ startsAt, endsAt }) => ` but ${day(startsAt)}..${day(endsAt)}`).join('');
    return `${day(start)}..${day(end)}${without} resets ${day(resetsAt)}`;
  }

  test.each([
    ['the whole period, also what lies ahead', {}, [], '2026-03-10', '03-01..03-31 resets 03-31'],
    ['without a pause', {}, [resumed], '2026-03-10', '03-01..03-31 but 03-05..03-07 resets 03-31'],
    ['paused now', {}, [pause], '2026-03-10', '03-01..03-31 but 03-05..03-31 resets 03-31'],
    [
      'to a planned cancel',
      { plannedCancel: plannedCancelAt(at('2026-03-20T00:00:00Z')) },
      [],
      '2026-03-10',
      '03-01..03-20 resets 03-31',
    ],
    [
      'a cancel in a later period',
      { plannedCancel: plannedCancelAt(at('2026-04-20T00:00:00Z')) },
      [],
      '2026-03-10',
      '03-01..03-31 resets 03-31',
    ],
    ['its closing waits: the next one', {}, [], '2026-03-31', '03-31..04-30 resets 04-30'],
    ['or the one after', {}, [], '2026-05-02', '04-30..05-30 resets 05-30'],
    ['there is no next one', { autoRenew: false }, [], '2026-03-31', '03-01..03-31 resets 03-31'],
    [
      'nor after a cancel',
      { plannedCancel: plannedCancelAt(at('2026-03-31T00:00:00Z')) },
      [],
      '2026-04-02',
      '03-01..03-31 resets 03-31',
    ],
  ])('%s', (_, over, pauses, now, expected) => {
    const counted = countedPeriod({ ...subscription, ...over }, pauses, 'UTC', at(`${now}T00:00:00Z`));
    expect(daysOf(counted)).toBe(expected);
  });
});
