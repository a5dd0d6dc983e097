import { describe, expect, test } from 'vitest';
import {
  COLLECTION_RANK,
  type LifePosition,
  nextBoundary,
  PAST_DUE_RANK,
  STEP_RANK,
} from '../../../billing/periods/schedule.ts';

const openPeriod = { index: 2, startsAt: 1_000, endsAt: 9_000, billing: { endsAt: 9_000 } };
const cancelAt = (at: number) => ({ plannedCancel: { at } });
const switchAt = (at: number) => ({ plannedSwitch: { at } });

function boundaryOf(position: Pick<LifePosition, 'status'> & Partial<LifePosition>) {
  const nothingPlanned = { plannedCancel: null, plannedSwitch: null, resumesAt: null, billsAt: null };
  return nextBoundary({ ...nothingPlanned, openPeriod, pendingInvoice: null, ...position });
}

describe('nextBoundary', () => {
  // spec/periods#usage-months
  test('a switch at the end of a usage month comes once the next month has begun, a cancel with the closing', () => {
    const inMonth = { status: 'active', openPeriod: { ...openPeriod, billing: { endsAt: 99_000 } } } as const;
    const closing = { kind: 'close_period', dueAt: 9_000, periodIndex: 2 };
    expect(boundaryOf({ ...inMonth, ...switchAt(9_000) })).toEqual(closing);
    expect(boundaryOf({ ...inMonth, ...cancelAt(9_000) })).toEqual({ ...closing, with: 'cancel' });
    const nextMonth = { index: 3, startsAt: 9_000, endsAt: 17_000, billing: { endsAt: 99_000 } };
    const switched = { kind: 'switch', dueAt: 9_000, periodIndex: 3 };
    expect(boundaryOf({ status: 'active', openPeriod: nextMonth, ...switchAt(9_000) })).toEqual(switched);
  });

  test('a pending subscription is activated at the start of its first period', () => {
    const boundary = boundaryOf({ status: 'pending', openPeriod: { ...openPeriod, index: 0 } });
    expect(boundary).toEqual({ kind: 'activate', dueAt: 1_000, periodIndex: 0 });
  });

  test('an active one closes its period at the end', () => {
    const boundary = boundaryOf({ status: 'active' });
    expect(boundary).toEqual({ kind: 'close_period', dueAt: 9_000, periodIndex: 2 });
  });

  // spec/invoices#grace
  test('the pending invoice of the period before is made when the grace is over, also after an end', () => {
    const pending = (dueAt: number) => ({ pendingInvoice: { periodIndex: 1, dueAt } });
    const invoice = { kind: 'invoice_period', dueAt: 4_000, periodIndex: 1 };
    expect(boundaryOf({ status: 'active', ...pending(4_000) })).toEqual(invoice);
    expect(boundaryOf({ status: 'active', ...pending(9_001) })).toMatchObject({ kind: 'close_period' });
    expect(boundaryOf({ status: 'active', ...cancelAt(3_000), ...pending(4_000) })).toMatchObject({
      kind: 'cancel',
    });
    expect(boundaryOf({ status: 'canceled', openPeriod: null, billsAt: 9_000, ...pending(4_000) })).toEqual(invoice);
  });

  test.each(['canceled', 'expired'] as const)('%s waits for nothing', (status) => {
    expect(boundaryOf({ status })).toBeNull();
  });

  // The period ends at 9,000.
  test.each([
    ['active', cancelAt(5_000), 'cancel', 5_000],
    ['active', cancelAt(12_000), 'close_period', 9_000],
    ['pending', cancelAt(1_000), 'cancel', 1_000],
    ['pending', cancelAt(5_000), 'activate', 1_000],
    ['paused', {}, 'close_period', 9_000],
    ['paused', { resumesAt: 5_000 }, 'resume', 5_000],
    ['paused', { resumesAt: 9_000 }, 'close_period', 9_000],
    ['paused', { resumesAt: 5_000, ...cancelAt(5_000) }, 'cancel', 5_000],
  ] as const)('%s with %o', (status, plans, kind, dueAt) => {
    expect(boundaryOf({ status, ...plans })).toEqual({ kind, dueAt, periodIndex: 2 });
  });

  test.each([
    ['active', cancelAt(9_000), 'cancel'],
    ['active', switchAt(9_000), 'switch'],
    ['active', { ...cancelAt(9_000), ...switchAt(9_000) }, 'cancel'],
    ['paused', cancelAt(9_000), 'cancel'],
    ['paused', switchAt(9_000), undefined],
    ['active', cancelAt(9_001), undefined],
  ] as const)('%s with %o: the closing of the period says what happens with it', (status, plans, happens) => {
    const boundary = boundaryOf({ status, ...plans });
    expect(boundary).toEqual({
      kind: 'close_period',
      dueAt: 9_000,
      periodIndex: 2,
      ...(happens && { with: happens }),
    });
  });

  test('what a cancel left is invoiced after the last period', () => {
    const boundary = boundaryOf({ status: 'canceled', openPeriod: null, billsAt: 9_000 });
    expect(boundary).toEqual({ kind: 'bill_waiting', dueAt: 9_000, periodIndex: null });
  });

  test('without an open period nothing is left', () => {
    expect(boundaryOf({ status: 'active', openPeriod: null })).toBeNull();
  });
});

test('at the same instant what ends comes before what begins (spec/periods#order-at-one-instant)', () => {
  expect(STEP_RANK.close_period).toBeLessThan(STEP_RANK.activate);
  // An invoice is collected once it is made, and past due only where that has not paid it.
  const ranks = [...Object.values(STEP_RANK), COLLECTION_RANK, PAST_DUE_RANK];
  expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
});
