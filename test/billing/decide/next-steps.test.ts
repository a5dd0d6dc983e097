import { expect, test } from 'vitest';
import { decideCollectionStep, decideNextSteps } from '../../../billing/decide/next-steps.ts';
import { at } from '../fixtures.ts';

const NOW = at('2026-03-11T12:00:00Z');

test('the next step of a subscription on a test clock takes the place of those before', () => {
  const next = { kind: 'close_period', dueAt: NOW, periodIndex: 0 } as const;
  const schedules = new Map([
    ['sub_1', { next }],
    ['sub_2', { next: null }],
  ]);
  const changes = decideNextSteps('clock_1', schedules);
  expect(changes.stepsDone).toHaveLength(2);
  expect(changes.steps).toEqual([
    { kind: 'close_period', subscriptionId: 'sub_1', dueAt: NOW, testClockId: 'clock_1' },
  ]);
});

test('a collection has a step on a test clock only', () => {
  expect(decideCollectionStep(null, 'inv_1', { dueAt: NOW })).toEqual({});
  expect(decideCollectionStep('clock_1', 'inv_1', null)).toEqual({
    stepsDone: [{ kind: 'collect', invoiceId: 'inv_1' }],
    steps: [],
  });
  expect(decideCollectionStep('clock_1', 'inv_1', { dueAt: NOW }).steps).toEqual([
    { kind: 'collect', invoiceId: 'inv_1', dueAt: NOW, testClockId: 'clock_1' },
  ]);
});
