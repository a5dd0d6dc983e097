import { expect, test } from 'vitest';
import { periodOf } from '../../../billing/periods/periods.ts';
import { switchedIn, usageWindows } from '../../../billing/periods/usage-windows.ts';
import { assertStartsAfter, type EarlierLife, usageLeftBy } from '../../../billing/subscriptions/earlier-lives.ts';
import { decimal } from '../../../core/decimal.ts';
import { at, component, plan } from '../fixtures.ts';

const TERMS = { startDate: '2026-03-10', billingPeriod: 'quarterly', anchorDate: null, timeZone: 'UTC' } as const;
const PERIOD = periodOf({ ...TERMS, usagePeriod: 'monthly' }, 0);
const PLAN = plan({ planId: 'new', components: [component({ metricId: 'calls' }), component({ metricId: 'tokens' })] });
const day = (date: string, time = '00:00') => at(`2026-03-${date}T${time}:00Z`);

function life(startsAt: number, endedAt: number | null, over: Partial<EarlierLife> = {}): EarlierLife {
  return { subscriptionId: 'old', previousId: null, planId: 'old', startsAt, endedAt, metricIds: ['calls'], ...over };
}

function usageFrom(lives: EarlierLife[], createdAt: number) {
  const left = usageLeftBy(lives, { plan: PLAN, period: PERIOD, at: createdAt, unitsOf: () => decimal(0) });
  return left && { windows: left.windows.map(({ startsAt, endsAt }) => [startsAt, endsAt]), ...left.usageFrom };
}

test('the morning of a subscription that was canceled at noon is not billed by the one behind it', () => {
  const left = usageFrom([life(day('01'), day('10', '12:00'))], day('10', '15:00'));
  expect(left).toEqual({ windows: [], all: day('10'), metrics: { calls: day('10', '12:00') } });
});

test('while an earlier subscription goes on, only usage after the creation is billed twice', () => {
  const left = usageFrom([life(day('01'), null)], day('12'));
  expect(left).toEqual({ windows: [], all: day('10'), metrics: { calls: day('12') } });
});

test('usage before an earlier subscription began is billed', () => {
  const left = usageFrom([life(day('11'), null)], day('12'));
  expect(left?.windows).toEqual([[day('10'), day('11')]]);
  expect(left?.metrics).toEqual({ calls: day('12') });
});

test('subscriptions that switches connect bill the metrics of all their plans', () => {
  const first = life(day('01'), day('11'), { metricIds: [] });
  const second = life(day('11'), null, { subscriptionId: 'next', previousId: 'old' });
  expect(usageFrom([first, second], day('12'))?.metrics).toEqual({ calls: day('12') });
});

test('a subscription to metrics of its own bills all usage of its first period', () => {
  expect(usageFrom([life(day('01'), null, { metricIds: ['seats'] })], day('12'))).toBeNull();
  expect(usageFrom([life(day('01'), day('09'))], day('12'))).toBeNull();
});

test('what is left holds in a later usage month of the billing period, too', () => {
  const createdAt = at('2026-04-20T00:00:00Z');
  const left = usageLeftBy([life(day('01'), null)], {
    plan: PLAN,
    period: PERIOD,
    at: createdAt,
    unitsOf: () => decimal(0),
  });
  const month = periodOf({ ...TERMS, startDate: '2026-04-09', usagePeriod: 'monthly' }, 0);
  const switched = switchedIn(left, { index: 1, startsAt: month.startsAt, billing: { index: 0 } });
  const windows = usageWindows(switched, PLAN, month).map(({ metricId, startsAt }) => [metricId, startsAt]);
  expect(windows).toEqual([
    ['calls', createdAt],
    ['tokens', month.startsAt],
  ]);
});

test('a start date before the end of an earlier subscription to the same plan is refused with the earliest date', () => {
  const lives = [life(day('01'), day('10', '12:00'), { planId: 'new' })];
  const from = (startDate: string) => () => assertStartsAfter(lives, { planId: 'new', startDate, timeZone: 'UTC' });
  expect(from('2026-03-10')).not.toThrow();
  expect(from('2026-03-09')).toThrow('ended on 2026-03-10: start_date must be 2026-03-10 or later');
});
