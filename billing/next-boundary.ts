import type { Instant } from './instants.ts';
import type { SubscriptionStatus } from './states.ts';

/** What the books say about where a subscription is in its life. */
export type LifePosition = {
  status: SubscriptionStatus;
  /** The period that is not closed yet; null once the last one is. */
  openPeriod: { index: number; startsAt: Instant; endsAt: Instant } | null;
  /** Seconds between a period's end and its closing (contract 8, completeness). */
  graceSeconds: number;
};

/** The next thing that happens to a subscription by the passing of time alone. */
export type Boundary = { kind: 'activate' | 'close_period'; dueAt: Instant; periodIndex: number };

/** Where a subscription is in its life and what comes next: all that its workflow has to know. */
export type SubscriptionCourse = {
  status: SubscriptionStatus;
  customerId: string;
  planId: string;
  /** End of the period that is not closed yet; null once the last one is. */
  periodEnd: Instant | null;
  /** The frozen time of the customer's test clock; null for one who lives in real time. */
  clockTime: Instant | null;
  next: Boundary | null;
};

/**
 * Order of steps that fall due at the same instant: first what ends, then what begins (contract 7, order at the same
 * instant). Gaps are left for planned cancel, switch and resume.
 */
export const STEP_RANK: Record<Boundary['kind'], number> = { close_period: 10, activate: 50 };

/** The boundary a subscription waits for, or null where nothing is left to come (interface, states and transitions). */
export function nextBoundary({ status, openPeriod, graceSeconds }: LifePosition): Boundary | null {
  if (openPeriod === null) return null;
  if (status === 'pending') return { kind: 'activate', dueAt: openPeriod.startsAt, periodIndex: openPeriod.index };
  if (status !== 'active') return null;
  return { kind: 'close_period', dueAt: openPeriod.endsAt + graceSeconds * 1000, periodIndex: openPeriod.index };
}
