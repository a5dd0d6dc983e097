import { describe, expect, test } from 'vitest';
import { COLLECTION_RANK, nextBoundary, PAST_DUE_RANK, STEP_RANK } from '../../../billing/periods/schedule.ts';

const openPeriod = { index: 2, startsAt: 1_000, endsAt: 9_000 };

describe('nextBoundary', () => {
  test('a pending subscription is activated at the start of its first period', () => {
    const boundary = nextBoundary({ status: 'pending', openPeriod: { ...openPeriod, index: 0 }, graceSeconds: 60 });
    expect(boundary).toEqual({ kind: 'activate', dueAt: 1_000, periodIndex: 0 });
  });

  test("an active one closes its period at the end, plus the account's grace", () => {
    const boundary = (graceSeconds: number) => nextBoundary({ status: 'active', openPeriod, graceSeconds });
    expect(boundary(0)).toEqual({ kind: 'close_period', dueAt: 9_000, periodIndex: 2 });
    expect(boundary(60)).toEqual({ kind: 'close_period', dueAt: 69_000, periodIndex: 2 });
  });

  test.each(['canceled', 'expired'] as const)('%s waits for nothing', (status) => {
    expect(nextBoundary({ status, openPeriod, graceSeconds: 0 })).toBeNull();
  });

  // The period ends at 9,000.
  test.each([
    ['active', { cancelAt: 5_000 }, 'cancel', 5_000],
    ['active', { cancelAt: 12_000 }, 'close_period', 9_000],
    ['pending', { cancelAt: 1_000 }, 'cancel', 1_000],
    ['pending', { cancelAt: 5_000 }, 'activate', 1_000],
    ['paused', {}, 'close_period', 9_000],
    ['paused', { resumesAt: 5_000 }, 'resume', 5_000],
    ['paused', { resumesAt: 9_000 }, 'close_period', 9_000],
    ['paused', { resumesAt: 5_000, cancelAt: 5_000 }, 'cancel', 5_000],
  ] as const)('%s with %o', (status, plans, kind, dueAt) => {
    expect(nextBoundary({ status, openPeriod, graceSeconds: 0, ...plans })).toEqual({ kind, dueAt, periodIndex: 2 });
  });

  test.each([
    ['active', { cancelAt: 9_000 }, 'cancel'],
    ['active', { switchAt: 9_000 }, 'switch'],
    ['active', { cancelAt: 9_000, switchAt: 9_000 }, 'cancel'],
    ['paused', { cancelAt: 9_000 }, 'cancel'],
    ['paused', { switchAt: 9_000 }, undefined],
    ['active', { cancelAt: 9_001 }, undefined],
  ] as const)('%s with %o: the closing of the period says what happens with it', (status, plans, happens) => {
    const boundary = nextBoundary({ status, openPeriod, graceSeconds: 60, ...plans });
    expect(boundary).toEqual({
      kind: 'close_period',
      dueAt: 69_000,
      periodIndex: 2,
      ...(happens && { with: happens }),
    });
  });

  test('what a cancel left is invoiced after the last period', () => {
    const boundary = nextBoundary({ status: 'canceled', openPeriod: null, graceSeconds: 0, billsAt: 9_000 });
    expect(boundary).toEqual({ kind: 'bill_waiting', dueAt: 9_000, periodIndex: null });
  });

  test('without an open period nothing is left', () => {
    expect(nextBoundary({ status: 'active', openPeriod: null, graceSeconds: 0 })).toBeNull();
  });
});

test('at the same instant what ends comes before what begins (spec/periods#order-at-one-instant)', () => {
  expect(STEP_RANK.close_period).toBeLessThan(STEP_RANK.activate);
  // An invoice is collected once it is made, and past due only where that has not paid it.
  const ranks = [...Object.values(STEP_RANK), COLLECTION_RANK, PAST_DUE_RANK];
  expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
});
